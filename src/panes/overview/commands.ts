import {say} from '../../domain/safe-text.ts';
import type {Command, PaneOutcome} from '../command.ts';
import {moveCommands, movedCursor, rowAtCursor} from '../list.ts';
import type {PaneContext} from '../pane.ts';
import type {Attention} from './attention.ts';
import {overviewLayout} from './layout.ts';
import {attentionRows} from './rows.ts';
import type {OverviewView} from './view.ts';

type Context = PaneContext<OverviewView>;

export const OVERVIEW_COMMANDS: readonly Command<Context, PaneOutcome<OverviewView>>[] = [
  ...moveCommands<OverviewView>('overview', {
    pageRows: ({scene}) => Math.max(1, overviewLayout(scene.size).attention.rows - 3),
    moved: ({scene, view}, step) => ({
      ...view,
      ...movedCursor(view, attentionRows(scene, view), ({item}) => item.key, step),
    }),
  }),
  {
    id: 'overview.open',
    title: say`open`,
    help: 'The object that needs attention, in its own pane.',
    keys: ['enter'],
    group: 'Look',
    effect: 'view',
    isInStatusBar: true,
    disabledReason: context => {
      const item = underCursor(context);
      if (item === undefined) return say`there is nothing under the cursor`;
      return item.target === undefined ? say`it is about the whole account; see billing (5)` : undefined;
    },
    run: context => {
      const target = underCursor(context)?.target;
      return target === undefined ? {kind: 'done'} : {kind: 'go', ...target};
    },
  },
];

function underCursor({scene, view}: Context): Attention | undefined {
  return rowAtCursor(view, attentionRows(scene, view), ({item}) => item.key)?.item;
}
