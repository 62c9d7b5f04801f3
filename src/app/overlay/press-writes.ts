import {verbOf} from '../../actions/actions.ts';
import {candidatesOf, questionAnew, reasonAgainstAll, sendableNow} from '../../actions/question/question-for.ts';
import {commandOf, curlOf} from '../../actions/shell-line.ts';
import type {Question} from '../../actions/question/question.ts';
import type {Action} from '../../domain/action.ts';
import {knownOutcome} from '../../domain/describe-operation.ts';
import {joinSafe, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {Scene} from '../../panes/pane.ts';
import {canCancel, type Plan} from '../../state/operations/plan.ts';
import type {Deck} from '../deck.ts';
import {type Overlay, openQuestion} from './overlay.ts';
import {askToUndo} from '../undo-question.ts';
import {KEYS} from '../../actions/keys.ts';

/** The calls of a dry run can be copied, and nothing else. */
export function pressCalls(deck: Deck, overlay: Extract<Overlay, {kind: 'calls'}>, key: string): void {
  if (CLOSE_CALLS.has(key)) return deck.setOverlay(undefined);
  const actions = overlay.steps.map(({action}) => action);
  if (!copyActions(deck, actions, key)) refuseKey(deck, key);
}

const CLOSE_CALLS: ReadonlySet<string> = new Set([KEYS.back, KEYS.quit, KEYS.open]);

function refuseKey(deck: Deck, key: string): void {
  deck.refuse(say`${safeText(key)}: no such key in this box; ${KEYS.back} closes it`, 'warning');
}

/** Stopping needs no confirmation; resuming is confirmed like the batch itself, since time has passed. */
export function pressPlan(deck: Deck, {plan}: Extract<Overlay, {kind: 'plan'}>, key: string): void {
  switch (key) {
    case KEYS.back:
    case KEYS.quit:
      deck.setOverlay(undefined);
      return deck.notify(say`${KEYS.progress} shows it again`);
    case 'x':
      if (canCancel(plan.progress())) plan.cancel();
      else deck.notify(say`nothing to cancel: no action is waiting to be sent`, 'warning');
      return;
    case 'r':
      return askToContinue(deck, plan);
    case KEYS.undo:
      return askToUndo(deck, 'undo');
    case KEYS.progress:
      return deck.notify(say`this is the progress that ${KEYS.progress} shows; ${KEYS.back} closes it`);
    default:
      return refuseKey(deck, key);
  }
}

function askToContinue(deck: Deck, plan: Plan): void {
  const left = plan.left();
  const scene = deck.scene();
  const asked = sendableNow(left, scene).length === 0 ? undefined : questionAnew(left, scene);
  const [first, ...rest] = asked?.steps ?? [];
  if (asked === undefined || first === undefined) return deck.notify(nothingLeftReason(plan, scene), 'warning');
  const verb = verbOf(first.action.kind);
  const question: Question = {
    title: say`what is left: ${asked.title}`,
    facts: asked.facts,
    ...(asked.shorterFacts === undefined ? {} : {shorterFacts: asked.shorterFacts}),
    // A single letter is not enough for the rest of a batch.
    answer:
      asked.answer.kind === 'text'
        ? asked.answer
        : {kind: 'text', what: 'words', expected: say`${verb} ${rest.length + 1}`},
    alternatives: [],
    steps: [first, ...rest],
    purpose: {kind: 'resume', plan},
  };
  deck.setOverlay(openQuestion(question, deck.now()));
}

function nothingLeftReason(plan: Plan, scene: Scene): SafeText {
  const {status, steps} = plan.progress();
  if (status === 'running') return say`still running: there is nothing to continue yet`;
  if (steps.some(({operation}) => operation?.phase === 'sent')) {
    return say`not sent: the answer to an action is still awaited`;
  }
  if (steps.some(({operation}) => operation !== undefined && knownOutcome(operation).phase === 'unknown')) {
    return say`not sent: the outcome of an action is unknown, and it is still watched`;
  }
  const actions = plan.left().map(({action}) => action);
  const reason = reasonAgainstAll(candidatesOf(actions, scene));
  return reason === undefined ? say`nothing left to send` : say`the rest cannot be sent now: ${reason}`;
}

/** The keys that copy what a question asks about, as equivalent command lines; false for every other key. */
export function copyActions(deck: Deck, actions: readonly Action[], key: string): boolean {
  const lineOf = LINES.get(key);
  if (lineOf === undefined) return false;
  const said = actions.length === 1 ? say`copied the line` : say`copied ${actions.length} lines`;
  deck.copy([joinSafe(actions.map(lineOf), ' && ')], {said});
  return true;
}

const LINES: ReadonlyMap<string, (action: Action) => SafeText> = new Map([
  [KEYS.copy, commandOf],
  [KEYS.copyCurl, curlOf],
]);
