import {verbOf} from '../actions/actions.ts';
import {wordOf} from '../actions/define.ts';
import {describeCheck, describeOperation, OUTCOME_UNKNOWN, WATCHED_ONLY} from '../domain/describe-operation.ts';
import {describeFailure, describeUnread} from '../domain/failure.ts';
import {isBeingChecked, isEnded, type Operation} from '../domain/operation.ts';
import {countedWords} from '../domain/listed-words.ts';
import {safeText} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import {type DurationMs, SECOND_MS} from '../domain/time.ts';
import type {Scene} from '../panes/pane.ts';
import {environmentsFeed} from '../state/environments.ts';
import type {Feed, Listing} from '../state/feed.ts';
import {keyPairsFeed} from '../state/key-pairs.ts';
import {machinesFeed} from '../state/machines.ts';
import {currentField, isPreset} from '../ui/form.ts';
import {checkForm, enterLabel} from './overlay/check-form.ts';
import {formatElapsed} from '../ui/format.ts';
import {cut, cutMiddle, cutSubject, fitLine, type Line, lineWidth, type Span, textOf, widthOf} from '../ui/text.ts';
import {inputLine} from '../ui/text-input.ts';
import {wrapLine} from '../ui/wrap.ts';
import type {Shown} from './deck.ts';
import type {Notification} from './notifications.ts';
import {isSearched} from './global-commands.ts';
import {readingPauseSeconds} from './header.ts';
import {BOX_KEYS, type BoxKey, type OpenQuestion, type Overlay} from './overlay/overlay.ts';
import {readingOf, secretKeys} from './overlay/one-time-secret.ts';
import {planChoices} from './overlay/write-boxes.tsx';
import {KEYS} from '../actions/keys.ts';

/** The filter as it is typed, with any mistake in it; a search with the number of matching lines. */
export function filterLine(shown: Shown, overlay: Extract<Overlay, {kind: 'filter' | 'search'}>, width: number): Line {
  const {kind, input} = overlay;
  const remark: Span =
    kind === 'search'
      ? {text: `  ${shown.pane.search(shown.scene)?.matchText ?? ''}`, tone: 'dim'}
      : {text: `  ${shown.pane.filterMistake(input.text) ?? ''}`, tone: 'warning'};
  return [{text: ' /', tone: 'key'}, ...inputLine(input, Math.max(10, Math.floor(width / 2))), remark];
}

const MIN_TRAIL_CELLS = 10;

/** The last message, or what is under way; on the right where the person is. */
export function messageLine(shown: Shown, width: number): Line {
  const {lines, trail, room} = foldedMessage(shown, width);
  return [{text: ' '}, ...fitLine(cutInside(lines[0] ?? [], room), room), ...trail];
}

/**
 * The rest of a refusal, warning or path that does not fit its line, shown in place of the keys, since the service's
 * words matter to the end. Undefined if nothing is left, or if a box needs its keys.
 */
export function restOfMessageLine(shown: Shown, width: number): Line | undefined {
  const [, ...rest] = foldedMessage(shown, width).lines;
  return rest.length === 0 ? undefined : [{text: ' '}, ...fitLine(cutInside(joined(rest), width - 2), width - 2)];
}

/**
 * Without room for all, the end stays: it says what follows from the cause. Of an unknown outcome only the cause is
 * dropped, and then some of the name.
 */
function cutInside(line: Line, room: number): Line {
  return lineWidth(line) <= room ? line : [{text: cutUnknown(textOf(line), room), ...toneOf(line)}];
}

const UNKNOWN = new RegExp(`^(?:(.*?)(: ${OUTCOME_UNKNOWN}))?(.*)(; ${WATCHED_ONLY}.*)$`);

function cutUnknown(text: string, room: number): string {
  const [whole, subject = '', unknown = '', cause = '', end = ''] = UNKNOWN.exec(text) ?? [];
  const spare = room - widthOf(unknown) - widthOf(end);
  if (whole === undefined || spare < 1) return cutSubject(text, room);
  const shownCause = cut(cause, Math.max(1, spare - widthOf(subject)));
  return `${cutMiddle(subject, spare - widthOf(shownCause))}${unknown}${shownCause}${end}`;
}

function toneOf([first]: Line): Pick<Span, 'tone'> {
  return first?.tone === undefined ? {} : {tone: first.tone};
}

function foldedMessage(shown: Shown, width: number) {
  const scene = shown.scene;
  const message = messageSpans(shown, scene);
  // If both do not fit, why a key did nothing matters more than where one is.
  const trailRoom = width - lineWidth(message) - 4;
  const trailOf =
    trailRoom < MIN_TRAIL_CELLS ? '' : trailText(shown, scene, {room: trailRoom, isAlone: message.length === 0});
  const trail: Line = trailOf === '' ? [] : [{text: `  ${trailOf} `, tone: 'dim'}];
  const room = Math.max(0, width - lineWidth(trail) - 1);
  const isWhole = shown.notification?.isWhole === true;
  if (!isWhole && !message.some(({tone}) => tone === 'warning' || tone === 'danger')) {
    // The keys stay: a success message keeps the name at its beginning and the outcome at its end.
    return {lines: [message.map(span => ({...span, text: cutSubject(span.text, room)}))], trail, room};
  }
  // The progress box of a batch names its keys itself; other boxes need the line below.
  const mayWrap = shown.overlay === undefined || shown.overlay?.kind === 'plan';
  return {lines: mayWrap ? wrapLine(message, room) : [message], trail, room};
}

function joined(lines: readonly Line[]): Line {
  return lines.flatMap((line, index) => (index === 0 ? line : [{text: ' '}, ...line]));
}

function messageSpans(shown: Shown, scene: Scene): Line {
  const notification = shown.notification;
  const watched = shown.sent;
  const checked = watched.find(isBeingChecked);
  const isOfChecked = notification === undefined || notification.operationId === checked?.id;
  if (checked !== undefined && isOfChecked) return checkSpans(checked, watched, scene);
  if (notification !== undefined && boxMessage(shown) === undefined && !isOvertaken(notification, scene.health)) {
    const canUndo = notification.operationId !== undefined && scene.undoable?.(notification.operationId) === 'next';
    const undo = canUndo ? `; ${KEYS.undo} to undo${batchWords(shown, notification)}` : '';
    return [{text: `${notification.text}${undo}`, tone: notification.tone}];
  }
  const [first] = watched.filter(isOpen);
  if (first === undefined) {
    return scene.health.status === 'up' ? (budgetSpans(scene) ?? accountSpans(shown, scene)) : healthSpans(scene);
  }
  const sinceMs = first.sentAt === undefined ? scene.now - first.confirmedAt : scene.monotonicNow - first.sentAt;
  const {text, tone} = describeOperation(first);
  return [{text: `${text}  ${formatElapsed(Math.max(0, sinceMs))}${moreWords(watched)}`, tone}];
}

/** What a key did, or why an answer was not taken, is said in the box, which may cover the status bar. */
export function boxMessage({overlay, notification}: Pick<Shown, 'overlay' | 'notification'>): Span | undefined {
  const hasRoom =
    overlay !== undefined && ('shownAt' in overlay || overlay.kind === 'form' || overlay.kind === 'calls');
  return hasRoom && notification?.isRefusal === true ? notification : undefined;
}

/** What would be undone, if the message is about one operation of a batch: `: stop 3 machines`. */
function batchWords({sent, toUndo}: Shown, {operationId}: Notification): string {
  const action = sent.find(({id}) => id === operationId)?.action;
  if (action === undefined || toUndo?.kind !== 'possible' || toUndo.mode !== 'batch') return '';
  if (toUndo.steps.length < 2) return '';
  return `: ${verbOf(action.kind)} ${countedWords(toUndo.steps.length, wordOf(action))}`;
}

/** A check is usually answered sooner: from here on the person must know that it may still be sent. */
const SLOW_CHECK_MS: DurationMs = 3 * SECOND_MS;

function checkSpans(checked: Operation, watched: readonly Operation[], {now}: Scene): Line {
  const {text, tone} =
    now - checked.confirmedAt < SLOW_CHECK_MS
      ? describeOperation(checked)
      : ({text: describeCheck(checked, now), tone: 'warning'} as const);
  return [{text: `${text}; ${KEYS.undo} withdraws it${moreWords(watched)}`, tone}];
}

/** How many are under way besides the one that is shown. */
function moreWords(watched: readonly Operation[]): string {
  const count = watched.filter(isOpen).length - 1;
  return count === 0 ? '' : `  and ${count} more`;
}

function isOpen({phase}: Operation): boolean {
  return !isEnded(phase);
}

/** A failing connection matters more than an older message, but not more than why something was not sent. */
function isOvertaken({tone, isRefusal, shownAt}: Notification, health: Scene['health']): boolean {
  return tone === 'text' && isRefusal !== true && health.status !== 'up' && shownAt < health.since;
}

/** The first steps in a new account, or in the simulator how to connect a real one, while there is no other message. */
function accountSpans(shown: Shown, {store, operations}: Scene): Line {
  if (lastValue(store.get(machinesFeed))?.records.length !== 0) {
    const isTold = shown.isSimulated && shown.pane.id === 'overview';
    return isTold ? [{text: 'a simulated account; skydeck profile add connects yours', tone: 'dim'}] : [];
  }
  const first = operations === undefined ? 'no machines' : firstStep(shown, store);
  return [{text: `${first}; skydeck profile add connects ${shown.isSimulated ? 'an' : 'another'} account`}];
}

/** A machine needs an environment and a key pair in it; names the keys that create what is missing, as far as known. */
function firstStep(shown: Shown, store: Scene['store']): string {
  const isNone = (feed: Feed<Listing<unknown>>) => lastValue(store.get(feed))?.records.length === 0;
  if (isNone(environmentsFeed)) return 'no environment: :env, then n';
  if (isNone(keyPairsFeed)) return 'no key pair: :key-pairs, then n';
  return `no machines: ${shown.pane.id === 'machines' ? 'n' : '2 n'} creates one`;
}

/** Why there is no newer data although the service answers; undefined while reading goes on. */
function budgetSpans(scene: Scene): Line | undefined {
  const {link} = scene;
  if (link === undefined || readingPauseSeconds(scene) === undefined) return undefined;
  const used = `${link.requestsLastMinute} of ${link.requestCeiling} requests a minute used`;
  return [{text: `reading pauses: ${used}, the rest is for operations`, tone: 'warning'}];
}

/** Why there is no newer data, while there is no other message; until when is counted in the header alone. */
function healthSpans(scene: Scene): Line {
  const {health} = scene;
  if (health.status === 'up') return [];
  if (health.status === 'rate-limited')
    return [{text: 'rate-limited (429); reading resumes by itself', tone: 'warning'}];
  if (health.status === 'not-authorised') {
    return [{text: `${KEYS.refresh} retries; ${describeFailure(health.failure)}`, tone: 'warning'}];
  }
  const kind = health.requestKind ?? 'the service';
  const what = safeText(kind === 'me' ? 'your user' : kind.replaceAll('-', ' '));
  return [{text: `${KEYS.refresh} retries; ${describeUnread(what, health.failure)}`, tone: 'warning'}];
}

/**
 * Where the person is. Beside a message: whole words, starting at the pane, as many as fit. Alone: shortened in the
 * middle.
 */
function trailText(
  shown: Shown,
  scene: Scene,
  {room, isAlone}: {readonly room: number; readonly isAlone: boolean},
): string {
  const trail = shown.pane.trail(scene);
  const upTo = trail.map((_, index) => trail.slice(0, index + 1).join(` ${scene.theme.glyphs.separator} `));
  if (isAlone) return cutMiddle(upTo.at(-1) ?? '', room);
  return upTo.findLast(text => widthOf(text) <= room) ?? '';
}

/** The most important keys here, as many as fit. The key for help always stays. */
export function keysLine(shown: Shown, width: number): Line {
  const wanted = hints(shown);
  const last = wanted.find(([key]) => key === KEYS.help);
  const lastHint = last === undefined ? [] : hintSpans(last);
  const spans: Span[] = [{text: ' '}];
  for (const hint of wanted.filter(([key]) => key !== KEYS.help)) {
    const next = hintSpans(hint);
    if (lineWidth(spans) + lineWidth(next) + lineWidth(lastHint) > width) break;
    spans.push(...next);
  }
  return [...spans, ...lastHint];
}

function hintSpans([key, title]: readonly [string, string]): readonly Span[] {
  return [
    {text: `<${key}>`, tone: 'key'},
    {text: `${title} `, tone: 'dim'},
  ];
}

function hints(shown: Shown): readonly (readonly [string, string])[] {
  const overlay = shown.overlay;
  if (overlay?.kind === 'question') return questionHints(overlay, shown.mode.isDryRun);
  if (overlay?.kind === 'form' && overlay.picker !== undefined) return hintsOf(BOX_KEYS.picker);
  if (overlay?.kind === 'form') return fieldHints(overlay);
  if (overlay?.kind === 'plan') return hintsOf(planChoices(overlay.plan, shown.scene));
  if (overlay?.kind === 'secret') {
    return hintsOf(secretKeys(readingOf(overlay, shown.scene.store, shown.scene.monotonicNow)));
  }
  if (overlay?.kind === 'filter' || overlay?.kind === 'search') return typedHints(overlay);
  if (overlay !== undefined) return hintsOf(BOX_KEYS[overlay.kind]);
  const found = isSearched(shown.pane, shown.scene) ? SEARCH_HINTS : [];
  const offered = shown.offered.map(({keys, title}) => [keys[0] ?? '', title] as const);
  return [...found, ...offered.filter(([key]) => !found.some(([other]) => other === key))];
}

const SEARCH_HINTS: readonly (readonly [string, string])[] = [
  ['n', 'next match'],
  ['N', 'previous'],
  [KEYS.back, 'end search'],
];

function questionHints(
  {question, outdated, isAway, input}: OpenQuestion,
  isDryRun: boolean,
): readonly (readonly [string, string])[] {
  if (outdated?.isOver === true) return [[KEYS.back, 'close']];
  const yes: readonly [string, string] =
    question.answer.kind === 'key'
      ? ['y', isDryRun ? 'show the calls' : 'send']
      : ['type', `the ${question.answer.what}, then enter`];
  const clear: readonly (readonly [string, string])[] =
    input.text === '' || isAway === true ? [] : [['ctrl-u', 'clear']];
  return [
    ...(isAway === true ? [] : [yes]),
    ...clear,
    // What it would cost stands in the question, and would leave no room for the key that cancels.
    ...question.alternatives.map(({key, title}) => [key, title.split(': ', 1)[0] ?? ''] as const),
    [KEYS.back, 'no'],
  ];
}

/** Typing replaces the present value unless it is edited first. */
function typedHints({kind, input}: Extract<Overlay, {kind: 'filter' | 'search'}>) {
  const hints: [string, string][] = [['type', input.isSelected === true ? `new ${kind}` : kind]];
  if (input.isSelected === true) hints.push(['right', 'add to it']);
  if (input.text !== '') hints.push(['ctrl-u', 'clear']);
  return [...hints, [KEYS.open, 'keep'], [KEYS.back, 'cancel']] as const;
}

/** What the keys do in the current field. */
function fieldHints({form, state}: Extract<Overlay, {kind: 'form'}>): readonly (readonly [string, string])[] {
  const field = currentField(state);
  const own: readonly (readonly [string, string])[] =
    field?.choices === undefined
      ? isPreset(state)
        ? PRESET_HINTS
        : [['type', 'fill in']]
      : [
          ['left right', field.takesMany === true ? 'browse' : 'choose'],
          ['/', 'list'] as const,
          ...(field.takesMany === true ? [['space', 'select'] as const] : []),
        ];
  return [
    [KEYS.nextPart, 'next field'],
    ...own,
    [KEYS.open, enterLabel(checkForm(form, state), state)],
    [KEYS.back, 'cancel'],
  ];
}

const PRESET_HINTS: readonly (readonly [string, string])[] = [
  ['type', 'replace'],
  ['right', 'edit'],
];

function hintsOf(choices: readonly BoxKey[]): readonly (readonly [string, string])[] {
  return choices.map(({key, label}) => [key, label] as const);
}
