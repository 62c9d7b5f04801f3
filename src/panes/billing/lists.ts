import type {Spender} from '../../domain/money/figures.ts';
import {safeText, say} from '../../domain/safe-text.ts';
import {type ContractRow, contracts} from '../../resources/contracts.ts';
import {listedRows} from '../../resources/resource.ts';
import {SPENDER_COLUMNS, spenderRows} from '../../resources/usage.ts';
import {
  WASTE_COLUMNS,
  type WasteRow,
  type WasteTotal,
  wasteDetail,
  wasteRows,
  wasteTotal,
} from '../../resources/waste.ts';
import {usageFeed} from '../../state/billing.ts';
import {contractsFeed} from '../../state/contracts.ts';
import {machinesFeed} from '../../state/machines.ts';
import {formatRate} from '../../ui/format.ts';
import {type ListKeys, listKeys} from '../list-commands.ts';
import type {OpenDetail, PaneContext} from '../pane.ts';
import {type ListAt, resourceList} from '../resource-list.tsx';
import {zoomedDetail} from '../zoomed-detail.tsx';
import type {BillingView} from './view.ts';

type Context = PaneContext<BillingView>;

export const spenderList = resourceList<Spender, string>({
  title: say`top spenders`,
  feed: usageFeed,
  columns: SPENDER_COLUMNS,
  rows: spenderRows,
  idOf: ({key}) => key,
  showsCut: true,
  none: () => say`nothing was billed this month`,
});

export const contractList = resourceList<ContractRow, number>({
  title: say`contracts`,
  feed: contractsFeed,
  columns: contracts.columns,
  rows: known => listedRows(contracts, known),
  idOf: ({contract}) => contract.id,
});

/** The title says what all of it costs an hour. */
export const wasteList = resourceList<WasteRow, string, WasteTotal>({
  title: say`waste`,
  feed: machinesFeed,
  columns: WASTE_COLUMNS,
  rows: wasteRows,
  idOf: ({key}) => key,
  showsCut: true,
  heading: ({perHour, keptPerHour}) => {
    const kept = keptPerHour === undefined ? say`` : say`, kept ${safeText(formatRate(keptPerHour))}`;
    return say`waste ${safeText(formatRate(perHour))}${kept}`;
  },
  none: () => say`none found`,
});

export function wasteAt({scene, view}: Context): ListAt<string, WasteTotal> {
  return {scene, view: view.waste, of: wasteTotal(scene)};
}

export function contractsAt({scene, view}: Context): ListAt<number, undefined> {
  return {scene, view: view.contracts};
}

/** The waste or the contract under the cursor, where it takes the whole pane. */
export function openDetail(context: Context): OpenDetail<BillingView> | undefined {
  if (context.view.part === 'waste') {
    const wasted = wasteList.rowUnderCursor(wasteAt(context));
    return zoomedDetail(context, width => wasted && wasteDetail(wasted, width));
  }
  const row = contractList.rowUnderCursor(contractsAt(context));
  return zoomedDetail(context, width => row && contracts.detail?.(row, context.scene, width));
}

const SPENDER_KEYS = listKeys<BillingView, Spender, string, undefined>(
  spenderList,
  {at: context => context, put: (view, list) => ({...view, ...list})},
  ({name}) => name,
);

const CONTRACT_KEYS = listKeys<BillingView, ContractRow, number, undefined>(
  contractList,
  {at: contractsAt, put: (view, list) => ({...view, contracts: list})},
  ({contract}) => say`#${contract.id}`,
);

const WASTE_KEYS = listKeys<BillingView, WasteRow, string, WasteTotal>(
  wasteList,
  {at: wasteAt, put: (view, list) => ({...view, waste: list})},
  ({waste}) => waste.name,
);

const KEYS = {spenders: SPENDER_KEYS, waste: WASTE_KEYS, contracts: CONTRACT_KEYS} as const;

/** The list that the keys move. */
export function listHere({view}: Context): ListKeys<BillingView> {
  return KEYS[view.part];
}
