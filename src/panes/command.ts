import type {Form} from '../actions/forms/form.ts';
import type {Question} from '../actions/question/question.ts';
import type {SafeText} from '../domain/safe-text.ts';
import type {Finding} from '../domain/triage/finding.ts';
import type {Mute} from '../domain/triage/mute.ts';
import type {PlanStep} from '../state/operations/plan.ts';
import type {Tone} from '../ui/theme.ts';

/** The groups of the key table, in the order that help and README use. */
export const COMMAND_GROUPS = ['Everywhere', 'Panes', 'Move', 'Look', 'Pick', 'Actions', 'Findings', 'Safety'] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

/**
 * A key binding as data. Dispatch, status bar, help, palette and the README's key table are all made from it. A command
 * never acts by itself: `run` returns a result, and `app/run-pane-command` carries it out.
 */
export type Command<Context, CommandResult> = {
  readonly id: string;
  /** Two or three words, for the status bar. */
  readonly title: SafeText;
  /** The status bar's words if the key means something else for what is under the cursor. */
  readonly titleHere?: (context: Context) => SafeText | undefined;
  /** One sentence for help. */
  readonly help: string;
  /** The titles of the lists it is about, for help and its search; absent if the help says so. */
  readonly lists?: readonly SafeText[];
  readonly keys: readonly string[];
  readonly group: CommandGroup;
  readonly isInStatusBar?: boolean;
  /** The menu this command opens; its commands are then reached with two keys. */
  readonly opens?: string;
  /**
   * What a menu says after the title: the price and the risk, before the key is pressed; for several objects with their
   * number, unless that is named beside it.
   */
  readonly consequence?: (context: Context, options?: {readonly isCountNamed: boolean}) => SafeText | undefined;
  /** To how many of the chosen objects it applies. */
  readonly ableCount?: (context: Context) => number | undefined;
  /** Why the key is disabled now; undefined if it is not. */
  readonly disabledReason?: (context: Context) => SafeText | undefined;
  /** True if the key means nothing to what the pane shows: it is left out of hints, and says so when pressed. */
  readonly isAbsent?: (context: Context) => boolean;
  readonly run: (context: Context) => CommandResult;
};

/**
 * The result of a pane's command. `view` is the pane's new state, with a message if the change is not visible at once.
 */
export type PaneOutcome<View> = {readonly kind: 'view'; readonly view: View; readonly says?: SafeText} | CommandResult;

export type CommandResult =
  | {readonly kind: 'done'}
  | {readonly kind: 'menu'; readonly menuId: string}
  | {readonly kind: 'ask'; readonly question: Question}
  | {readonly kind: 'form'; readonly form: Form}
  /** An action that starts a job and changes nothing: it needs no question. */
  | {readonly kind: 'send'; readonly step: PlanStep}
  /** Another pane, with the cursor on an object, and the findings that led there, if any. */
  | ({
      readonly kind: 'go';
      readonly paneId: string;
      readonly findings?: readonly Finding[];
      readonly says?: SafeText | undefined;
    } & Target)
  /** The person's own ssh takes the terminal, or shows the GPUs of a machine, after a question. */
  | {
      readonly kind: 'ssh';
      readonly name: SafeText;
      readonly words: readonly string[];
      readonly shows: 'terminal' | 'gpus';
      readonly warnings: readonly SafeText[];
    }
  /** A text, with further lines if there are several. */
  | {
      readonly kind: 'copy';
      readonly text: SafeText;
      readonly more?: readonly SafeText[];
      /** What to do if all of it is too long for a clipboard. */
      readonly instead?: SafeText;
    }
  /** Mutes findings (counted but not listed), or lists them again. */
  | {
      readonly kind: 'mute';
      readonly add: readonly Mute[];
      readonly remove: readonly Mute[];
      readonly says: SafeText;
      /** Said when it is undone, if that is more than that it was. */
      readonly undone?: SafeText;
    }
  | {readonly kind: 'say'; readonly text: SafeText; readonly tone?: Tone};

/**
 * Where a jump puts the cursor in a pane: on an object, or on those a filter finds; `list` is the title of the list if
 * there are several.
 */
export type Target = {
  readonly objectId?: number;
  /** Several objects, which are marked; `objectId` is the first. */
  readonly markedIds?: readonly number[];
  readonly filterText?: string;
  readonly part?: string;
};

/** Keys that work only while the menu is open; they are commands like all others. */
export type Menu<Context, CommandResult> = {
  readonly id: string;
  readonly title: (context: Context) => SafeText;
  readonly commands: readonly Command<Context, CommandResult>[];
  /** Further commands that depend on what is shown; help lists only the menu. */
  readonly choices?: (context: Context) => readonly Command<Context, CommandResult>[];
};
