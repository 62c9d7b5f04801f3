import {memoPer} from '../domain/memo.ts';
import {type Rate, sumRates} from '../domain/money.ts';
import type {JudgedWaste, Waste} from '../domain/money/waste.ts';
import {type WasteFix, wasteFix} from '../domain/money/waste-fix.ts';
import {say, type SafeText} from '../domain/safe-text.ts';
import type {EpochMs} from '../domain/time.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';
import {observedMachines} from '../state/machines.ts';
import {presentWaste} from '../state/waste.ts';
import {
  formatDuration,
  formatKnown,
  formatRate,
  formatRateFigure,
  formatSavings,
  formatUsd,
  formatUsdFigure,
  formatUtcMoment,
} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import {wrappedField} from './detail.ts';
import {age, type Column, dollars, rate, text, RUNNING_COST} from './column.ts';
import type {RowInput} from './resource.ts';

/** One item of waste with the action that ends it, as the deck lists it. */
export type WasteRow = {readonly key: string; readonly waste: Waste; readonly fix: WasteFix; readonly now: EpochMs};

export const WASTE_WORDS: Readonly<Record<Waste['kind'], SafeText>> = {
  'stopped-but-billed': say`shut off`,
  idle: say`idle`,
  'unattached-volume': say`unattached`,
  'kept-address': say`address kept`,
  ghost: say`billed, but not found`,
  unmetered: say`not metered`,
};

export const WASTE_COLUMNS: readonly Column<WasteRow>[] = [
  {
    key: 'name',
    title: 'WHAT',
    value: ({waste}) => text(waste.name === '' ? `#${waste.resourceId}` : waste.name),
    list: {
      minWidth: 22,
      maxWidth: 44,
      flex: 2,
      draw: ({waste}) => [
        {text: waste.name === '' ? `#${waste.resourceId}` : waste.name},
        {text: `  ${WASTE_WORDS[waste.kind]}`, tone: 'dim'},
      ],
    },
  },
  {key: 'kind', title: 'KIND', value: ({waste}) => text(WASTE_WORDS[waste.kind])},
  {
    key: 'since',
    title: 'SINCE',
    align: 'right',
    unit: 'duration',
    value: ({waste, now}) => age(waste.since, now),
    list: {minWidth: 6, tone: 'dim'},
  },
  {
    ...RUNNING_COST,
    value: ({waste}) => rate(waste.rate),
    list: {minWidth: 7, draw: ({waste}) => [{text: formatRateFigure(waste.rate), tone: 'money'}]},
  },
  {
    key: 'lost',
    title: 'SO FAR $',
    align: 'right',
    unit: 'dollars',
    value: ({waste}) => dollars(waste.soFar),
    list: {minWidth: 9, draw: ({waste}) => [{text: formatUsdFigure(waste.soFar), tone: 'warning'}]},
  },
  {key: 'sure', title: 'SURE', value: ({waste}) => text(waste.confidence), list: {minWidth: 6, priority: 4}},
  {
    key: 'fix',
    title: 'FIX',
    value: ({fix}) => text(fixText(fix)),
    list: {minWidth: 24, maxWidth: 60, flex: 3, priority: 3, isProse: true},
  },
  {key: 'risk', title: 'RISK', value: ({fix}) => text(fix.risk)},
  {key: 'evidence', title: 'EVIDENCE', value: ({waste}) => text(waste.evidence)},
];

/** For example `hibernate, saves $25.59/h`; `saves up to`, if a contract may be charged anyway. */
function fixText({action, savings, furtherSavings, savingIsUncertain}: WasteFix): string {
  return savings === undefined ? action : `${action}, ${formatSavings(savings, savingIsUncertain, furtherSavings)}`;
}

type WasteInput = Pick<RowInput, 'store' | 'now' | 'monotonicNow' | 'activity' | 'preferences'>;

/** The cost of waste, and the part left out because someone keeps it on purpose; undefined if nothing is kept. */
export type WasteTotal = {
  readonly perHour: Rate;
  readonly keptPerHour: Rate | undefined;
  /** Running machines that may turn out idle once their days were read, so the figure can still grow. */
  readonly unjudgedCount: number;
  /** What else may make it higher, in words: `volumes unknown`. */
  readonly unknown: readonly SafeText[];
  /** More may be wasted than is known. */
  readonly isAtLeast: boolean;
};

/** Undefined until usage and machines were read. */
export function wasteTotal(known: WasteInput): WasteTotal | undefined {
  return listedWaste(known)?.total;
}

/** The costliest first; undefined until usage and machines were read. */
export function wasteRows(known: WasteInput): readonly WasteRow[] | undefined {
  return listedWaste(known)?.rows;
}

type ListedWaste = {readonly rows: readonly WasteRow[]; readonly total: WasteTotal};

function listedWaste(known: WasteInput): ListedWaste | undefined {
  const judged = presentWaste(known);
  return judged === undefined ? undefined : listedOnce(judged, [], () => listedOf(judged, known));
}

const listedOnce = memoPer<JudgedWaste, ListedWaste>();

function listedOf(
  {waste, kept, unjudgedCount, unknown}: JudgedWaste,
  {store, now, preferences}: WasteInput,
): ListedWaste {
  const listed = observedMachines(store);
  const machines = new Map<number, VirtualMachine>((listed ?? []).map(each => [each.id, each]));
  const perHour = (all: readonly Waste[]) => sumRates(all.flatMap(({rate: each}) => each ?? []));
  return {
    total: {
      perHour: perHour(waste),
      keptPerHour: kept.length === 0 ? undefined : perHour(kept),
      unjudgedCount,
      unknown,
      isAtLeast: unjudgedCount > 0 || unknown.length > 0,
    },
    rows: waste.map((each): WasteRow => {
      const machine = each.resourceType === 'vm' ? machines.get(each.resourceId) : undefined;
      const key = `${each.kind} ${each.resourceType} ${each.resourceId}`;
      return {key, waste: each, fix: wasteFix(each, machine, preferences.prices), now};
    }),
  };
}

/** All that is known about one item of waste, in full sentences. */
export function wasteDetail({waste, fix, now}: WasteRow, width: number): readonly Line[] {
  const {since, rate: perHour, soFar, confidence, evidence} = waste;
  const facts: readonly (readonly [string, string])[] = [
    ['kind', `${waste.resourceType}, ${WASTE_WORDS[waste.kind]}`],
    // The advice comes first, because not every place has room for everything.
    ['fix', fixText(fix)],
    ['risk', fix.risk ?? 'none known'],
    ['since', since === undefined ? 'unknown' : `${formatUtcMoment(since)}, ${formatDuration(now - since)}`],
    ['costs', perHour === undefined ? 'unknown' : formatRate(perHour)],
    ['so far', formatKnown(soFar, formatUsd)],
    ['confidence', confidence],
    ['evidence', evidence],
  ];
  return facts.flatMap(([label, words]) => wrappedField(label, words, width));
}
