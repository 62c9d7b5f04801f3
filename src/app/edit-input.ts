import {typedText} from '../terminal/keys.ts';
import {
  backspace,
  deleteForward,
  deleteToStart,
  deleteWord,
  insert,
  moveEnd,
  moveHome,
  moveLeft,
  moveRight,
  type TextInput,
} from '../ui/text-input.ts';

const EDITS: Readonly<Record<string, (input: TextInput) => TextInput>> = {
  backspace,
  delete: deleteForward,
  left: moveLeft,
  right: moveRight,
  home: moveHome,
  end: moveEnd,
  'ctrl-a': moveHome,
  'ctrl-e': moveEnd,
  'ctrl-u': deleteToStart,
  'ctrl-w': deleteWord,
};

/** The input after a key; undefined for a key that neither types nor edits. */
export function editInput(input: TextInput, key: string): TextInput | undefined {
  const edit = EDITS[key];
  if (edit !== undefined) return edit(input);
  const typed = typedText(key);
  return typed === undefined ? undefined : insert(input, typed);
}
