import {resolve} from 'node:path';
import {Command, InvalidArgumentError, Option} from 'commander';
import {organization} from '../../api/account.ts';
import {credit as creditEndpoint} from '../../api/billing.ts';
import {type ConnectionFlags, VERSION} from '../../config/options.ts';
import {replaceOwnFile} from '../../config/own-files.ts';
import {describeReadFailure} from '../../domain/failure.ts';
import type {DayCost} from '../../domain/money/day-cost.ts';
import {GROUPINGS, type Grouping, spendGroups} from '../../domain/money/group.ts';
import {budgetPace, costReport, isBeforeRecords, knownMonthToDate, recordCosts} from '../../domain/money/report.ts';
import {recordsOf} from '../../domain/money/settled.ts';
import {monthEnd, monthStart} from '../../domain/money/spend.ts';
import {shiftReport} from '../../domain/money/shift.ts';
import {type KeptResource, type WasteInput, wasteOf} from '../../domain/money/waste.ts';
import {isNegative, parseDecimal, type Usd, usd} from '../../domain/money.ts';
import {DAY_MS, type DurationMs, type EpochMs, epochMs, HOUR_MS, parseTimestamp} from '../../domain/time.ts';
import {isOfOrganization} from '../../domain/triage/mute.ts';
import type {FocusPeriod, FocusVersion} from '../../export/focus.ts';
import {MONTH_COST_FILE, monthCostColumns} from '../../resources/cost.ts';
import {type Account, openAccount} from '../account.ts';
import {type BuildCommand, type CommandIo, complain, failed, print} from '../command-io.ts';
import {dayCsv, dayJson, dayNamed, dayText, readDay} from '../cost/day.ts';
import {type CostResult, costJson} from '../cost/json.ts';
import {billOf, inventoryOf, readCosts, readPastBurn, readStops, readVerdicts} from '../cost/reading.ts';
import {dataText} from '../print/data-text.ts';
import {EXIT, type ExitCode, exitCodeOf} from '../../domain/exit-codes.ts';
import {askedMetricsOption, NOT_PAST, sinceMoment} from '../option-values.ts';
import {csvText} from '../print/print-records.ts';
import {openProgress, type Progress} from '../print/progress.ts';
import {addCommonOptions} from '../run-command.ts';
import {tablePrinter} from '../print/table-text.ts';

const FORMATS = ['table', 'json', 'ndjson', 'yaml', 'csv', 'focus'] as const;

type CostFlags = ConnectionFlags & {
  readonly output: (typeof FORMATS)[number];
  readonly month?: EpochMs;
  readonly day?: string;
  readonly by: Grouping;
  readonly since?: string;
  readonly budget?: Usd;
  readonly credit?: Usd;
  readonly metrics?: number;
  readonly focusVersion?: FocusVersion;
  readonly focusPeriod?: FocusPeriod;
  readonly focusMetadata?: string;
  readonly includeExcluded?: boolean;
};

const DEFAULT_VERSION: FocusVersion = '1.2';
const DEFAULT_PERIOD: FocusPeriod = 'day';

/**
 * `skydeck cost`: what the account costs now, this month and at its end; what it is spent on, and how much is wasted.
 */
export const costCommand: BuildCommand = (io, end) => {
  const command = new Command('cost')
    .addOption(new Option('--month <YYYY-MM>', 'a UTC month; the current one by default').argParser(readMonth))
    .option('--day <day>', 'what one UTC day cost, and the day before it: yesterday, today or YYYY-MM-DD')
    .addOption(
      new Option('--by <key>', 'how to group the costs; a resource with several labels counts in equal parts with each')
        .choices(GROUPINGS)
        .default('vm'),
    )
    .option('--since <moment>', 'also what was spent since then: 22:00 (UTC), 8h or 2026-11-20T22:00:00Z')
    .addOption(new Option('--budget <dollars>', 'the budget of the month').argParser(readDollars))
    .addOption(
      new Option('--credit <dollars>', 'the prepaid credit, if the service does not report it').argParser(
        readSignedDollars,
      ),
    )
    .addOption(askedMetricsOption())
    .addOption(
      new Option('--focus-version <version>', `columns of -o focus (default: ${DEFAULT_VERSION})`).choices([
        '1.2',
        '1.3',
      ]),
    )
    .addOption(
      new Option('--focus-period <period>', `the period of each row of -o focus (default: ${DEFAULT_PERIOD})`).choices([
        'day',
        'hour',
      ]),
    )
    .option('--focus-metadata <file>', 'also write version, columns and period of -o focus to this file, as JSON')
    .option('--include-excluded', 'add rows to -o focus for what is excluded from billing, at no cost');
  return addCommonOptions(command, FORMATS).action(async (flags: CostFlags) => end(await runCost(io, flags)));
};

async function runCost(io: CommandIo, flags: CostFlags): Promise<ExitCode> {
  const mistake = unusedOption(flags);
  if (mistake !== undefined) return failed(io, mistake, EXIT.usage);
  const opened = await openAccount(io, flags);
  if (!opened.ok) return failed(io, opened.mistake, EXIT.usage);
  const {account} = opened;
  const progress = openProgress(io, account.clock, 'reading usage');
  try {
    return await readAndShow({io, account, flags, progress});
  } finally {
    progress.end();
  }
}

/** An option that only another output uses: ignored, it would seem to have had its effect. */
function unusedOption(flags: CostFlags): string | undefined {
  if (flags.output === 'focus') return undefined;
  const options = {
    '--focus-version': flags.focusVersion,
    '--focus-period': flags.focusPeriod,
    '--focus-metadata': flags.focusMetadata,
    '--include-excluded': flags.includeExcluded,
  };
  const [given] = Object.entries(options).find(([, value]) => value !== undefined) ?? [];
  return given && `${given}: only with -o focus`;
}

async function readAndShow({
  io,
  account,
  flags,
  progress,
}: {
  readonly io: CommandIo;
  readonly account: Account;
  readonly flags: CostFlags;
  readonly progress: Progress;
}): Promise<ExitCode> {
  const {client} = account.session;
  const {prices} = account.preferences;
  // The first answer sets the clock to the service's, so it is awaited before the month is determined.
  const balance = await creditOf(io, account, flags);
  const now = account.clock.wallNow();
  const day = flags.day === undefined ? undefined : dayNamed(flags.day, now);
  const dayMistake = flags.day === undefined ? undefined : wrongDay(day, now, flags);
  if (dayMistake !== undefined) return failed(io, `--day ${dayMistake}`, EXIT.usage);
  const start = flags.month ?? monthStart(day ?? now);
  if (start > now) return failed(io, '--month: that month has not begun', EXIT.usage);
  const since = flags.since === undefined ? undefined : sinceMoment(flags.since, now);
  if (flags.since !== undefined && since === undefined) return failed(io, NOT_PAST, EXIT.usage);
  const asking = {
    client,
    signal: io.gone,
    now,
    month: {start, end: monthEnd(start)},
    prices,
    wantsForecast: flags.output !== 'csv' && flags.output !== 'focus' && day === undefined,
    complain: (words: string) => complain(io, account.redact(words)),
    progress: progress.say,
  };
  const read = await readCosts(asking);
  if (!read.ok)
    return failed(io, account.redact(`cost: ${describeReadFailure(read.failure)}`), exitCodeOf(read.failure, 'read'));
  const found = {report: costReport(read.reading), areWhole: read.areWhole, credit: balance, since};
  if (day !== undefined) {
    const spent = await readDay(asking, found.report, {start: day, by: flags.by});
    progress.end();
    if (spent === undefined)
      return failed(
        io,
        'cost: nothing is known of that day: it has no bill, and no usage record says what it cost',
        EXIT.noAnswer,
      );
    await print(io, account.redact(await dayOutput(spent, flags, io)));
    return EXIT.done;
  }
  const mistake = await writeMetadata(found.report, flags);
  if (mistake !== undefined) return failed(io, `--focus-metadata: ${mistake}`, EXIT.usage);
  const text = await textOf({io, account, asking, found, flags});
  progress.end();
  await print(io, account.redact(text));
  return EXIT.done;
}

/** Why a day cannot be reported; undefined if it can. */
function wrongDay(day: EpochMs | undefined, now: EpochMs, {month, since, output}: CostFlags): string | undefined {
  if (day === undefined) return 'needs yesterday, today or a UTC day such as 2026-11-20';
  if (day > now) return 'needs a day that has begun';
  if (month !== undefined || since !== undefined) return 'cannot be combined with --month or --since';
  return output === 'focus' ? 'cannot be combined with -o focus, which has rows for each day' : undefined;
}

async function dayOutput(spent: DayCost, {output}: CostFlags, io: CommandIo): Promise<string> {
  switch (output) {
    case 'csv':
      return dayCsv(spent);
    case 'table':
    case 'focus':
      return dayText(spent, await tablePrinter(io));
    case 'json':
    case 'ndjson':
    case 'yaml':
      return dataText(dayJson(spent), {format: output, showsSecrets: true});
  }
}

/** Readable by all, as the file beside it usually is. Returns what went wrong, if anything did. */
async function writeMetadata(
  report: CostResult['report'],
  {focusMetadata: path, focusVersion: version = DEFAULT_VERSION, focusPeriod: period = DEFAULT_PERIOD}: CostFlags,
): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const {focusMetadata} = await import('../../export/focus.ts');
  try {
    replaceOwnFile(
      resolve(path),
      `${JSON.stringify(focusMetadata(report, {version, period, generatorVersion: VERSION}), null, 2)}\n`,
      METADATA_MODE,
    );
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const METADATA_MODE = 0o644;

type CostFigures = Pick<CostResult, 'report' | 'credit'> & {
  readonly areWhole: WasteInput['areWhole'];
  readonly since: EpochMs | undefined;
};

type Printing = {
  readonly io: CommandIo;
  readonly account: Account;
  readonly asking: Parameters<typeof readCosts>[0];
  readonly found: CostFigures;
  readonly flags: CostFlags;
};

/** What a report says besides the month: waste, the burn rate of the past, and the cost of a shift. */
async function resultOf({io, account, asking, found, flags}: Printing): Promise<CostResult> {
  const {now} = asking;
  const {report, areWhole, credit, since} = found;
  const {reading} = report;
  const {idle, budget: ownBudget, budgetAlertRatios} = account.preferences;
  const {machines, volumes, live, prices} = reading;
  const knowsLists = machines !== undefined || volumes !== undefined;
  const budget = flags.budget ?? ownBudget;
  // Only the table of the present month shows the burn rate of the past.
  const then = async (agoMs: DurationMs) =>
    flags.output === 'table' && reading.billed.length > 0 && now < reading.month.end
      ? readPastBurn(asking, epochMs(now - agoMs), reading)
      : undefined;
  const [hourAgo, dayAgo] = [await then(HOUR_MS), await then(DAY_MS)];
  const shiftFacts = since && {
    billed: await billOf(asking, since, now),
    past: await readPastBurn(asking, since, reading),
  };
  const keep = await keepOf(io, account);
  const stoppedAt = await readStops(asking, reading);
  const verdicts = await readVerdicts(asking, reading, {account, askedCount: flags.metrics});
  const {idleMs} = idle;
  const judged = wasteOf({live, machines, volumes, areWhole, verdicts, stoppedAt, idleMs, prices, keep, now});
  const waste = knowsLists ? judged.waste : undefined;
  return {
    report,
    groups: groupsOf(report, flags.by),
    waste,
    kept: judged.kept,
    unjudgedCount: judged.unjudgedCount,
    unknownToWaste: judged.unknown,
    isUsageWhole: areWhole.usage,
    budget: budget === undefined ? undefined : budgetPace(report, budget, budgetAlertRatios),
    credit,
    hourAgo,
    dayAgo,
    shift: since && shiftFacts && shiftReport(report, {waste, ...shiftFacts}, since),
  };
}

function groupsOf(report: CostResult['report'], by: Grouping): CostResult['groups'] {
  const inventory = inventoryOf(report.reading, by);
  const groups = inventory && spendGroups(recordCosts(report), by, {inventory, total: report.monthToDate});
  const {month, now} = report.reading;
  const isNoneKnown = knownMonthToDate(report) === undefined && isBeforeRecords(month, recordsOf(report.usage), now);
  return isNoneKnown ? groups?.map(group => ({...group, spent: undefined})) : groups;
}

/** What is kept on purpose here: the organization is read only if something is kept in just one. */
async function keepOf(io: CommandIo, account: Account): Promise<readonly KeptResource[]> {
  const {keep} = account.preferences;
  if (keep.every(({organizationId}) => organizationId === undefined)) return keep;
  const present = (await organizationOf(io, account))?.id;
  return keep.filter(each => isOfOrganization(each, present));
}

async function creditOf(io: CommandIo, account: Account, flags: CostFlags): Promise<Usd | undefined> {
  if (flags.credit !== undefined) return flags.credit;
  const read = await account.session.client.read(creditEndpoint, {}, {signal: io.gone});
  const balance = read.ok ? read.value.records[0]?.balance : undefined;
  if (balance !== undefined) return balance;
  const own = account.preferences.credit;
  if (own === undefined && !read.ok)
    complain(io, account.redact(`credit is unknown: ${describeReadFailure(read.failure)}`));
  return own;
}

async function textOf(printing: Printing): Promise<string> {
  const {io, account, asking, found, flags} = printing;
  const {report} = found;
  switch (flags.output) {
    case 'json':
    case 'ndjson':
    case 'yaml':
      return dataText(costJson(await resultOf(printing)), {format: flags.output, showsSecrets: true});
    case 'csv':
      return csvText(monthCostColumns(flags.by, report.monthToDate), MONTH_COST_FILE, groupsOf(report, flags.by));
    case 'focus': {
      const {focusCsv} = await import('../../export/focus.ts');
      const owner = await organizationOf(io, account);
      return focusCsv(report, {
        version: flags.focusVersion ?? DEFAULT_VERSION,
        period: flags.focusPeriod ?? DEFAULT_PERIOD,
        verdicts: await readVerdicts(asking, report.reading, {account, askedCount: flags.metrics}),
        includesExcluded: flags.includeExcluded ?? false,
        organization: owner,
      });
    }
    case 'table': {
      const {costText} = await import('../cost/text.ts');
      return costText(await resultOf(printing), {
        isAscii: account.options.isAscii || !io.terminal.isUtf8,
        by: flags.by,
        table: await tablePrinter(io),
      });
    }
  }
}

async function organizationOf(io: CommandIo, account: Account) {
  const read = await account.session.client.read(organization, {}, {signal: io.gone});
  return read.ok ? read.value.records[0] : undefined;
}

function readMonth(text: string): EpochMs {
  const start = /^\d{4}-\d{2}$/.test(text) ? parseTimestamp(`${text}-01`) : undefined;
  if (start === undefined) throw new InvalidArgumentError('Use a month such as 2026-11.');
  return start;
}

function readDollars(text: string): Usd {
  const amount = readSignedDollars(text);
  if (isNegative(amount)) throw new InvalidArgumentError('Use dollars, 0 or more.');
  return amount;
}

function readSignedDollars(text: string): Usd {
  const amount = parseDecimal(text);
  if (amount === undefined) throw new InvalidArgumentError('Use dollars, such as 4120 or 4120.50.');
  return usd(amount);
}
