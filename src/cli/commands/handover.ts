import {Command} from 'commander';
import {presentSent} from '../../actions/sent.ts';
import type {ConnectionFlags} from '../../config/options.ts';
import {soFar} from '../../domain/billing-history.ts';
import {markdownOf} from '../../domain/handover.ts';
import {epochMs, HOUR_MS, SECOND_MS} from '../../domain/time.ts';
import {historyFeed} from '../../state/billing.ts';
import {collectOnce} from '../../state/poller/collect.ts';
import {presentHandover} from '../../state/handover.ts';
import {openAccount} from '../account.ts';
import {type BuildCommand, type CommandIo, complain, failed, print} from '../command-io.ts';
import {addConnectionOptions} from '../connection-options.ts';
import {EXIT} from '../../domain/exit-codes.ts';
import {unreadActivity} from '../machine-activity.ts';
import {askedMetricsOption, NOT_PAST, sinceMoment} from '../option-values.ts';
import {openProgress} from '../print/progress.ts';
import {codeOfRead} from '../run-command.ts';
import {codeOfUnread, knownJournal, readForTriage, triageInput, unreadLines} from '../triage-reading.ts';

type HandoverFlags = ConnectionFlags & {readonly since?: string; readonly metrics?: number};

/** A shift. */
const DEFAULT_SINCE_MS = 8 * HOUR_MS;
const BILL_LIMIT_MS = 5 * SECOND_MS;

/** `skydeck handover`: what the next person on call has to know, as Markdown. */
export const handoverCommand: BuildCommand = (io, end) => {
  const command = new Command('handover')
    .option('--since <moment>', 'the start of the shift: 22:00 (UTC), 8h (the default), 3d or 2026-11-20T22:00:00Z')
    .addOption(askedMetricsOption());
  return addConnectionOptions(command.optionsGroup('Common options:')).action(async (flags: HandoverFlags) =>
    end(await runHandover(io, flags)),
  );
};

async function runHandover(io: CommandIo, flags: HandoverFlags): Promise<number> {
  const opened = await openAccount(io, flags);
  if (!opened.ok) return failed(io, opened.mistake, opened.exitCode ?? EXIT.usage);
  const {account} = opened;
  const {session, clock} = account;
  const now = clock.wallNow();
  const since = flags.since === undefined ? epochMs(now - DEFAULT_SINCE_MS) : sinceMoment(flags.since, now);
  if (since === undefined) return failed(io, NOT_PAST, EXIT.usage);
  const progress = openProgress(io, clock, 'reading the account');
  let unreadCount = 0;
  try {
    const bill = historyFeed(soFar(since, now));
    await collectOnce({feeds: [bill], poller: session.poller, clock, limitMs: BILL_LIMIT_MS});
    unreadCount = await readForTriage(account, {askedCount: flags.metrics, progress: progress.say});
  } finally {
    progress.end();
  }
  for (const line of unreadLines(account)) complain(io, account.redact(line));
  if (unreadCount > 0) complain(io, unreadActivity(unreadCount, account));
  const journal = knownJournal(io, account, since);
  const sent =
    journal.fault === undefined
      ? presentSent({journal: () => journal, now: clock.wallNow(), store: account.session.store})
      : undefined;
  const lines = presentHandover(triageInput(account), {since, sent, unreadableLineCount: journal.unreadableCount});
  await print(io, account.redact(`${lines.map(markdownOf).join('\n')}\n`));
  const code = codeOfUnread(account);
  return code === EXIT.done ? codeOfRead(io) : code;
}
