import type {Key} from 'ink';

/** The part of Ink's key event that we read. */
export type InkKey = Pick<
  Key,
  | 'upArrow'
  | 'downArrow'
  | 'leftArrow'
  | 'rightArrow'
  | 'pageDown'
  | 'pageUp'
  | 'home'
  | 'end'
  | 'return'
  | 'escape'
  | 'ctrl'
  | 'shift'
  | 'tab'
  | 'backspace'
  | 'delete'
  | 'meta'
>;

const NAMED: readonly (readonly [keyof InkKey, string])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageDown', 'pagedown'],
  ['pageUp', 'pageup'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'esc'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
];

const segmenter = new Intl.Segmenter('en', {granularity: 'grapheme'});

/**
 * The keys of one input event, in order: `j`, `G`, `enter`, `ctrl-d`, `shift-tab`. Over a slow line several keys arrive
 * as one event (`jjj`, `\rq`), and Escape followed at once by a letter arrives as meta-letter: both are taken apart.
 */
export function keyNames(input: string, key: InkKey): readonly string[] {
  if (key.tab) return [key.shift ? 'shift-tab' : 'tab'];
  for (const [flag, name] of NAMED) {
    if (key[flag]) return key.meta && name !== 'esc' ? ['esc', name] : [name];
  }
  if (key.ctrl && input.length > 0) {
    const name = input === ' ' ? 'ctrl-space' : `ctrl-${input}`;
    return key.meta ? ['esc', name] : [name];
  }
  const typed = [...segmenter.segment(input)].flatMap(({segment}) => characterKeys(segment));
  return key.meta ? ['esc', ...typed] : typed;
}

function characterKeys(grapheme: string): readonly string[] {
  if (grapheme === '\r' || grapheme === '\n') return ['enter'];
  // The segmenter keeps these two together.
  if (grapheme === '\r\n') return ['enter'];
  if (grapheme === '\t') return ['tab'];
  if (grapheme === ' ') return ['space'];
  if (grapheme === '\u001b') return ['esc'];
  if (grapheme === '\u007f' || grapheme === '\b') return ['backspace'];
  const code = grapheme.codePointAt(0) ?? 0;
  if (code < 0x20) return [`ctrl-${String.fromCodePoint(code + 0x60)}`];
  return [grapheme];
}

/** The text a key types into an input, or undefined for a key that only moves or acts. */
export function typedText(key: string): string | undefined {
  if (key === 'space') return ' ';
  return [...segmenter.segment(key)].length === 1 ? key : undefined;
}
