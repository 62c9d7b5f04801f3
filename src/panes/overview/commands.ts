import {say} from '../../domain/safe-text.ts';
import type {Command, PaneOutcome} from '../command.ts';
import {moveCommands, movedCursor, rowAtCursor} from '../list.ts';
import type {PaneContext} from '../pane.ts';
import {overviewLayout} from './layout.ts';
import {type FindingRow, findingRows, placeOf} from './rows.ts';
import type {OverviewView} from './view.ts';

type Context = PaneContext<OverviewView>;

export const OVERVIEW_COMMANDS: readonly Command<Context, PaneOutcome<OverviewView>>[] = [
  ...moveCommands<OverviewView>('overview', {
    pageRows: ({scene}) => Math.max(1, overviewLayout(scene.size).attention.rows - 3),
    moved: ({scene, view}, step) => ({
      ...view,
      ...movedCursor(view, findingRows(scene, view), ({key}) => key, step),
    }),
  }),
  {
    id: 'overview.open',
    title: say`open`,
    help: 'What the finding is about, in its own pane; a line of several is unfolded.',
    keys: ['enter'],
    group: 'Look',
    effect: 'view',
    isInStatusBar: true,
    disabledReason: context => {
      const row = underCursor(context);
      if (row === undefined) return say`there is nothing under the cursor`;
      return row.finding !== undefined && placeOf(row.finding) === undefined
        ? say`it is about the whole account; see billing (5)`
        : undefined;
    },
    run: context => {
      const row = underCursor(context);
      if (row === undefined) return {kind: 'done'};
      if (row.finding === undefined) return {kind: 'view', view: refolded(context.view, row.key)};
      const place = placeOf(row.finding);
      return place === undefined ? {kind: 'done'} : {kind: 'go', ...place};
    },
  },
];

function refolded(view: OverviewView, key: string): OverviewView {
  const unfolded = new Set(view.unfolded);
  if (!unfolded.delete(key)) unfolded.add(key);
  return {...view, unfolded};
}

function underCursor({scene, view}: Context): FindingRow | undefined {
  return rowAtCursor(view, findingRows(scene, view), ({key}) => key);
}
