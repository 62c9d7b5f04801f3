import type {UsageRecord} from '../domain/billing.ts';
import {listRate, withAddress} from '../domain/cost.ts';
import {csvLine} from '../domain/csv.ts';
import {type Commitment, contractRate, coveredShare} from '../domain/money/commitment.ts';
import type {CostReport} from '../domain/money/report.ts';
import type {IdleVerdict} from '../domain/money/idle.ts';
import {recordsOf} from '../domain/money/settled.ts';
import {usageFlags} from '../domain/money/usage-flag.ts';
import {costWithin, effectiveRate, resourceKey} from '../domain/money/spend.ts';
import {volumeListRate} from '../domain/money/waste.ts';
import {
  accrue,
  allocate,
  compare,
  decimalFigure,
  divide,
  type MicroUsd,
  minutesOf,
  multiply,
  type Rate,
  type Rational,
  rational,
  scaleUsd,
  sumUsd,
  toMicroUsd,
  type Usd,
  ZERO_MICRO_USD,
} from '../domain/money.ts';
import {type EpochMs, epochMs, HOUR_MS, SECOND_MS, shortIsoText} from '../domain/time.ts';
import {hasAddress, type VirtualMachine} from '../domain/virtual-machine.ts';
import type {Volume} from '../domain/volume.ts';

// FOCUS, the FinOps Open Cost and Usage Specification: one row for each record and UTC day, or hour.

export type FocusVersion = '1.2' | '1.3';

export type FocusPeriod = 'day' | 'hour';

/** A row by its columns; an absent value is null in the specification's sense, an empty cell. */
type FocusRow = Readonly<Record<string, string | undefined>>;

export type FocusOptions = {
  readonly version: FocusVersion;
  /** The length of a row's charge period. */
  readonly period: FocusPeriod;
  /** Whether machines are working now, for those whose metrics were read. */
  readonly verdicts: ReadonlyMap<number, IdleVerdict>;
  readonly includesExcluded: boolean;
  readonly organization: {readonly id: number; readonly name?: string | undefined} | undefined;
};

const PROVIDER = 'Hyperstack';
const COMMON_COLUMNS = [
  'AvailabilityZone',
  'BilledCost',
  'BillingAccountId',
  'BillingAccountName',
  'BillingAccountType',
  'BillingCurrency',
  'BillingPeriodEnd',
  'BillingPeriodStart',
  'CapacityReservationId',
  'CapacityReservationStatus',
  'ChargeCategory',
  'ChargeClass',
  'ChargeDescription',
  'ChargeFrequency',
  'ChargePeriodEnd',
  'ChargePeriodStart',
  'CommitmentDiscountCategory',
  'CommitmentDiscountId',
  'CommitmentDiscountName',
  'CommitmentDiscountQuantity',
  'CommitmentDiscountStatus',
  'CommitmentDiscountType',
  'CommitmentDiscountUnit',
  'ConsumedQuantity',
  'ConsumedUnit',
  'ContractedCost',
  'ContractedUnitPrice',
  'EffectiveCost',
  'InvoiceId',
  'InvoiceIssuerName',
  'ListCost',
  'ListUnitPrice',
  'PricingCategory',
  'PricingCurrency',
  'PricingCurrencyContractedUnitPrice',
  'PricingCurrencyEffectiveCost',
  'PricingCurrencyListUnitPrice',
  'PricingQuantity',
  'PricingUnit',
  'ProviderName',
  'PublisherName',
  'RegionId',
  'RegionName',
  'ResourceId',
  'ResourceName',
  'ResourceType',
  'ServiceCategory',
  'ServiceName',
  'ServiceSubcategory',
  'SkuId',
  'SkuMeter',
  'SkuPriceDetails',
  'SkuPriceId',
  'SubAccountId',
  'SubAccountName',
  'SubAccountType',
  'Tags',
] as const;
/** Columns renamed in 1.3; both names are given, so that readers of either version find theirs. */
const COLUMNS_OF_1_3 = ['ContractApplied', 'HostProviderName', 'ServiceProviderName'] as const;
const OWN_COLUMNS = [
  'x_BillPerMinute',
  'x_DataQuality',
  'x_DutyRatio',
  'x_ExcludedFromBilling',
  'x_IdleVerdict',
  'x_ListPriceKnown',
  'x_Source',
] as const;

/** A month as FOCUS CSV. Its rows add up to the month-to-date, to the micro-dollar. */
export function focusCsv(report: CostReport, options: FocusOptions): string {
  const columns = focusColumns(options.version);
  const rows = focusRows(report, options);
  return [csvLine(columns), ...rows.map(row => csvLine(columns.map(column => row[column] ?? '')))].join('');
}

/**
 * Metadata to keep beside a file of rows: generator, version, columns with their precision, and period. Uses the
 * specification's names; our own begin with `x_`.
 */
export function focusMetadata(
  {reading: {month, now}}: CostReport,
  {version, period, generatorVersion}: Pick<FocusOptions, 'version' | 'period'> & {readonly generatorVersion: string},
): object {
  return {
    DataGenerator: {DataGenerator: 'skydeck'},
    x_DataGeneratorVersion: generatorVersion,
    Schema: {
      FocusVersion: version,
      CreationDate: shortIsoText(epochMs(Math.floor(now / SECOND_MS) * SECOND_MS)),
      ColumnDefinition: focusColumns(version).map(columnDefinition),
    },
    x_BillingPeriodStart: shortIsoText(month.start),
    x_BillingPeriodEnd: shortIsoText(month.end),
    x_ChargePeriod: period,
    x_IsOpenPeriod: now < month.end,
    x_TimeZone: 'UTC; the end of each period is exclusive',
  };
}

/** Money is exact to the micro-dollar; quantities and unit prices are cut after nine places. */
function columnDefinition(name: string): object {
  if (/(?:Start|End)$/.test(name)) return {ColumnName: name, DataType: 'DATETIME'};
  if (/(?:Billed|Effective|List|Contracted)Cost$/.test(name) && !name.startsWith('PricingCurrency')) {
    return {ColumnName: name, DataType: 'DECIMAL', NumberScale: MONEY_DECIMALS};
  }
  if (/(?:Quantity|UnitPrice|PerMinute|Ratio)$/.test(name)) {
    return {ColumnName: name, DataType: 'DECIMAL', NumberScale: DECIMALS};
  }
  return {ColumnName: name, DataType: ['SkuPriceDetails', 'Tags'].includes(name) ? 'JSON' : 'STRING'};
}

function focusColumns(version: FocusVersion): readonly string[] {
  return [...COMMON_COLUMNS, ...(version === '1.3' ? COLUMNS_OF_1_3 : []), ...OWN_COLUMNS];
}

type Charge = {
  readonly record: UsageRecord | undefined;
  readonly day: CostReport['days'][number];
  readonly cost: Usd;
};

function focusRows(report: CostReport, options: FocusOptions): readonly FocusRow[] {
  const charges = report.days.flatMap(day => chargesOf(report, day, options));
  // Allocated together, so that no cent is lost between rows.
  const costs = allocate(charges.map(({cost}) => cost));
  const context = {report, options, ...contextOf(report)};
  return [
    ...charges.flatMap((charge, index) => {
      const cost = costs[index] ?? ZERO_MICRO_USD;
      // A bill in micro-dollars seldom equals the exact sum of its records: the difference counts after rounding.
      return charge.record === undefined && cost === 0 ? [] : [rowOf(charge, cost, context)];
    }),
    ...(report.commitments ?? []).flatMap(commitment => unusedRow(commitment, context)),
  ];
}

/**
 * What was committed in a contract and not used since the month began, at no cost: usage does not say whether the
 * provider bills it, and what it bills beyond the records has a row of its own.
 */
function unusedRow({contract, use}: Commitment, context: FocusContext): readonly FocusRow[] {
  const {month, now} = context.report.reading;
  const unusedMs = use?.committed === undefined ? 0 : use.committed - use.covered;
  if (unusedMs <= 0) return [];
  const end = epochMs(Math.floor(Math.min(month.end, now) / SECOND_MS) * SECOND_MS);
  const charge = {record: undefined, day: {start: month.start, end}};
  return [
    {
      ...commonColumns(charge, ZERO_MICRO_USD, context),
      ChargeCategory: 'Usage',
      ChargeDescription: `Unused commitment of contract ${contract.id}`,
      ...OTHER_SERVICE,
      PricingCategory: 'Committed',
      ...commitmentColumns(contract.id, contract.description),
      CommitmentDiscountQuantity: gpuHours(minutesOf(unusedMs)),
      CommitmentDiscountStatus: 'Unused',
      x_Source: 'usage',
    },
  ];
}

/** Each record billed in a period of a day, and what the provider billed that day beyond the records. */
function chargesOf(
  {usage, reading: {now}}: CostReport,
  day: Charge['day'],
  {period, includesExcluded}: FocusOptions,
): readonly Charge[] {
  const within = (each: Charge['day'], present: readonly UsageRecord[]) =>
    present.flatMap((record): readonly Charge[] => {
      const end = Math.min(each.end, now);
      const cost = costWithin(record, {start: each.start, end: each.end, now});
      const isThere = (record.createdAt ?? end) < end && (record.terminatedAt ?? end) > each.start;
      if (record.isExcludedFromBilling) return includesExcluded && isThere ? [{record, day: each, cost}] : [];
      return cost.numerator === 0n ? [] : [{record, day: each, cost}];
    });
  const ofDay = within(day, recordsOf(usage));
  const present = ofDay.flatMap(({record}) => record ?? []);
  const charges = period === 'day' ? ofDay : hoursOf(day).flatMap(hour => within(hour, present));
  const rest = sumUsd([day.cost, scaleUsd(sumUsd(charges.map(({cost}) => cost)), rational(-1n, 1n))]);
  return rest.numerator === 0n ? charges : [...charges, {record: undefined, day, cost: rest}];
}

function hoursOf(day: Charge['day']): readonly Charge['day'][] {
  return Array.from({length: (day.end - day.start) / HOUR_MS}, (_, index) => {
    const start = epochMs(day.start + index * HOUR_MS);
    return {...day, start, end: epochMs(start + HOUR_MS)};
  });
}

type FocusContext = ReturnType<typeof contextOf> & {readonly report: CostReport; readonly options: FocusOptions};

function contextOf({reading, usage}: CostReport) {
  return {
    flags: new Map(
      [...Map.groupBy(usageFlags(recordsOf(usage), reading.now), ({record}) => record)].map(([record, own]) => [
        record,
        own.map(({flag}) => flag),
      ]),
    ),
    machines: new Map<string, VirtualMachine>((reading.machines ?? []).map(each => [`vm ${each.id}`, each])),
    volumes: new Map<string, Volume>((reading.volumes ?? []).map(each => [`volume ${each.id}`, each])),
    contracts: new Map((reading.contracts ?? []).map(each => [each.id, each])),
  };
}

function rowOf(charge: Charge, cost: MicroUsd, context: FocusContext): FocusRow {
  const {record, day} = charge;
  return {
    ...commonColumns(charge, cost, context),
    x_Source: day.source === 'billed' && record !== undefined ? 'usage' : day.source,
    ...(record === undefined ? ADJUSTMENT : usageColumns(record, day, context.report.reading.now, context)),
  };
}

/** Columns that every row has, whatever it is about. */
function commonColumns(
  {record, day}: {readonly record: UsageRecord | undefined; readonly day: Pick<Charge['day'], 'start' | 'end'>},
  cost: MicroUsd,
  context: FocusContext,
): FocusRow {
  const amount = dollarsText(cost);
  const {month} = context.report.reading;
  const {organization, version} = context.options;
  return {
    BilledCost: amount,
    EffectiveCost: amount,
    // If no price is known, these columns repeat the bill and say so.
    ListCost: amount,
    ContractedCost: amount,
    x_ListPriceKnown: 'false',
    BillingAccountId: String(organization?.id ?? record?.organizationId ?? ''),
    BillingAccountName: organization?.name,
    BillingCurrency: 'USD',
    BillingPeriodStart: shortIsoText(month.start),
    BillingPeriodEnd: shortIsoText(month.end),
    ChargePeriodStart: shortIsoText(day.start),
    ChargePeriodEnd: shortIsoText(day.end),
    ChargeFrequency: 'Usage-Based',
    InvoiceIssuerName: PROVIDER,
    ProviderName: PROVIDER,
    PublisherName: PROVIDER,
    ...(version === '1.3' ? {ServiceProviderName: PROVIDER, HostProviderName: PROVIDER} : {}),
  };
}

/** The bill of a day minus its records: hibernated time, contract fees, buckets. */
const ADJUSTMENT: FocusRow = {
  ChargeCategory: 'Adjustment',
  ChargeDescription: 'Difference between what the provider billed and the usage records',
  ServiceCategory: 'Other',
  ServiceName: 'Account',
  ServiceSubcategory: 'Other (Other)',
};

function usageColumns(record: UsageRecord, day: Charge['day'], now: EpochMs, context: FocusContext): FocusRow {
  const key = resourceKey(record);
  const [machine, volume] = [context.machines.get(key), context.volumes.get(key)];
  const type = record.resourceType.toLowerCase();
  const sku = machine?.flavor?.name ?? volume?.volumeType;
  const billedMinutes = minutesIn(record, day, now);
  const minutes = decimalText(billedMinutes);
  const rate = record.rate;
  const committed = machine && committedShare(machine, context.report.reading);
  return {
    ...priceColumns(record, {machine, volume, minutes: billedMinutes}, context),
    ChargeCategory: 'Usage',
    ChargeDescription: [type, record.name, sku].filter(Boolean).join(' '),
    ConsumedQuantity: minutes,
    ConsumedUnit: 'Minutes',
    PricingQuantity: minutes,
    PricingUnit: 'Minutes',
    PricingCategory: pricingCategory(machine, committed),
    ResourceId: String(record.resourceId),
    ResourceName: record.name,
    ResourceType: type,
    ...(SERVICES[type] ?? OTHER_SERVICE),
    RegionId: machine?.regionName ?? volume?.regionName,
    RegionName: machine?.regionName ?? volume?.regionName,
    SubAccountId: machine?.environmentName ?? volume?.environmentName,
    SubAccountName: machine?.environmentName ?? volume?.environmentName,
    SubAccountType: (machine ?? volume)?.environmentName === undefined ? undefined : 'environment',
    SkuId: sku,
    SkuMeter: type === 'vm' ? 'VM minutes' : `${type} minutes`,
    SkuPriceDetails: machine === undefined ? undefined : hardwareText(machine),
    Tags: machine === undefined ? undefined : tagsText(machine),
    ...(committed === undefined ? {} : contractColumns(machine, multiply(billedMinutes, committed), context)),
    x_BillPerMinute: rate && decimalText(rate),
    x_DataQuality: context.flags.get(record)?.join(' '),
    x_DutyRatio: dutyText(record, now),
    x_ExcludedFromBilling: String(record.isExcludedFromBilling),
    x_IdleVerdict: verdictText(record, day, context),
  };
}

/**
 * What is known about the period: an idle machine has been idle since its verdict begins; any other verdict is about
 * now.
 */
function verdictText(
  {resourceType, resourceId, terminatedAt}: UsageRecord,
  {start, end}: Charge['day'],
  {options: {verdicts}, report}: FocusContext,
): string | undefined {
  const verdict = verdicts.get(resourceId);
  if (resourceType.toLowerCase() !== 'vm' || terminatedAt !== undefined || verdict === undefined) return undefined;
  const {now} = report.reading;
  const isKnown = verdict.verdict === 'idle' ? end > verdict.since : start <= now && now < end;
  return isKnown ? verdict.verdict.toUpperCase() : undefined;
}

const SERVICES: Readonly<Record<string, FocusRow>> = {
  vm: {ServiceCategory: 'Compute', ServiceName: 'Virtual Machines', ServiceSubcategory: 'Virtual Machines'},
  volume: {ServiceCategory: 'Storage', ServiceName: 'Block Storage', ServiceSubcategory: 'Block Storage'},
};
const OTHER_SERVICE: FocusRow = {
  ServiceCategory: 'Other',
  ServiceName: 'Other',
  ServiceSubcategory: 'Other (Other)',
};

/** The part of a machine that its contract covers; the whole if it has one and contracts were not read. */
function committedShare(
  machine: VirtualMachine,
  {contracts, machines, prices, now}: CostReport['reading'],
): Rational | undefined {
  if (contracts === undefined) return machine.contractId === undefined ? undefined : WHOLE;
  return coveredShare(machine, contracts, {prices, now, machines});
}

function pricingCategory(machine: VirtualMachine | undefined, committed: Rational | undefined): string {
  if (committed !== undefined) return 'Committed';
  return machine?.flavor?.name.toLowerCase().endsWith('-spot') === true ? 'Dynamic' : 'Standard';
}

/**
 * The list price and the agreed price, per minute and for the billed time. The provider's own rates win: a published
 * price below what was billed is out of date and left out.
 */
function priceColumns(
  record: UsageRecord,
  {machine, volume, minutes}: {machine: VirtualMachine | undefined; volume: Volume | undefined; minutes: Rational},
  {report, contracts}: FocusContext,
): FocusRow {
  const {prices, now, machines} = report.reading;
  const billed = effectiveRate(record);
  const isAddressed = machine !== undefined && hasAddress(machine);
  const whole = (rate: Rate | undefined) => withAddress(rate, isAddressed, prices);
  const agreed = machine && whole(contractRate(machine, [...contracts.values()], {prices, now, machines}));
  const published = volume === undefined ? whole(listRate(machine?.flavor, prices)) : volumeListRate(volume, prices);
  const contracted = agreed ?? billed;
  const isList =
    published !== undefined && (billed === undefined || compare(multiply(published, ROUNDING), billed) >= 0);
  return {
    ...(contracted === undefined ? {} : priced('Contracted', contracted, minutes)),
    ...(isList ? {...priced('List', published, minutes), x_ListPriceKnown: 'true'} : {}),
  };
}

/** A bill is rounded to the minute, so it may exceed the list price by this much. */
const ROUNDING = rational(1005n, 1000n);

function priced(which: 'List' | 'Contracted', rate: Rate, minutes: Rational): FocusRow {
  return {
    [`${which}UnitPrice`]: decimalText(rate),
    [`${which}Cost`]: dollarsText(toMicroUsd(accrue(rate, minutes))),
  };
}

function contractColumns(machine: VirtualMachine | undefined, minutes: Rational, {contracts}: FocusContext): FocusRow {
  const id = machine?.contractId;
  if (id === undefined) return {};
  return {
    ...commitmentColumns(id, contracts.get(id)?.description),
    CommitmentDiscountQuantity: gpuHours(multiply(minutes, rational(BigInt(machine?.flavor?.gpuCount || 1), 1n))),
    CommitmentDiscountStatus: 'Used',
  };
}

/** For a machine without a GPU, its own hours. */
function gpuHours(gpuMinutes: Rational): string {
  return decimalText(multiply(gpuMinutes, rational(1n, 60n)));
}

function commitmentColumns(id: number, name: string | undefined): FocusRow {
  return {
    CommitmentDiscountUnit: 'GPU-Hours',
    CommitmentDiscountId: String(id),
    CommitmentDiscountName: name,
    CommitmentDiscountType: 'Contract',
    CommitmentDiscountCategory: 'Usage',
  };
}

function hardwareText({flavor}: VirtualMachine): string | undefined {
  if (flavor === undefined) return undefined;
  return JSON.stringify({
    CoreCount: flavor.cpuCount,
    GpuCount: flavor.gpuCount,
    x_GpuModel: flavor.gpuModel,
    MemorySize: flavor.ramGb,
  });
}

/** `team=ml` and `team:ml` become a tag with a value; any other label is set. */
function tagsText({labels}: VirtualMachine): string | undefined {
  if (labels.length === 0) return undefined;
  const tags = labels.map((label): [string, string | true] => {
    const [, key = label, value] = /^([^=:]+)[=:](.*)$/s.exec(label) ?? [];
    return [key, value ?? true];
  });
  return JSON.stringify(Object.fromEntries(tags));
}

/**
 * The minutes of the day for which a record was metered. A stopped machine was not metered, and the record does not say
 * when.
 */
function minutesIn(record: UsageRecord, {start, end}: Charge['day'], now: EpochMs): Rational {
  const from = Math.max(start, record.createdAt ?? start);
  const to = Math.min(end, record.terminatedAt ?? now, now);
  const duty = dutyOf(record, now);
  const minutes = minutesOf(Math.max(0, to - from));
  return duty !== undefined && compare(duty, WHOLE) < 0 ? multiply(minutes, duty) : minutes;
}

const WHOLE = rational(1n, 1n);

/** The share of its time that a record was metered. */
function dutyOf({createdAt, terminatedAt, upTimeMinutes}: UsageRecord, now: EpochMs): Rational | undefined {
  const spanMs = Math.min(terminatedAt ?? now, now) - (createdAt ?? now);
  return upTimeMinutes === undefined || spanMs <= 0 ? undefined : divide(upTimeMinutes, minutesOf(spanMs));
}

function dutyText(record: UsageRecord, now: EpochMs): string | undefined {
  const duty = dutyOf(record, now);
  return duty && decimalText(duty);
}

const DECIMALS = 9;
const MONEY_DECIMALS = 6;

/** A fraction as a plain decimal, cut after nine places: for quantities, not for money. */
function decimalText({numerator, denominator}: Rational): string {
  const scaled = (numerator * 10n ** BigInt(DECIMALS)) / denominator;
  return decimalFigure(scaled, DECIMALS).replace(/\.?0+$/, '') || '0';
}

/** Micro-dollars as dollars, exactly. */
function dollarsText(micro: MicroUsd): string {
  return decimalFigure(BigInt(micro), MONEY_DECIMALS);
}
