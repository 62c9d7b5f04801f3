import {createHash} from 'node:crypto';
import {appendFileSync, closeSync, fstatSync, fsyncSync, openSync, readSync, statSync} from 'node:fs';
import {dirname} from 'node:path';
import * as z from 'zod';
import {present} from '../../api/fields.ts';
import {checkOwnFolder, codeOf, openOwnFile, ownFolder} from '../../config/own-files.ts';
import type {Action} from '../../domain/action.ts';
import {END_PHASES, isEnded, OPEN_PHASES, type OperationPhase} from '../../domain/operation.ts';
import type {SafeText} from '../../domain/safe-text.ts';
import {safeText} from '../../domain/safe-text.ts';
import type {Secret} from '../../domain/secret.ts';
import {type EpochMs, epochMs, momentOf} from '../../domain/time.ts';
import {type Actions, definitionOf} from './action.ts';

/** One line of the journal: an operation reached a phase. It holds no secret. */
export type JournalEntry = {
  readonly operationId: string;
  readonly at: EpochMs;
  readonly phase: OperationPhase;
  readonly action: Action;
  readonly subjectName: SafeText;
  readonly initialStatus?: string;
  /** The organization. A journal is kept per service, and one person may have keys of several organizations there. */
  readonly organizationId?: number;
  /** When the person confirmed it. After a restart, only what happened since then can be the operation's effect. */
  readonly confirmedAt?: EpochMs;
  readonly detail?: SafeText;
  /** What remains to be done once it is confirmed, for whoever goes on watching it. */
  readonly followUp?: SafeText;
  /** What was seen after the end and corrects it. In our own words, so it holds nothing of the action. */
  readonly correction?: SafeText;
  readonly writer?: JournalWriter;
};

/**
 * A request sent raw (`skydeck api`). It is not an action: it locks nothing and its effect is not watched, so
 * `accepted` is the best outcome ever known.
 */
export type RawEntry = Pick<JournalEntry, 'operationId' | 'at' | 'detail'> & {
  readonly phase: 'sent' | 'accepted' | 'unknown' | 'REFUSED' | 'NOT_SENT';
  /** Method, path and query. The body is left out because it may hold secrets. */
  readonly request: SafeText;
  readonly confirmedAt: EpochMs;
};

export type JournalLine = JournalEntry | RawEntry;

/** The process that sent it; if it is still running, it writes down the end. */
export type JournalWriter = {
  readonly host: string;
  readonly pid: number;
  /** The start of the digest of its key: enough to recognise the same key, too little to check a guess of it. */
  readonly keyDigest?: string;
};

export type Journal = {
  /** Returns only once the lines are on disk; throws if they cannot be written, in which case nothing may be sent. */
  readonly append: (...entries: readonly JournalLine[]) => void;
  /**
   * The last entry of every operation, oldest first, with the moments it was sent and ended. Unreadable lines are
   * skipped and counted; if the whole file cannot be read, the reason is given. `news` still returns what was read
   * here.
   */
  readonly latest: () => Latest;
  /**
   * Entries added since the previous call, or since the journal was first read, in order: ours and those of other
   * running skydecks. If it could not be read before, the last entry of every operation, as operations that ended long
   * ago do not begin again. Cheap if there are none.
   */
  readonly news: () => readonly JournalEntry[];
};

/** An operation as of its last line, with the moments of earlier lines. */
export type LatestEntry = JournalEntry & {
  /** Sent with another key than that of this session, perhaps of another organization. */
  readonly isByOtherKey?: true;
  /** When it was journaled as sent; absent if it never was, or if that line is no longer read. */
  readonly sentAt?: EpochMs;
  /** When its end was observed, however much was added later. */
  readonly endedAt?: EpochMs;
};

export type Latest = {
  readonly entries: readonly LatestEntry[];
  readonly raws: readonly RawEntry[];
  readonly unreadableCount: number;
  /** When the first line read was written, if the journal is too long to read what stands before it. */
  readonly readFrom?: EpochMs;
  /** Why an existing journal could not be read. */
  readonly fault?: SafeText;
};

/** Thousands of operations: those still open are among the last of them, and lists say that older ones are missing. */
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

/** The schema of a line, given the actions there are. */
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
      followUp: safe.optional(),
      writer: z
        .object({host: z.string(), pid: z.number().int().positive(), keyDigest: z.string().optional()})
        .transform(present)
        .optional(),
      confirmedAt: moment.optional(),
      correction: safe.optional(),
    })
    .transform(present);
  return z.union([actionEntry, rawEntry]);
}

type Redact = (text: string) => string;

/** 32 bits of the SHA-256 of the key, as hexadecimal digits. */
export function keyDigestOf(key: Secret): string {
  return createHash('sha256').update(key.reveal()).digest('hex').slice(0, 8);
}

/**
 * The append-only file at `path` (mode 0600, folder 0700), created with the first entry; `redact` keeps the key out.
 * `keyDigest`: that of the present key, if there is one, to tell what was sent with another.
 */
export function openJournal(
  path: string,
  actions: Actions,
  redact: Redact = text => text,
  keyDigest?: string,
): Journal {
  const schema = lineSchema(actions);
  let readUntil: number | undefined;
  return {
    append: (...entries) => append(path, entries.map(entry => lineOf(entry, actions, redact)).join('\n')),
    latest: () => {
      const tail = readTail(path, 0);
      if (tail.fault === undefined) readUntil ??= tail.until;
      return latestOf(tail, schema, keyDigest);
    },
    news: () => {
      const from = readUntil ?? 0;
      if (sizeOf(path) === from) return [];
      const {text, until, fault} = readTail(path, from);
      // What could not be read now is read the next time, and nothing that was read before is news again.
      if (fault !== undefined) return [];
      const isFirst = readUntil === undefined;
      readUntil = until;
      const {entries} = entriesIn(text, schema);
      return entriesAmong(isFirst ? lastOfEach(entries) : entries);
    },
  };
}

function append(path: string, lines: string): void {
  const folder = dirname(path);
  ownFolder(folder);
  const file = openOwnFile(path, 'append');
  try {
    const {size} = fstatSync(file);
    // The next line must not be joined to one that was cut off when the machine stopped.
    const start = size > 0 && !endsInLineEnd(file, size) ? '\n' : '';
    appendFileSync(file, `${start}${lines}\n`);
    fsyncSync(file);
    if (size === 0) syncFolder(folder);
  } finally {
    closeSync(file);
  }
}

/**
 * The service's text about an action may repeat what the action holds, so in that case only the action itself is kept.
 */
function lineOf(entry: JournalLine, actions: Actions, redact: Redact): string {
  // Each text is redacted on its own, because the text that replaces the key may contain a quotation mark.
  const kept = (_field: string, value: unknown) => (typeof value === 'string' ? redact(value) : value);
  if (!('action' in entry)) return JSON.stringify(entry, kept);
  const {detail, ...rest} = entry;
  const action = definitionOf(actions, entry.action).withoutSecrets(entry.action);
  const detailField = detail === undefined || action !== entry.action ? {} : {detail};
  return JSON.stringify({...rest, action, ...detailField}, kept);
}

function latestOf({text, rest, isCut, fault}: Tail, schema: LineSchema, keyDigest: string | undefined): Latest {
  const {entries, unreadableCount} = entriesIn(text + rest, schema);
  const [first] = entries;
  const latest = lastOfEach(entries);
  const moments = momentsIn(entriesAmong(entries));
  const senders = sendersIn(entriesAmong(entries));
  return {
    entries: entriesAmong(latest).map(entry => ({
      ...entry,
      ...moments.get(entry.operationId),
      ...(isOtherKey(senders.get(entry.operationId), keyDigest) ? {isByOtherKey: true as const} : {}),
    })),
    raws: latest.filter(entry => 'request' in entry),
    unreadableCount,
    ...(isCut && first !== undefined ? {readFrom: first.at} : {}),
    ...(fault === undefined ? {} : {fault}),
  };
}

/** The digests of the keys that began them: the end may be journaled by whoever watched. */
function sendersIn(entries: readonly JournalEntry[]): ReadonlyMap<string, string | undefined> {
  return new Map(entries.toReversed().map(({operationId, writer}) => [operationId, writer?.keyDigest]));
}

/** Old lines name no key. */
function isOtherKey(theirs: string | undefined, ours: string | undefined): boolean {
  return theirs !== undefined && ours !== undefined && theirs !== ours;
}

/** The last entry of each operation, in the order of their first. */
function lastOfEach(entries: readonly JournalLine[]): readonly JournalLine[] {
  return [...new Map(entries.map(entry => [entry.operationId, entry])).values()];
}

type Moments = Pick<LatestEntry, 'sentAt' | 'endedAt'>;

/** The first entry of each kind counts: an operation is sent once, and later entries only add to its end. */
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

/** A file whose size cannot be read cannot be read either; `append` reports that. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

type Tail = {
  readonly text: string;
  /** The position after the last complete line; what follows may still be being written. */
  readonly until: number;
  /** The start of an incomplete line. If its process died, the rest will never come. */
  readonly rest: string;
  /** Lines before these were left out. */
  readonly isCut: boolean;
  /** Why an existing file could not be read. */
  readonly fault?: SafeText;
};

/**
 * What was appended after `from`; if that is very long, only its end. A file that became shorter is a different file.
 */
function readTail(path: string, from: number): Tail {
  try {
    checkOwnFolder(dirname(path));
    const file = openOwnFile(path, 'read');
    try {
      const {size} = fstatSync(file);
      const start = Math.max(size < from ? 0 : from, size - MAX_READ_BYTES);
      const bytes = Buffer.alloc(size - start);
      readSync(file, bytes, {position: start});
      // Then the first line is incomplete.
      const isCut = start > from && start > 0;
      const first = isCut ? bytes.indexOf('\n') + 1 : 0;
      const end = bytes.lastIndexOf('\n') + 1;
      const text = bytes.toString('utf8', first, end);
      return {text, until: start + end, rest: bytes.toString('utf8', end), isCut};
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const nothing = {text: '', until: 0, rest: '', isCut: false};
    // There is no journal yet: nothing was ever sent from here.
    if (codeOf(error) === 'ENOENT') return nothing;
    return {...nothing, fault: safeText(error instanceof Error ? error.message : String(error))};
  }
}

function endsInLineEnd(file: number, size: number): boolean {
  const last = new Uint8Array(1);
  readSync(file, last, {position: size - 1});
  return last[0] === '\n'.charCodeAt(0);
}

/** A new file survives a power cut only once its folder entry is on disk too. */
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
