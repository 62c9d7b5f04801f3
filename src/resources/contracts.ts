import {contracts as contractsEndpoint, getContract} from '../api/contracts.ts';
import {type Contract, contractName, type Discount, daysLeft, isDiscountInForce} from '../domain/contract.ts';
import {meteredRate} from '../domain/cost.ts';
import {isNegative, type Rate, type Rational, rational, scaleRate, sumRates} from '../domain/money.ts';
import {type Commitment, coverageRatio, utilizationRatio} from '../domain/money/commitment.ts';
import {say, safeText} from '../domain/safe-text.ts';
import {lastValue, readAt} from '../domain/snapshot.ts';
import {DAY_MS, type EpochMs, isoText} from '../domain/time.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';
import {presentAttachments, type Volume} from '../domain/volume.ts';
import {billingFigures, presentRates, usageFeed} from '../state/billing.ts';
import {priceBookFeed} from '../state/catalogue.ts';
import {contractFeed, contractsFeed} from '../state/contracts.ts';
import {machinesFeed, observedMachines} from '../state/machines.ts';
import {volumesFeed} from '../state/volumes.ts';
import {recordFeed} from '../state/feed.ts';
import {
  formatCounted,
  formatGigabytes,
  formatPercent,
  formatRate,
  formatUsd,
  formatUtcDate,
  formatUtcFull,
} from '../ui/format.ts';
import {fitLine, type Line} from '../ui/text.ts';
import type {Tone} from '../ui/theme.ts';
import {field, momentText, wrappedField} from './detail.ts';
import {machinesWhere, volumesAttachedTo} from './related.ts';
import {type Column, dollars, knownPart, moment, number, percent, rate, text, RUNNING_COST} from './column.ts';
import {rawOf, readById} from './listing.ts';
import {defineResource, type RowInput} from './resource.ts';

export type ContractRow = {
  readonly contract: Contract;
  /** Its machines; undefined until they are known. */
  readonly machines: readonly VirtualMachine[] | undefined;
  /** What those machines cost now, as far as known; undefined if none is. */
  readonly rate: Rate | undefined;
  readonly unpricedCount: number;
  /** How much of it was used this month and what its end changes; undefined until usage and machines were read. */
  readonly commitment: Commitment | undefined;
  readonly tone: Tone;
  readonly now: EpochMs;
};

const COLUMNS: readonly Column<ContractRow>[] = [
  {
    key: 'id',
    title: 'ID',
    align: 'right',
    value: ({contract}) => number(contract.id),
    list: {minWidth: 5, draw: ({contract}) => [{text: `#${contract.id}`, tone: 'strong'}]},
  },
  {
    key: 'description',
    title: 'DESCRIPTION',
    value: ({contract}) => text(contract.description),
    list: {minWidth: 14, maxWidth: 40, flex: 1, priority: 7, tone: 'dim', absent: '', isProse: true},
  },
  {
    key: 'state',
    title: 'STATE',
    value: ({contract}) => text(contract.statusText),
    list: {minWidth: 10, priority: 8, tone: 'dim'},
  },
  {
    key: 'ends',
    title: 'ENDS',
    value: ({contract}) => moment(contract.endsAt),
    list: {minWidth: 10, priority: 1, draw: ({contract}) => [{text: formatUtcDate(contract.endsAt), tone: 'dim'}]},
  },
  {
    key: 'left',
    title: 'DAYS LEFT',
    align: 'right',
    unit: 'days',
    value: ({contract, now}) => {
      const days = daysLeft(contract, now);
      return days === undefined ? undefined : number(Math.floor(days));
    },
    list: {title: 'LEFT', minWidth: 14, draw: ({contract, tone, now}) => [{text: daysText(contract, now), tone}]},
  },
  {
    key: 'policy',
    title: 'POLICY',
    value: ({contract}) => text(contract.expirationPolicy.kind),
    list: {
      minWidth: 28,
      draw: ({contract, tone}) => [{text: POLICIES[contract.expirationPolicy.kind], tone}],
    },
  },
  {
    key: 'machines',
    title: 'VMS',
    align: 'right',
    printed: 'asked',
    reads: machinesFeed,
    value: ({machines}) => number(machines?.length),
    list: {minWidth: 4, priority: 5},
  },
  {
    ...RUNNING_COST,
    printed: 'asked',
    reads: [machinesFeed, usageFeed],
    value: row => knownPart(rate(row.rate), row.unpricedCount > 0),
    list: {minWidth: 7, priority: 3, tone: 'money'},
  },
  {
    key: 'used',
    title: 'USED',
    align: 'right',
    printed: 'asked',
    reads: [machinesFeed, usageFeed],
    unit: 'percent',
    value: ({commitment}) => percent(commitment?.use && utilizationRatio(commitment.use)),
    list: {minWidth: 5, priority: 4},
  },
  {
    key: 'unused',
    title: 'UNUSED $',
    align: 'right',
    printed: 'asked',
    reads: [machinesFeed, usageFeed, priceBookFeed],
    unit: 'dollars',
    value: ({commitment}) => dollars(commitment?.use?.unused),
    list: {minWidth: 11, priority: 2, tone: 'money'},
  },
  {
    key: 'discounts',
    title: 'DISCOUNTS',
    align: 'right',
    value: ({contract}) => number(contract.discounts.length),
  },
  {
    key: 'terms',
    title: 'TERMS',
    printed: 'asked',
    value: row => text(discountsText(row)),
    list: {minWidth: 20, flex: 2, priority: 6, absent: 'none', isProse: true},
  },
  {key: 'starts', title: 'STARTS', printed: 'wide', value: ({contract}) => moment(contract.startsAt)},
];

export const contracts = defineResource<Contract, ContractRow>({
  names: ['contracts', 'contract'],
  type: 'contract',
  summary: 'contracts with their discounts',
  shownIn: {paneId: 'billing'},
  columns: COLUMNS,
  list: async ({client, signal, onPage}) => rawOf(await client.readRaw(contractsEndpoint, {}, {signal, onPage})),
  canStream: true,
  one: readById(getContract, (id: number) => id),
  rawFeed: ({id}) => recordFeed(['contract', id], getContract, {id}),
  parse: contractsEndpoint.record,
  feed: contractsFeed,
  records: observedContracts,
  row: contractRow,
  orderWords: say`next end first`,
  order: (left, right) => endOf(left) - endOf(right) || left.contract.id - right.contract.id,
  detail: contractLines,
  related: ({id}, store) => {
    const covered = machinesWhere(store, ({contractId}) => contractId === id, `contract:${id}`);
    return [
      covered,
      volumesAttachedTo(
        store,
        covered.objects?.map(machine => machine.id),
      ),
    ];
  },
  recordIn: ({contract}) => contract,
  idOf: ({id}) => id,
  nameOf: ({description}) => description,
  compared: {
    nameOf: contractName,
    state: ({status, statusText}) => ({status, word: statusText}),
    values: [
      {what: say`end`, of: ({endsAt}) => (endsAt === undefined ? undefined : safeText(isoText(endsAt)))},
      {what: say`at its end`, of: ({expirationPolicy}) => safeText(expirationPolicy.kind)},
      {what: say`discounts`, of: ({discounts}) => say`${discounts.length}`},
    ],
    sets: [],
  },
});

/** The next to end comes first. Contracts without a known end come before it, since any of them may end sooner. */
function endOf({contract: {endsAt}}: ContractRow): number {
  return endsAt ?? 0;
}

/** All contracts. The one that ends soonest is also read on its own, and the newer of the two readings is used. */
function observedContracts(known: Pick<RowInput, 'store' | 'now'>): readonly Contract[] | undefined {
  const {store} = known;
  const listed = store.get(contractsFeed);
  const all = lastValue(listed)?.records;
  const soonest = soonestContract(known);
  if (soonest === undefined) return all;
  const alone = store.get(contractFeed(soonest.id));
  const newer = (readAt(alone) ?? 0) > (readAt(listed) ?? 0) ? lastValue(alone) : undefined;
  return newer === undefined ? all : all?.map(contract => (contract.id === newer.id ? newer : contract));
}

/** The contract in the list that ends next; those without a known end are left out. */
export function soonestContract({store, now}: Pick<RowInput, 'store' | 'now'>): Contract | undefined {
  const ahead = (lastValue(store.get(contractsFeed))?.records ?? []).filter(
    ({endsAt}) => endsAt !== undefined && endsAt > now,
  );
  return ahead.sort((left, right) => (left.endsAt ?? 0) - (right.endsAt ?? 0) || left.id - right.id)[0];
}

function contractRow(known: RowInput): (contract: Contract) => ContractRow {
  const {store, now, preferences} = known;
  const machines = observedMachines(store);
  const rates = presentRates(store);
  const commitments = machines === undefined ? undefined : billingFigures(known)?.commitments;
  return contract => {
    const own = machines?.filter(({contractId}) => contractId === contract.id);
    const ownRates = own?.flatMap(each => meteredRate(each, rates.get(each.id), preferences.prices) ?? []);
    return {
      contract,
      machines: own,
      rate: ownRates === undefined || ownRates.length === 0 ? undefined : sumRates(ownRates),
      unpricedCount: (own?.length ?? 0) - (ownRates?.length ?? 0),
      commitment: commitments?.find(each => each.contract.id === contract.id),
      tone: contractTone(contract, known),
      now,
    };
  };
}

const NOTICE_DAYS = 30;

/**
 * A contract that deletes machines is a danger shortly before its end; any other end is a warning from thirty days on.
 */
function contractTone(contract: Contract, {now, preferences}: Pick<RowInput, 'now' | 'preferences'>): Tone {
  const days = daysLeft(contract, now);
  if (days === undefined) return 'warning';
  if (contract.expirationPolicy.kind !== 'market' && days * DAY_MS <= preferences.contractCriticalMs) return 'danger';
  return days <= NOTICE_DAYS ? 'warning' : 'text';
}

const POLICIES: Readonly<Record<Contract['expirationPolicy']['kind'], string>> = {
  delete: 'then DELETES what it covers',
  market: 'then market price',
  unknown: 'then unknown',
};

function daysText(contract: Contract, now: EpochMs): string {
  const days = daysLeft(contract, now);
  if (days === undefined) return 'end unknown';
  if (days < 0) return `ended ${Math.ceil(-days)}d ago`;
  if (days < 1) return `${Math.floor(days * HOURS_PER_DAY)}h left`;
  return `${days < HOURS_COUNT_BELOW_DAYS ? daysAndHours(days) : `${Math.floor(days)}d`} left`;
}

const HOURS_PER_DAY = 24;
/** Below this, hours are shown as well: "5 days" would hide 23 hours. */
const HOURS_COUNT_BELOW_DAYS = 14;

function daysAndHours(days: number): string {
  return `${Math.floor(days)} d ${Math.floor((days % 1) * HOURS_PER_DAY)} h`;
}

function unpricedText({unpricedCount}: ContractRow): string {
  return unpricedCount === 0 ? '' : `, without ${formatCounted(unpricedCount, 'machine')} of unknown price`;
}

/** What it is, when it ends, what is deleted then, what it covers and what that costs. */
function contractLines(row: ContractRow, known: RowInput, width: number): readonly Line[] {
  const {contract, machines, tone, now} = row;
  const rates = presentRates(known.store);
  const {prices} = known.preferences;
  const nameCells = Math.max(MIN_NAME_CELLS, Math.min(NAME_CELLS, width - BESIDE_NAME_CELLS));
  const attached = attachedVolumes(machines, lastValue(known.store.get(volumesFeed))?.records);
  return [
    field('id', String(contract.id)),
    ...wrappedField('description', contract.description ?? 'none', width),
    field('state', contract.statusText),
    field('begins', momentText(contract.startsAt, now)),
    field(
      'ends',
      contract.endsAt === undefined ? undefined : `${formatUtcFull(contract.endsAt)}  ${daysText(contract, now)}`,
      tone,
    ),
    ...wrappedField('at the end', endText(row, attached), width, tone),
    field(
      'costs',
      row.rate === undefined
        ? undefined
        : `${formatRate(row.rate)} now, what its machines are metered at${unpricedText(row)}`,
      'money',
    ),
    field('used', usedText(row.commitment)),
    field('unused', unusedText(row.commitment)),
    field('its end', cliffText(row.commitment), tone),
    ...wrappedField('discounts', discountsText(row) || 'none', width),
    ...(machines === undefined
      ? [field('machines', undefined)]
      : [
          field('machines', machines.length === 0 ? 'none' : formatCounted(machines.length, 'machine')),
          ...machines.map(machine =>
            machineLine(machine, meteredRate(machine, rates.get(machine.id), prices), nameCells),
          ),
        ]),
    ...(attached === undefined
      ? [field('volumes', undefined)]
      : [
          field('volumes', attached.length === 0 ? 'none attached' : formatCounted(attached.length, 'attached volume')),
          ...attached.map(
            ({name, sizeGb}): Line => [
              ...LABEL,
              ...fitLine([{text: name, isName: true}], nameCells),
              {text: `  ${formatGigabytes(sizeGb)}`},
            ],
          ),
        ]),
  ];
}

/** For example `54% of what is committed, and 100% of such machines' time is covered`. */
function usedText(commitment: Commitment | undefined): string | undefined {
  const use = commitment?.use;
  if (use === undefined) return undefined;
  const [utilization, coverage] = [utilizationRatio(use), coverageRatio(use)];
  const used = utilization === undefined ? 'no limit' : `${formatPercent(utilization)} of what is committed this month`;
  return coverage === undefined ? used : `${used}; covers ${formatPercent(coverage)} of such machines`;
}

/** Capacity committed but not used this month, in dollars. It is billed anyway if the contract says so. */
function unusedText(commitment: Commitment | undefined): string | undefined {
  const unused = commitment?.use?.unused;
  return unused && `${formatUsd(unused)} of what is committed this month, at the price agreed on`;
}

/** How the end changes the burn rate. Deletion is marked as a danger however much it saves. */
function cliffText(commitment: Commitment | undefined): string | undefined {
  const {cliff} = commitment ?? {};
  if (cliff === undefined) return undefined;
  return isNegative(cliff)
    ? `takes ${formatRate(scaleRate(cliff, rational(-1n, 1n)))} off the burn rate`
    : `costs ${formatRate(cliff)} more`;
}

const LABEL: Line = [{text: ' '.repeat(16)}];
const NAME_CELLS = 28;
const MIN_NAME_CELLS = 14;
/** State, price and disks of a machine, after its label and name. */
const BESIDE_NAME_CELLS = 16 + 40;

function machineLine({name, statusText, flavor}: VirtualMachine, cost: Rate | undefined, nameCells: number): Line {
  return [
    ...LABEL,
    ...fitLine([{text: name, isName: true}], nameCells),
    {text: `  ${statusText.padEnd(10)}  `, tone: 'dim'},
    {text: formatRate(cost).padEnd(12), tone: 'money'},
    {
      text:
        flavor === undefined
          ? ''
          : `disks ${formatGigabytes((flavor.rootDiskGb ?? 0) + (flavor.ephemeralDiskGb ?? 0))}`,
      tone: 'dim',
    },
  ];
}

/** The volumes attached to its machines; undefined until both are known. */
function attachedVolumes(
  machines: readonly VirtualMachine[] | undefined,
  volumes: readonly Volume[] | undefined,
): readonly Volume[] | undefined {
  if (machines === undefined || volumes === undefined) return undefined;
  const ids = new Set<number | undefined>(machines.map(({id}) => id));
  return volumes.filter(volume =>
    presentAttachments(volume).some(({machineId}) => machineId !== undefined && ids.has(machineId)),
  );
}

/**
 * When a contract ends, the service deletes its resources or bills them at market rates. What happens to volumes is not
 * documented.
 */
function endText({contract, machines}: ContractRow, attached: readonly Volume[] | undefined): string {
  const covered = machines === undefined ? 'what it covers' : formatCounted(machines.length, 'machine');
  switch (contract.expirationPolicy.kind) {
    case 'market':
      return `${covered} stay, at market price`;
    case 'delete': {
      const volumes =
        attached === undefined || attached.length === 0
          ? ''
          : `; whether ${formatCounted(attached.length, 'attached volume')} ${attached.length === 1 ? 'stays' : 'stay'} is not documented`;
      return `DELETES ${covered} with their disks${volumes}`;
    }
    case 'unknown':
      return `not known: ${covered} may be deleted`;
  }
}

function discountsText({contract, now}: Pick<ContractRow, 'contract' | 'now'>): string {
  return contract.discounts.map(discount => discountText(discount, contract, now)).join(', ');
}

function discountText(discount: Discount, contract: Contract, now: EpochMs): string {
  const what = discount.resourceName ?? (discount.resourceId === undefined ? 'resource' : `#${discount.resourceId}`);
  const count = discount.resourceCount === undefined ? '' : ` ×${discount.resourceCount}`;
  const free = discount.remainingCount === undefined ? '' : `, ${discount.remainingCount} unused`;
  const isOff = isDiscountInForce(discount, contract, now) ? '' : ' (not in force)';
  const end = discount.endsAt === undefined ? '' : `, ends ${formatUtcFull(discount.endsAt)}`;
  return `${termsText(discount)} ${what}${count}${free}${end}${isOff}`;
}

function termsText({terms, typeText}: Discount): string {
  switch (terms.kind) {
    case 'percent':
      return `${decimalText(terms.percent)}% off`;
    case 'flat':
      // The documents do not say for which period a flat price is charged, so none is shown.
      return `$${priceText(terms.price)} flat for`;
    case 'unusable':
      return `${typeText ?? 'unknown'} discount on`;
  }
}

/** At least two decimals, more where the price has them: a unit price is not rounded. */
function priceText(price: Rational): string {
  const text = decimalText(price);
  const decimals = text.split('.')[1]?.length ?? 0;
  return decimals < 2 ? (Number(price.numerator) / Number(price.denominator)).toFixed(2) : text;
}

function decimalText({numerator, denominator}: Rational): string {
  return String(Number(numerator) / Number(denominator));
}
