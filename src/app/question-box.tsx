import type {ReactNode} from 'react';
import type {Fact, Question} from '../panes/command.ts';
import type {Scene} from '../panes/pane.ts';
import {Dialog, type DialogProps, isDialogCut} from '../ui/dialog.tsx';
import {fitLine, type Line} from '../ui/text.ts';
import {inputLine} from '../ui/text-input.ts';
import {wrapLine} from '../ui/wrap.ts';
import {isArmed} from './confirm.ts';
import type {OpenQuestion} from './overlay.ts';

const LABEL_CELLS = 14;
const MAX_WIDTH = 96;
/** The box's edges and margins. */
const EDGE_CELLS = 4;
const INPUT_CELLS = 30;

type Size = {readonly columns: number; readonly rows: number};

/** The question over the deck: all that is known about the act, and what has to be typed for a yes. */
export function QuestionBox({
  open,
  scene,
  size,
}: {
  readonly open: OpenQuestion;
  readonly scene: Scene;
  readonly size: Size;
}): ReactNode {
  const props = dialogProps(open.question, size, scene, open);
  return <Dialog {...(isDialogCut(props) ? tooLarge(props) : props)} />;
}

/** Whether the whole question can be read: if not, it takes no yes. */
export function isQuestionVisible(question: Question, size: Size, scene: Scene): boolean {
  return !isDialogCut(dialogProps(question, size, scene));
}

function dialogProps(question: Question, size: Size, scene: Scene, open?: OpenQuestion): DialogProps {
  const width = Math.min(size.columns, MAX_WIDTH) - EDGE_CELLS;
  const facts = question.facts.flatMap(fact => factLines(fact, width));
  const answer = answerLines(question, scene, open).flatMap(line => wrapLine(line, width));
  return {
    title: question.title,
    lines: [...facts, ...answer],
    choices: [
      ...(question.answer.kind === 'key' ? [{key: 'y', label: 'send it', tone: 'strong' as const}] : []),
      ...question.alternatives.map(({key, title}) => ({key, label: title})),
      {key: 'esc', label: 'no'},
    ],
    ...size,
    theme: scene.theme,
    maxWidth: MAX_WIDTH,
    isLoud: question.answer.kind === 'text',
  };
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
function answerLines(question: Question, scene: Scene, open: OpenQuestion | undefined): readonly Line[] {
  const isReady = open !== undefined && isArmed(open, scene.monotonicNow);
  // The line stays when its words change, so that nothing jumps under the reader.
  if (question.answer.kind === 'key') {
    return [[{text: isReady ? 'y sends it; every other key sends nothing' : 'read first …', tone: 'dim'}]];
  }
  return [
    [
      {text: `type the ${question.answer.what} `, tone: 'dim'},
      {text: question.answer.expected, tone: 'strong'},
      {text: ' and enter: ', tone: 'dim'},
      ...(open === undefined ? [] : inputLine(open.input, INPUT_CELLS)),
    ],
  ];
}
