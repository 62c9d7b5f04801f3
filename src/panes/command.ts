import type {Form} from '../actions/form.ts';
import type {Question} from '../actions/question.ts';
import type {SafeText} from '../domain/safe-text.ts';
import type {Finding} from '../domain/triage/finding.ts';
import type {Mute} from '../domain/triage/mute.ts';
import type {PlanStep} from '../state/plan.ts';
import type {Tone} from '../ui/theme.ts';

/** The groups of the key table, in the order help and README print them. */
export const COMMAND_GROUPS = ['Everywhere', 'Panes', 'Move', 'Look', 'Pick', 'Actions', 'Findings', 'Safety'] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

/**
 * A key binding as data. Dispatch, status bar, help, palette and the README's key table are all made from it.
 * A command never acts by itself: `run` gives an outcome, and `app/run-command` carries it out.
 */
export type Command<Context, CommandResult> = {
  readonly id: string;
  /** Two or three words, as the status bar shows them. */
  readonly title: SafeText;
  /** The status bar's words where the key means something else to what is under the cursor. */
  readonly titleHere?: (context: Context) => SafeText | undefined;
  /** One sentence for help. */
  readonly help: string;
  readonly keys: readonly string[];
  readonly group: CommandGroup;
  readonly isInStatusBar?: boolean;
  /** The menu this command opens: its commands are then reached with two keys. */
  readonly opens?: string;
  /** What a menu says behind the title: the price and the risk, before the key is pressed. */
  readonly consequence?: (context: Context) => SafeText | undefined;
  /** Why the key does not apply now; undefined where it does. */
  readonly disabledReason?: (context: Context) => SafeText | undefined;
  /** True where the pane shows what the key means nothing to: it stands in no hint then, and says so when pressed. */
  readonly isAbsent?: (context: Context) => boolean;
  readonly run: (context: Context) => CommandResult;
};

/** What a pane's command leads to; `view` is the pane's own new state, with a word about what is not seen at once. */
export type PaneOutcome<View> = {readonly kind: 'view'; readonly view: View; readonly says?: SafeText} | CommandResult;

export type CommandResult =
  | {readonly kind: 'done'}
  | {readonly kind: 'menu'; readonly menuId: string}
  | {readonly kind: 'ask'; readonly question: Question}
  | {readonly kind: 'form'; readonly form: Form}
  /** An action that starts a job and changes nothing: it needs no question. */
  | {readonly kind: 'send'; readonly step: PlanStep}
  /** Another pane, with the cursor on an object of its own; with the findings that led there, where some did. */
  | ({
      readonly kind: 'go';
      readonly paneId: string;
      readonly findings?: readonly Finding[];
      readonly says?: SafeText | undefined;
    } & Target)
  /** The person's own ssh takes the terminal, or tells what a machine's GPUs do, after a question. */
  | {
      readonly kind: 'ssh';
      readonly name: SafeText;
      readonly words: readonly string[];
      readonly shows: 'terminal' | 'gpus';
      readonly warnings: readonly SafeText[];
    }
  /** A text, and the lines below it where it has several. */
  | {readonly kind: 'copy'; readonly text: SafeText; readonly more?: readonly SafeText[]}
  /** Findings are counted alone from now on, or listed again. */
  | {readonly kind: 'mute'; readonly add: readonly Mute[]; readonly remove: readonly Mute[]; readonly says: SafeText}
  | {readonly kind: 'say'; readonly text: SafeText; readonly tone?: Tone};

/** Where the cursor goes in a pane: an object, or those that a filter finds; in the list of this title where it has several. */
export type Target = {
  readonly objectId?: number;
  /** Several, which are marked; `objectId` is the first of them. */
  readonly markedIds?: readonly number[];
  readonly filterText?: string;
  readonly part?: string;
};

/** Keys that count only while the menu is open; they are commands like all others. */
export type Menu<Context, CommandResult> = {
  readonly id: string;
  readonly title: (context: Context) => SafeText;
  readonly commands: readonly Command<Context, CommandResult>[];
  /** Further commands, where they depend on what is shown; help tells of the menu alone. */
  readonly choices?: (context: Context) => readonly Command<Context, CommandResult>[];
};
