import {type Act, isPowerAct} from '../domain/act.ts';
import {attachmentState} from '../domain/act-rules/attachment-state.ts';
import {verbOf} from '../domain/describe-operation.ts';
import type {Firewall} from '../domain/firewall.ts';
import type {RuleSpec} from '../domain/security-rule.ts';
import type {SecurityRule, VirtualMachine} from '../domain/virtual-machine.ts';
import {observedFirewalls} from '../state/firewalls.ts';
import {observedMachines} from '../state/machines.ts';
import type {PlanStep} from '../state/plan.ts';
import {cutOffMachinesLines, worldLines} from './access-lines.ts';
import {cannotActReason} from './act-question.ts';
import {type Answer, type Fact, typedAnswer} from './command.ts';
import type {BatchItem} from './machines/batch-care.ts';
import {batchQuestion} from './machines/batch-question.ts';
import {powerQuestion} from './machines/power-question.ts';
import {disabledReasonOf} from './machines/power-reason.ts';
import type {Scene} from './pane.ts';
import {ruleChangeCare} from './rule-form.ts';

/** What a pane's own question says of acts, and what it has to be answered with. */
export type Asked = {
  readonly facts: readonly Fact[];
  /** The same for less room, longest first. */
  readonly shorterFacts?: readonly (readonly Fact[])[];
  readonly answer: Answer;
  /** What of the steps is asked about: the others cannot be done now. */
  readonly steps: readonly PlanStep[];
};

/**
 * For acts that no key of a pane has chosen: what is taken back, done again, or left of a batch. Their money, their risk
 * and the weight of the answer are those of the pane's own question. Undefined where no pane has more to say of them.
 */
export function askedAnew(steps: readonly PlanStep[], scene: Scene): Asked | undefined {
  const [first, ...others] = steps;
  if (first === undefined) return undefined;
  const machines = new Map((observedMachines(scene.store) ?? []).map(machine => [machine.id, machine]));
  const {act} = first;
  if (isPowerAct(act) && others.length === 0) {
    const machine = machines.get(act.id);
    return machine && {...powerQuestion(act, machine, scene), steps};
  }
  const isOneKind = steps.every(step => step.act.kind === act.kind);
  const isOfBatches = isPowerAct(act) || act.kind === 'vm.delete';
  if (isOneKind && isOfBatches) return batchAnew(steps, machines, scene);
  return others.length === 0 && isAttaching(act) ? attachmentsAnew(first, act, scene) : rulesAnew(steps, scene);
}

function batchAnew(
  steps: readonly PlanStep[],
  machines: ReadonlyMap<number, VirtualMachine>,
  scene: Scene,
): Asked | undefined {
  const items = steps.flatMap(({act}): readonly BatchItem[] => {
    const machine = 'id' in act ? machines.get(act.id) : undefined;
    return machine === undefined ? [] : [{machine, act, reason: reasonOf(act, machine, scene)}];
  });
  const [first] = steps;
  const question = first && batchQuestion(verbOf(first.act.kind), items, scene);
  if (question === undefined) return undefined;
  const sent = new Set(items.flatMap(({act, reason}) => (reason === undefined ? [act] : [])));
  return {...question, steps: steps.filter(({act}) => sent.has(act))};
}

function reasonOf(act: Act, machine: VirtualMachine, scene: Scene): BatchItem['reason'] {
  return isPowerAct(act) ? disabledReasonOf(act, machine, scene) : cannotActReason(scene, act);
}

/** Rules of one owner that are put back or taken away again. */
function rulesAnew(steps: readonly PlanStep[], scene: Scene): Asked | undefined {
  const [first] = steps;
  const rules = first && rulesOfOwner(first.act, scene);
  if (first === undefined || rules === undefined || !('id' in first.act)) return undefined;
  const added: RuleSpec[] = [];
  const removed: SecurityRule[] = [];
  for (const {act} of steps) {
    if (act.kind === 'vm.add-rule' || act.kind === 'firewall.add-rule') added.push(act.rule);
    else if (act.kind !== 'vm.remove-rule' && act.kind !== 'firewall.remove-rule') return undefined;
    else removed.push(...rules.filter(({id}) => id === act.ruleId));
  }
  const {lines, cutsOff} = ruleChangeCare({added, removed, rules}, scene);
  return {
    facts: lines.length === 0 ? [] : [{label: 'Needs care', lines}],
    answer: cutsOff ? typedAnswer(first.subjectName, first.act.id) : {kind: 'key'},
    steps,
  };
}

type Attaching = Extract<Act, {kind: 'vm.set-firewalls' | 'firewall.set-attachments'}>;

function isAttaching(act: Act): act is Attaching {
  return act.kind === 'vm.set-firewalls' || act.kind === 'firewall.set-attachments';
}

/** A set of firewalls or of machines that is put back: what is let in no more, and what is opened. */
function attachmentsAnew(step: PlanStep, act: Attaching, scene: Scene): Asked {
  const firewalls = observedFirewalls(scene.store) ?? [];
  const wanted = (firewall: Firewall, machineId: number): boolean => {
    if (act.kind === 'vm.set-firewalls') {
      return act.id === machineId ? act.firewallIds.includes(firewall.id) : isAttachedTo(firewall, machineId);
    }
    return act.id === firewall.id ? act.machineIds.some(id => id === machineId) : isAttachedTo(firewall, machineId);
  };
  const touched = touchedBy(act, firewalls);
  const machines = (observedMachines(scene.store) ?? []).filter(machine => touched.has(machine.id));
  const changes = machines.map(machine => ({
    machineName: machine.name,
    gone: firewalls
      .filter(each => isAttachedTo(each, machine.id) && !wanted(each, machine.id))
      .flatMap(({rules}) => rules),
    staying: [...machine.rules, ...firewalls.filter(each => wanted(each, machine.id)).flatMap(({rules}) => rules)],
    joined: firewalls.filter(each => !isAttachedTo(each, machine.id) && wanted(each, machine.id)),
  }));
  const cut = cutOffMachinesLines(scene, changes);
  const lines = [...cut, ...worldLines([...new Set(changes.flatMap(({joined}) => joined))])];
  return {
    facts: lines.length === 0 ? [] : [{label: 'Needs care', lines}],
    answer: cut.length === 0 ? {kind: 'key'} : typedAnswer(step.subjectName, act.id),
    steps: [step],
  };
}

function touchedBy(act: Attaching, firewalls: readonly Firewall[]): ReadonlySet<number> {
  if (act.kind === 'vm.set-firewalls') return new Set([act.id]);
  const attachments = firewalls.find(({id}) => id === act.id)?.attachments ?? [];
  return new Set<number>([...act.machineIds, ...attachments.flatMap(({machineId}) => machineId ?? [])]);
}

function isAttachedTo({attachments}: Firewall, machineId: number): boolean {
  return attachments.some(each => each.machineId === machineId && attachmentState(each.status) !== 'gone');
}

function rulesOfOwner(act: Act, {store}: Scene): readonly SecurityRule[] | undefined {
  switch (act.kind) {
    case 'vm.add-rule':
    case 'vm.remove-rule':
      return observedMachines(store)?.find(({id}) => id === act.id)?.rules;
    case 'firewall.add-rule':
    case 'firewall.remove-rule':
      return observedFirewalls(store)?.find(({id}) => id === act.id)?.rules;
    default:
      return undefined;
  }
}
