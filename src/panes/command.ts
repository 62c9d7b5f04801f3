import type {SafeText} from '../domain/safe-text.ts';
import type {Confirmed} from '../state/operation.ts';
import type {Line} from '../ui/text.ts';
import type {Tone} from '../ui/theme.ts';

/** The groups of the key table, in the order help and README print them. */
export const COMMAND_GROUPS = ['Everywhere', 'Panes', 'Move', 'Look', 'Pick', 'Act'] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

/**
 * A key binding as data. Dispatch, status bar, help, palette and the README's key table are all made from it.
 * A command never acts by itself: `run` gives an outcome, and `app/run-command` carries it out.
 */
export type Command<Context, Outcome> = {
  readonly id: string;
  /** Two or three words, as the status bar shows them. */
  readonly title: SafeText;
  /** One sentence for help. */
  readonly help: string;
  readonly keys: readonly string[];
  readonly group: CommandGroup;
  /** `operation` leads to a request that changes something: always through a question. */
  readonly effect: 'view' | 'operation';
  readonly isInStatusBar?: boolean;
  /** The menu this command opens: its commands are then reached with two keys. */
  readonly opens?: string;
  /** What a menu says behind the title: the price and the risk, before the key is pressed. */
  readonly consequence?: (context: Context) => SafeText | undefined;
  /** Why the key does not apply now; undefined where it does. */
  readonly disabledReason?: (context: Context) => SafeText | undefined;
  readonly run: (context: Context) => Outcome;
};

/** What a pane's command leads to; `view` is the pane's own new state. */
export type PaneOutcome<View> = {readonly kind: 'view'; readonly view: View} | Outcome;

export type Outcome =
  | {readonly kind: 'done'}
  | {readonly kind: 'menu'; readonly menuId: string}
  | {readonly kind: 'ask'; readonly question: Question}
  /** Another pane, with the cursor on an object of its own. */
  | {readonly kind: 'go'; readonly paneId: string; readonly objectId: number}
  | {readonly kind: 'copy'; readonly text: SafeText}
  | {readonly kind: 'say'; readonly text: SafeText; readonly tone?: Tone};

/** Keys that count only while the menu is open; they are commands like all others. */
export type Menu<Context, Outcome> = {
  readonly id: string;
  readonly title: (context: Context) => SafeText;
  readonly commands: readonly Command<Context, Outcome>[];
};

/** What is asked before anything is sent: what will happen, what it costs, and what has to be typed. */
export type Question = {
  readonly title: SafeText;
  readonly facts: readonly Fact[];
  readonly answer: Answer;
  /** Another act on its own key, for example the cheaper one. */
  readonly alternatives: readonly {readonly key: string; readonly title: SafeText; readonly question: Question}[];
  /** The act, and the state in which it was shown. */
  readonly confirmed: Confirmed;
};

export type Fact = {readonly label: string; readonly lines: readonly Line[]};

/** The weight of the confirmation: one key for what can be undone, the full name for what cannot. */
export type Answer = {readonly kind: 'key'} | {readonly kind: 'text'; readonly expected: SafeText};
