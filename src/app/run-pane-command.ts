import {verbOf} from '../actions/actions.ts';
import type {Question} from '../actions/question/question.ts';
import {unreachable} from '../domain/assert.ts';
import {describeOperation} from '../domain/describe-operation.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import type {CommandResult} from '../panes/command.ts';
import type {BoundCommand} from '../panes/pane.ts';
import {type Plan, startPlan} from '../state/operations/plan.ts';
import {presentTriage} from '../state/triage.ts';
import {adjustedForm, openForm, toField} from '../ui/form.ts';
import type {Deck} from './deck.ts';
import {type OpenQuestion, openQuestion} from './overlay/overlay.ts';
import {notifyMuted, showBatch, startUndo} from './undo-question.ts';
import {KEYS} from '../actions/keys.ts';

/** Runs a pane's command: says why it does not apply, or carries out its result. */
export function runPaneCommand(deck: Deck, command: BoundCommand): void {
  deck.choose();
  const scene = deck.scene();
  // Keys that arrived in one chunk act on the result of the ones before them.
  deck.pane().adjust(scene);
  const reason = command.disabledReason(scene);
  if (reason !== undefined) {
    deck.refuse(say`${command.title}: ${reason}`, 'warning');
    return;
  }
  if (command.group === 'Move') deck.forgetRefusal();
  const hidden = deck.pane().hiddenMarkedIds(scene);
  const outcome = command.run(scene);
  if (outcome.kind !== 'ask') return carryOut(deck, outcome);
  carryOut(deck, {...outcome, question: withNewCount(withHiddenCount(outcome.question, hidden), deck)});
}

/** A finding grows while its machines are marked: those that came since are said in the title to be left out. */
function withNewCount(question: Question, deck: Deck): Question {
  const {place} = deck.lastFindings;
  const {title, steps} = question;
  if (place === undefined || steps.length < 2 || !deck.pane().standsOn(place)) return question;
  const asked = new Set<unknown>(steps.map(({action: {id}}) => id));
  const left = deck.lastFindings.namedSince(presentTriage(deck.scene()).findings).filter(id => !asked.has(id));
  if (left.length === 0) return question;
  const words = left.length === 1 ? say`1 new one is not marked` : say`${left.length} new ones are not marked`;
  return {...question, title: say`${title}, ${words}`};
}

/** Marks outlive a filter, so the title, which is never cut, says how many of the objects are not on the screen. */
export function withHiddenCount(question: Question, hidden: ReadonlySet<number | string>): Question {
  const {title, steps, alternatives} = question;
  const count = new Set(steps.flatMap(({action: {id}}) => (id !== undefined && hidden.has(id) ? [id] : []))).size;
  if (count === 0) return question;
  const which = steps.length === 1 ? say`` : count === steps.length ? say`all of them ` : say`${count} of them `;
  const words = say`${which}hidden by the filter`;
  return {
    ...question,
    title: say`${title}, ${words}`,
    alternatives: alternatives.map(each => ({...each, question: withHiddenCount(each.question, hidden)})),
  };
}

export function carryOut(deck: Deck, outcome: CommandResult): void {
  switch (outcome.kind) {
    case 'done':
      return;
    case 'menu':
      return deck.setOverlay({kind: 'menu', menuId: outcome.menuId, cursorIndex: 0});
    case 'ask':
      return deck.setOverlay(openQuestion(outcome.question, deck.now()));
    case 'form': {
      const {fields, fieldsFor, startsAt = ''} = outcome.form;
      const state = adjustedForm(toField(openForm(fields), startsAt), fieldsFor);
      return deck.setOverlay({kind: 'form', form: outcome.form, state});
    }
    case 'send':
      return send(deck, {
        title: outcome.step.subjectName,
        steps: [outcome.step],
        purpose: {kind: 'begin', mode: 'chain'},
      });
    case 'go':
      deck.goTo(outcome.paneId, outcome);
      deck.choose();
      if (outcome.findings !== undefined) deck.lastFindings.ledTo(outcome.findings, outcome);
      return outcome.says === undefined ? undefined : deck.notify(outcome.says, 'warning');
    case 'ssh':
      return deck.setOverlay({...outcome, shownAt: deck.now()});
    case 'copy':
      deck.copy([outcome.text, ...(outcome.more ?? [])], {said: say`copied ${outcome.text}`, instead: outcome.instead});
      return;
    case 'mute': {
      const muted = deck.muteSteps.take(outcome);
      // While an operation is being checked, the key withdraws that.
      const undo = deck.writes.checked() === undefined ? say`; ${KEYS.undo} undoes it` : say``;
      return notifyMuted(deck, {...muted, says: say`${muted.says}${undo}`});
    }
    case 'say':
      return deck.notify(outcome.text, outcome.tone ?? 'text');
    default:
      return unreachable(outcome);
  }
}

/** The question was confirmed: from here on the operations engine decides. */
export function confirm(deck: Deck, {question}: OpenQuestion): void {
  deck.setOverlay(undefined);
  send(deck, question);
}

/** Sends what was confirmed, or a job that changes nothing and needs no confirmation. */
function send(deck: Deck, {title, steps, purpose}: SentQuestion): void {
  // A dry run ends here, whatever was asked.
  if (deck.writes.mode().isDryRun) return deck.setOverlay({kind: 'calls', steps});
  const operations = deck.writes.operations();
  if (operations === undefined) {
    return deck.notify(say`this session is read-only; ${KEYS.unlock} allows writes for a while`, 'warning');
  }
  const tell = (standing: SafeText): void => {
    deck.notify(standing, 'warning');
    deck.changed();
  };
  if (purpose.kind === 'reverse') return startUndo(deck, {title, steps, ...purpose}, tell);
  if (purpose.kind === 'resume') return continuePlan(deck, purpose.plan, steps);
  const start = startPlan(operations, steps, {mode: purpose.mode, tell});
  if (start.status === 'locked') {
    return deck.notify(
      say`${verbOf(steps[0].action.kind)}: not sent. ${describeOperation(start.by, deck.scene().now).text}`,
      'warning',
    );
  }
  deck.writes.began(start.plan, 'done');
  deck.muteSteps.forget();
  // The next action is meant for the row under the cursor, not for what this one was sent to.
  deck.pane().clearMarksOf(steps.flatMap(({action: {id}}) => id ?? []));
  showBatch(deck, {plan: start.plan, title});
}

/** The rest of a batch, confirmed again. */
function continuePlan(deck: Deck, plan: Plan, steps: Question['steps']): void {
  if (!plan.resume(steps)) return deck.notify(say`nothing left to send`, 'warning');
  deck.writes.began(plan, 'resumed');
  const batch = deck.writes.batch();
  if (batch !== undefined) showBatch(deck, batch);
}

type SentQuestion = Pick<Question, 'title' | 'steps' | 'purpose'>;
