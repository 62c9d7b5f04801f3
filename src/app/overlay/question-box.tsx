import type {ReactNode} from 'react';
import {awayReason} from '../../actions/question/assessment-input.ts';
import {type Fact, fact, type Question} from '../../actions/question/question.ts';
import type {MonotonicMs} from '../../domain/time.ts';
import type {Scene} from '../../panes/pane.ts';
import {Dialog, type DialogProps, dialogLines, isDialogCut} from '../../ui/dialog.tsx';
import {fitLine, type Line, lineWidth, textOf} from '../../ui/text.ts';
import {inputLine} from '../../ui/text-input.ts';
import {wrapLine} from '../../ui/wrap.ts';
import {closingSeconds, isArmed, NOT_ARMED, wayOut} from './confirm.ts';
import {KEYS} from '../../actions/keys.ts';
import {type OpenQuestion, type PagesSeen, READING_START} from './overlay.ts';
import {callLines} from './write-boxes.tsx';
import type {Size} from '../../terminal/frame.ts';

const LABEL_CELLS = 14;
const MAX_WIDTH = 96;
/** The box's edges and margins. */
const EDGE_CELLS = 4;
const INPUT_CELLS = 30;

/** The question over the deck: everything known about the action, and what to type to confirm. */
export function QuestionBox({
  open,
  scene,
  size,
  isDryRun,
  message,
}: {
  readonly open: OpenQuestion;
  readonly isDryRun: boolean;
  readonly message: DialogProps['message'];
  readonly scene: Scene;
  readonly size: Size;
}): ReactNode {
  return <Dialog {...questionDialog(askedNow(open, scene), size, scene, {...open, isDryRun})} message={message} />;
}

/** The question, headed by why nothing can be sent now, and by what has changed since it was asked. */
function askedNow({question, outdated}: Pick<OpenQuestion, 'question' | 'outdated'>, scene: Scene): Question {
  const away = awayReason(scene);
  const first = [
    ...(away === undefined ? [] : [fact('away', [[{text: `${away}. ${MAY_BE_OLD}`, tone: 'danger'}]])]),
    ...(outdated === undefined ? [] : [fact('changed', [[{text: outdated.text, tone: 'danger'}]])]),
  ];
  if (first.length === 0) return question;
  const {facts, shorterFacts = []} = question;
  return {...question, facts: [...first, ...facts], shorterFacts: shorterFacts.map(each => [...first, ...each])};
}

const MAY_BE_OLD = 'What is said below may have changed since.';
const NO_ANSWER = 'no answer is taken now; esc cancels';

type ShownQuestion = Pick<OpenQuestion, 'shownAt' | 'lastKeyAt' | 'input' | 'reading' | 'outdated' | 'isAway'> & {
  readonly isDryRun: boolean;
};

/** Whether all of the question was visible, page by page; if not, it cannot be confirmed. */
export function isWhollyRead(open: OpenQuestion, size: Size, scene: Scene): boolean {
  const {askedPages} = layoutOf(askedNow(open, scene), {size, scene});
  return askedPages > 0 && open.reading.seenPages >= askedPages;
}

/** The page a key leads to; undefined for other keys, and if everything fits on one page. */
export function turnPage(open: OpenQuestion, key: string, size: Size, scene: Scene): PagesSeen | undefined {
  const step = PAGE_KEYS.get(key);
  if (step === undefined) return undefined;
  const {reading} = open;
  const {pages} = layoutOf(askedNow(open, scene), {size, scene});
  if (pages.length < 2) return undefined;
  const pageIndex = Math.min(Math.max(0, reading.pageIndex + step), Math.max(0, pages.length - 1));
  return {pageIndex, seenPages: Math.max(reading.seenPages, pageIndex + 1)};
}

const PAGE_KEYS: ReadonlyMap<string, number> = new Map([
  ['up', -1],
  ['pageup', -1],
  ['down', 1],
  ['pagedown', 1],
]);

/** The question as a dialog, in the longest form that fits; `open` once it is on the screen and takes keys. */
export function questionDialog(question: Question, size: Size, scene: Scene, open?: ShownQuestion): DialogProps {
  const dialog = dialogOf(question, size, scene, open);
  return open === undefined ? dialog : counted(dialog, open, scene.monotonicNow);
}

const USUAL_RIGHT = 'esc = no';

/** The remaining time near the end: it takes no room from the title, and the box keeps its width. */
function counted(dialog: DialogProps, open: ShownQuestion, now: MonotonicMs): DialogProps {
  const seconds = closingSeconds(open, now);
  if (seconds === undefined) return dialog;
  const topOf = (props: DialogProps) => textOf(dialogLines(props)[0] ?? []);
  const inWords = {...dialog, right: wayOut(open, now, USUAL_RIGHT)};
  const isAsWide = topOf(inWords).length === topOf(dialog).length;
  if (isAsWide && topOf(inWords).includes(dialog.title)) return inWords;
  return {...dialog, right: `${seconds} s`.padStart(USUAL_RIGHT.length)};
}

function dialogOf(question: Question, size: Size, scene: Scene, open: ShownQuestion | undefined): DialogProps {
  const {frame, pages, askedPages} = layoutOf(question, {size, scene, open});
  if (askedPages === 0) return tooLarge(frame.around([]));
  const {pageIndex, seenPages} = open?.reading ?? READING_START;
  const page = pages[pageIndex] ?? [];
  const place: readonly Line[] =
    pageIndex >= askedPages
      ? [
          [
            {
              text: `calls, page ${pageIndex - askedPages + 1} of ${pages.length - askedPages}; up goes back`,
              tone: 'dim',
            },
          ],
        ]
      : askedPages === 1
        ? []
        : [placeLine({pageIndex, askedPages, hasCalls: pages.length > askedPages})];
  const drawn = (text: readonly Line[]): DialogProps => {
    const dialog = frame.around([...text, ...place]);
    return seenPages >= askedPages ? dialog : unread(dialog);
  };
  // All pages have the same height, so nothing moves when pages turn or when the confirm keys appear.
  const missing = askedPages === 1 ? 0 : size.rows - dialogLines(drawn(page)).length;
  return drawn([...page, ...Array.from({length: missing}, (): Line => [])]);
}

function placeLine({pageIndex, askedPages, hasCalls}: QuestionPages): Line {
  const place = `page ${pageIndex + 1} of ${askedPages}; `;
  return pageIndex + 1 < askedPages
    ? [{text: place}, {text: 'down shows the rest', tone: 'warning'}]
    : [{text: `${place}up goes back${hasCalls ? ', down lists the calls' : ''}`, tone: 'dim'}];
}

type QuestionPages = {readonly pageIndex: number; readonly askedPages: number; readonly hasCalls: boolean};

/** No key confirms before all pages were shown. */
function unread(dialog: DialogProps): DialogProps {
  const others = dialog.choices?.filter(({key}) => key !== KEYS.confirm) ?? [];
  return {...dialog, choices: [{key: 'down', label: 'read on', tone: 'strong'}, ...others]};
}

type DrawnAt = {readonly size: Size; readonly scene: Scene; readonly open?: ShownQuestion | undefined};

/**
 * The part that is on every page, and the pages: first those of the question (none if there is no room), then, if a
 * text is typed to confirm so that an arrow cannot be meant for something else, its calls.
 */
type Layout = {
  readonly frame: Frame;
  readonly askedPages: number;
  readonly pages: readonly (readonly Line[])[];
};

function layoutOf(question: Question, at: DrawnAt): Layout {
  const {size} = at;
  const frame = frameOf(question, at);
  const asked = factsFor(question, size, frame).flatMap(fact => factLines(fact, frame.width));
  const isWhole = !isDialogCut(frame.around(asked));
  // The line below a page says which part of the question it is.
  const frames = [frame.around([]), unread(frame.around([]))];
  const room = size.rows - Math.max(...frames.map(props => dialogLines({...props, rows: MAX_ROWS}).length)) - 1;
  const isTooLarge = !isWhole && (room < MIN_PAGE_ROWS || isDialogCut(frame.around(asked.slice(0, room))));
  const askedPages = isTooLarge ? [] : isWhole ? [asked] : pagesOf(asked, room);
  const hasCalls = question.answer.kind === 'text' && askedPages.length > 0;
  const calls = hasCalls ? pagesOf(callLines(question.steps, frame.width), Math.max(1, room)) : [];
  return {frame, askedPages: askedPages.length, pages: [...askedPages, ...calls]};
}

const MAX_ROWS = 1000;
const MIN_PAGE_ROWS = 2;

/** Each page is as long as fits, so that nothing jumps; the last overlaps the one before it if necessary. */
function pagesOf(lines: readonly Line[], room: number): readonly (readonly Line[])[] {
  const last = Math.max(0, lines.length - room);
  return Array.from({length: Math.max(1, Math.ceil(lines.length / room))}, (_, index) => {
    const start = Math.min(index * room, last);
    return lines.slice(start, start + room);
  });
}

/** The shorter forms are made for this many rows; with fewer they would hide names just to save a page. */
const SHORTENED_FROM_ROWS = 24;

/** The longest form that fits. If none fits, all of it, page by page, so that every name is read before an answer. */
function factsFor({facts, shorterFacts = []}: Question, {rows}: Size, frame: Frame): readonly Fact[] {
  if (rows < SHORTENED_FROM_ROWS) return facts;
  const candidates = [facts, ...shorterFacts].filter(each => lineCount(each) <= rows);
  const fitting = candidates.find(
    each => !isDialogCut(frame.around(each.flatMap(fact => factLines(fact, frame.width)))),
  );
  return fitting ?? facts;
}

function lineCount(facts: readonly Fact[]): number {
  return facts.reduce((sum, {lines}) => sum + lines.length, 0);
}

/** The action and its subject, how to answer, and the keys, around a text. */
type Frame = {readonly width: number; readonly around: (text: readonly Line[]) => DialogProps};

function frameOf(question: Question, {size, scene, open}: DrawnAt): Frame {
  const width = Math.min(size.columns, MAX_WIDTH) - EDGE_CELLS;
  const answer = answerLines(question, {scene, open, width});
  const isOver = open?.outdated?.isOver === true;
  const propsOf = (lines: readonly Line[]): DialogProps => ({
    title: question.title,
    lines,
    choices: isOver
      ? [{key: KEYS.back, label: 'close'}]
      : [
          ...(question.answer.kind === 'key' && open?.isAway !== true
            ? [
                {
                  key: KEYS.confirm,
                  label: open?.isDryRun === true ? 'show the calls' : 'send it',
                  tone: 'strong' as const,
                },
              ]
            : []),
          ...question.alternatives.map(({key, title}) => ({key, label: title})),
          {key: KEYS.back, label: 'no'},
        ],
    ...size,
    theme: scene.theme,
    maxWidth: MAX_WIDTH,
    isLoud: question.answer.kind === 'text',
  });
  const around = (text: readonly Line[]): DialogProps => {
    const props = propsOf([...text, ...answer]);
    // Name and id decide what is affected, so if the title has no room for both, they are shown below it in full.
    const isTitleWhole = textOf(dialogLines(props)[0] ?? []).includes(question.title);
    if (isTitleWhole) return props;
    return {...props, lines: [...wrapLine([{text: question.title, tone: 'strong'}], width), ...props.lines]};
  };
  return {width, around};
}

/** A question that cannot be read is not asked: the reason comes first, and no key confirms. */
function tooLarge(props: DialogProps): DialogProps {
  const reason: Line = [{text: 'Too long for this terminal: enlarge it to answer.', tone: 'danger'}];
  return {...props, lines: [reason, ...props.lines], choices: [{key: KEYS.back, label: 'no'}]};
}

function factLines({label, lines}: Fact, width: number): readonly Line[] {
  const folded = lines.flatMap(line => wrapLine(line, width - LABEL_CELLS));
  return folded.map((line, index) => [
    ...fitLine([{text: index === 0 ? label : '', tone: 'dim'}], LABEL_CELLS),
    ...line,
  ]);
}

/** How to answer yes, or that no answer is taken yet or now. */
function answerLines(
  question: Question,
  {scene, open, width}: {readonly scene: Scene; readonly open: ShownQuestion | undefined; readonly width: number},
): readonly Line[] {
  if (open?.outdated?.isOver === true) return [];
  const how = howToAnswer(question, {open, width});
  const isReady = open === undefined || isArmed(open, scene.monotonicNow);
  const instead = open?.isAway === true ? NO_ANSWER : isReady ? undefined : NOT_ARMED;
  // The lines stay when their text changes, so that nothing jumps while it is read.
  return instead === undefined ? how : how.map((_line, index) => [{text: index === 0 ? instead : '', tone: 'dim'}]);
}

function howToAnswer(
  question: Question,
  {open, width}: {readonly open: ShownQuestion | undefined; readonly width: number},
): readonly Line[] {
  if (question.answer.kind === 'key') {
    const yes =
      open?.isDryRun === true
        ? `${KEYS.confirm} shows the calls; nothing is sent`
        : `${KEYS.confirm} sends it; other keys cancel`;
    return wrapLine(
      [{text: `${yes}; ${KEYS.copy} copies it as a command, ${KEYS.copyCurl} as curl`, tone: 'dim'}],
      width,
    );
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
