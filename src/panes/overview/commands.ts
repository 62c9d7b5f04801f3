import {cannotOperateReason} from '../../actions/action-question.ts';
import {candidatesOf, questionFor, reasonAgainstAll} from '../../actions/ask.ts';
import type {Action} from '../../domain/action.ts';
import {say} from '../../domain/safe-text.ts';
import type {Command, PaneOutcome} from '../command.ts';
import {moveCommands, movedCursor} from '../list.ts';
import type {PaneContext} from '../pane.ts';
import {overviewLayout} from './layout.ts';
import {MUTE_COMMANDS} from './mute-commands.ts';
import {findingOf, findingRows, fixesOf, underCursor} from './rows.ts';
import {targetOf, targetOfAll, unlistedWords} from './target.ts';
import type {OverviewView} from './view.ts';
import {KEYS} from '../keys.ts';

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
    help: 'What the finding is about, in its own pane; a line of several is unfolded, and pressed again leads to all of them.',
    keys: [KEYS.open],
    group: 'Look',
    effect: 'view',
    isInStatusBar: true,
    disabledReason: context => {
      return underCursor(context) === undefined ? say`there is nothing under the cursor` : undefined;
    },
    run: context => {
      const row = underCursor(context);
      if (row === undefined) return {kind: 'done'};
      const finding = findingOf(row);
      if (finding === undefined && row.fold === 'folded') return {kind: 'view', view: refolded(context.view, row.key)};
      const {store} = context.scene;
      if (finding !== undefined) {
        return {kind: 'go', ...targetOf(finding, store), says: unlistedWords(finding, store)};
      }
      const target = targetOfAll(row.findings, store);
      return target === undefined ? {kind: 'view', view: refolded(context.view, row.key)} : {kind: 'go', ...target};
    },
  },
  {
    id: 'overview.fix',
    title: say`fix`,
    help: 'Asks about the action that ends the finding; for a line of several about all of them.',
    keys: [KEYS.fix],
    group: 'Actions',
    effect: 'operation',
    isInStatusBar: true,
    isAbsent: context => fixesUnderCursor(context).length === 0,
    disabledReason: context => {
      const fixes = fixesUnderCursor(context);
      if (fixes.length === 0) return say`no action ends this; its advice says what to do`;
      return cannotOperateReason(context.scene) ?? reasonAgainstAll(candidatesOf(fixes, context.scene));
    },
    run: context => {
      const fixes = candidatesOf(fixesUnderCursor(context), context.scene);
      const question = questionFor(fixes, context.scene);
      return question === undefined ? {kind: 'done'} : {kind: 'ask', question};
    },
  },
  ...MUTE_COMMANDS,
];

function fixesUnderCursor(context: Context): readonly Action[] {
  const row = underCursor(context);
  return row === undefined ? [] : fixesOf(row);
}

function refolded(view: OverviewView, key: string): OverviewView {
  const unfolded = new Set(view.unfolded);
  if (!unfolded.delete(key)) unfolded.add(key);
  return {...view, unfolded};
}
