import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
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
import {contractList, contractsAt, listHere, openDetail, spenderList, wasteAt, wasteList} from './lists.ts';
import {BILLING_PARTS, type BillingView} from './view.ts';

type Context = PaneContext<BillingView>;

const COPY_AS = copyMenu<Context>('billing', context => {
  const contract =
    context.view.part === 'contracts' ? contractList.rowUnderCursor(contractsAt(context))?.contract : undefined;
  return contract && {...copiedRecord(contracts, contract), name: say`#${contract.id}`};
});

const RELATED = relatedMenu<BillingView>('billing', relatedHere, context => {
  // Of the spenders and of what is wasted only machines lead on.
  return context.view.part !== 'contracts' && (relatedHere(context)?.groups.length ?? 0) === 0;
});

function relatedHere(context: Context): RelatedHere | undefined {
  const {part} = context.view;
  if (part === 'spenders') return relatedToMachine(context, spenderList.rowUnderCursor(context));
  if (part === 'waste') return relatedToMachine(context, wasteList.rowUnderCursor(wasteAt(context))?.waste);
  const contract = contractList.rowUnderCursor(contractsAt(context))?.contract;
  if (contract === undefined) return undefined;
  return {name: say`contract #${contract.id}`, groups: contracts.related?.(contract, context.scene.store) ?? []};
}

/** What belongs to the machine that is spent for. */
function relatedToMachine(
  {scene: {store}}: Context,
  cause: {readonly name: SafeText; readonly resourceType: string; readonly resourceId: number} | undefined,
): RelatedHere | undefined {
  if (cause === undefined) return undefined;
  const machine = observedMachines(store)?.find(({id}) => id === cause.resourceId);
  const isMachine = cause.resourceType.toLowerCase() === 'vm' && machine !== undefined;
  return {name: cause.name, groups: isMachine ? (machines.related?.(machine, store) ?? []) : []};
}

export const BILLING_COMMANDS: readonly Command<Context, PaneOutcome<BillingView>>[] = [
  ...moveCommands<BillingView>('billing', {pageRows, moved}),
  ...markCommands<BillingView>('billing', listHere, noRowReason),
  {
    id: 'billing.open',
    title: say`open`,
    help: 'Opens the machine or the volume; for a contract what it covers, costs and deletes, and when.',
    keys: ['enter'],
    group: 'Look',
    effect: 'view',
    isInStatusBar: true,
    isAbsent: ({view}) => view.isZoomed,
    disabledReason: context => {
      if (context.view.isZoomed) return say`it is open; esc goes back to the list`;
      const noRow = noRowReason(context);
      if (noRow !== undefined || context.view.part === 'contracts') return noRow;
      const leading = leadingTo(context);
      return typeof leading === 'object' ? undefined : leading;
    },
    run: context => {
      if (context.view.part === 'contracts') return zoomed(context.view);
      const leading = leadingTo(context);
      return typeof leading === 'object' ? {kind: 'go', ...leading} : {kind: 'done'};
    },
  },
  zoomCommand<BillingView>('billing', context =>
    context.view.part === 'spenders' ? say`go to the waste or to the contracts first (tab)` : noRowReason(context),
  ),
  {
    id: 'billing.next-part',
    title: say`waste, contracts`,
    help: 'From the spenders to the waste, to the contracts and back.',
    keys: ['tab'],
    group: 'Panes',
    effect: 'view',
    isInStatusBar: true,
    run: ({view}) => ({kind: 'view', view: atPart(view, 1)}),
  },
  {
    id: 'billing.previous-part',
    title: say`previous part`,
    help: 'From the spenders to the contracts, to the waste and back.',
    keys: ['shift-tab'],
    group: 'Panes',
    effect: 'view',
    run: ({view}) => ({kind: 'view', view: atPart(view, -1)}),
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
  {...COPY_AS.command, isAbsent: ({view}) => view.part !== 'contracts'},
  RELATED.command,
];

export const BILLING_MENUS = [COPY_AS.menu, RELATED.menu, sortMenu<BillingView>('billing', listHere)];

function noRowReason(context: Context): SafeText | undefined {
  if (!listHere(context).isEmpty(context)) return undefined;
  return NO_ROW[context.view.part];
}

const NO_ROW = {
  spenders: say`there is no spender under the cursor`,
  waste: say`nothing wasteful was found`,
  contracts: say`there is no contract under the cursor`,
} as const;

function atPart(view: BillingView, step: number): BillingView {
  const index = BILLING_PARTS.indexOf(view.part) + step;
  return {...view, part: BILLING_PARTS.at(index % BILLING_PARTS.length) ?? 'spenders', ...ZOOM_START};
}

/** Where the row under the cursor has a pane of its own, or why it has none. */
function leadingTo(context: Context): {readonly paneId: string; readonly objectId: number} | SafeText {
  const {part} = context.view;
  const wasted = part === 'waste' ? wasteList.rowUnderCursor(wasteAt(context))?.waste : undefined;
  const spender = part === 'spenders' ? spenderList.rowUnderCursor(context) : undefined;
  const {resourceType, resourceId} = wasted ?? spender ?? {resourceType: '', resourceId: 0};
  const paneId = PANES.get(resourceType.toLowerCase());
  if (paneId === undefined) return say`only machines and volumes have a pane`;
  if (wasted?.kind === 'ghost') return say`it is billed, and not in the list any more`;
  return spender?.isActive === false ? say`the ${safeText(resourceType)} is deleted` : {paneId, objectId: resourceId};
}

const PANES: ReadonlyMap<string, string> = new Map([
  ['vm', 'machines'],
  ['volume', 'volumes'],
]);

function moved(context: Context, step: number): BillingView {
  return scrolledDetail(openDetail(context), step) ?? listHere(context).moved(context, step);
}

function pageRows({scene, view}: Context): number {
  const layout = billingLayout(scene.size);
  if (view.isZoomed) return Math.max(1, scene.size.rows - 2);
  return Math.max(1, visibleRows(layout[view.part]));
}
