import {nameInWords} from '../../domain/safe-text.ts';
import type {ReactNode} from 'react';
import {callOf} from '../../actions/actions.ts';
import {awayReason} from '../../actions/question/assessment-input.ts';
import {sendableNow} from '../../actions/question/question-for.ts';
import type {Question} from '../../actions/question/question.ts';
import {describeOperation, knownOutcome, outcomeWords, phaseWords} from '../../domain/describe-operation.ts';
import {isEnded, isUnsent, isWithdrawn} from '../../domain/operation.ts';
import {SECOND_MS} from '../../domain/time.ts';
import type {Scene} from '../../panes/pane.ts';
import {
  canCancel,
  isUntouched,
  type Plan,
  type PlanProgress,
  type PlanStep,
  type PlanStepProgress,
  planCounts,
} from '../../state/operations/plan.ts';
import {Dialog, type DialogProps} from '../../ui/dialog.tsx';
import {meter} from '../../ui/gauge.ts';
import {fitLine, type Line, type Span, widthOf} from '../../ui/text.ts';
import type {Tone} from '../../ui/theme.ts';
import {hangingLines, wrapLine} from '../../ui/wrap.ts';
import {isArmed, NOT_ARMED, wayOut} from './confirm.ts';
import type {TerminalSize} from '../deck.ts';
import {BOX_KEYS, type Overlay} from './overlay.ts';
import {KEYS} from '../../actions/keys.ts';

const MAX_WIDTH = 110;
/** Edges and margins of a dialog. */
const EDGE_CELLS = 6;

type Props<Kind extends Overlay['kind']> = {
  readonly overlay: Extract<Overlay, {kind: Kind}>;
  readonly scene: Scene;
  readonly size: TerminalSize;
};

const UNLOCK_COLUMNS = 72;
const UNLOCK_WORDS = `This session is read-only. Writes are allowed for 15 minutes; ${KEYS.unlock} ends that early. Each action still asks for confirmation.`;

/** Asks before a read-only session may write for a while. */
export function UnlockBox({overlay, scene, size, message}: Props<'unlock'> & Pick<DialogProps, 'message'>): ReactNode {
  const isReady = isArmed(overlay, scene.monotonicNow);
  return (
    <Dialog
      title="allow writes for 15 minutes?"
      right={wayOut(overlay, scene.monotonicNow, 'esc = no')}
      lines={[
        ...wrapLine([{text: UNLOCK_WORDS}], Math.min(size.columns, UNLOCK_COLUMNS) - EDGE_CELLS),
        [],
        [{text: isReady ? `${KEYS.confirm} allows writes; other keys cancel` : NOT_ARMED, tone: 'dim'}],
      ]}
      choices={BOX_KEYS.unlock}
      message={message}
      {...size}
      theme={scene.theme}
      maxWidth={MAX_WIDTH}
      isLoud={true}
    />
  );
}

/** The exact requests, each with its subject. */
export function callLines(steps: Question['steps'], width: number): readonly Line[] {
  return steps.flatMap(({action, subjectName}, index): readonly Line[] => {
    const {method, path, body} = callOf(action);
    const request: Line = [
      {text: `${index + 1}: `, tone: 'dim'},
      {text: `${method} ${path}`, tone: 'strong'},
      {text: `  ${subjectName}`, tone: 'dim'},
    ];
    const sent: readonly Line[] = body === undefined ? [] : [[{text: `   ${JSON.stringify(body)}`, tone: 'dim'}]];
    return [request, ...sent].flatMap(line => wrapLine(line, width));
  });
}

/** The exact requests that would have been sent: the end of a dry run. */
export function CallsBox({overlay, scene, size, message}: Props<'calls'> & Pick<DialogProps, 'message'>): ReactNode {
  const width = Math.min(size.columns, MAX_WIDTH) - EDGE_CELLS;
  const calls = callLines(overlay.steps, width);
  const room = Math.max(1, size.rows - CALLS_FRAME_ROWS);
  const hidden = calls.length - room;
  const more: readonly Line[] =
    hidden > 0 ? [[{text: `and ${hidden} more lines; ${KEYS.copy} copies all of them`, tone: 'dim'}]] : [];
  return (
    <Dialog
      title="dry run: nothing was sent"
      right="esc = close"
      lines={[...calls.slice(0, room), ...more]}
      choices={BOX_KEYS.calls}
      message={message}
      {...size}
      theme={scene.theme}
      maxWidth={MAX_WIDTH}
      isLoud={true}
    />
  );
}

/** Title, blank line, choices, the line that says there is more. */
const CALLS_FRAME_ROWS = 6;
/** Edges, two blank lines, choices in two lines; plus a line above and below the box, so that messages stay visible. */
const PLAN_FRAME_ROWS = 8;
const MAX_BAR_CELLS = 30;
const MIN_BAR_CELLS = 10;
const MAX_SUBJECT_CELLS = 30;

/** The progress of a batch, and the state of each action. */
export function PlanBox({overlay, scene, size}: Props<'plan'>): ReactNode {
  const progress = overlay.plan.progress();
  const {steps} = progress;
  const width = Math.min(size.columns, MAX_WIDTH) - EDGE_CELLS;
  const head = [
    barLine(progress, scene, width),
    ...reasonLines(progress),
    ...waitLines(progress, scene),
    ...awayLines(overlay.plan, scene),
  ];
  const standing = head.flatMap(line => wrapLine(line, width));
  const room = Math.max(2, size.rows - PLAN_FRAME_ROWS - standing.length);
  const subjectCells = Math.min(MAX_SUBJECT_CELLS, Math.max(...steps.map(({step}) => widthOf(subjectText(step)))));
  const rows = steps.map((each): StepRow => {
    const {subject, outcome} = stepSpans(each, progress, scene, subjectCells);
    const whole = hangingLines(subject, [outcome], width);
    return {whole, cut: fitLine([...subject, outcome], width), tone: outcome.tone};
  });
  return (
    <Dialog
      title={overlay.title}
      right="esc = close"
      lines={[...standing, [], ...fitRows(rows, room)]}
      choices={planChoices(overlay.plan, scene)}
      {...size}
      theme={scene.theme}
      maxWidth={MAX_WIDTH}
    />
  );
}

type StepRow = {
  readonly whole: readonly Line[];
  /** The same in one line. */
  readonly cut: Line;
  readonly tone: StepTone;
};
type StepTone = Extract<Tone, 'danger' | 'warning' | 'text' | 'dim' | 'good'>;

/** What failed comes before what is under way, what waits and what was confirmed. */
const RANKS: Readonly<Record<StepTone, number>> = {danger: 0, warning: 0, text: 1, dim: 2, good: 3};

/**
 * The rows in at most `room` lines, in their order, and how many are not shown. The newest action begun and what failed
 * come first, then the whole reasons of those; the others have the lines that are left.
 */
function fitRows(rows: readonly StepRow[], room: number): readonly Line[] {
  const all = rows.flatMap(({whole}) => whole);
  if (all.length <= room) return all;
  const rankOf = ({tone}: StepRow) => RANKS[tone];
  // Of what was begun, the newest are the likeliest to be news; what waits is sent in its order.
  const begun = rows.filter(row => row.tone !== 'dim').toReversed();
  const waiting = rows.filter(row => row.tone === 'dim');
  const ranked = [...begun.slice(0, 1), ...[...begun.slice(1), ...waiting].sort((a, b) => rankOf(a) - rankOf(b))];
  const first = new Set(ranked.filter((row, index) => index === 0 || rankOf(row) === RANKS.danger));
  let left = room - 1;
  const shown = new Map<StepRow, readonly Line[]>();
  const show = (row: StepRow, lines: readonly Line[]) => {
    const more = lines.length - (shown.get(row)?.length ?? 0);
    if (more > left) return;
    left -= more;
    shown.set(row, lines);
  };
  for (const row of first) show(row, [row.cut]);
  for (const row of shown.keys()) show(row, row.whole);
  for (const row of ranked.filter(each => !first.has(each))) show(row, [row.cut]);
  const hidden = rows.length - shown.size;
  const more: readonly Line[] = hidden === 0 ? [] : [[{text: `and ${hidden} more`, tone: 'dim'}]];
  return [...rows.flatMap(row => shown.get(row) ?? []), ...more];
}

function barLine(progress: PlanProgress, {theme}: Scene, width: number): Line {
  const {done, underWay, failed, left} = planCounts(progress);
  const unknown = progress.steps.filter(isUnknown).length;
  const total = progress.steps.length;
  const words = [
    `${done} of ${total} confirmed`,
    ...(underWay > unknown ? [`${underWay - unknown} under way`] : []),
    ...(unknown > 0 ? [`${unknown} outcome unknown`] : []),
    ...failedWords(progress),
    ...(left > 0 ? [`${left} not sent`] : []),
  ].join(', ');
  const isInTrouble = failed + unknown > 0;
  const barCells = Math.max(MIN_BAR_CELLS, Math.min(MAX_BAR_CELLS, width - words.length - 2));
  return [
    ...meter(done, total, {
      width: barCells,
      glyphs: theme.glyphs,
      tone: isInTrouble ? 'warning' : 'good',
    }),
    {text: `  ${words}`, tone: isInTrouble ? 'warning' : 'text'},
  ];
}

/** How many ended in each way but confirmed: `1 refused`, `2 failed`. */
function failedWords({steps}: PlanProgress): readonly string[] {
  const failed = steps.flatMap(({operation}) => {
    const isFailed = operation && isEnded(operation.phase) && operation.phase !== 'CONFIRMED';
    return isFailed && !isUnsent(operation.phase) ? [phaseWords(operation)] : [];
  });
  return [...Map.groupBy(failed, words => words)].map(([words, alike]) => `${alike.length} ${words}`);
}

function isUnknown({operation}: PlanStepProgress): boolean {
  return operation !== undefined && knownOutcome(operation).phase === 'unknown';
}

function reasonLines(progress: PlanProgress): readonly Line[] {
  const {status, reason} = progress;
  if (status === 'cancelled') {
    const watched = planCounts(progress).underWay === 0 ? '' : '; operations already sent are still watched';
    return [[{text: `cancelled${watched}`, tone: 'warning'}]];
  }
  return reason === undefined ? [] : [[{text: `stopped: ${reason}`, tone: 'warning'}]];
}

/** Why the rest cannot be continued now, when that is because of the service. */
function awayLines(plan: Plan, scene: Scene): readonly Line[] {
  const away = awayReason(scene);
  if (away === undefined || plan.left().length === 0) return [];
  return [[{text: `${away}; r continues with the rest once it can`, tone: 'warning'}]];
}

/** What waits for the request budget, and for how long. */
function waitLines(progress: PlanProgress, {link}: Scene): readonly Line[] {
  const waitMs = link?.operationWaitMs ?? 0;
  const checked = progress.steps.filter(({operation}) => operation?.phase === 'preflight').length;
  const waiting = progress.steps.filter(isUntouched).length + checked;
  if (link === undefined || waitMs <= 0 || waiting === 0 || progress.status !== 'running') return [];
  const used = `${link.requestsLastMinute} of ${link.requestCeiling} a minute`;
  const next = `${waiting} ${waiting === 1 ? 'waits' : 'wait'}, next in ${Math.ceil(waitMs / SECOND_MS)} s`;
  return [[{text: `waiting for the request budget, ${used}; ${next}`, tone: 'warning'}]];
}

/** The object and the state of its action: words with a shape, never a colour alone. */
function stepSpans(
  {step, operation: begun, reason}: PlanStepProgress,
  {status}: PlanProgress,
  {theme}: Scene,
  subjectCells: number,
): {readonly subject: Line; readonly outcome: Span & {readonly tone: StepTone}} {
  // What is cancelled was not sent, whether or not its check had begun.
  const operation = status === 'cancelled' && begun !== undefined && isWithdrawn(begun) ? undefined : begun;
  const progress = operation === undefined ? undefined : describeOperation(operation);
  const mark = {
    good: theme.glyphs.check,
    danger: theme.glyphs.cross,
    warning: theme.glyphs.warning,
    text: theme.glyphs.states.transitional,
  };
  const tone: StepTone = progress?.tone ?? (reason === undefined ? 'dim' : 'warning');
  const sign = progress === undefined ? ' ' : mark[progress.tone];
  const known = operation === undefined ? undefined : knownOutcome(operation);
  const unsent = status === 'running' ? 'not sent yet' : 'not sent';
  const notBegun = reason === undefined ? unsent : `skipped: ${reason}`;
  const text = known === undefined ? notBegun : outcomeWords(known);
  const subject: Line = [
    {text: `${sign} `, tone},
    ...fitLine([{text: subjectText(step), tone: 'strong'}], subjectCells),
    {text: ' '},
  ];
  return {subject, outcome: {text, tone}};
}

function subjectText({action, subjectName}: PlanStep): string {
  return 'id' in action ? `${nameInWords(subjectName)} #${action.id}` : nameInWords(subjectName);
}

/** What can be done while it runs, and once it has stopped. */
export function planChoices(plan: Plan, scene: Scene): readonly {key: string; label: string}[] {
  const progress = plan.progress();
  const rest = sendableNow(plan.left(), scene).length;
  return [
    ...(canCancel(progress) ? [{key: 'x', label: 'cancel what is not sent'}] : []),
    ...(rest > 0 ? [{key: 'r', label: `continue with the rest: ${rest}`}] : []),
    {
      key: KEYS.back,
      label:
        progress.status === 'running'
          ? `close (continues in the background; ${KEYS.progress} shows it again)`
          : 'close',
    },
  ];
}
