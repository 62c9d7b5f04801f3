import {appendFileSync, closeSync, fstatSync, fsyncSync, openSync, readSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import * as z from 'zod';
import {present} from '../api/fields.ts';
import {codeOf, openOwnFile, ownFolder} from '../config/own-files.ts';
import type {Action} from '../domain/action.ts';
import {END_PHASES, isEnded, OPEN_PHASES, type OperationPhase} from '../domain/operation.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {safeText} from '../domain/safe-text.ts';
import {type EpochMs, epochMs, momentOf} from '../domain/time.ts';
import {type Actions, definitionOf} from './action.ts';

/** One line of the journal: an operation reached a phase. It holds no secret. */
export type JournalEntry = {
  readonly operationId: string;
  readonly at: EpochMs;
  readonly phase: OperationPhase;
  readonly action: Action;
  readonly subjectName: SafeText;
  readonly initialStatus?: string;
  /** Whose object it is: a journal is kept for a service, and one person may have keys of several organizations there. */
  readonly organizationId?: number;
  /** When the person confirmed it; after a restart only what happened since then can be the operation's effect. */
  readonly confirmedAt?: EpochMs;
  readonly detail?: SafeText;
  /** What was seen after the end and puts it right. It is our own word, and holds nothing of the action. */
  readonly correction?: SafeText;
  readonly writer?: JournalWriter;
};

/**
 * A request that was sent raw (`skydeck api`). It is not an action: nothing is locked, and its effect is not watched
 * of it beyond its answer, so `accepted` is the best that is ever known.
 */
export type RawEntry = Pick<JournalEntry, 'operationId' | 'at' | 'detail'> & {
  readonly phase: 'sent' | 'accepted' | 'unknown' | 'REFUSED' | 'NOT_SENT';
  /** Method, path and query. The body stays out: it may hold secrets. */
  readonly request: SafeText;
  readonly confirmedAt: EpochMs;
};

export type JournalLine = JournalEntry | RawEntry;

/** The process that sent it, and may still be there to tell the end. */
export type JournalWriter = {readonly host: string; readonly pid: number};

export type Journal = {
  /** Returns only when the line is on the disk; throws when it cannot be written, and then nothing may be sent. */
  readonly append: (entry: JournalLine) => void;
  /**
   * The last entry of every operation, oldest first, and when it was sent and ended. Lines that cannot be read are skipped
   * and counted; the reason is given where the whole file cannot be read. What is read here is still returned by `news`.
   */
  readonly latest: () => Latest;
  /**
   * The entries that were added since the last news, or since all was first read, in their order: those of another
   * skydeck, and our own. Cheap where there are none.
   */
  readonly news: () => readonly JournalEntry[];
};

/** An operation as its last line tells it, with the moments of the lines before. */
export type LatestEntry = JournalEntry & {
  /** When it was written down that it is sent; absent for what never was, or where that line is no longer read. */
  readonly sentAt?: EpochMs;
  /** When its end was seen, however much was added later. */
  readonly endedAt?: EpochMs;
};

export type Latest = {
  readonly entries: readonly LatestEntry[];
  readonly raws: readonly RawEntry[];
  readonly unreadableCount: number;
  /** Why nothing could be read of a journal that is there. */
  readonly fault?: SafeText;
};

/** After a restart, old operations that ended are not needed; open ones are, however old. */
const MAX_READ_BYTES = 8 * 1024 * 1024;

const safe = z.string().transform(text => safeText(text));
const moment = z
  .number()
  .refine(value => momentOf(value) !== undefined)
  .transform(epochMs);
const common = {operationId: z.string(), at: moment, detail: safe.optional()};
const rawEntry = z
  .object({
    ...common,
    phase: z.enum(['sent', 'accepted', 'unknown', 'REFUSED', 'NOT_SENT']),
    request: safe,
    confirmedAt: moment,
  })
  .transform(present);

type LineSchema = z.ZodType<JournalLine>;

/** What a line may be, by the actions there are. */
function lineSchema(actions: Actions): LineSchema {
  const action = z.looseObject({kind: z.string()}).transform((value, context): Action => {
    const known = actions.get(value.kind)?.parse(value);
    if (known === undefined) context.addIssue(`${value.kind} cannot be read`);
    return known ?? z.NEVER;
  });
  const actionEntry = z
    .object({
      ...common,
      phase: z.enum([...OPEN_PHASES, ...END_PHASES]),
      action,
      subjectName: safe,
      organizationId: z.number().int().positive().optional(),
      initialStatus: safe.optional(),
      writer: z.object({host: z.string(), pid: z.number().int().positive()}).optional(),
      confirmedAt: moment.optional(),
      correction: safe.optional(),
    })
    .transform(present);
  return z.union([actionEntry, rawEntry]);
}

type Redact = (text: string) => string;

/** The append-only file (mode 0600 in a folder of mode 0700) at `path`, made with the first entry; `redact` keeps the key out. */
export function openJournal(path: string, actions: Actions, redact: Redact = text => text): Journal {
  const schema = lineSchema(actions);
  let readUntil: number | undefined;
  return {
    append: entry => append(path, lineOf(entry, actions, redact)),
    latest: () => {
      const {text, until, rest, fault} = readTail(path, 0);
      readUntil ??= until;
      return {...latestOf(text + rest, schema), ...(fault === undefined ? {} : {fault})};
    },
    news: () => {
      const from = readUntil ?? 0;
      if (sizeOf(path) === from) return [];
      const {text, until} = readTail(path, from);
      readUntil = until;
      return entriesAmong(entriesIn(text, schema).entries);
    },
  };
}

function append(path: string, line: string): void {
  const folder = dirname(path);
  ownFolder(folder);
  const file = openOwnFile(path, 'append');
  try {
    const {size} = fstatSync(file);
    // A line that was cut off when the machine stopped must not be joined to this one.
    const start = size > 0 && !endsInLineEnd(file, size) ? '\n' : '';
    appendFileSync(file, `${start}${line}\n`);
    fsyncSync(file);
    if (size === 0) syncFolder(folder);
  } finally {
    closeSync(file);
  }
}

/** What the service says of an action may repeat what the action holds, so then only the action itself is kept. */
function lineOf(entry: JournalLine, actions: Actions, redact: Redact): string {
  // Each text by itself: what stands for the key may hold a quotation mark.
  const kept = (_field: string, value: unknown) => (typeof value === 'string' ? redact(value) : value);
  if (!('action' in entry)) return JSON.stringify(entry, kept);
  const {detail, ...rest} = entry;
  const action = definitionOf(actions, entry.action).withoutSecrets(entry.action);
  const detailField = detail === undefined || action !== entry.action ? {} : {detail};
  return JSON.stringify({...rest, action, ...detailField}, kept);
}

function latestOf(text: string, schema: LineSchema): Latest {
  const {entries, unreadableCount} = entriesIn(text, schema);
  const latest = [...new Map(entries.map(entry => [entry.operationId, entry])).values()];
  const moments = momentsIn(entriesAmong(entries));
  return {
    entries: entriesAmong(latest).map(entry => ({...entry, ...moments.get(entry.operationId)})),
    raws: latest.filter(entry => 'request' in entry),
    unreadableCount,
  };
}

type Moments = Pick<LatestEntry, 'sentAt' | 'endedAt'>;

/** The first of each kind: what was sent is sent once, and an end is only added to. */
function momentsIn(entries: readonly JournalEntry[]): ReadonlyMap<string, Moments> {
  const moments = new Map<string, Moments>();
  for (const {operationId, phase, at} of entries) {
    const known = moments.get(operationId);
    if (phase === 'sent') moments.set(operationId, {sentAt: at, ...known});
    else if (isEnded(phase)) moments.set(operationId, {endedAt: at, ...known});
  }
  return moments;
}

function entriesAmong(entries: readonly JournalLine[]): readonly JournalEntry[] {
  return entries.filter(entry => 'action' in entry);
}

function entriesIn(text: string, schema: LineSchema): {entries: readonly JournalLine[]; unreadableCount: number} {
  const lines = text.split('\n').filter(line => line.length > 0);
  const entries = lines.flatMap(line => parseEntry(line, schema) ?? []);
  return {entries, unreadableCount: lines.length - entries.length};
}

/** A file without a readable size cannot be read either; `append` reports that. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

type Tail = {
  readonly text: string;
  /** Behind the last whole line: what follows may still be written. */
  readonly until: number;
  /** The start of a line that is not whole; of a process that died, all that will ever come of it. */
  readonly rest: string;
  /** Why nothing could be read of a file that is there. */
  readonly fault?: SafeText;
};

/** What was added behind `from`; of very much only the end. A file that became shorter is another file. */
function readTail(path: string, from: number): Tail {
  try {
    const file = openOwnFile(path, 'read');
    try {
      const {size} = fstatSync(file);
      const start = Math.max(size < from ? 0 : from, size - MAX_READ_BYTES);
      const bytes = Buffer.alloc(size - start);
      readSync(file, bytes, {position: start});
      // Where the beginning is cut off, the first line is incomplete.
      const first = start > from && start > 0 ? bytes.indexOf('\n') + 1 : 0;
      const end = bytes.lastIndexOf('\n') + 1;
      return {text: bytes.toString('utf8', first, end), until: start + end, rest: bytes.toString('utf8', end)};
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const nothing = {text: '', until: 0, rest: ''};
    // No journal yet: nothing was ever sent from here.
    if (codeOf(error) === 'ENOENT') return nothing;
    return {...nothing, fault: safeText(error instanceof Error ? error.message : String(error))};
  }
}

function endsInLineEnd(file: number, size: number): boolean {
  const last = new Uint8Array(1);
  readSync(file, last, {position: size - 1});
  return last[0] === '\n'.charCodeAt(0);
}

/** A new file survives a power cut only once its name is on the disk too. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function parseEntry(line: string, schema: LineSchema): JournalLine | undefined {
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
