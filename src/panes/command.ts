import type {Question} from '../actions/question.ts';
import type {SafeText} from '../domain/safe-text.ts';
import type {PlanStep} from '../state/plan.ts';
import type {Want} from '../state/poll-schedule.ts';
import type {FormField, FormValues} from '../ui/form.ts';
import type {Line} from '../ui/text.ts';
import type {Tone} from '../ui/theme.ts';

/** The groups of the key table, in the order help and README print them. */
export const COMMAND_GROUPS = ['Everywhere', 'Panes', 'Move', 'Look', 'Pick', 'Actions', 'Safety'] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

/**
 * A key binding as data. Dispatch, status bar, help, palette and the README's key table are all made from it.
 * A command never acts by itself: `run` gives an outcome, and `app/run-command` carries it out.
 */
export type Command<Context, CommandResult> = {
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
  /** True where the pane shows what the key means nothing to: it stands in no hint then, and says so when pressed. */
  readonly isAbsent?: (context: Context) => boolean;
  readonly run: (context: Context) => CommandResult;
};

/** What a pane's command leads to; `view` is the pane's own new state. */
export type PaneOutcome<View> = {readonly kind: 'view'; readonly view: View} | CommandResult;

export type CommandResult =
  | {readonly kind: 'done'}
  | {readonly kind: 'menu'; readonly menuId: string}
  | {readonly kind: 'ask'; readonly question: Question}
  | {readonly kind: 'form'; readonly form: Form}
  /** An action that starts a job and changes nothing: it needs no question. */
  | {readonly kind: 'send'; readonly step: PlanStep}
  /** Another pane, with the cursor on an object of its own. */
  | {readonly kind: 'go'; readonly paneId: string; readonly objectId: number}
  | {readonly kind: 'copy'; readonly text: SafeText}
  | {readonly kind: 'say'; readonly text: SafeText; readonly tone?: Tone};

/** Keys that count only while the menu is open; they are commands like all others. */
export type Menu<Context, CommandResult> = {
  readonly id: string;
  readonly title: (context: Context) => SafeText;
  readonly commands: readonly Command<Context, CommandResult>[];
};

/** What is typed before there is a question: checked as it is typed, and nothing is sent by it. */
export type Form = {
  readonly title: SafeText;
  readonly fields: readonly FormField[];
  /** The fields anew after each key and each reading, where what can be chosen in one depends on another. */
  readonly fieldsFor?: (values: FormValues) => readonly FormField[];
  /** What is read while the form is open. */
  readonly wants?: (values: FormValues, present: string | undefined) => readonly Want[];
  readonly check: (values: FormValues) => FormCheck;
};

export type FormCheck = {
  /** By the field's key: what is wrong in it. */
  readonly mistakes: Readonly<Record<string, string>>;
  /** What a careful eye would ask about. */
  readonly notes: readonly Line[];
  /** What enter leads to; absent while something is wrong. */
  readonly question: Question | undefined;
};
