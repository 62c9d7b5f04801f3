import {joinSafe, say} from '../../domain/safe-text.ts';
import type {CollectionCommand} from '../list/collection-commands.ts';
import {type OverviewChoice, type OverviewContext, chosenFindings, rowUnderCursor, slippedTo} from './findings-part.ts';
import {MUTE_COMMANDS, noneReason} from './mute-commands.ts';
import {askAboutFix, fixesOf, fixReason} from './fix.ts';
import {findingOf} from '../../resources/findings.ts';
import {findingsOf} from './rows.ts';
import {targetOf, targetOfAll, unlistedWords} from './target.ts';
import {KEYS} from '../../actions/keys.ts';

/** Open and copy differ from those of other lists: a row can stand for several findings, each about another object. */
export const OVERVIEW_COMMANDS: readonly CollectionCommand<OverviewChoice>[] = [
  {
    id: 'overview.open',
    title: say`open`,
    help: 'Opens what the finding is about in its pane; a line of several unfolds, and pressed again opens all of them.',
    keys: [KEYS.open],
    group: 'Look',
    isInStatusBar: true,
    disabledReason: noneReason,
    run: context => {
      const row = rowUnderCursor(context);
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
    help: 'Copies the name of what the finding is about through the terminal, also over SSH; for several the names.',
    keys: [KEYS.copy],
    group: 'Look',
    disabledReason: noneReason,
    run: context => {
      const {findings, muted} = chosenFindings(context);
      const names = [...findings, ...findingsOf(muted)].map(({subject}) => subject.name);
      return {kind: 'copy', text: joinSafe([...new Set(names)])};
    },
  },
  {
    id: 'overview.fix',
    title: say`fix`,
    help: 'Asks about the action that fixes the finding, about all of them for a line of several or marked ones; rules open to the world are edited.',
    keys: [KEYS.fix],
    group: 'Actions',
    isInStatusBar: true,
    isAbsent: context => fixesOf(chosenFindings(context)).length === 0,
    disabledReason: context => fixReason(chosenFindings(context), context.scene),
    run: context =>
      slippedTo(context, say`${KEYS.fix} again asks about`) ?? askAboutFix(chosenFindings(context), context.scene),
  },
  ...MUTE_COMMANDS,
];

function refolded(view: OverviewContext['view'], key: string): OverviewContext['view'] {
  const unfolded = new Set(view.own.unfolded);
  if (!unfolded.delete(key)) unfolded.add(key);
  return {...view, own: {unfolded}};
}
