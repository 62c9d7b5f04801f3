import type {ReactNode} from 'react';
import type {Fact, Question} from '../actions/question.ts';
import type {Scene} from '../panes/pane.ts';
import {Dialog, type DialogProps, dialogLines, isDialogCut} from '../ui/dialog.tsx';
import {fitLine, type Line, lineWidth, textOf} from '../ui/text.ts';
import {inputLine} from '../ui/text-input.ts';
import {wrapLine} from '../ui/wrap.ts';
import {isArmed} from './confirm.ts';
import {KEYS} from '../panes/keys.ts';
import type {OpenQuestion} from './overlay.ts';

const LABEL_CELLS = 14;
const MAX_WIDTH = 96;
/** The box's edges and margins. */
const EDGE_CELLS = 4;
const INPUT_CELLS = 30;

type Size = {readonly columns: number; readonly rows: number};

/** The question over the deck: all that is known about the action, and what has to be typed for a yes. */
export function QuestionBox({
  open,
  scene,
  size,
  isDryRun,
}: {
  readonly open: OpenQuestion;
  readonly isDryRun: boolean;
  readonly scene: Scene;
  readonly size: Size;
}): ReactNode {
  const props = questionDialog(open.question, size, scene, {...open, isDryRun});
  return <Dialog {...(isDialogCut(props) ? tooLarge(props) : props)} />;
}

type Shown = OpenQuestion & {readonly isDryRun: boolean};

/** Whether the whole question can be read: if not, it takes no yes. */
export function isQuestionVisible(question: Question, size: Size, scene: Scene): boolean {
  return !isDialogCut(questionDialog(question, size, scene));
}

/** The question as a dialog, as whole as it has room; `open` once it is on the screen and takes keys. */
export function questionDialog(question: Question, size: Size, scene: Scene, open?: Shown): DialogProps {
  const shorter = question.shorterFacts ?? [];
  const candidates = [question.facts, ...shorter].filter(
    (facts, index) => index === shorter.length || lineCount(facts) <= size.rows,
  );
  let dialog = dialogWith(candidates[0] ?? question.facts, question, {size, scene, open});
  for (const facts of candidates.slice(1)) {
    if (!isDialogCut(dialog)) break;
    dialog = dialogWith(facts, question, {size, scene, open});
  }
  return dialog;
}

function lineCount(facts: readonly Fact[]): number {
  return facts.reduce((sum, {lines}) => sum + lines.length, 0);
}

function dialogWith(
  shownFacts: readonly Fact[],
  question: Question,
  {size, scene, open}: {readonly size: Size; readonly scene: Scene; readonly open: Shown | undefined},
): DialogProps {
  const width = Math.min(size.columns, MAX_WIDTH) - EDGE_CELLS;
  const facts = shownFacts.flatMap(fact => factLines(fact, width));
  const props: DialogProps = {
    title: question.title,
    lines: [...facts, ...answerLines(question, {scene, open, width})],
    choices: [
      ...(question.answer.kind === 'key'
        ? [{key: 'y', label: open?.isDryRun === true ? 'show the calls' : 'send it', tone: 'strong' as const}]
        : []),
      ...question.alternatives.map(({key, title}) => ({key, label: title})),
      {key: 'esc', label: 'no'},
    ],
    ...size,
    theme: scene.theme,
    maxWidth: MAX_WIDTH,
    isLoud: question.answer.kind === 'text',
  };
  // The name and the id decide what is done: where the title has no room for both, they stand below it in full.
  const isTitleWhole = textOf(dialogLines(props)[0] ?? []).includes(question.title);
  if (isTitleWhole) return props;
  return {...props, lines: [...wrapLine([{text: question.title, tone: 'strong'}], width), ...props.lines]};
}

/** What cannot be read whole is not asked: the reason stands first, and there is no key for a yes. */
function tooLarge(props: DialogProps): DialogProps {
  const reason: Line = [{text: 'Too long for this terminal: enlarge it to answer.', tone: 'danger'}];
  return {...props, lines: [reason, ...props.lines], choices: [{key: 'esc', label: 'no'}]};
}

function factLines({label, lines}: Fact, width: number): readonly Line[] {
  const folded = lines.flatMap(line => wrapLine(line, width - LABEL_CELLS));
  return folded.map((line, index) => [
    ...fitLine([{text: index === 0 ? label : '', tone: 'dim'}], LABEL_CELLS),
    ...line,
  ]);
}

/** What a yes is here, and whether it is taken already. */
function answerLines(
  question: Question,
  {scene, open, width}: {readonly scene: Scene; readonly open: Shown | undefined; readonly width: number},
): readonly Line[] {
  const isReady = open !== undefined && isArmed(open, scene.monotonicNow);
  if (question.answer.kind === 'key') {
    const yes =
      open?.isDryRun === true
        ? `${KEYS.confirm} shows the calls; nothing is sent`
        : `${KEYS.confirm} sends it; other keys cancel`;
    const lines = wrapLine(
      [{text: `${yes}; ${KEYS.copy} copies it as a command, ${KEYS.copyCurl} as curl`, tone: 'dim'}],
      width,
    );
    // The lines stay when their words change, so that nothing jumps under the reader.
    return isReady ? lines : lines.map((_line, index) => [{text: index === 0 ? 'read first …' : '', tone: 'dim'}]);
  }
  const {what, expected} = question.answer;
  const prompt: Line = [
    {text: `type the ${what} `, tone: 'dim'},
    {text: expected, tone: 'strong'},
    {text: ' and enter: ', tone: 'dim'},
  ];
  const input = open === undefined ? [] : inputLine(open.input, Math.min(INPUT_CELLS, width));
  const fits = lineWidth(prompt) + INPUT_CELLS <= width;
  return fits ? [[...prompt, ...input]] : [...wrapLine(prompt, width), input];
}
