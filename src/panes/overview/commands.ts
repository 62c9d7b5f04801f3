import {joinSafe, say} from '../../domain/safe-text.ts';
import type {Command, PaneOutcome} from '../command.ts';
import {moveCommands, movedCursor} from '../list.ts';
import type {PaneContext} from '../pane.ts';
import {overviewLayout} from './layout.ts';
import {MUTE_COMMANDS, noneReason} from './mute-commands.ts';
import {askAboutFix, fixesOf, fixReason} from './fix.ts';
import {findingOf, findingRows, NOTHING_FOUND, underCursor} from './rows.ts';
import {targetOf, targetOfAll, unlistedWords} from './target.ts';
import type {OverviewView} from './view.ts';
import {KEYS} from '../../actions/keys.ts';

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
    isInStatusBar: true,
    disabledReason: noneReason,
    run: context => {
      const row = underCursor(context);
      if (row === undefined) return {kind: 'done'};
      const finding = findingOf(row);
      if (finding === undefined && row.fold === 'folded') return {kind: 'view', view: refolded(context.view, row.key)};
      const {store} = context.scene;
      if (finding !== undefined) {
        return {kind: 'go', ...targetOf(finding, store), findings: [finding], says: unlistedWords(finding, store)};
      }
      const target = targetOfAll(row.findings, store);
      return target === undefined
        ? {kind: 'view', view: refolded(context.view, row.key)}
        : {kind: 'go', ...target, findings: row.findings};
    },
  },
  {
    id: 'overview.copy',
    title: say`copy`,
    help: 'Copies the name of what the finding is about through the terminal, also over SSH; for a line of several the names.',
    keys: [KEYS.copy],
    group: 'Look',
    disabledReason: noneReason,
    run: context => {
      const names = (underCursor(context)?.findings ?? []).map(({subject}) => subject.name);
      return {kind: 'copy', text: joinSafe([...new Set(names)])};
    },
  },
  {
    id: 'overview.fix',
    title: say`fix`,
    help: 'Asks about the action that ends the finding; for a line of several about all of them.',
    keys: [KEYS.fix],
    group: 'Actions',
    isInStatusBar: true,
    isAbsent: context => fixesOf(underCursor(context) ?? NOTHING_FOUND).length === 0,
    disabledReason: context => fixReason(underCursor(context) ?? NOTHING_FOUND, context.scene),
    run: context => askAboutFix(underCursor(context) ?? NOTHING_FOUND, context.scene),
  },
  ...MUTE_COMMANDS,
];

function refolded(view: OverviewView, key: string): OverviewView {
  const unfolded = new Set(view.unfolded);
  if (!unfolded.delete(key)) unfolded.add(key);
  return {...view, unfolded};
}
