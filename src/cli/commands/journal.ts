import {Command} from 'commander';
import {ACTIONS} from '../../actions/actions.ts';
import {isOpen, type Sent, sentFromHere} from '../../actions/sent.ts';
import {checkBaseUrl} from '../../api/base-url.ts';
import {type KeySource, readKey} from '../../config/key-source.ts';
import {readFlags} from '../../config/options.ts';
import {resolveOptions} from '../../config/profiles.ts';
import {readSettings} from '../../config/settings.ts';
import {subjectOf} from '../../domain/action.ts';
import {phaseWords} from '../../domain/describe-operation.ts';
import type {OperationPhase} from '../../domain/operation.ts';
import {safeText, say} from '../../domain/safe-text.ts';
import {createRedactor} from '../../domain/secret.ts';
import {DAY_MS, type EpochMs, epochMs, HOUR_MS, MINUTE_MS, parseTimestamp, SECOND_MS} from '../../domain/time.ts';
import {moment, text} from '../../resources/column.ts';
import {aloneAt, defineResource, undated} from '../../resources/resource.ts';
import {openJournal} from '../../state/journal.ts';
import {createLink} from '../../state/link.ts';
import {formatCounted} from '../../ui/format.ts';
import {journalPath, NO_ACCOUNT, plantedFolder} from '../account.ts';
import {type BuildCommand, type CommandIo, complain, failed} from '../command-io.ts';
import {EXIT, type ExitCode} from '../exit-codes.ts';
import {gapsInJournal, printRecords} from '../print-records.ts';
import {addCommonOptions, type CommonFlags} from '../run-command.ts';

type JournalFlags = CommonFlags & {readonly since?: string};

/** `skydeck journal`: operations sent from here, and their outcomes as far as observed. */
export const journalCommand: BuildCommand = (io, end) => {
  const command = new Command('journal').option(
    '--since <moment>',
    'only those sent since then: 22:00 (UTC), 2h, 3d or 2026-11-20T22:00:00Z',
  );
  return addCommonOptions(command).action(async (flags: JournalFlags) => end(await runJournal(io, flags)));
};

async function runJournal(io: CommandIo, flags: JournalFlags): Promise<ExitCode> {
  const asked = readFlags(flags, io.environment);
  if (!asked.ok) return failed(io, asked.mistake, EXIT.usage);
  const read = await readSettings(io.environment);
  if (!read.ok) return failed(io, read.mistake, EXIT.usage);
  const resolved = resolveOptions(asked.options, read.settings);
  if (!resolved.ok) return failed(io, resolved.mistake, EXIT.usage);
  const {baseUrl, fixedNow, isAscii, keySource} = resolved.options;
  if (baseUrl === undefined) return failed(io, NO_ACCOUNT, EXIT.usage);
  const checked = checkBaseUrl(baseUrl);
  if (!checked.ok) return failed(io, checked.mistake, EXIT.usage);
  const now = io.clockFor(fixedNow, createLink(io.localNow)).wallNow();
  const since = flags.since === undefined ? undefined : sinceMoment(flags.since, now);
  if (flags.since !== undefined && since === undefined)
    return failed(io, '--since needs a moment such as 22:00, 2h or 2026-11-20T22:00:00Z', EXIT.usage);
  const planted = plantedFolder(io);
  if (planted !== undefined) {
    complain(io, planted);
    return EXIT.noAnswer;
  }
  const journal = openJournal(journalPath(io, baseUrl), ACTIONS).latest();
  const {unreadableCount, fault} = journal;
  if (fault !== undefined) return failed(io, `the journal cannot be read: ${fault}`, EXIT.noAnswer);
  const sent = sentFromHere({journal: () => journal})
    .map(recordOf)
    .sort((left, right) => left.confirmedAt.localeCompare(right.confirmedAt))
    .filter(({confirmedAt}) => since === undefined || Date.parse(confirmedAt) >= since);
  const entryOf = journalEntries.entry(aloneAt(now));
  const redact = redactorFor(keySource);
  const options = {format: flags.output, showsSecrets: false, isAscii, redact};
  await printRecords(
    io,
    journalEntries,
    // Redacted before a column is cut: half of a key would no longer be recognised.
    sent.map(record => entryOf({...record, words: redact(record.words)})),
    options,
  );
  if (sent.length === 0) complain(io, since === undefined ? 'the journal is empty' : 'no operations since then');
  for (const gap of gapsInJournal(journal, since)) complain(io, gap);
  if (unreadableCount > 0)
    complain(io, `skipped ${formatCounted(unreadableCount, 'line')} of the journal that could not be read`);
  return EXIT.done;
}

/** A journal is read without a key, so a key that cannot be read needs no hiding; no key command is run for it. */
function redactorFor(source: KeySource | undefined): (text: string) => string {
  const read = source === undefined || source.kind === 'command' ? undefined : readKey(source);
  return createRedactor(read?.ok === true ? [read.key] : []);
}

const SEEN_LATE = 'EFFECT_SEEN_LATE';

/** One entry for scripts: times as ISO 8601, the phase in the deck's words. */
type JournalRecord = {
  readonly operationId: string;
  readonly confirmedAt: string;
  readonly at: string;
  readonly kind: string;
  /** The subject; null for a raw request, of which only the path is known. */
  readonly subject: object | null;
  readonly words: string;
  readonly phase: OperationPhase;
  /** `open`, `EFFECT_SEEN_LATE` if nothing was seen at first, otherwise the phase. */
  readonly outcome: string;
  readonly detail?: string;
};

function recordOf(sent: Sent): JournalRecord {
  const {id, action, subjectName, words, phase, detail, confirmedAt, changedAt = confirmedAt} = sent;
  const end = sent.correction === undefined ? phase : SEEN_LATE;
  return {
    operationId: id,
    confirmedAt: new Date(confirmedAt).toISOString(),
    at: new Date(changedAt).toISOString(),
    kind: action?.kind ?? 'api',
    subject: action === undefined ? null : {name: subjectName, ...subjectOf(action)},
    words,
    phase,
    outcome: isOpen(sent) ? 'open' : end,
    ...(detail === undefined ? {} : {detail}),
  };
}

const journalEntries = defineResource<JournalRecord, JournalRecord>({
  names: ['journal'],
  summary: 'operations sent from this computer',
  columns: [
    {key: 'time', title: 'TIME', value: ({confirmedAt}) => moment(parseTimestamp(confirmedAt))},
    {key: 'operation', title: 'OPERATION', value: ({words}) => text(safeText(words))},
    {
      key: 'outcome',
      title: 'OUTCOME',
      value: record => text(outcomeLabel(record)),
    },
    {
      key: 'detail',
      title: 'DETAIL',
      isProse: true,
      value: ({detail}) => text(detail === undefined ? undefined : safeText(detail)),
    },
    {key: 'id', title: 'ID', printed: 'wide', value: ({operationId}) => text(operationId)},
  ],
  list: () => Promise.resolve({ok: true, value: {raw: []}}),
  parse: raw => (isJournalRecord(raw) ? {ok: true, value: raw} : {ok: false, fields: [say`the line`]}),
  row: undated,
  nameOf: ({words}) => safeText(words),
});

function outcomeLabel({phase, outcome, detail = ''}: JournalRecord): string {
  if (outcome === 'open') return `${phaseWords({phase})} (open)`;
  return phaseWords(outcome === SEEN_LATE ? {phase, correction: safeText(detail)} : {phase});
}

function isJournalRecord(raw: unknown): raw is JournalRecord {
  return typeof raw === 'object' && raw !== null && 'operationId' in raw;
}

const UNITS: Readonly<Record<string, number>> = {s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS};

/** A time of day is its most recent occurrence, today or yesterday; a duration counts back from now. */
export function sinceMoment(written: string, now: EpochMs): EpochMs | undefined {
  const length = /^(\d{1,4})([smhd])$/.exec(written);
  if (length !== null) return epochMs(now - Number(length[1]) * (UNITS[length[2] ?? ''] ?? 0));
  const time = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(written);
  if (time === null) return parseTimestamp(written);
  const startOfDay = Math.floor(now / DAY_MS) * DAY_MS;
  const today = startOfDay + Number(time[1]) * HOUR_MS + Number(time[2]) * MINUTE_MS;
  return epochMs(today > now ? today - DAY_MS : today);
}
