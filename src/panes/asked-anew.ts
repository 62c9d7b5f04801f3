import {type AccessCare, attachmentsCare, firewallsCare} from '../actions/access-lines.ts';
import type {ActionOf} from '../actions/actions.ts';
import {questionAnew} from '../actions/ask.ts';
import {setAttachments} from '../actions/firewalls.ts';
import {setFirewalls} from '../actions/machine-attachments.ts';
import {type Confirmation, type Fact, typedAnswer} from '../actions/question.ts';
import {ruleChangeCare} from '../actions/rule-form.ts';
import {addRuleToFirewall, addRuleToMachine} from '../actions/rules.ts';
import type {Action} from '../domain/action.ts';
import {holderOf, holdersOf, type RuleHolder} from '../domain/outgoing-traffic.ts';
import type {RuleSpec} from '../domain/security-rule.ts';
import type {SecurityRule} from '../domain/virtual-machine.ts';
import {observedFirewalls} from '../state/firewalls.ts';
import {observedMachines} from '../state/machines.ts';
import type {PlanStep} from '../state/plan.ts';
import type {Scene} from './pane.ts';

/** What a pane's own question says of actions, and what it has to be answered with. */
export type Asked = {
  readonly facts: readonly Fact[];
  /** The same for less room, longest first. */
  readonly shorterFacts?: readonly (readonly Fact[])[];
  readonly answer: Confirmation;
  /** What of the steps is asked about: the others cannot be done now. */
  readonly steps: readonly PlanStep[];
};

/**
 * For actions that no key of a pane has chosen: what is undone, done again, or left of a batch. Their money, their risk
 * and the weight of the answer are those of the pane's own question. Undefined where nothing more is known of them.
 */
export function askedAnew(steps: readonly PlanStep[], scene: Scene): Asked | undefined {
  const [first, ...others] = steps;
  if (first === undefined) return undefined;
  const question = questionAnew(steps, scene);
  if (question !== undefined) return question;
  const {action} = first;
  return others.length === 0 && isAttaching(action) ? attachmentsAnew(first, action, scene) : rulesAnew(steps, scene);
}

/** Rules of one owner that are put back or taken away again. */
function rulesAnew(steps: readonly PlanStep[], scene: Scene): Asked | undefined {
  const [first] = steps;
  const owner = first && rulesOfOwner(first.action, scene);
  if (first === undefined || owner === undefined || !('id' in first.action)) return undefined;
  const added: RuleSpec[] = [];
  const removed: SecurityRule[] = [];
  for (const {action} of steps) {
    if (addRuleToMachine.is(action) || addRuleToFirewall.is(action)) added.push(action.rule);
    else if (action.kind !== 'vm.remove-rule' && action.kind !== 'firewall.remove-rule') return undefined;
    else removed.push(...owner.rules.filter(({id}) => id === action.ruleId));
  }
  const {lines, cutsOff} = ruleChangeCare({added, removed, ...owner}, scene);
  return {
    facts: lines.length === 0 ? [] : [{label: 'Needs care', lines}],
    answer: cutsOff ? typedAnswer(first.subjectName, first.action.id) : {kind: 'key'},
    steps,
  };
}

type Attaching = ActionOf<'vm.set-firewalls' | 'firewall.set-attachments'>;

function isAttaching(action: Action): action is Attaching {
  return setFirewalls.is(action) || setAttachments.is(action);
}

/** A set of firewalls or of machines that is put back: what is let in no more, what stops, and what is opened. */
function attachmentsAnew(step: PlanStep, action: Attaching, scene: Scene): Asked | undefined {
  const care = attachmentsCareOf(action, scene);
  if (care === undefined) return undefined;
  return {
    facts: care.lines.length === 0 ? [] : [{label: 'Needs care', lines: care.lines}],
    answer: care.cutsOff ? typedAnswer(step.subjectName, action.id) : {kind: 'key'},
    steps: [step],
  };
}

function attachmentsCareOf(action: Attaching, scene: Scene): AccessCare | undefined {
  if (action.kind === 'vm.set-firewalls') {
    const machine = observedMachines(scene.store)?.find(({id}) => id === action.id);
    return machine && firewallsCare(machine, action.firewallIds, scene);
  }
  const firewall = observedFirewalls(scene.store)?.find(({id}) => id === action.id);
  return firewall && attachmentsCare(firewall, action.machineIds, scene);
}

type RulesOfOwner = {readonly rules: readonly SecurityRule[]; readonly holders: readonly RuleHolder[]};

function rulesOfOwner(action: Action, {store}: Scene): RulesOfOwner | undefined {
  const [machines, firewalls] = [observedMachines(store) ?? [], observedFirewalls(store) ?? []];
  switch (action.kind) {
    case 'vm.add-rule':
    case 'vm.remove-rule': {
      const machine = machines.find(({id}) => id === action.id);
      return machine && {rules: machine.rules, holders: [holderOf(machine, firewalls)]};
    }
    case 'firewall.add-rule':
    case 'firewall.remove-rule': {
      const firewall = firewalls.find(({id}) => id === action.id);
      return firewall && {rules: firewall.rules, holders: holdersOf(firewall, {machines, firewalls})};
    }
    default:
      return undefined;
  }
}
