import {awayReason} from '../../actions/assessment-input.ts';
import {KEYS} from '../../actions/keys.ts';
import {shellLine} from '../../actions/shell-line.ts';
import {nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {MonotonicMs} from '../../domain/time.ts';
import type {ProgramEnd} from '../../terminal/run-program.ts';
import {typedText} from '../../terminal/keys.ts';
import {emptyInput, type TextInput} from '../../ui/text-input.ts';
import type {Tone} from '../../ui/theme.ts';
import type {Deck} from '../deck.ts';
import {editInput} from '../edit-input.ts';
import {carryOut, confirm} from '../run-pane-command.ts';
import {copyActions} from '../write-keys.ts';
import {answeredEarly, isArmed, isConfirmation, isPlainYes} from './confirm.ts';
import type {OpenQuestion, Overlay} from './overlay.ts';
import {isWhollyRead, turnPage} from './question-box.tsx';

/** Whether this key, pressed alone now, would confirm what is asked. */
export function isAnswer(deck: Deck, key: string): boolean {
  const overlay = deck.overlay();
  const pressed = {key, at: deck.now(), isAlone: true};
  switch (overlay?.kind) {
    case 'question':
      return isConfirmation(overlay, {...pressed, isWhollyRead: isWhollyRead(overlay, deck.size(), deck.scene())});
    case 'leave':
    case 'ssh':
    case 'unlock':
      return isPlainYes(overlay, pressed);
    default:
      return false;
  }
}

export function pressQuestion(deck: Deck, open: OpenQuestion, key: string, isAlone: boolean): void {
  const at = deck.now();
  if (key === 'esc') return cancelQuestion(deck, open);
  const turned = turnPage(open, key, deck.size(), deck.scene());
  // Each page is to be read before a yes counts, and before the next one comes.
  if (turned !== undefined) {
    const isTooSoon = turned.seenPages > open.reading.seenPages && !isArmed(open, at);
    return deck.setOverlay(
      isTooSoon ? {...open, lastKeyAt: at} : {...open, reading: turned, shownAt: at, lastKeyAt: at},
    );
  }
  // Keys of an answer that was already being typed end here.
  if (open.outdated?.isOver === true) {
    return deck.notify(say`not sent: the question no longer applies; esc closes it`, 'warning');
  }
  const {answer, steps} = open.question;
  const away = awayReason(deck.scene());
  if (away !== undefined && key === (answer.kind === 'key' ? KEYS.confirm : 'enter')) {
    deck.notify(say`not sent: ${away}`, 'warning');
    return deck.setOverlay({...open, lastKeyAt: at});
  }
  const isRead = isWhollyRead(open, deck.size(), deck.scene());
  if (isConfirmation(open, {key, at, isAlone, isWhollyRead: isRead})) return confirm(deck, open);
  const alternative = open.question.alternatives.find(choice => choice.key === key);
  if (alternative !== undefined) return carryOut(deck, {kind: 'ask', question: alternative.question});
  const actions = steps.map(({action}) => action);
  if (answer.kind === 'key' && copyActions(deck, actions, key)) return deck.setOverlay({...open, lastKeyAt: at});
  if (answer.kind === 'key' && key !== KEYS.confirm && isArmed(open, at)) {
    // A person who had begun to type words, or was doing something else, keeps typing: that is meant for no list or
    // form.
    if (typedText(key) !== undefined && !NO.has(key)) deck.withdrawOverlay({lastKeyAt: at});
    return cancelQuestion(deck, open);
  }
  const isTyped = answer.kind === 'text' && isArmed(open, at);
  if (!isRead && key === (answer.kind === 'key' ? KEYS.confirm : 'enter')) {
    deck.notify(say`not answered yet: down shows the rest of the question`, 'warning');
  } else if (answer.kind === 'text' && key === 'enter') {
    deck.notify(say`nothing was sent: ${whyNotSent(open, answer.expected, at)}`, 'warning');
  }
  const typed = {...open, input: isTyped ? answerInput(open.input, key, answer.expected) : open.input, lastKeyAt: at};
  const isEarly = answer.kind === 'key' && key === KEYS.confirm && !isArmed(open, at);
  deck.setOverlay(isEarly ? answeredEarly(typed, at) : typed);
}

/** The answer as typed so far. A wrong one is named in the refusal and removed: what is typed next begins a new one. */
function answerInput(input: TextInput, key: string, expected: SafeText): TextInput {
  if (key === 'enter' && input.text !== expected) return emptyInput;
  return editInput(input, key) ?? input;
}

/** Why enter is not an answer to a question that was read to its end. */
function whyNotSent(open: OpenQuestion, expected: SafeText, at: MonotonicMs): SafeText {
  if (!isArmed(open, at)) return say`typed before the question could be read`;
  if (open.input.text === '') return say`type ${expected} first`;
  if (open.input.text !== expected) return say`${safeText(open.input.text)} is not ${expected}; type it again`;
  return say`enter came together with other keys; press it again`;
}

/** A question asked from a form returns to it, as it was filled in. */
function cancelQuestion(deck: Deck, {question, form}: OpenQuestion): void {
  if (deck.overlay()?.kind === 'question') deck.setOverlay(form);
  const back = form === undefined ? say`` : say`; ${KEYS.open} asks again, ${KEYS.back} closes the form`;
  deck.refuse(say`${question.title}: not sent${back}`);
}

/** Cancelling is complete by itself: the key after it is meant for what is shown next. */
const NO: ReadonlySet<string> = new Set(['n', KEYS.quit]);

/** Every key but a deliberate `y` cancels. */
export function pressLeave(
  deck: Deck,
  overlay: Extract<Overlay, {kind: 'leave'}>,
  key: string,
  isAlone: boolean,
): void {
  if (key !== KEYS.confirm) return deck.setOverlay(undefined);
  if (isPlainYes(overlay, {key, at: deck.now(), isAlone})) return deck.host.leave(0);
  deck.setOverlay(answeredEarly(overlay, deck.now()));
}

/** A deliberate `y` gives the terminal to ssh: keys that a paste brings along would be typed into another machine. */
export function pressSsh(deck: Deck, overlay: Extract<Overlay, {kind: 'ssh'}>, key: string, isAlone: boolean): void {
  if (key === KEYS.copy) {
    deck.host.copy(shellLine(overlay.words));
    return deck.notify(say`copied ${shellLine(overlay.words)}`);
  }
  if (key !== KEYS.confirm) return deck.setOverlay(undefined);
  if (!isPlainYes(overlay, {key, at: deck.now(), isAlone})) {
    return deck.setOverlay(answeredEarly(overlay, deck.now()));
  }
  if (overlay.shows === 'gpus') return deck.watchGpus(overlay);
  deck.setOverlay(undefined);
  void deck.host.run(overlay.words).then(end => {
    deck.notify(...endWords(overlay.name, end));
    deck.changed();
  });
}

/** What ssh printed is on the shell's screen, which the deck covers again. */
function endWords(name: SafeText, end: ProgramEnd): readonly [SafeText, Tone] {
  if (end.kind === 'not-started') return [say`ssh cannot be started: ${safeText(end.reason)}`, 'warning'];
  if (end.exitCode === 0) return [say`back from ${nameInWords(name)}`, 'text'];
  return [
    say`ssh to ${nameInWords(name)} ended with ${end.exitCode}; ${KEYS.suspend} shows what it printed`,
    'warning',
  ];
}

/** A single deliberate `y`, after the dialog could be read, allows writes; every other key does not. */
export function pressUnlock(
  deck: Deck,
  overlay: Extract<Overlay, {kind: 'unlock'}>,
  key: string,
  isAlone: boolean,
): void {
  if (key !== KEYS.confirm) return deck.setOverlay(undefined);
  if (!isPlainYes(overlay, {key, at: deck.now(), isAlone})) {
    return deck.setOverlay(answeredEarly(overlay, deck.now()));
  }
  deck.setOverlay(undefined);
  if (deck.writes.unlock(deck.now()))
    deck.notify(say`writes are allowed for 15 minutes; ${KEYS.unlock} locks them`, 'warning');
}

/**
 * Closes what a key could answer, or returns to its form, since a paste may continue as keys. False if nothing was
 * open.
 */
export function withdrawQuestion(deck: Deck): boolean {
  const overlay = deck.overlay();
  switch (overlay?.kind) {
    case 'question':
      deck.notify(say`${overlay.question.title}: not sent. A paste closes a question; ask again`, 'warning');
      break;
    case 'unlock':
      deck.notify(say`still read-only. A paste closes a question; press ${KEYS.unlock} again`, 'warning');
      break;
    case 'ssh':
      deck.notify(say`ssh was not started. A paste closes a question; press ${KEYS.ssh} again`, 'warning');
      break;
    case 'leave':
      deck.notify(say`skydeck stays open. A paste closes a question; press ${KEYS.quit} again`, 'warning');
      break;
    default:
      return false;
  }
  deck.withdrawOverlay();
  return true;
}
