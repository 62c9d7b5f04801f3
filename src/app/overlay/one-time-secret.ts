import {openConsole, readLog} from '../../actions/machines/jobs.ts';
import {unreachable} from '../../domain/assert.ts';
import {describeFailure} from '../../domain/failure.ts';
import type {Operation} from '../../domain/operation.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {Secret} from '../../domain/secret.ts';
import {failureOf, lastValue} from '../../domain/snapshot.ts';
import {type DurationMs, MINUTE_MS, type MonotonicMs, SECOND_MS} from '../../domain/time.ts';
import type {MachineConsole, MachineLog} from '../../domain/virtual-machine.ts';
import type {Scene} from '../../panes/pane.ts';
import type {Feed} from '../../state/feed.ts';
import {consoleFeed, machineLogFeed} from '../../state/machines.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import type {Store} from '../../state/store.ts';
import {clipboardSequence} from '../../terminal/clipboard.ts';
import type {Size} from '../../terminal/frame.ts';
import {formatCounted} from '../../ui/format.ts';
import {type Line, lineWidth} from '../../ui/text.ts';
import {wrapLine} from '../../ui/wrap.ts';
import {KEYS} from '../../actions/keys.ts';
import type {Deck} from '../deck.ts';
import {BOX_KEYS, type BoxKey, type OpenSecret} from './overlay.ts';

/** What an operation's answer leads to and no list ever shows: a console, a log, the secret half of an access key. */
export type OneTimeSecret =
  | {readonly kind: 'console'; readonly title: SafeText; readonly feed: Feed<MachineConsole>}
  | {readonly kind: 'log'; readonly title: SafeText; readonly feed: Feed<MachineLog>}
  | {
      readonly kind: 'access-key';
      readonly title: SafeText;
      readonly operationId: string;
      readonly accessKey: SafeText;
      readonly secretKey: Secret;
    };

/** Long enough for the frame without the secret to be painted. */
const SECRET_FADES_MS: DurationMs = SECOND_MS;

/** Owns which answers are still to be shown, and whether one was on screen a moment ago. */
export class OneTimeSecrets {
  /** From answers that arrived while something else was open. */
  readonly #toCome: OneTimeSecret[] = [];
  readonly #operationIds = new Set<string>();
  #closedAt = Number.NEGATIVE_INFINITY;

  /** Queues what this operation's answer leads to, the first time it is asked. */
  add(operation: Operation): OneTimeSecret | undefined {
    const secret = this.#operationIds.has(operation.id) ? undefined : secretOf(operation);
    if (secret === undefined) return undefined;
    this.#operationIds.add(operation.id);
    this.#toCome.push(secret);
    return secret;
  }

  next(openedAt: MonotonicMs): OpenSecret | undefined {
    const secret = this.#toCome.shift();
    return secret && {kind: 'secret', secret, openedAt, offset: 0, isCopied: false, isWarned: false};
  }

  close(now: MonotonicMs): void {
    this.#closedAt = now;
  }

  hasJustClosed(now: MonotonicMs): boolean {
    return now - this.#closedAt < SECRET_FADES_MS;
  }
}

/** Its present state. */
export type SecretReading =
  | {readonly status: 'waiting'; readonly elapsedMs: DurationMs}
  | {readonly status: 'late'; readonly reason: SafeText}
  /** Too large to be shown: it is not read again. */
  | {readonly status: 'failed'; readonly reason: SafeText}
  | {readonly status: 'secret'; readonly secret: Secret}
  | {readonly status: 'lines'; readonly lines: readonly SafeText[]};

/** A job not ready by then has to be requested again: twenty tries, three seconds apart. */
const SECRET_LIMIT_MS: DurationMs = MINUTE_MS;

/** Undefined if the answer has nothing to show, or has not arrived. */
function secretOf({id, action, subjectName, result}: Operation): OneTimeSecret | undefined {
  if (result?.kind === 'access-key') {
    const {accessKey, secretKey} = result;
    return {kind: 'access-key', title: say`access key ${accessKey}`, operationId: id, accessKey, secretKey};
  }
  if (result?.kind === 'console-job' && openConsole.is(action)) {
    return {
      kind: 'console',
      title: say`console of ${subjectName}  #${action.id}`,
      feed: consoleFeed(action.id, result.jobId),
    };
  }
  if (result?.kind === 'log-request' && readLog.is(action)) {
    return {
      kind: 'log',
      title: say`log of ${subjectName}  #${action.id}`,
      feed: machineLogFeed(action.id, result.requestId),
    };
  }
  return undefined;
}

export function readingOf({secret, openedAt}: OpenSecret, store: Pick<Store, 'get'>, now: MonotonicMs): SecretReading {
  if (secret.kind === 'access-key') return {status: 'secret', secret: secret.secretKey};
  const read = secret.kind === 'console' ? consoleRead(secret.feed, store) : logRead(secret.feed, store);
  if (read !== undefined) return read;
  const failure = failureOf(store.get<unknown>(secret.feed));
  if (failure?.kind === 'odd-answer' && failure.isTooLarge === true)
    return {status: 'failed', reason: describeFailure(failure)};
  const elapsedMs = now - openedAt;
  if (elapsedMs < SECRET_LIMIT_MS) return {status: 'waiting', elapsedMs};
  const reason = failure === undefined ? say`the service did not make it available` : describeFailure(failure);
  return {status: 'late', reason: say`not ready after ${SECRET_LIMIT_MS / SECOND_MS} s: ${reason}`};
}

function consoleRead(feed: Feed<MachineConsole>, store: Pick<Store, 'get'>): SecretReading | undefined {
  const value = lastValue(store.get(feed));
  return value?.status === 'ready' ? {status: 'secret', secret: value.url} : undefined;
}

function logRead(feed: Feed<MachineLog>, store: Pick<Store, 'get'>): SecretReading | undefined {
  const value = lastValue(store.get(feed));
  return value?.status === 'ready' ? {status: 'lines', lines: withoutEnd(value.lines)} : undefined;
}

/** A log ends with a line break, which does not start another line. */
function withoutEnd(lines: readonly SafeText[]): readonly SafeText[] {
  const last = lines.findLastIndex(line => line.trim() !== '');
  return lines.slice(0, last + 1);
}

/** Reads until it is there, up to the limit. */
export function secretWants(open: OpenSecret, store: Pick<Store, 'get'>, now: MonotonicMs): readonly Want[] {
  const {secret} = open;
  if (secret.kind === 'access-key' || readingOf(open, store, now).status !== 'waiting') return [];
  return [{feed: secret.feed, priority: 0}];
}

export const MAX_SECRET_WIDTH = 96;
/** The box's edges and margins. */
const EDGE_CELLS = 4;
/** Edges, the blank line, the choices; plus two lines above and below the box, so that messages stay visible. */
const FRAME_ROWS = 8;

/** What of the text the box shows, where its last page begins, and how many lines of it are a page. */
type SecretPage = {readonly lines: readonly Line[]; readonly lastOffset: number; readonly pageLines: number};

/** The page of the box's text that is turned to, in a terminal of this size. */
export function secretPage(open: OpenSecret, scene: Pick<Scene, 'store' | 'monotonicNow'>, size: Size): SecretPage {
  const width = Math.min(size.columns, MAX_SECRET_WIDTH) - EDGE_CELLS;
  const parts = oneTimeSecretLines(open, scene).map(line => wrapLine(line, width));
  const isCopyable =
    clipboardSequence(copiedText(readingOf(open, scene.store, scene.monotonicNow)) ?? say``) !== undefined;
  return fitLongest(parts, {room: size.rows - FRAME_ROWS, offset: open.offset, isCopyable});
}

/** All parts in at most `room` lines: of the longest only those from `offset` on, with a mark for the others. */
function fitLongest(
  parts: readonly (readonly Line[])[],
  {room, offset, isCopyable}: {readonly room: number; readonly offset: number; readonly isCopyable: boolean},
): SecretPage {
  const lines = parts.flat();
  if (lines.length <= room) return {lines, lastOffset: 0, pageLines: lines.length};
  const longest = parts.reduce((longer, part) => (part.length > longer.length ? part : longer), []);
  const pageLines = Math.max(1, longest.length - (lines.length - room) - 1);
  const lastOffset = Math.max(0, longest.length - pageLines);
  const start = Math.min(offset, lastOffset);
  const after = characterCount(longest.slice(start + pageLines));
  const copying = isCopyable ? `, ${KEYS.copy} copies all` : '';
  const mark =
    after > 0
      ? `and ${formatCounted(after, 'more character')}; down shows them${copying}`
      : `its end; up shows the ${formatCounted(characterCount(longest.slice(0, start)), 'character')} before${copying}`;
  const kept: readonly Line[] = [...longest.slice(start, start + pageLines), [{text: mark, tone: 'warning'}]];
  return {lines: parts.flatMap(part => (part === longest ? kept : part)), lastOffset, pageLines};
}

function characterCount(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + lineWidth(line), 0);
}

/** The text of the box, before wrapping. */
export function oneTimeSecretLines(
  open: OpenSecret,
  {store, monotonicNow}: Pick<Scene, 'store' | 'monotonicNow'>,
): readonly Line[] {
  const shown = readingOf(open, store, monotonicNow);
  switch (shown.status) {
    case 'waiting': {
      // As wide from the first second to the last, or the box would grow.
      const seconds = String(Math.floor(shown.elapsedMs / SECOND_MS)).padStart(2);
      return [
        [{text: `Requested; this takes a few seconds. ${seconds} s of at most ${SECRET_LIMIT_MS / SECOND_MS}.`}],
        [{text: 'Closing this stops waiting.', tone: 'dim'}],
      ];
    }
    case 'late':
      return [[{text: shown.reason, tone: 'warning'}], [{text: 'Close this and request it again.', tone: 'dim'}]];
    case 'failed':
      return [[{text: shown.reason, tone: 'warning'}]];
    case 'secret':
      return secretLines(open, shown.secret.reveal());
    case 'lines':
      return shown.lines.map(text => [{text}]);
    default:
      return unreachable(shown);
  }
}

function secretLines({secret, isCopied}: OpenSecret, text: string): readonly Line[] {
  const warning: Line =
    secret.kind === 'access-key'
      ? [{text: 'The secret key is shown only this once.', tone: 'warning'}]
      : [{text: 'Anyone with this address can control the machine: treat it like a password.', tone: 'warning'}];
  return [
    ...(secret.kind === 'access-key' ? [[{text: 'access key  ', tone: 'dim' as const}, {text: secret.accessKey}]] : []),
    [
      {text: secret.kind === 'access-key' ? 'secret key  ' : '', tone: 'dim'},
      {text, tone: 'strong'},
    ],
    [],
    warning,
    [{text: isCopied ? 'Copied.' : 'It is not saved or logged.', tone: 'dim'}],
  ];
}

/** What the copy key puts on the clipboard, whole: a part of a secret is of no use. */
function copiedText(shown: SecretReading): SafeText | undefined {
  return shown.status === 'secret' ? safeText(shown.secret.reveal(), {maxLength: Number.POSITIVE_INFINITY}) : undefined;
}

/** The keys as the box and the key line name them. */
export function secretKeys({status}: SecretReading): readonly BoxKey[] {
  if (status === 'lines') return BOX_KEYS.log;
  const close: BoxKey = {key: KEYS.back, label: 'close'};
  return status === 'secret' ? [{key: KEYS.copy, label: 'copy', tone: 'strong'}, close] : [close];
}

/**
 * Whether closing loses what cannot be shown again: a console can be requested again, a secret key cannot. Also once it
 * was copied: many terminals ignore that, and do not say so.
 */
function isLostByClosing({secret, isWarned}: OpenSecret): boolean {
  return secret.kind === 'access-key' && !isWarned;
}

/** The box opens by itself, so a key pressed right after that was meant for the screen below it. */
const OPENS_FOR_MS: DurationMs = 400;

/** A log is longer than any screen; its real end is found when it is drawn. */
const STEPS: Readonly<Record<string, number>> = {up: 1, k: 1, down: -1, j: -1};

/** Copies, scrolls and closes. Every other key does nothing, so that none closes it by mistake. */
export function pressSecret(deck: Deck, open: OpenSecret, key: string): void {
  const shown = readingOf(open, deck.scene().store, deck.now());
  if (deck.now() - open.openedAt < OPENS_FOR_MS) return;
  if (key === KEYS.back) {
    if (!isLostByClosing(open)) {
      // The warning of the first press no longer applies.
      if (open.isWarned) deck.notify(say`closed`);
      return deck.setOverlay(undefined);
    }
    // Both keys have room at 60 columns.
    deck.notify(say`not shown again: ${KEYS.copy} copies it, ${KEYS.back} again closes it`, 'warning');
    return deck.setOverlay({...open, isWarned: true});
  }
  if (key === KEYS.save) return deck.notify(say`what is shown here is not saved`, 'warning');
  if (key === KEYS.copy) {
    const text = copiedText(shown);
    if (text === undefined) return deck.notify(say`nothing to copy here`);
    // What was copied is a credential, so the message does not repeat it.
    const isCopied = deck.copy([text], {said: say`copied`});
    return isCopied ? deck.setOverlay({...open, isCopied}) : undefined;
  }
  const offset =
    shown.status === 'lines'
      ? scrolled(open.offset, key, shown.lines.length, deck.scene().size.rows)
      : turned(open.offset, key, secretPage(open, deck.scene(), deck.size()));
  if (offset !== open.offset) deck.setOverlay({...open, offset});
}

/** Counted from the end of the log, where the newest lines are. */
function scrolled(offset: number, key: string, lineCount: number, rows: number): number {
  const page = Math.max(1, rows - 2);
  const pages: Readonly<Record<string, number>> = {pageup: page, 'ctrl-b': page, pagedown: -page, 'ctrl-f': -page};
  const last = Math.max(0, lineCount - page);
  if (key === 'g' || key === 'home') return last;
  if (key === 'G' || key === 'end') return 0;
  const step = STEPS[key] ?? pages[key] ?? 0;
  return Math.min(Math.max(0, offset + step), last);
}

/** Page by page from the start, as in a question. */
function turned(offset: number, key: string, {lastOffset, pageLines}: SecretPage): number {
  if (key === 'g' || key === 'home') return 0;
  if (key === 'G' || key === 'end') return lastOffset;
  return Math.min(Math.max(0, Math.min(offset, lastOffset) + (PAGES[key] ?? 0) * pageLines), lastOffset);
}

const PAGES: Readonly<Record<string, number>> = {
  up: -1,
  k: -1,
  pageup: -1,
  'ctrl-b': -1,
  down: 1,
  j: 1,
  pagedown: 1,
  'ctrl-f': 1,
};
