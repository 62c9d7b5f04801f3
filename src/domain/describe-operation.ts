import {type Act, type ActKind, isPowerAct} from './act.ts';
import {unreachable} from './assert.ts';
import type {Operation} from './operation.ts';
import {type SafeText, say} from './safe-text.ts';
import {ruleWords} from './security-rule.ts';

/** How much a person should mind. */
export type OperationTone = 'text' | 'good' | 'warning' | 'danger';

const VERBS: Readonly<Record<ActKind, SafeText>> = {
  'vm.start': say`start`,
  'vm.stop': say`stop`,
  'vm.hard-reboot': say`hard reboot`,
  'vm.hibernate': say`hibernate`,
  'vm.restore': say`restore`,
  'vm.add-rule': say`add rule`,
  'vm.remove-rule': say`remove rule`,
  'firewall.add-rule': say`add rule`,
  'firewall.remove-rule': say`remove rule`,
};

export function verbOf(kind: ActKind): SafeText {
  return VERBS[kind];
}

/** The act without its subject: `stop`, `add rule ingress tcp/22 0.0.0.0/0 on`. */
export function actWords(act: Act): SafeText {
  return isPowerAct(act) ? verbOf(act.kind) : say`${verbOf(act.kind)} ${ruleWords(act.rule)} on`;
}

/** What a person is told when an operation reaches a phase: never more than was observed. */
export function describeOperation(operation: Operation): {readonly text: SafeText; readonly tone: OperationTone} {
  const subject = say`${actWords(operation.act)} ${operation.subjectName} #${operation.act.id}`;
  const because = operation.detail === undefined ? say`` : say`: ${operation.detail}`;
  switch (operation.phase) {
    case 'preflight':
      return {text: say`${subject}: checking that nothing has changed`, tone: 'text'};
    case 'sent':
      return {text: say`${subject}: sent, waiting for the answer`, tone: 'text'};
    case 'accepted':
      return {text: say`${subject}: accepted, watching for the effect`, tone: 'text'};
    case 'in-progress':
      return {text: say`${subject}: under way`, tone: 'text'};
    case 'overdue':
      return {text: say`${subject}: takes longer than usual; still watching`, tone: 'warning'};
    case 'unknown':
      return {text: say`${subject}: outcome unknown${because}; watching, not sent again`, tone: 'warning'};
    case 'CONFIRMED':
      return {text: say`${subject}: confirmed`, tone: 'good'};
    case 'REFUSED':
      return {text: say`${subject}: ${operation.detail ?? say`refused`}`, tone: 'danger'};
    case 'NOT_SENT':
      return {text: say`${subject}: not sent${because}`, tone: 'danger'};
    case 'STALE':
      return {text: say`${subject}: not sent, because ${operation.detail ?? say`it has changed`}`, tone: 'danger'};
    case 'CONTRADICTED':
      return {text: say`${subject}: it ended otherwise${because}`, tone: 'danger'};
    case 'NO_EFFECT_SEEN':
      return {text: say`${subject}: no effect seen; it was sent once and is not sent again`, tone: 'warning'};
    default:
      return unreachable(operation.phase);
  }
}
