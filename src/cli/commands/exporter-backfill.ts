import {Command, InvalidArgumentError, Option} from 'commander';
import {billingHistory, usage} from '../../api/billing.ts';
import {
  listVirtualMachines,
  METRIC_DURATIONS,
  type MetricDuration,
  virtualMachineEvents,
  virtualMachineMetrics,
} from '../../api/virtual-machines.ts';
import type {ConnectionFlags} from '../../config/options.ts';
import {costliestFirst, machineRates} from '../../domain/cost.ts';
import {describeReadFailure, type Failure} from '../../domain/failure.ts';
import type {BilledDay} from '../../domain/money/billed-day.ts';
import {mergeUsage, monthStart} from '../../domain/money/spend.ts';
import {type SpendCurve, spendCurve} from '../../domain/money/spend-curve.ts';
import {DAY_MS, type DurationMs, epochMs, HOUR_MS, isoText} from '../../domain/time.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {type PastMachine, pastFamilies, type Period} from '../../export/history.ts';
import type {Labels} from '../../export/metric.ts';
import {writeHistory} from '../../export/openmetrics-history.ts';
import {type Account, openAccount} from '../account.ts';
import {type BuildCommand, type CommandIo, complain, failed, print} from '../command-io.ts';
import {addConnectionOptions} from '../connection-options.ts';
import {inTurn} from '../cost/reading.ts';
import {EXIT, type ExitCode, exitCodeOf} from '../../domain/exit-codes.ts';
import {metricsOption} from '../option-values.ts';
import {openProgress} from '../print/progress.ts';

type BackfillFlags = ConnectionFlags & {
  readonly since: DurationMs;
  readonly metrics: number;
  readonly label: Labels;
};

const DEFAULT_SINCE = '30d';
const MAX_SINCE_DAYS = 366;
/** All samples of this many machines are held in memory until their series are written. */
const MAX_MACHINES = 400;
/** A service that gives no answer about this many machines in a row, at up to half a minute each, is not asked on. */
const MAX_SILENT_MACHINES = 5;
/** This many closed days without a bill mean that the provider keeps none. */
const PROBED_DAYS = 2;

/** `skydeck exporter backfill`: what the service still knows of the past, for the Prometheus database. */
export const backfillCommand: BuildCommand = (io, end) => {
  const command = new Command('backfill')
    .summary('print the past of the account as OpenMetrics')
    .description(
      'Print the past of the account as OpenMetrics, for promtool tsdb create-blocks-from openmetrics. Reads only.',
    )
    .addOption(
      new Option('--since <duration>', 'how far back, e.g. 12h or 30d; the service keeps metrics for 30 days')
        .argParser(readSince)
        .default(readSince(DEFAULT_SINCE), DEFAULT_SINCE),
    )
    .addOption(metricsOption(MAX_MACHINES))
    .addOption(
      new Option(
        '--label <name=value>',
        'a label for every series, e.g. job=skydeck, as scraping adds it; may be repeated',
      )
        .argParser(readLabel)
        .default({}, 'none'),
    );
  return addConnectionOptions(command.optionsGroup('Common options:')).action(async (flags: BackfillFlags) =>
    end(await backfill(io, flags)),
  );
};

async function backfill(io: CommandIo, flags: BackfillFlags): Promise<ExitCode> {
  const opened = await openAccount(io, flags);
  if (!opened.ok) return failed(io, opened.mistake, opened.exitCode ?? EXIT.usage);
  const {account} = opened;
  const progress = openProgress(io, account.clock, 'reading usage');
  try {
    return await readAndWrite(io, account, {...flags, say: progress.say, endProgress: progress.end});
  } finally {
    progress.end();
  }
}

type BackfillInputs = {
  readonly io: CommandIo;
  readonly account: Account;
  readonly say: (words: string) => void;
  readonly complain: (words: string) => void;
};

async function readAndWrite(
  io: CommandIo,
  account: Account,
  flags: BackfillFlags & {readonly say: (words: string) => void; readonly endProgress: () => void},
): Promise<ExitCode> {
  const inputs: BackfillInputs = {io, account, say: flags.say, complain: words => complain(io, account.redact(words))};
  const {client} = account.session;
  const [live, deleted, listed] = await Promise.all([
    client.read(usage, {isDeleted: false}, {signal: io.gone}),
    client.read(usage, {isDeleted: true}, {signal: io.gone}),
    client.read(listVirtualMachines, {}, {signal: io.gone}),
  ]);
  for (const read of [live, listed]) {
    if (read.ok) continue;
    inputs.complain(`exporter backfill: ${describeReadFailure(read.failure)}`);
    return exitCodeOf(read.failure, 'read');
  }
  if (!live.ok || !listed.ok) return EXIT.noAnswer;
  if (!deleted.ok)
    inputs.complain(`what was deleted since is missing in all costs: ${describeReadFailure(deleted.failure)}`);
  const now = account.clock.wallNow();
  const period = {start: epochMs(now - flags.since), end: now};
  const curve = spendCurve(mergeUsage(live.value.records, deleted.ok ? deleted.value.records : []), now);
  const costliest = costliestFirst(listed.value.records, machineRates(live.value.records));
  const chosen = costliest.slice(0, Math.min(flags.metrics, MAX_MACHINES));
  const machines = await readPast(inputs, chosen, flags.since);
  if ('failure' in machines) {
    const reason = describeReadFailure(machines.failure);
    const where = `the service did not answer about ${MAX_SILENT_MACHINES} machines in a row`;
    inputs.complain(`exporter backfill: nothing was written: ${where}: ${reason}`);
    return EXIT.noAnswer;
  }
  const billed = await readBilledDays(inputs, curve, period);
  flags.endProgress();
  const written = await writeHistory(pastFamilies({machines, curve, billed, period}), {
    added: flags.label,
    write: text => print(io, account.redact(text)),
  });
  const of = `${chosen.length} of ${costliest.length} machines`;
  inputs.complain(
    `exporter backfill: wrote ${written.sampleCount} samples of ${written.seriesCount} series; the past of ${of}`,
  );
  return EXIT.done;
}

/** The past of the machines, or why there is no use in asking on. */
async function readPast(
  {io, account, say, complain}: BackfillInputs,
  chosen: readonly VirtualMachine[],
  sinceMs: DurationMs,
): Promise<readonly PastMachine[] | {readonly failure: Failure}> {
  const {client} = account.session;
  const duration = METRIC_DURATIONS.find(each => lengthOf(each) >= sinceMs) ?? '30d';
  let count = 0;
  let silentCount = 0;
  let lastFailure: Failure | undefined;
  const past = await inTurn(chosen, async (machine): Promise<PastMachine> => {
    if (silentCount >= MAX_SILENT_MACHINES) return {machine, metrics: undefined, events: []};
    count += 1;
    say(`reading the past of machine ${count} of ${chosen.length}`);
    const metrics = await client.read(virtualMachineMetrics, {id: machine.id, duration}, {signal: io.gone});
    const events = await client.read(virtualMachineEvents, {id: machine.id}, {signal: io.gone});
    if (!metrics.ok) complain(`the metrics of ${machine.name} are missing: ${describeReadFailure(metrics.failure)}`);
    if (!events.ok) complain(`the states of ${machine.name} are missing: ${describeReadFailure(events.failure)}`);
    const isSilent = [metrics, events].every(each => !each.ok && exitCodeOf(each.failure, 'read') === EXIT.noAnswer);
    silentCount = isSilent || silentCount >= MAX_SILENT_MACHINES ? silentCount + 1 : 0;
    if (!events.ok) lastFailure = events.failure;
    return {
      machine,
      metrics: metrics.ok ? metrics.value.records[0] : undefined,
      events: events.ok ? events.value.records : [],
    };
  });
  return silentCount >= MAX_SILENT_MACHINES && lastFailure !== undefined ? {failure: lastFailure} : past;
}

function lengthOf(duration: MetricDuration): DurationMs {
  return Number(duration.slice(0, -1)) * (duration.endsWith('d') ? DAY_MS : HOUR_MS);
}

/** The bills of closed days, back to the month in which the period begins; nothing if no bills are kept. */
async function readBilledDays(
  {io, account, say, complain}: BackfillInputs,
  curve: SpendCurve,
  period: Period,
): Promise<readonly BilledDay[]> {
  const first = Math.max(monthStart(period.start), Math.floor(curve.startsAt / DAY_MS) * DAY_MS);
  const today = Math.floor(period.end / DAY_MS) * DAY_MS;
  const days: BilledDay[] = [];
  for (let day = today - DAY_MS; day >= first; day -= DAY_MS) {
    say('reading the bills');
    const span = {startsAt: epochMs(day), endsAt: epochMs(day + DAY_MS)};
    const read = await account.session.client.read(billingHistory, {period: span}, {signal: io.gone});
    if (!read.ok) {
      complain(`bills before ${dayText(day + DAY_MS)} are estimated from usage: ${describeReadFailure(read.failure)}`);
      break;
    }
    const cost = read.value.records[0]?.billedCost;
    if (cost !== undefined) days.push({start: span.startsAt, until: span.endsAt, cost});
    else if (days.length === 0 && today - day >= PROBED_DAYS * DAY_MS) break;
  }
  return days;
}

function dayText(day: number): string {
  return isoText(epochMs(day)).slice(0, 10);
}

function readSince(text: string): DurationMs {
  const match = /^(\d{1,4})(h|d)$/.exec(text);
  const ms = Number(match?.[1] ?? 0) * (match?.[2] === 'd' ? DAY_MS : HOUR_MS);
  if (ms <= 0 || ms > MAX_SINCE_DAYS * DAY_MS) {
    throw new InvalidArgumentError(`Use hours or days, such as 12h or 30d, at most ${MAX_SINCE_DAYS}d.`);
  }
  return ms;
}

function readLabel(text: string, labels: Labels): Labels {
  const match = /^([a-zA-Z_]\w*)=(.*)$/s.exec(text);
  const [, name = '', value = ''] = match ?? [];
  if (match === null || name.startsWith('__'))
    throw new InvalidArgumentError('Use a name and a value, such as job=skydeck.');
  return {...labels, [name]: value};
}
