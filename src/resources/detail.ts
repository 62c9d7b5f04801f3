import {describeReadFailure, type Failure, isKeyRefused} from '../domain/failure.ts';
import {type SafeText, safeLines, safeText, say} from '../domain/safe-text.ts';
import {failureOf, lastValue} from '../domain/snapshot.ts';
import {type EpochMs, MINUTE_MS, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import {type Feed, isWhole, type Listing} from '../state/feed.ts';
import type {BreakerState} from '../state/poller/circuit-breaker.ts';
import {formatDuration, formatUtcFull, UNKNOWN} from '../ui/format.ts';
import {fitLine, type Line, lineWidth, type Span} from '../ui/text.ts';
import type {Tone} from '../ui/theme.ts';
import {hangingLines, wrapLine} from '../ui/wrap.ts';
import type {Column} from './column.ts';
import type {RowInput} from './resource.ts';

const LABEL_CELLS = 16;

/** One field of a record; shows "unknown" where the service gave no value. */
export function field(label: string, value: string | undefined, tone?: Tone): Line {
  const text: Span =
    value === undefined ? {text: UNKNOWN, tone: 'dim'} : tone === undefined ? {text: value} : {text: value, tone};
  return [...fitLine([{text: label, tone: 'dim'}], LABEL_CELLS), text];
}

/** When something was created, and how long ago. */
export function momentText(at: EpochMs | undefined, now: EpochMs): string | undefined {
  if (at === undefined) return undefined;
  const age = now - at;
  return age < -MINUTE_MS
    ? `${formatUtcFull(at)}  in the future`
    : `${formatUtcFull(at)}  ${formatDuration(Math.max(0, age))} ago`;
}

/** A record as the service sent it, one line of text for each line of its JSON. */
export function recordLines(known: Unread, feed: Feed<unknown>): readonly Line[] {
  const record = lastValue(known.store.get(feed));
  if (record === undefined) return [missingLine(known, feed, 'record')];
  return jsonLines(record);
}

export function jsonLines(record: unknown): readonly Line[] {
  return safeLines(JSON.stringify(record, undefined, 2)).map(text => [{text}]);
}

/** A field that may need several lines: wrapped at spaces, with the label on the first line only. */
export function wrappedField(label: string, text: string, width: number, tone?: Tone): readonly Line[] {
  const span: Span = tone === undefined ? {text} : {text, tone};
  return wrapLine([span], Math.max(8, width - LABEL_CELLS)).map((line, index) => [
    ...fitLine([{text: index === 0 ? label : '', tone: 'dim'}], LABEL_CELLS),
    ...line,
  ]);
}

/** Every column with a value, as a field: for rows about which nothing more is known. */
export function columnFields<Row>(columns: readonly Column<Row>[], row: Row, width: number): readonly Line[] {
  return columns.flatMap(column => {
    const value = column.value(row);
    return value === undefined ? [] : wrappedField(column.title.toLowerCase(), value.text, width);
  });
}

/** Detail lines wrapped to the width; continuation lines start below the value. */
export function foldedLines(lines: readonly Line[], width: number): readonly Line[] {
  return lines.flatMap(line => {
    if (lineWidth(line) <= width) return [line];
    const labelSpans = spansWithin(line, LABEL_CELLS);
    return labelSpans === 0 || width < 2 * LABEL_CELLS
      ? wrapLine(line, width)
      : hangingLines(line.slice(0, labelSpans), line.slice(labelSpans), width);
  });
}

/** The number of leading spans that fill exactly this many cells, or 0 if a span crosses that position. */
function spansWithin(line: Line, cells: number): number {
  for (let count = 1, width = 0; count <= line.length; count += 1) {
    width += lineWidth(line.slice(count - 1, count));
    if (width === cells) return count;
    if (width > cells) return 0;
  }
  return 0;
}

/** What is needed to explain why something was not read yet. */
export type Unread = Pick<RowInput, 'store' | 'budgetWait' | 'health'>;

/** A field whose feed has no data: still loading, or why it failed. */
export function missingField(known: Unread, feed: Feed<unknown>, label: string, width: number): readonly Line[] {
  const {text, tone} = missingSpan(known, feed);
  return wrappedField(label, text, width, tone);
}

/** Shown in place of a feed's data: still loading, what it waits for, or why it failed. */
export function missingSpan(known: Unread, feed: Feed<unknown>): {readonly text: string; readonly tone: Tone} {
  const failure = failureOf(known.store.get(feed));
  if (failure !== undefined) return {text: `unknown: ${causeOf(failure)}`, tone: 'warning'};
  return {text: waitText(known, feed) ?? 'being read…', tone: 'dim'};
}

/** Why a feed has nothing to show: not read yet, or failed. */
export function missingLine(known: Unread, feed: Feed<unknown>, what: string): Line {
  const failure = failureOf(known.store.get(feed));
  if (failure !== undefined) return [{text: ` ${what} unknown: ${causeOf(failure)}`, tone: 'warning'}];
  const wait = waitText(known, feed);
  return [{text: wait === undefined ? ` reading the ${what}…` : ` ${what}: ${wait}`, tone: 'dim'}];
}

/** A refused key fails everything alike: the status bar and a finding have the words of the service. */
export function causeOf(failure: Failure): SafeText {
  return isKeyRefused(failure) ? KEY_REFUSED : describeReadFailure(failure);
}

const KEY_REFUSED = say`the key or its role is not accepted`;

/** Why a list may lack what exists: it was not read, or not to its end. Undefined if it is whole. */
export function gapLine(known: Unread, feed: Feed<Listing<unknown>>, what: string): Line | undefined {
  const listing = lastValue(known.store.get(feed));
  if (listing === undefined) return missingLine(known, feed, what);
  return isWhole(listing) ? undefined : [{text: ` part of the ${what} was not read`, tone: 'warning'}];
}

/** Shorter waits are not worth a message. */
const NOTED_WAIT_MS = 2 * SECOND_MS;

/** Undefined unless it is waiting for the connection or for the request budget. */
function waitText({budgetWait, health}: Unread, feed: Feed<unknown>): string | undefined {
  const away = feed.source === undefined ? awayText(health) : undefined;
  if (away !== undefined) return `not read: ${away}`;
  const waitMs = budgetWait?.(feed) ?? 0;
  return waitMs < NOTED_WAIT_MS ? undefined : `waits for the request budget, about ${Math.ceil(waitMs / SECOND_MS)} s`;
}

/** Of what comes by itself while the service answers: `reading bills…`, or `bills not read: link down`. */
export function awaitedText({health}: Pick<Unread, 'health'>, what: string): string {
  const away = awayText(health);
  return away === undefined ? `reading ${what}…` : `${what} not read: ${away}`;
}

/** Why the service cannot be used, and for how long: `link down 19s`. */
export function outageText(outage: Outage, monotonicNow: MonotonicMs): SafeText {
  const lastingMs = monotonicNow - (outage.failingSince ?? outage.since);
  return say`${outageWords(outage)} ${safeText(formatDuration(lastingMs))}`;
}

type Outage = Extract<BreakerState, {readonly status: 'down'}>;

/** A service that answers with an error of its own can be reached. */
function outageWords({failure}: Outage): SafeText {
  return failure.kind === 'service-error' ? say`service failing` : say`link down`;
}

/** Why nothing is read from the service now; undefined while it answers. */
export function awayText(health: Unread['health']): SafeText | undefined {
  switch (health?.status) {
    case undefined:
    case 'up':
      return undefined;
    case 'down':
      return outageWords(health);
    case 'rate-limited':
      return say`rate-limited`;
    case 'not-authorised':
      return KEY_REFUSED;
  }
}
