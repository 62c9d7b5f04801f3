import {unreachable} from '../domain/assert.ts';
import {describeOperation, verbOf} from '../domain/describe-operation.ts';
import {say} from '../domain/safe-text.ts';
import type {Outcome, Question} from '../panes/command.ts';
import type {BoundCommand} from '../panes/pane.ts';
import {beginPlan} from '../state/plan.ts';
import {openForm, settledForm} from '../ui/form.ts';
import {emptyInput} from '../ui/text-input.ts';
import type {Deck} from './deck.ts';
import type {OpenQuestion} from './overlay.ts';

/** Runs a pane's command: says why it does not apply, or carries out what it leads to. */
export function runPaneCommand(deck: Deck, command: BoundCommand): void {
  deck.choose();
  const scene = deck.scene();
  // Keys that came in one chunk act on what the ones before them left behind.
  deck.pane().settle(scene);
  const reason = command.disabledReason(scene);
  if (reason !== undefined) {
    deck.notify(say`${command.title}: ${reason}`, 'warning');
    return;
  }
  carryOut(deck, command.run(scene));
}

export function carryOut(deck: Deck, outcome: Outcome): void {
  switch (outcome.kind) {
    case 'done':
      return;
    case 'menu':
      return deck.setOverlay({kind: 'menu', menuId: outcome.menuId});
    case 'ask':
      return deck.setOverlay({
        kind: 'question',
        question: outcome.question,
        shownAt: deck.now(),
        input: emptyInput,
        lastKeyAt: undefined,
      });
    case 'form':
      return deck.setOverlay({
        kind: 'form',
        form: outcome.form,
        state: settledForm(openForm(outcome.form.fields), outcome.form.fieldsFor),
      });
    case 'send':
      return send(deck, [outcome.step]);
    case 'go':
      deck.showPane(outcome.paneId);
      deck.choose();
      return deck.pane().putCursorOn(outcome.objectId);
    case 'copy':
      deck.host.copy(outcome.text);
      return deck.notify(say`copied ${outcome.text}`);
    case 'say':
      return deck.notify(outcome.text, outcome.tone ?? 'text');
    default:
      return unreachable(outcome);
  }
}

/** The question was answered with a complete yes: from here on the operation core decides. */
export function confirm(deck: Deck, open: OpenQuestion): void {
  deck.setOverlay(undefined);
  send(deck, open.question.steps);
}

function send(deck: Deck, steps: Question['steps']): void {
  if (deck.operations === undefined) {
    return deck.notify(say`read-only: there are no operations in this session`, 'warning');
  }
  const begun = beginPlan(deck.operations, steps, standing => {
    deck.notify(standing, 'warning');
    deck.changed();
  });
  if (begun.status === 'begun') return;
  deck.notify(say`${verbOf(steps[0].act.kind)}: not sent. ${describeOperation(begun.by).text}`, 'warning');
}
