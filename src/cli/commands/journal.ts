import {Command} from 'commander';
import {ACTIONS} from '../../actions/actions.ts';
import {inPresentPhase, sentFromHere} from '../../actions/sent.ts';
import {checkBaseUrl} from '../../api/base-url.ts';
import {readKey} from '../../config/key-source.ts';
import type {ConnectionOptions} from '../../config/options.ts';
import {safeText} from '../../domain/safe-text.ts';
import {createRedactor, type Secret} from '../../domain/secret.ts';
import type {EpochMs} from '../../domain/time.ts';
import {JOURNAL_COLUMNS, journalMoment, journalRecord, type Sent} from '../../resources/journal.ts';
import {type Entry, rowEntry} from '../../resources/resource.ts';
import {keyDigestOf, openJournal} from '../../state/operations/journal.ts';
import {createLink} from '../../state/poller/link.ts';
import {readSettings} from '../../config/settings.ts';
import {journalPath, noAccount, plantedFolder, readToken, resolvedOptions} from '../account.ts';
import {type BuildCommand, type CommandIo, complain, failed} from '../command-io.ts';
import {EXIT, type ExitCode} from '../../domain/exit-codes.ts';
import {NOT_PAST, sinceMoment} from '../option-values.ts';
import {gapsInJournal, printRecords} from '../print/print-records.ts';
import {addCommonOptions, type CommonFlags} from '../run-command.ts';

const TIMES_HELP = `
Times:
  SENT       when the request was sent: time in CSV, sentAt in JSON. For what
             was not sent, time in CSV is when it was confirmed.
  REQUESTED  when the question was answered with yes, with -o wide: requested
             in CSV, confirmedAt in JSON
The outcome "confirmed" means that two readings of the service showed the effect.`;

type JournalFlags = CommonFlags & {readonly since?: string};

/** `skydeck journal`: operations sent from here, and their outcomes as far as observed. */
export const journalCommand: BuildCommand = (io, end) => {
  const command = new Command('journal')
    .addHelpText('after', TIMES_HELP)
    .option('--since <moment>', 'only those sent since then: 22:00 (UTC), 2h, 3d or 2026-11-20T22:00:00Z');
  return addCommonOptions(command).action(async (flags: JournalFlags) => end(await runJournal(io, flags)));
};

async function runJournal(io: CommandIo, flags: JournalFlags): Promise<ExitCode> {
  const resolved = await resolvedOptions(io, flags);
  if (!resolved.ok) return failed(io, resolved.mistake, EXIT.usage);
  const {baseUrl, fixedNow, isAscii} = resolved.options;
  if (baseUrl === undefined) {
    const read = await readSettings(io.environment);
    return failed(io, read.ok ? noAccount(read.settings) : read.mistake, EXIT.usage);
  }
  const checked = checkBaseUrl(baseUrl);
  if (!checked.ok) return failed(io, checked.mistake, EXIT.usage);
  const now = io.clockFor(fixedNow, createLink(io.localNow)).wallNow();
  const since = flags.since === undefined ? undefined : sinceMoment(flags.since, now);
  if (flags.since !== undefined && since === undefined) return failed(io, NOT_PAST, EXIT.usage);
  const planted = plantedFolder(io);
  if (planted !== undefined) {
    complain(io, planted);
    return EXIT.noAnswer;
  }
  const key = keyIn(resolved.options);
  const journal = openJournal(journalPath(io, baseUrl), ACTIONS, undefined, key && keyDigestOf(key)).latest();
  const {fault} = journal;
  if (fault !== undefined) return failed(io, `the journal cannot be read: ${fault}`, EXIT.noAnswer);
  const sent = sentFromHere({journal: () => journal})
    .filter(each => since === undefined || journalMoment(each) >= since)
    .sort((left, right) => journalMoment(left) - journalMoment(right));
  const redact = redactorFor(key, resolved.options);
  const options = {format: flags.output, showsSecrets: false, isAscii, redact};
  await printRecords(
    io,
    PRINTED,
    sent.map(each => entryOf(each, {now, redact})),
    options,
  );
  if (sent.length === 0) complain(io, since === undefined ? 'the journal is empty' : 'no operations since then');
  for (const gap of gapsInJournal(journal, since)) complain(io, gap);
  return EXIT.done;
}

const PRINTED = {names: ['journal'] as const, columns: JOURNAL_COLUMNS};

/** A table shows the present phase, as the deck does; a record has the phase as journaled. */
function entryOf(sent: Sent, {now, redact}: {readonly now: EpochMs; readonly redact: (text: string) => string}): Entry {
  // Redacted before a column is cut: half of a key would no longer be recognised.
  const words = safeText(redact(sent.words));
  const row = {...inPresentPhase(sent, now), words, now};
  return rowEntry(JOURNAL_COLUMNS, row, {raw: journalRecord({...sent, words}), name: words});
}

/** A journal is read without a key, so one that cannot be read is not missed; no key command is run for it. */
function keyIn({keySource}: ConnectionOptions): Secret | undefined {
  const read = keySource === undefined || keySource.kind === 'command' ? undefined : readKey(keySource);
  return read?.ok === true ? read.key : undefined;
}

function redactorFor(key: Secret | undefined, {prometheus}: ConnectionOptions): (text: string) => string {
  const token = prometheus === undefined ? undefined : readToken(prometheus);
  return createRedactor([...(key === undefined ? [] : [key]), ...(token?.ok === true ? [token.key] : [])]);
}
