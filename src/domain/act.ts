import type {FirewallId} from './firewall.ts';
import type {RuleSpec, RuleTerms} from './security-rule.ts';
import type {VirtualMachineId} from './virtual-machine.ts';

/** Everything that can be done to the cloud, as data. `state/operation` maps an act to its one endpoint. */
export type Act = PowerAct | RuleAct;

export type PowerAct =
  | {readonly kind: 'vm.start'; readonly id: VirtualMachineId}
  | {readonly kind: 'vm.stop'; readonly id: VirtualMachineId}
  | {readonly kind: 'vm.hard-reboot'; readonly id: VirtualMachineId}
  | {readonly kind: 'vm.hibernate'; readonly id: VirtualMachineId; readonly retainsIp: boolean}
  | {readonly kind: 'vm.restore'; readonly id: VirtualMachineId};

/** A rule is made or taken away as a whole: the interface has no way to change one. */
export type RuleAct =
  | {readonly kind: 'vm.add-rule'; readonly id: VirtualMachineId; readonly rule: RuleSpec}
  | {readonly kind: 'firewall.add-rule'; readonly id: FirewallId; readonly rule: RuleSpec}
  | {readonly kind: 'vm.remove-rule'; readonly id: VirtualMachineId; readonly ruleId: number; readonly rule: RuleTerms}
  | {readonly kind: 'firewall.remove-rule'; readonly id: FirewallId; readonly ruleId: number; readonly rule: RuleTerms};

export type ActKind = Act['kind'];
export type PowerActKind = PowerAct['kind'];

/** The object an act is done to: what is locked, checked and watched. */
export type Subject =
  | {readonly type: 'vm'; readonly id: VirtualMachineId}
  | {readonly type: 'firewall'; readonly id: FirewallId};

export function subjectOf(act: Act): Subject {
  switch (act.kind) {
    case 'firewall.add-rule':
    case 'firewall.remove-rule':
      return {type: 'firewall', id: act.id};
    default:
      return {type: 'vm', id: act.id};
  }
}

/** Machines and firewalls count their ids apart, so an id alone names nothing. */
export function subjectKey({type, id}: Subject): string {
  return `${type} ${id}`;
}

export function isPowerAct(act: Act): act is PowerAct {
  return !('rule' in act);
}
