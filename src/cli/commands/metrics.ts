import {Command, Option} from 'commander';
import {METRIC_DURATIONS, type MetricDuration, virtualMachineMetrics} from '../../api/virtual-machines.ts';
import {csvLine, plainNumber} from '../../domain/csv.ts';
import {describeReadFailure} from '../../domain/failure.ts';
import {type BinRange, binGauge, binRates, counterRates, type MachineMetrics, type Rates} from '../../domain/series.ts';
import {DAY_MS, type DurationMs, type EpochMs, epochMs, HOUR_MS, isoText} from '../../domain/time.ts';
import {cpuUtilization, memoryUtilization, sampleAge} from '../../domain/utilization.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {type Account, openAccount, readerOf} from '../account.ts';
import {type BuildCommand, type CommandIo, complain, failed, print} from '../command-io.ts';
import {dataText, isDataFormat} from '../print/data-text.ts';
import {EXIT, type ExitCode, exitCodeOf} from '../../domain/exit-codes.ts';
import {findMachine} from '../operations/plan.ts';
import {openProgress} from '../print/progress.ts';
import {addCommonOptions, type CommonFlags} from '../run-command.ts';

type MetricsFlags = CommonFlags & {readonly duration: MetricDuration};

/** `skydeck metrics`: the metrics of a machine, as charts or as derived series. */
export const metricsCommand: BuildCommand = (io, end) => {
  const command = new Command('metrics')
    .description('Draw charts of a machine, or print the derived series: utilization and bytes per second.')
    .argument('<vm>', 'its id or name')
    .addOption(new Option('--duration <duration>', 'the window').choices(METRIC_DURATIONS).default('1h'));
  return addCommonOptions(command, ['table', 'json', 'ndjson', 'yaml', 'csv']).action(
    async (wanted: string, flags: MetricsFlags) => end(await runMetrics(io, wanted, flags)),
  );
};

async function runMetrics(io: CommandIo, wanted: string, flags: MetricsFlags): Promise<ExitCode> {
  const opened = await openAccount(io, flags);
  if (!opened.ok) return failed(io, opened.mistake, EXIT.usage);
  const {account} = opened;
  const progress = openProgress(io, account.clock, 'reading metrics');
  try {
    const reader = readerOf(account, {signal: io.gone, progress: progress.say});
    const found = await findMachine(reader, wanted);
    if (!found.ok && 'mistake' in found) return failed(io, found.mistake, EXIT.usage);
    if (!found.ok)
      return failed(
        io,
        account.redact(`metrics: ${describeReadFailure(found.failure)}`),
        exitCodeOf(found.failure, 'read'),
      );
    const {id} = found.value;
    const read = await account.session.client.read(
      virtualMachineMetrics,
      {id, duration: flags.duration},
      {signal: io.gone},
    );
    if (!read.ok)
      return failed(
        io,
        account.redact(`metrics: ${describeReadFailure(read.failure)}`),
        exitCodeOf(read.failure, 'read'),
      );
    const [metrics] = read.value.records;
    if (metrics === undefined) return failed(io, 'metrics: the answer could not be read', EXIT.noAnswer);
    progress.end();
    const lostCount = read.value.quarantined.length;
    if (lostCount > 0) complain(io, `metrics: unreadable or impossible samples left out: ${lostCount}`);
    await show(io, account, {machine: found.value, metrics}, flags);
    return EXIT.done;
  } finally {
    progress.end();
  }
}

type MachineAndMetrics = {readonly machine: VirtualMachine; readonly metrics: MachineMetrics};
type Unit = 'ratio' | 'bytes per second';
type Derived = {
  readonly name: string;
  readonly unit: Unit;
  readonly samples: readonly {readonly start: EpochMs; readonly end: EpochMs; readonly value: number}[];
};

/** A sample covers the time from its start to its end; a gauge is of one moment. Missing samples stay missing. */
function derive({machine, metrics}: MachineAndMetrics): readonly Derived[] {
  const cpu = cpuUtilization(metrics, machine.flavor?.cpuCount).map(({startedAt, endedAt, ratio}) => ({
    start: startedAt,
    end: endedAt,
    value: ratio,
  }));
  const memory = Array.from(memoryUtilization(metrics, machine.flavor?.ramGb), ({sampledAt, value}) => ({
    start: sampledAt,
    end: sampledAt,
    value,
  }));
  const counters = ['networkIn', 'networkOut', 'diskRead', 'diskWrite'] as const;
  return [
    {name: 'cpu', unit: 'ratio', samples: cpu},
    {name: 'mem', unit: 'ratio', samples: memory},
    ...counters.map(name => ({
      name,
      unit: 'bytes per second' as const,
      samples: Array.from(counterRates(metrics[name] ?? []), ({startedAt, endedAt, perSecond}) => ({
        start: startedAt,
        end: endedAt,
        value: perSecond,
      })),
    })),
  ];
}

async function show(
  io: CommandIo,
  account: Account,
  measured: MachineAndMetrics,
  {duration, output}: MetricsFlags,
): Promise<void> {
  const {machine} = measured;
  const derived = derive(measured);
  if (isDataFormat(output)) {
    const series = derived.map(each => ({...each, samples: each.samples.map(isoSample)}));
    const age = sampleAge(measured.metrics, account.clock.wallNow());
    const newestSampleAt = age === undefined ? null : isoText(age.sampledAt);
    const record = {vm: {id: machine.id, name: machine.name}, duration, newestSampleAt, series};
    return print(io, dataText(record, {format: output, showsSecrets: true}));
  }
  if (output === 'csv') {
    const rows = derived.flatMap(({name, unit, samples}) =>
      samples.map(isoSample).map(({start, end, value}) => csvLine([name, unit, start, end, plainNumber(value)])),
    );
    return print(io, [csvLine(['series', 'unit', 'start', 'end', 'value']), ...rows].join(''));
  }
  return print(io, await chartText(io, account, measured, duration));
}

function isoSample({start, end, value}: Derived['samples'][number]) {
  return {start: isoText(start), end: isoText(end), value};
}

const CHART_ROWS = 8;
const MAX_COLUMNS = 120;
const DEFAULT_COLUMNS = 80;
/** The width of the axis and its figures. */
const AXIS_CELLS = 8;

async function chartText(
  io: CommandIo,
  {clock, options, settings}: Account,
  {machine, metrics}: MachineAndMetrics,
  duration: MetricDuration,
): Promise<string> {
  const {plainChart} = await import('../../ui/chart.ts');
  const {formatBytes, formatPercent, formatSampleAge, formatUtcMoment} = await import('../../ui/format.ts');
  const now = clock.wallNow();
  const start = epochMs(now - windowMs(duration));
  const span = `${formatUtcMoment(start)} to ${formatUtcMoment(now)}`;
  const age = sampleAge(metrics, now);
  const newest = age === undefined ? 'no samples' : `newest sample ${formatSampleAge(age)}`;
  const head = `${machine.name} #${machine.id}  ${duration}  ${span}\n${newest}`;
  if (age === undefined) return `${head}\n`;
  const width = Math.min(io.stdout.columns ?? DEFAULT_COLUMNS, MAX_COLUMNS);
  const bins: BinRange = {start, end: now, count: 2 * (width - AXIS_CELLS)};
  const isUtf8 = io.terminal.isUtf8 && !options.isAscii;
  const layout = {width, height: CHART_ROWS, isUtf8, style: settings.charts};
  const ratio = {...layout, format: (value: number) => formatPercent(value), max: 1};
  const rates = {...layout, format: (value: number) => formatBytes(value), scale: 'binary' as const};
  const cpu = cpuUtilization(metrics, machine.flavor?.cpuCount).map(({ratio: perSecond, ...span}) => ({
    ...span,
    perSecond,
  }));
  const memory = memoryUtilization(metrics, machine.flavor?.ramGb);
  const growth = (measured: Rates) => ({
    bins: binRates(measured, bins),
    samples: Array.from(measured, ({perSecond}) => perSecond),
  });
  const counter = (name: 'networkIn' | 'networkOut' | 'diskRead' | 'diskWrite') =>
    growth(counterRates(metrics[name] ?? []));
  const gauge = {bins: binGauge(memory, bins), samples: Array.from(memory, ({value}) => value)};
  const charts = [
    plainChart('cpu', growth(cpu), ratio),
    plainChart('mem', gauge, ratio),
    plainChart('network in B/s', counter('networkIn'), rates),
    plainChart('network out B/s', counter('networkOut'), rates),
    plainChart('disk read B/s', counter('diskRead'), rates),
    plainChart('disk write B/s', counter('diskWrite'), rates),
  ];
  return `${[head, ...charts.map(lines => lines.join('\n'))].join('\n\n')}\n`;
}

function windowMs(duration: MetricDuration): DurationMs {
  return Number.parseInt(duration, 10) * (duration.endsWith('d') ? DAY_MS : HOUR_MS);
}
