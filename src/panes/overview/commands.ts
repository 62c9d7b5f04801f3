import {cannotOperateReason} from '../../actions/action-question.ts';
import {recordOf} from '../../actions/actions.ts';
import {candidatesOf, questionFor, reasonAgainstAll} from '../../actions/ask.ts';
import type {Action} from '../../domain/action.ts';
import {say} from '../../domain/safe-text.ts';
import {placeOf} from '../../resources/resources.ts';
import type {Command, PaneOutcome} from '../command.ts';
import {moveCommands, movedCursor, rowAtCursor} from '../list.ts';
import type {PaneContext} from '../pane.ts';
import {overviewLayout} from './layout.ts';
import {type FindingRow, findingOf, findingRows} from './rows.ts';
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
      const finding = findingOf(row);
      return finding !== undefined && placeOf(finding.subject.type, finding.subject.id) === undefined
        ? say`it is about the whole account; see billing (5)`
        : undefined;
    },
    run: context => {
      const row = underCursor(context);
      if (row === undefined) return {kind: 'done'};
      const finding = findingOf(row);
      if (finding === undefined) return {kind: 'view', view: refolded(context.view, row.key)};
      const place = placeOf(finding.subject.type, finding.subject.id);
      return place === undefined ? {kind: 'done'} : {kind: 'go', ...place};
    },
  },
  {
    id: 'overview.fix',
    title: say`fix`,
    help: 'Asks about the action that ends the finding; for a line of several about all of them.',
    keys: ['f'],
    group: 'Actions',
    effect: 'operation',
    isInStatusBar: true,
    isAbsent: context => fixesOf(underCursor(context)).length === 0,
    disabledReason: context => {
      const fixes = fixesOf(underCursor(context));
      if (fixes.length === 0) return say`no action ends this; its advice says what to do`;
      return cannotOperateReason(context.scene) ?? reasonAgainstAll(candidatesOf(fixes, context.scene));
    },
    run: context => {
      const fixes = candidatesOf(fixesOf(underCursor(context)), context.scene);
      const question = questionFor(fixes, context.scene);
      return question === undefined ? {kind: 'done'} : {kind: 'ask', question};
    },
  },
];

/** The actions that end what the row tells of. */
function fixesOf(row: FindingRow | undefined): readonly Action[] {
  // A finding knows the parameters alone; its record says whether they are all there.
  return (row?.findings ?? []).flatMap(({fix}) => (fix === undefined ? [] : (recordOf(fix).parse(fix) ?? [])));
}

function refolded(view: OverviewView, key: string): OverviewView {
  const unfolded = new Set(view.unfolded);
  if (!unfolded.delete(key)) unfolded.add(key);
  return {...view, unfolded};
}

export function underCursor({scene, view}: Context): FindingRow | undefined {
  return rowAtCursor(view, findingRows(scene, view), ({key}) => key);
}
