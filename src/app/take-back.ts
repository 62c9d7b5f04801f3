import type {Act} from '../domain/act.ts';
import {describeOperation} from '../domain/describe-operation.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Fact, Question} from '../panes/command.ts';
import {requestOf} from '../state/act-requests.ts';
import type {PlanStart} from '../state/plan.ts';
import type {UndoOffer} from '../state/undo.ts';
import type {Line} from '../ui/text.ts';
import type {Deck} from './deck.ts';
import {openQuestion} from './overlay.ts';

type Way = 'undo' | 'redo';

/** Asks whether to take back what was done last, or says why that cannot be done. */
export function askToTakeBack(deck: Deck, way: Way): void {
  const stacks = deck.writes.undo();
  if (stacks === undefined) return deck.notify(say`read-only: there are no operations in this session`, 'warning');
  const offer = way === 'undo' ? stacks.toUndo() : stacks.toRedo();
  if (offer === undefined)
    return deck.notify(way === 'undo' ? say`there is nothing to undo` : say`there is nothing to redo`);
  if (offer.kind === 'impossible') {
    // What can never be taken back must not stand in the way of what can; what is under way may yet be.
    if (way === 'undo' && !offer.isBusy) stacks.dropUndo();
    return deck.notify(say`${safeText(way)}: ${offer.reason}`, 'warning');
  }
  deck.setOverlay(openQuestion(questionOf(offer, way), deck.now()));
}

/** The yes was given: goes the way of every act, from the session's memory of what was done. */
export function takeBack(deck: Deck, way: Way, tell: (standing: SafeText) => void): void {
  const stacks = deck.writes.undo();
  const start: PlanStart | undefined = way === 'undo' ? stacks?.undo(tell) : stacks?.redo(tell);
  if (start === undefined) return deck.notify(say`${safeText(way)}: not sent, it is no longer possible`, 'warning');
  if (start.status === 'locked') return deck.notify(say`not sent. ${describeOperation(start.by).text}`, 'warning');
  deck.writes.began(start.plan, 'taken-back');
}

function questionOf({steps, words, remaining}: Extract<UndoOffer, {kind: 'possible'}>, way: Way): Question {
  const [first] = steps;
  const calls = steps.map(({act}, index): Line => {
    const {method, path} = requestOf(act);
    return [{text: `${index + 1}: ${method} ${path}`}];
  });
  const stays: readonly Fact[] =
    remaining.length === 0
      ? []
      : [{label: 'Stays as it is', lines: remaining.map((text): Line => [{text, tone: 'warning'}])}];
  return {
    title: say`${safeText(way)}: ${first.subjectName}${idText(first.act)}`,
    facts: [
      {label: 'What happens', lines: words.map((text): Line => [{text}])},
      ...stays,
      {
        label: 'Calls',
        lines: [...calls, [{text: `${steps.length === 1 ? '' : 'each '}sent once and never repeated`, tone: 'dim'}]],
      },
      {label: 'Undo', lines: [[{text: way === 'undo' ? 'Z does it again' : 'z takes it back'}]]},
    ],
    answer: {kind: 'key'},
    alternatives: [],
    steps,
    takesBack: way,
  };
}

function idText(act: Act): SafeText {
  return 'id' in act ? say`  #${act.id}` : say``;
}
