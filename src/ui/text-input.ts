import {graphemes} from '../terminal/glyphs.ts';
import {cut, type Line, widthOf} from './text.ts';
import type {Tone} from './theme.ts';

/** The text typed into one line. The cursor counts graphemes from the start, so it is never inside a character. */
export type TextInput = {
  readonly text: string;
  readonly cursor: number;
  /** In graphemes; further input is not accepted. */
  readonly maxLength: number;
  /** The whole text is selected: typing replaces it, and deleting clears it. */
  readonly isSelected?: boolean;
};

/** Longer than any useful name, address or filter, and short enough to stay fast. */
const MAX_LENGTH = 512;
const LINE_ENDS = /[\r\n\t\u2028\u2029]+/gu;
const NOT_TYPED = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;

export const emptyInput: TextInput = {text: '', cursor: 0, maxLength: MAX_LENGTH};

/** An input that already contains text, with the cursor at its end. */
export function inputWith(text: string, maxLength = MAX_LENGTH): TextInput {
  return insert({...emptyInput, maxLength}, text);
}

/** An input whose text a person may want to keep, change or replace. */
export function selectedInput(text: string, maxLength = MAX_LENGTH): TextInput {
  const input = inputWith(text, maxLength);
  return text === '' ? input : {...input, isSelected: true};
}

/** Inserts text at the cursor: a key or a paste. Line ends become blanks, control characters are dropped. */
export function insert(input: TextInput, typed: string): TextInput {
  if (input.isSelected === true) return insert(cleared(input), typed);
  const {before, after} = parts(input);
  const room = input.maxLength - before.length - after.length;
  const added = graphemes(typed.replace(LINE_ENDS, ' ').replace(NOT_TYPED, '')).slice(0, Math.max(0, room));
  // A combining mark joins the character before it, so the graphemes are counted again.
  const head = `${before.join('')}${added.join('')}`;
  return {...input, text: `${head}${after.join('')}`, cursor: graphemes(head).length};
}

export function backspace(input: TextInput): TextInput {
  if (input.isSelected === true) return cleared(input);
  const {before, after} = parts(input);
  return joined(input, before.slice(0, -1), after);
}

export function deleteForward(input: TextInput): TextInput {
  if (input.isSelected === true) return cleared(input);
  const {before, after} = parts(input);
  return joined(input, before, after.slice(1));
}

/** Deletes back to the start of the word before the cursor, as ctrl-w does in a shell. */
export function deleteWord(input: TextInput): TextInput {
  if (input.isSelected === true) return cleared(input);
  const {before, after} = parts(input);
  return joined(input, before.slice(0, wordStart(before)), after);
}

/** Deletes everything before the cursor, as ctrl-u does in a shell. */
export function deleteToStart(input: TextInput): TextInput {
  if (input.isSelected === true) return cleared(input);
  return joined(input, [], parts(input).after);
}

export function moveLeft(input: TextInput): TextInput {
  return at(input, Math.max(0, input.cursor - 1));
}

export function moveRight(input: TextInput): TextInput {
  return at(input, Math.min(graphemes(input.text).length, input.cursor + 1));
}

export function moveHome(input: TextInput): TextInput {
  return at(input, 0);
}

export function moveEnd(input: TextInput): TextInput {
  return at(input, graphemes(input.text).length);
}

/** The input in at most `width` cells with its cursor visible: the text scrolls under it. */
export function inputLine(input: TextInput, width: number, tone: Tone = 'strong'): Line {
  if (input.isSelected === true) return [{text: cut(input.text, width), tone: [tone, 'caret']}];
  const {before, after} = parts(input);
  const [covered = ' ', ...rest] = after;
  const under = cut(covered, width);
  let shown = before;
  while (shown.length > 0 && widthOf(shown.join('')) + widthOf(under) > width) shown = shown.slice(1);
  const tail: string[] = [];
  let left = width - widthOf(shown.join('')) - widthOf(under);
  for (const grapheme of rest) {
    left -= widthOf(grapheme);
    if (left < 0) break;
    tail.push(grapheme);
  }
  return [
    {text: shown.join(''), tone},
    {text: under, tone: [tone, 'caret']},
    {text: tail.join(''), tone},
  ];
}

function at(input: TextInput, cursor: number): TextInput {
  return {...input, cursor, isSelected: false};
}

function cleared(input: TextInput): TextInput {
  return {...input, text: '', cursor: 0, isSelected: false};
}

type TextParts = {readonly before: readonly string[]; readonly after: readonly string[]};

function parts(input: TextInput): TextParts {
  const all = graphemes(input.text);
  return {before: all.slice(0, input.cursor), after: all.slice(input.cursor)};
}

function joined(input: TextInput, before: readonly string[], after: readonly string[]): TextInput {
  return {...input, text: [...before, ...after].join(''), cursor: before.length};
}

function wordStart(before: readonly string[]): number {
  let index = before.length;
  while (index > 0 && !isWordPart(before[index - 1])) index -= 1;
  while (index > 0 && isWordPart(before[index - 1])) index -= 1;
  return index;
}

function isWordPart(grapheme: string | undefined): boolean {
  return grapheme !== undefined && /[\p{L}\p{N}_]/u.test(grapheme);
}
