import {callsFact} from '../actions/question/action-question.ts';
import {verbOf} from '../actions/actions.ts';
import {candidatesOf, outdatedStep, questionAnew, withShown} from '../actions/question/question-for.ts';
import {type Fact, type FactKind, fact, factIfAny, type Question} from '../actions/question/question.ts';
import {type Action, subjectKey, subjectOf} from '../domain/action.ts';
import {describeOperation} from '../domain/describe-operation.ts';
import {nameInWords, type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Scene} from '../panes/pane.ts';
import type {PlanStart, PlanStep} from '../state/operations/plan.ts';
import type {ConfirmedUndo, UndoOffer} from '../state/operations/undo.ts';
import type {Line} from '../ui/text.ts';
import type {Deck} from './deck.ts';
import type {MuteOutcome} from './mute-steps.ts';
import {openQuestion} from './overlay/overlay.ts';
import type {Batch} from './writes.ts';
import {KEYS} from '../actions/keys.ts';

type Reversal = 'undo' | 'redo';

/**
 * Asks whether to undo what was sent last, or says why that cannot be done. What is not sent yet is withdrawn at once,
 * and its end tells that; what was muted last is undone at once.
 */
export function askToUndo(deck: Deck, way: Reversal): void {
  if (way === 'undo' && deck.writes.withdraw()) return;
  const muted = way === 'undo' ? deck.muteSteps.undo() : deck.muteSteps.redo();
  if (muted !== undefined) return notifyMuted(deck, muted);
  const stacks = deck.writes.undo();
  if (stacks === undefined)
    return deck.notify(say`this session is read-only; ${KEYS.unlock} allows writes for a while`, 'warning');
  const offered = way === 'undo' ? stacks.toUndo() : stacks.toRedo();
  if (offered === undefined)
    return deck.notify(NOTHING[way === 'undo' && stacks.toRedo() !== undefined ? 'undone' : way]);
  const offer = offered.kind === 'impossible' ? offered : stillPossible(offered, deck.scene());
  if (offer.kind === 'impossible') {
    // What can never be undone is dropped, so that the one before it comes up; what is under way is kept.
    if (way === 'undo' && !offer.isBusy) stacks.dropUndo();
    return deck.notify(say`${safeText(way)}: ${offer.reason}`, 'warning');
  }
  deck.setOverlay(openQuestion(questionOf(offer, way, deck.scene()), deck.now()));
}

const NOTHING: Readonly<Record<Reversal | 'undone', SafeText>> = {
  undo: say`nothing to undo in this session`,
  undone: say`nothing more to undo; ${KEYS.redo} redoes what was undone`,
  redo: say`nothing to redo`,
};

export function notifyMuted(deck: Deck, {says, trouble}: MuteOutcome): void {
  if (trouble === undefined) deck.notify(says);
  else deck.notify(say`${says}, ${trouble}`, 'warning');
}

/** Confirmed: sent like every other action, and noted in the session's record of what was done. */
export function startUndo(
  deck: Deck,
  {way, title, steps, operationIds}: ConfirmedUndo & {readonly way: Reversal; readonly title: SafeText},
  tell: (standing: SafeText) => void,
): void {
  const start: PlanStart | undefined = deck.writes.undo()?.[way]({steps, operationIds}, tell);
  if (start === undefined) return deck.notify(say`${safeText(way)}: not sent: no longer possible`, 'warning');
  if (start.status === 'locked')
    return deck.notify(say`not sent. ${describeOperation(start.by, deck.scene().now).text}`, 'warning');
  deck.writes.began(start.plan, 'undone');
  deck.muteSteps.forget();
  showBatch(deck, {plan: start.plan, title});
}

type PossibleUndo = Extract<UndoOffer, {kind: 'possible'}>;

/**
 * The offer, if not all of it is about what is gone. Of a batch, what is gone or cannot be sent now is named as left out:
 * the number asked for is that of the actions sent.
 */
function stillPossible(offer: PossibleUndo, scene: Scene): UndoOffer {
  const {steps, operationIds, words, mode, remaining} = offer;
  const reasons = steps.map(step => reasonNow(step, scene));
  const leftOut = steps.flatMap(({action, subjectName}, index) => {
    const reason = reasons[index];
    return reason === undefined ? [] : [say`${nameInWords(subjectName)}${idText(action)}: ${reason}`];
  });
  const isGone = steps.every(({action}) => candidatesOf([action], scene).length === 0);
  const isKept = (_: unknown, index: number) => reasons[index] === undefined;
  const [first, ...others] = steps.filter(isKept);
  if (leftOut[0] !== undefined && first === undefined && (isGone || mode === 'batch')) {
    return {kind: 'impossible', reason: leftOut[0], isBusy: !isGone};
  }
  if (mode !== 'batch' || first === undefined) return offer;
  return {
    ...offer,
    steps: [first, ...others],
    operationIds: operationIds.filter(isKept),
    words: words.filter(isKept),
    remaining: [...remaining, ...leftOut],
  };
}

/** Why a step cannot be sent now, because its subject is gone or otherwise; undefined if it can, as far as is known. */
function reasonNow(step: PlanStep, scene: Scene): SafeText | undefined {
  const [known] = candidatesOf([step.action], scene);
  return known === undefined ? outdatedStep(step, scene) : known.reason;
}

/** What the pane says elsewhere in the question, or what is said better here. */
const REPLACED_FACTS: ReadonlySet<FactKind> = new Set(['happens', 'calls', 'undo']);

function questionOf(
  {steps, operationIds, words, mode, remaining}: PossibleUndo,
  way: Reversal,
  scene: Scene,
): Question {
  const asked = questionAnew(steps, {...scene, isUndo: way === 'undo'});
  const isWhole = asked?.steps.length === steps.length;
  const isOfMany = new Set(steps.map(({action}) => subjectKey(subjectOf(action)))).size > 1;
  const verb = verbOf(steps[0].action.kind);
  const stays = factIfAny(
    'unchanged',
    remaining.map((text): Line => [{text, tone: 'warning'}]),
  );
  const happens = fact(
    'happens',
    steps.map(({action, subjectName}, index): Line => {
      const what = words[index] ?? verb;
      return [{text: isOfMany ? say`${nameInWords(subjectName)}${idText(action)}: ${what}` : asSentence(what)}];
    }),
  );
  const calls = callsFact(steps.map(({action}) => action));
  const back = fact('undo', [[{text: way === 'undo' ? `${KEYS.redo} redoes it` : `${KEYS.undo} undoes it`}]]);
  const reworded = (facts: readonly Fact[]): readonly Fact[] => {
    const saidOr = (otherwise: Fact) => facts.find(({kind}) => kind === otherwise.kind) ?? otherwise;
    return [
      isOfMany ? saidOr(happens) : happens,
      ...stays,
      ...facts.filter(({kind}) => !REPLACED_FACTS.has(kind)),
      isOfMany ? saidOr(calls) : calls,
      saidOr(back),
    ];
  };
  const [first, ...others] = steps;
  return {
    title: say`${safeText(way)}: ${asked?.title ?? say`${verb} ${nameInWords(steps[0].subjectName)}${idText(steps[0].action)}`}`,
    facts: reworded(asked?.facts ?? []),
    ...(asked?.shorterFacts === undefined ? {} : {shorterFacts: asked.shorterFacts.map(reworded)}),
    answer:
      isOfMany && !(isWhole && asked.answer.kind === 'text')
        ? {kind: 'text', what: 'words', expected: say`${verb} ${steps.length}`}
        : (asked?.answer ?? {kind: 'key'}),
    alternatives: [],
    steps: [withShown(first, scene), ...others.map(step => withShown(step, scene))],
    purpose: {kind: 'reverse', way, mode, operationIds},
  };
}

/** The progress of a batch is shown while it is under way; a chain reports line by line. */
export function showBatch(deck: Deck, batch: Batch): void {
  if (batch.plan.mode !== 'batch') return;
  deck.writes.keepBatch(batch);
  deck.setOverlay({kind: 'plan', ...batch});
}

function idText(action: Action): SafeText {
  return 'id' in action ? say`  #${action.id}` : say``;
}

function asSentence(words: SafeText): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
