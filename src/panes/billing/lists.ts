import type {Spender} from '../../domain/money/figures.ts';
import {say} from '../../domain/safe-text.ts';
import {type ContractRow, contracts} from '../../resources/contracts.ts';
import {listedRows} from '../../resources/resource.ts';
import {SPENDER_COLUMNS, spenderRows} from '../../resources/usage.ts';
import {usageFeed} from '../../state/billing.ts';
import {contractsFeed} from '../../state/contracts.ts';
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

export function contractsAt({scene, view}: Context): ListAt<number, undefined> {
  return {scene, view: view.contracts};
}

/** The contract under the cursor, where it takes the whole pane. */
export function openDetail(context: Context): OpenDetail<BillingView> | undefined {
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

/** The list that the keys move. */
export function listHere({view}: Context): ListKeys<BillingView> {
  return view.part === 'contracts' ? CONTRACT_KEYS : SPENDER_KEYS;
}
