import {awayReason} from '../../actions/question/assessment-input.ts';
import {KEYS} from '../../actions/keys.ts';
import {shellLine} from '../../actions/shell-line.ts';
import type {Action} from '../../domain/action.ts';
import {nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {ProgramEnd} from '../../terminal/run-program.ts';
import {typedText} from '../../terminal/keys.ts';
import {emptyInput} from '../../ui/text-input.ts';
import type {Tone} from '../../ui/theme.ts';
import type {Deck} from '../deck.ts';
import {editInput} from '../edit-input.ts';
import {carryOut, confirm} from '../run-pane-command.ts';
import {copyActions} from './press-writes.ts';
import {
  type Arrival,
  answeredEarly,
  answerKey,
  cameEarly,
  isArmed,
  isConfirmation,
  isPlainYes,
  type PressedKey,
  whyNotConfirmed,
  whyNotTaken,
} from './confirm.ts';
import {type AskingOverlay, notDoneWords, type OpenQuestion, type Overlay} from './overlay.ts';
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

export function pressQuestion(deck: Deck, open: OpenQuestion, key: string, arrival: Arrival): void {
  const at = deck.now();
  if (key === KEYS.back) return cancelQuestion(deck, open, '');
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
    return deck.refuse(say`not sent: the question no longer applies; ${KEYS.back} closes it`, 'warning');
  }
  const alternative = open.question.alternatives.find(choice => choice.key === key);
  if (alternative !== undefined) return carryOut(deck, {kind: 'ask', question: alternative.question});
  const {answer, steps} = open.question;
  const away = awayReason(deck.scene());
  if (away !== undefined && (answer.kind === 'text' || key === KEYS.confirm)) {
    deck.refuse(say`not sent: ${away}`, 'warning');
    return deck.setOverlay({...open, lastKeyAt: at});
  }
  if (key === answerKey(open)) return answerQuestion(deck, open, {...arrival, key, at});
  if (answer.kind === 'text') return typeAnswer(deck, open, key);
  const actions = steps.map(({action}) => action);
  if (copyInQuestion(deck, actions, key, arrival) || !isArmed(open, at))
    return deck.setOverlay({...open, lastKeyAt: at});
  // A person who had begun to type words, or was doing something else, keeps typing: that is meant for no list or form.
  if (typedText(key) !== undefined && !NO.has(key)) deck.withdrawOverlay({lastKeyAt: at});
  cancelQuestion(deck, open, cameTogether(arrival) ? `: ${key} came together with other keys` : '');
}

/** The reason why another key of the same chunk was no answer stays in front of what was copied. */
function copyInQuestion(deck: Deck, actions: readonly Action[], key: string, arrival: Arrival): boolean {
  const before = deck.notification();
  if (!copyActions(deck, actions, key)) return false;
  const copied = deck.notification()?.text ?? say``;
  const isReason = cameTogether(arrival) && before?.isRefusal === true && before.tone === 'warning';
  if (isReason) deck.refuse(say`${before.text}; ${copied}`, 'warning');
  return true;
}

/** A `y` among them has said why it is no answer, and the next of them closes the question with its message. */
function cameTogether({isAlone, aloneInMs}: Arrival): boolean {
  return !isAlone && aloneInMs === undefined;
}

/** Carries out what was asked, or says why this was no answer. */
function answerQuestion(deck: Deck, open: OpenQuestion, pressed: PressedKey): void {
  const {at} = pressed;
  const {answer} = open.question;
  const isRead = isWhollyRead(open, deck.size(), deck.scene());
  const reason = whyNotConfirmed(open, {...pressed, isWhollyRead: isRead});
  if (reason === undefined) return confirm(deck, open);
  deck.refuse(say`not sent: ${reason}`, 'warning');
  if (answer.kind === 'key') {
    const answered = {...open, lastKeyAt: at};
    return deck.setOverlay(isArmed(open, at) ? answered : answeredEarly(answered, at));
  }
  // A wrong text is named in the reason and removed: what is typed next begins a new one.
  const isWrong = isArmed(open, at) && open.input.text !== answer.expected;
  deck.setOverlay({...open, input: isWrong ? emptyInput : open.input, lastKeyAt: at});
}

function typeAnswer(deck: Deck, open: OpenQuestion, key: string): void {
  const lastKeyAt = deck.now();
  if (isArmed(open, lastKeyAt)) {
    return deck.setOverlay({...open, input: editInput(open.input, key) ?? open.input, lastKeyAt});
  }
  if (typedText(key) !== undefined) deck.refuse(say`not typed: ${cameEarly({key})}; type it again`, 'warning');
  deck.setOverlay({...open, lastKeyAt});
}

/** A question asked from a form returns to it, as it was filled in. */
function cancelQuestion(deck: Deck, {question, form}: OpenQuestion, why: string): void {
  if (deck.overlay()?.kind === 'question') deck.setOverlay(form);
  const back = form === undefined ? say`` : say`; ${KEYS.open} asks again, ${KEYS.back} closes the form`;
  deck.refuse(say`${question.title}: not sent${safeText(why)}${back}`);
}

/** Cancelling is complete by itself: the key after it is meant for what is shown next. */
const NO: ReadonlySet<string> = new Set(['n', KEYS.quit]);

/** Leaving takes a deliberate `y`. */
export function pressLeave(deck: Deck, overlay: PlainQuestion<'leave'>, key: string, arrival: Arrival): void {
  if (isAnsweredYes(deck, overlay, {...arrival, key})) deck.host.leave(0);
}

/** A deliberate `y` gives the terminal to ssh: keys that a paste brings along would be typed into another machine. */
export function pressSsh(deck: Deck, overlay: PlainQuestion<'ssh'>, key: string, arrival: Arrival): void {
  if (key === KEYS.copy) {
    const line = shellLine(overlay.words);
    deck.copy([line], {said: say`copied ${line}`});
    return;
  }
  if (!isAnsweredYes(deck, overlay, {...arrival, key})) return;
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

/** Writes are allowed by a deliberate `y`. */
export function pressUnlock(deck: Deck, overlay: PlainQuestion<'unlock'>, key: string, arrival: Arrival): void {
  if (!isAnsweredYes(deck, overlay, {...arrival, key})) return;
  deck.setOverlay(undefined);
  if (deck.writes.unlock(deck.now()))
    deck.notify(say`writes are allowed for 15 minutes; ${KEYS.unlock} locks them`, 'warning');
}

type PlainQuestion<Kind extends PlainKind> = Extract<Overlay, {kind: Kind}>;
type PlainKind = 'leave' | 'ssh' | 'unlock';

/** Whether a question that wants only `y` gets it. Every other key closes it; for a `y` that is not taken it says why. */
function isAnsweredYes(deck: Deck, overlay: PlainQuestion<PlainKind>, pressed: Omit<PressedKey, 'at'>): boolean {
  const at = deck.now();
  if (pressed.key !== KEYS.confirm) {
    deck.setOverlay(undefined);
    if (pressed.key !== KEYS.back && cameTogether(pressed)) {
      deck.refuse(say`${notDoneWords(overlay)}: keys came together; ${ASKED_AGAIN[overlay.kind]}`, 'warning');
    }
    return false;
  }
  const reason = whyNotTaken(overlay, {...pressed, at});
  if (reason === undefined) return true;
  deck.refuse(say`${notDoneWords(overlay)}: ${reason}`, 'warning');
  deck.setOverlay(answeredEarly(overlay, at));
  return false;
}

/**
 * Closes what a key could answer, or returns to its form, since a paste may continue as keys. False if nothing was
 * open.
 */
export function withdrawQuestion(deck: Deck): boolean {
  const overlay = deck.overlay();
  if (overlay === undefined || !('shownAt' in overlay)) return false;
  deck.refuse(say`${notDoneWords(overlay)}. A paste closes a question; ${ASKED_AGAIN[overlay.kind]}`, 'warning');
  deck.withdrawOverlay();
  return true;
}

const ASKED_AGAIN: Readonly<Record<AskingOverlay['kind'], SafeText>> = {
  question: say`ask again`,
  unlock: say`press ${KEYS.unlock} again`,
  ssh: say`press ${KEYS.ssh} again`,
  leave: say`press ${KEYS.quit} again`,
};
