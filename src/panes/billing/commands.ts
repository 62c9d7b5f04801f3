import {type SafeText, say} from '../../domain/safe-text.ts';
import {contracts} from '../../resources/contracts.ts';
import {machines} from '../../resources/machines.ts';
import {observedMachines} from '../../state/machines.ts';
import type {Command, PaneOutcome} from '../command.ts';
import {copiedRecord, copyMenu} from '../copy-menu.ts';
import {moveCommands} from '../list.ts';
import {copiedNames, markCommands, orderCommands, sortMenu} from '../list-commands.ts';
import type {PaneContext} from '../pane.ts';
import {type RelatedHere, relatedMenu} from '../related-menu.ts';
import {scrolledDetail, ZOOM_START, zoomCommand, zoomed} from '../zoomed-detail.tsx';
import {billingLayout, visibleRows} from './layout.ts';
import {contractList, contractsAt, listHere, openDetail, spenderList} from './lists.ts';
import type {BillingView} from './view.ts';

type Context = PaneContext<BillingView>;

const COPY_AS = copyMenu<Context>('billing', context => {
  const contract =
    context.view.part === 'contracts' ? contractList.rowUnderCursor(contractsAt(context))?.contract : undefined;
  return contract && {...copiedRecord(contracts, contract), name: say`#${contract.id}`};
});

const RELATED = relatedMenu<BillingView>('billing', relatedHere, context => {
  // Of the spenders only machines lead on.
  return context.view.part === 'spenders' && (relatedToSpender(context)?.groups.length ?? 0) === 0;
});

function relatedHere(context: Context): RelatedHere | undefined {
  if (context.view.part === 'spenders') return relatedToSpender(context);
  const contract = contractList.rowUnderCursor(contractsAt(context))?.contract;
  if (contract === undefined) return undefined;
  return {name: say`contract #${contract.id}`, groups: contracts.related?.(contract, context.scene.store) ?? []};
}

/** What belongs to the machine behind a spender. */
function relatedToSpender(context: Context): RelatedHere | undefined {
  const spender = spenderList.rowUnderCursor(context);
  if (spender === undefined) return undefined;
  const {store} = context.scene;
  const machine = observedMachines(store)?.find(({id}) => id === spender.resourceId);
  const isMachine = spender.resourceType.toLowerCase() === 'vm' && machine !== undefined;
  return {name: spender.name, groups: isMachine ? (machines.related?.(machine, store) ?? []) : []};
}

export const BILLING_COMMANDS: readonly Command<Context, PaneOutcome<BillingView>>[] = [
  ...moveCommands<BillingView>('billing', {pageRows, moved}),
  ...markCommands<BillingView>('billing', listHere, noRowReason),
  {
    id: 'billing.open',
    title: say`open`,
    help: 'Opens the machine; for a contract what it covers, costs and deletes, and when.',
    keys: ['enter'],
    group: 'Look',
    effect: 'view',
    isInStatusBar: true,
    isAbsent: ({view}) => view.isZoomed,
    disabledReason: context => {
      if (context.view.isZoomed) return say`it is open; esc goes back to the list`;
      if (context.view.part === 'contracts') return noRowReason(context);
      const spender = spenderList.rowUnderCursor(context);
      if (spender === undefined) return noRowReason(context);
      if (spender.resourceType.toLowerCase() !== 'vm') return say`only machines have a pane`;
      return spender.isActive ? undefined : say`the machine is deleted`;
    },
    run: context => {
      if (context.view.part === 'contracts') return zoomed(context.view);
      const spender = spenderList.rowUnderCursor(context);
      return spender === undefined ? {kind: 'done'} : {kind: 'go', paneId: 'machines', objectId: spender.resourceId};
    },
  },
  zoomCommand<BillingView>('billing', context =>
    context.view.part === 'contracts' ? noRowReason(context) : say`go to the contracts first (tab)`,
  ),
  {
    id: 'billing.next-part',
    title: say`next part`,
    help: 'Between the spenders and the contracts.',
    keys: ['tab', 'shift-tab'],
    group: 'Panes',
    effect: 'view',
    isInStatusBar: true,
    run: ({view}) => ({
      kind: 'view',
      view: {
        ...view,
        part: view.part === 'contracts' ? 'spenders' : 'contracts',
        ...ZOOM_START,
      },
    }),
  },
  ...orderCommands<BillingView>('billing', listHere),
  {
    id: 'billing.copy',
    title: say`copy name`,
    help: 'Copies the name, or those of the marked rows, through the terminal, also over SSH.',
    keys: ['c'],
    group: 'Look',
    effect: 'view',
    disabledReason: noRowReason,
    run: context => copiedNames(listHere(context), context),
  },
  {...COPY_AS.command, isAbsent: ({view}) => view.part === 'spenders'},
  RELATED.command,
];

export const BILLING_MENUS = [COPY_AS.menu, RELATED.menu, sortMenu<BillingView>('billing', listHere)];

function noRowReason(context: Context): SafeText | undefined {
  if (!listHere(context).isEmpty(context)) return undefined;
  return context.view.part === 'contracts'
    ? say`there is no contract under the cursor`
    : say`there is no spender under the cursor`;
}

function moved(context: Context, step: number): BillingView {
  return scrolledDetail(openDetail(context), step) ?? listHere(context).moved(context, step);
}

function pageRows({scene, view}: Context): number {
  const layout = billingLayout(scene.size);
  if (view.isZoomed) return Math.max(1, scene.size.rows - 2);
  return Math.max(1, visibleRows(view.part === 'contracts' ? layout.contracts : layout.spenders));
}
