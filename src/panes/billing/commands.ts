import type {Spender} from '../../domain/billing-figures.ts';
import {say} from '../../domain/safe-text.ts';
import type {Command, PaneOutcome} from '../command.ts';
import {moveCommands, movedCursor, rowAtCursor} from '../list.ts';
import type {PaneContext} from '../pane.ts';
import {billingLayout} from './layout.ts';
import {shownSpenders} from './rows.ts';
import type {BillingView} from './view.ts';

type Context = PaneContext<BillingView>;

export const BILLING_COMMANDS: readonly Command<Context, PaneOutcome<BillingView>>[] = [
  ...moveCommands<BillingView>('billing', {
    pageRows: ({scene}) => Math.max(1, billingLayout(scene.size).spenders.rows - 3),
    moved: ({scene, view}, step) => ({...view, ...movedCursor(view, shownSpenders(scene, view), ({key}) => key, step)}),
  }),
  {
    id: 'billing.open',
    title: say`open`,
    help: 'The machine behind the spender.',
    keys: ['enter'],
    group: 'Look',
    effect: 'view',
    isInStatusBar: true,
    disabledReason: context => {
      const spender = spenderUnderCursor(context);
      if (spender === undefined) return say`there is no spender under the cursor`;
      if (spender.resourceType.toLowerCase() !== 'vm') return say`only machines have a pane`;
      return spender.isActive ? undefined : say`the machine is deleted`;
    },
    run: context => {
      const spender = spenderUnderCursor(context);
      return spender === undefined ? {kind: 'done'} : {kind: 'go', paneId: 'machines', objectId: spender.resourceId};
    },
  },
  {
    id: 'billing.copy',
    title: say`copy name`,
    help: 'Copies the name, through the terminal, also over SSH.',
    keys: ['c'],
    group: 'Look',
    effect: 'view',
    disabledReason: context =>
      spenderUnderCursor(context) === undefined ? say`there is no spender under the cursor` : undefined,
    run: context => {
      const spender = spenderUnderCursor(context);
      return spender === undefined ? {kind: 'done'} : {kind: 'copy', text: spender.name};
    },
  },
];

function spenderUnderCursor({scene, view}: Context): Spender | undefined {
  return rowAtCursor(view, shownSpenders(scene, view), ({key}) => key);
}
