import {assert} from './assert.ts';
import type {ClusterId, ClusterSpec} from './cluster.ts';
import type {EnvironmentId, EnvironmentSpec} from './environment.ts';
import type {FirewallId, FirewallSpec} from './firewall.ts';
import type {KeyPairId, KeyPairSpec} from './key-pair.ts';
import type {AccessKeyId, AccessKeySpec} from './object-storage.ts';
import type {SafeText} from './safe-text.ts';
import type {RuleSpec, RuleTerms} from './security-rule.ts';
import {THING_TYPES, type ThingType} from './thing.ts';
import type {MachineSpec, VirtualMachineId} from './virtual-machine.ts';
import type {VolumeId, VolumeSpec} from './volume.ts';

/**
 * Everything that can be done to the cloud, as data. `action-rules` says what each kind needs and how its effect is seen,
 * `state/action-requests` maps it to its one endpoint. The word before the dot is the type of what it is done to.
 */
export type Action =
  | PowerAction
  | RuleAction
  | MachineAction
  | ClusterAction
  | FirewallAction
  | VolumeAction
  | AccountAction
  | StorageAction;

export type PowerAction =
  | {readonly kind: 'vm.start'; readonly id: VirtualMachineId}
  | {readonly kind: 'vm.stop'; readonly id: VirtualMachineId}
  | {readonly kind: 'vm.hard-reboot'; readonly id: VirtualMachineId}
  | {readonly kind: 'vm.hibernate'; readonly id: VirtualMachineId; readonly retainsIp: boolean}
  | {readonly kind: 'vm.restore'; readonly id: VirtualMachineId};

/** A rule is made or taken away as a whole: the interface has no way to change one. */
export type RuleAction =
  | {readonly kind: 'vm.add-rule'; readonly id: VirtualMachineId; readonly rule: RuleSpec}
  | {readonly kind: 'firewall.add-rule'; readonly id: FirewallId; readonly rule: RuleSpec}
  | {readonly kind: 'vm.remove-rule'; readonly id: VirtualMachineId; readonly ruleId: number; readonly rule: RuleTerms}
  | {readonly kind: 'firewall.remove-rule'; readonly id: FirewallId; readonly ruleId: number; readonly rule: RuleTerms};

export type MachineAction =
  | {readonly kind: 'vm.create'; readonly spec: MachineSpec}
  | {readonly kind: 'vm.delete'; readonly id: VirtualMachineId}
  | {readonly kind: 'vm.resize'; readonly id: VirtualMachineId; readonly flavorName: SafeText}
  | {readonly kind: 'vm.set-labels'; readonly id: VirtualMachineId; readonly labels: readonly SafeText[]}
  | {readonly kind: 'vm.attach-ip'; readonly id: VirtualMachineId}
  | {readonly kind: 'vm.detach-ip'; readonly id: VirtualMachineId}
  /** `isUpdate` where an address stands already: the service has one call for the first and another for the next. */
  | {
      readonly kind: 'vm.set-callback';
      readonly id: VirtualMachineId;
      readonly url: SafeText;
      readonly isUpdate: boolean;
    }
  | {readonly kind: 'vm.remove-callback'; readonly id: VirtualMachineId}
  | {readonly kind: 'vm.attach-volumes'; readonly id: VirtualMachineId; readonly volumeIds: readonly VolumeId[]}
  | {readonly kind: 'vm.detach-volumes'; readonly id: VirtualMachineId; readonly volumeIds: readonly VolumeId[]}
  /** The whole set: firewalls that are not in it are detached. */
  | {readonly kind: 'vm.set-firewalls'; readonly id: VirtualMachineId; readonly firewallIds: readonly FirewallId[]}
  | {readonly kind: 'vm.request-console'; readonly id: VirtualMachineId}
  | {readonly kind: 'vm.request-logs'; readonly id: VirtualMachineId; readonly lineCount: number};

type ClusterAction =
  | {readonly kind: 'cluster.create'; readonly spec: ClusterSpec}
  | {readonly kind: 'cluster.delete'; readonly id: ClusterId}
  | {readonly kind: 'cluster.reconcile'; readonly id: ClusterId};

type FirewallAction =
  | {readonly kind: 'firewall.create'; readonly spec: FirewallSpec}
  | {readonly kind: 'firewall.delete'; readonly id: FirewallId}
  /** The whole set: machines that are not in it are detached. */
  | {
      readonly kind: 'firewall.set-attachments';
      readonly id: FirewallId;
      readonly machineIds: readonly VirtualMachineId[];
    };

type VolumeAction =
  | {readonly kind: 'volume.create'; readonly spec: VolumeSpec}
  | {readonly kind: 'volume.delete'; readonly id: VolumeId};

type AccountAction =
  | {readonly kind: 'key-pair.import'; readonly spec: KeyPairSpec}
  | {readonly kind: 'key-pair.rename'; readonly id: KeyPairId; readonly name: SafeText}
  | {readonly kind: 'key-pair.delete'; readonly id: KeyPairId}
  | {readonly kind: 'environment.create'; readonly spec: EnvironmentSpec}
  | {readonly kind: 'environment.rename'; readonly id: EnvironmentId; readonly name: SafeText}
  | {readonly kind: 'environment.delete'; readonly id: EnvironmentId};

type StorageAction =
  | {readonly kind: 'access-key.create'; readonly spec: AccessKeySpec}
  | {readonly kind: 'access-key.delete'; readonly id: AccessKeyId}
  | {readonly kind: 'bucket.delete'; readonly name: SafeText; readonly regionName: SafeText};

export type ActionKind = Action['kind'];
export type PowerActionKind = PowerAction['kind'];
export type ActionOf<Kind extends ActionKind> = Extract<Action, {readonly kind: Kind}>;
/** The type of what actions of a kind are done to. */
export type TypeOf<Kind extends ActionKind> = Kind extends `${infer Type extends ThingType}.${string}` ? Type : never;

/** What an action is done to: what is locked, checked and watched. What is only being made is known by its name. */
export type Subject =
  | {readonly type: ThingType; readonly id: number}
  | {readonly type: ThingType; readonly name: SafeText; readonly regionName?: SafeText};

export function subjectOf(action: Action): Subject {
  const type = THING_TYPES.find(each => action.kind.startsWith(`${each}.`));
  assert(type !== undefined, `${action.kind} does not say what it is done to`);
  if ('id' in action) return {type, id: action.id};
  if (action.kind === 'bucket.delete') return {type, name: action.name, regionName: action.regionName};
  // Access keys have no names: of two that are made in one region at once, nobody could tell which is which.
  return {type, name: action.kind === 'access-key.create' ? action.spec.regionName : action.spec.name};
}

/** Each type counts its ids by itself, so an id alone names nothing. */
export function subjectKey(subject: Subject): string {
  if ('id' in subject) return `${subject.type} ${subject.id}`;
  // The quotes keep a name that is a number apart from an id.
  const names = subject.regionName === undefined ? [subject.name] : [subject.name, subject.regionName];
  return `${subject.type} ${JSON.stringify(names)}`;
}

const POWER_KINDS: ReadonlySet<ActionKind> = new Set<PowerActionKind>([
  'vm.start',
  'vm.stop',
  'vm.hard-reboot',
  'vm.hibernate',
  'vm.restore',
]);

export function isPowerAction(action: Action): action is PowerAction {
  return POWER_KINDS.has(action.kind);
}
