import {type SafeText, say} from '../domain/safe-text.ts';
import type {RelatedGroup} from '../resources/related.ts';
import {resourceOf} from '../resources/resources.ts';
import type {Command, Menu, PaneOutcome} from './command.ts';
import type {PaneContext} from './pane.ts';

/** The name of the row under the cursor, and what belongs to it. */
export type RelatedHere = {readonly name: SafeText; readonly groups: readonly RelatedGroup[]};

/** If there are more of one kind, the menu leads to their list, where they can be filtered. */
const MAX_OF_KIND = 6;
/** Without `q`, which leaves a menu. */
const KEYS = '123456789abcdefghijklmnoprstuvwxyz';

/** The key `r` and its menu, the same in every pane: it leads to related objects; esc goes back. */
export function relatedMenu<View>(
  paneId: string,
  relatedHere: (context: PaneContext<View>) => RelatedHere | undefined,
  isAbsent: (context: PaneContext<View>) => boolean = () => false,
): {
  readonly command: Command<PaneContext<View>, PaneOutcome<View>>;
  readonly menu: Menu<PaneContext<View>, PaneOutcome<View>>;
} {
  const menuId = 'related';
  return {
    command: {
      id: `${paneId}.related`,
      title: say`related`,
      help: 'What belongs to it: machine, contract, cluster, firewalls, volumes, environment, key pair; esc goes back.',
      keys: ['r'],
      group: 'Look',
      isInStatusBar: true,
      opens: menuId,
      isAbsent,
      disabledReason: context => {
        const here = relatedHere(context);
        if (here === undefined) return say`there is nothing under the cursor`;
        return here.groups.flatMap(choicesOf).length === 0 ? say`nothing else belongs to ${here.name}` : undefined;
      },
      run: () => ({kind: 'menu', menuId}),
    },
    menu: {
      id: menuId,
      title: context => say`related to ${relatedHere(context)?.name ?? say`nothing`}`,
      commands: [],
      choices: context =>
        (relatedHere(context)?.groups ?? [])
          .flatMap(choicesOf)
          .slice(0, KEYS.length)
          .map(({title, says, outcome}, index) => ({
            id: `${paneId}.related.${index}`,
            title,
            help: 'Opens it.',
            keys: [KEYS[index] ?? ''],
            group: 'Look',
            disabledReason: () => says,
            run: () => outcome,
          })),
    },
  };
}

type RelatedChoice = {
  readonly title: SafeText;
  /** Why it leads nowhere. */
  readonly says?: SafeText;
  readonly outcome: {readonly kind: 'done'} | Extract<PaneOutcome<never>, {kind: 'go'}>;
};

function choicesOf({kind, objects, filterText}: RelatedGroup): readonly RelatedChoice[] {
  const {words, shownIn} = resourceOf(kind);
  if (objects === undefined) return [{title: words.many, says: say`not read yet`, outcome: {kind: 'done'}}];
  if (shownIn === undefined) return [];
  const place = {kind: 'go', ...shownIn} as const;
  if (objects.length > MAX_OF_KIND && filterText !== undefined) {
    return [{title: say`${objects.length} ${words.many}`, outcome: {...place, filterText}}];
  }
  return objects.map(({id, name}) => ({title: say`${words.one} ${name}`, outcome: {...place, objectId: id}}));
}
