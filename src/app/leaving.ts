import {wordsOf} from '../actions/actions.ts';
import {countedWords} from '../domain/listed-words.ts';
import {joinSafe, type SafeText, say} from '../domain/safe-text.ts';
import type {Outstanding} from './writes.ts';

const MAX_NAMED = 10;

/** What continues without the deck, and what ends with it although it was confirmed; undefined if there is neither. */
export function leavingWords({sent, unsent, secret}: Outstanding): SafeText | undefined {
  const operations = countedWords(sent.length, say`operation`);
  const continues = sent.length === 1 ? say`is under way and continues` : say`are under way and continue`;
  const actions = sent.length > 0 ? say`${unsent.length}` : countedWords(unsent.length, say`action`);
  const were = unsent.length === 1 ? say`was` : say`were`;
  const parts = [
    ...(sent.length > 0 ? [say`${operations} ${continues}`] : []),
    ...(unsent.length > 0 ? [say`${actions} ${were} not sent yet and will not be sent`] : []),
    ...(secret.length > 0 ? [secretWords(secret.length)] : []),
  ];
  return parts.length === 0 ? undefined : joinSafe(parts, '; ');
}

/** Short, so that a line of 80 columns that is cut in its middle still has all of it. */
function secretWords(count: number): SafeText {
  return count === 1 ? say`the secret key is not shown again` : say`${count} secret keys are not shown again`;
}

/** The same for the shell, after the deck has ended, with names; none if everything was sent. */
export function unsentLines(outstanding: Outstanding): readonly SafeText[] {
  const {unsent} = outstanding;
  const words = leavingWords({...outstanding, secret: []});
  if (words === undefined || unsent.length === 0) return [];
  const more = unsent.length - MAX_NAMED;
  return [
    say`skydeck: ${words}:`,
    ...unsent.slice(0, MAX_NAMED).map(confirmed => say`  ${wordsOf(confirmed)}`),
    ...(more > 0 ? [say`  and ${more} more`] : []),
  ];
}
