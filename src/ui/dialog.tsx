import {Box} from 'ink';
import type {ReactNode} from 'react';
import {frameBox, innerWidth} from './frame-box.ts';
import {Lines} from './lines.tsx';
import {cutSubject, type Line, lineWidth, type Span, widthOf} from './text.ts';
import type {Theme, Tone} from './theme.ts';

type Choice = {readonly key: string; readonly label: string; readonly tone?: Tone};

export type DialogProps = {
  readonly title: string;
  /** At the right of the top edge; by default how to close it. */
  readonly right?: string;
  readonly lines: readonly Line[];
  readonly choices?: readonly Choice[];
  /** Takes the blank line above the choices, cut in the middle. */
  readonly message?: Span | undefined;
  /** The size of the terminal; the dialog is centred in it. */
  readonly columns: number;
  readonly rows: number;
  readonly theme: Theme;
  readonly maxWidth?: number;
  /** Drawn in the danger style. */
  readonly isLoud?: boolean;
};

const MAX_WIDTH = 74;
const MIN_WIDTH = 24;
/** On both sides together; with less room the dialog takes the whole width. */
const MIN_MARGIN_CELLS = 6;
/** Above the panes, whose lines are on layer 0. */
const DIALOG_LAYER = 1;
const MARGIN: Span = {text: ' '};

/** A box over the deck. What it covers stays mounted. */
export function Dialog(props: DialogProps): ReactNode {
  const {columns, rows} = props;
  const lines = dialogLines(props);
  const width = dialogWidth(props);
  return (
    <Box
      position="absolute"
      left={Math.max(0, Math.floor((columns - width) / 2))}
      top={Math.max(0, Math.floor((rows - lines.length) / 2))}
      width={width}
      height={lines.length}
    >
      <Lines lines={lines} width={width} theme={props.theme} layer={DIALOG_LAYER} />
    </Box>
  );
}

/**
 * The dialog as lines of equal width. It never exceeds the terminal: lines that do not fit are left out at the end of
 * the text. `isDialogCut` says so, since a question whose text is incomplete must not be answered.
 */
export function dialogLines(props: DialogProps): readonly Line[] {
  const height = Math.min(props.rows, neededHeight(props));
  const choices = choiceLines(props);
  const room = Math.max(0, height - 2 - choices.length);
  const inside = [...props.lines.slice(0, room), ...choices].map(line => [MARGIN, ...line]);
  return frameBox(inside, {
    title: [{text: props.title, tone: props.isLoud === true ? 'loud' : 'title'}],
    right: props.right ?? 'esc = no',
    width: dialogWidth(props),
    height,
    theme: props.theme,
    isFocused: true,
  });
}

export function isDialogCut(props: DialogProps): boolean {
  const room = textWidth(props);
  return neededHeight(props) > props.rows || props.lines.some(line => lineWidth(line) > room);
}

type Wide = Pick<DialogProps, 'columns' | 'maxWidth' | 'lines' | 'choices' | 'message' | 'title' | 'right'>;

/** The width of a line of text inside the dialog. */
function textWidth(props: Wide): number {
  return Math.max(0, innerWidth(dialogWidth(props)) - 2);
}

function dialogWidth(props: Wide): number {
  const widest = Math.max(
    ...props.lines.map(lineWidth),
    widthOf(props.message?.text ?? ''),
    widthOf(props.title) + widthOf(props.right ?? 'esc = no') + 6,
    MIN_WIDTH,
  );
  const width = Math.min(props.columns, props.maxWidth ?? MAX_WIDTH, widest + 4);
  // Its edges would touch those of the pane.
  return props.columns - width < MIN_MARGIN_CELLS ? props.columns : width;
}

function neededHeight(props: DialogProps): number {
  return 2 + props.lines.length + choiceLines(props).length;
}

/** The message or a blank line, and `[y] stop   [esc] cancel`, on as many lines as needed. */
function choiceLines(props: DialogProps): readonly Line[] {
  const {message} = props;
  if (props.choices === undefined || props.choices.length === 0) return [];
  const room = textWidth(props);
  const lines: Span[][] = [[]];
  for (const choice of props.choices) {
    const spans: readonly Span[] = [
      {text: `[${choice.key}]`, tone: 'key'},
      {text: ` ${choice.label}`, ...toneOf(choice)},
    ];
    const line = lines.at(-1) ?? [];
    if (line.length > 0 && lineWidth(line) + 3 + lineWidth(spans) > room) lines.push([...spans]);
    else line.push(...(line.length > 0 ? [{text: '   '}] : []), ...spans);
  }
  const first: Line = message === undefined ? [] : [{...message, text: cutSubject(message.text, room)}];
  return [first, ...lines];
}

function toneOf(choice: Choice): {readonly tone?: Tone} {
  return choice.tone === undefined ? {} : {tone: choice.tone};
}
