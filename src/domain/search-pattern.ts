import {type SafeText, safeText, say} from './safe-text.ts';

export type SearchPattern =
  | {readonly ok: true; readonly matches: (text: string) => boolean}
  | {readonly ok: false; readonly mistake: SafeText};

/** Characters searched of each text, the most that keeps within the steps. Names of machines end at 50. */
const SEARCHED_LENGTHS = [256, 128, 64, 50];
/** Tens of milliseconds of backtracking on a text made for the purpose; on names it is microseconds. */
const MAX_STEPS = 2_000_000;
/** A wider range is treated as endless. */
const MAX_COUNTED_WAYS = 16;

/** Escapes and classes, to pass over them; then what multiplies the ways to match: groups, repeats, alternatives. */
const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?|\)|[*+?]\??|\{(\d+)(,?)(\d*)\}\??|\|/gs;

type Ways = {readonly endless: number; readonly choices: number};

/**
 * A regular expression that ignores case. Backtracking can take hours, and would block the keyboard. So a repeat of what
 * varies by itself is refused, as are back references, and of each text only as much is searched as bounds the steps that
 * the remaining repeats and choices can take.
 */
export function searchPattern(source: string): SearchPattern {
  const ways = waysOf(source);
  if (typeof ways === 'string') return {ok: false, mistake: ways};
  const length = SEARCHED_LENGTHS.find(candidate => stepsOf(ways, candidate) <= MAX_STEPS);
  if (length === undefined)
    return {ok: false, mistake: say`it has too many repeats and alternatives (* + ? |); use fewer.`};
  try {
    const pattern = new RegExp(source, 'i');
    return {ok: true, matches: text => pattern.test(text.slice(0, length))};
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: /s, '').toLowerCase() : 'not understood';
    return {
      ok: false,
      mistake: say`not a regular expression (${safeText(reason)}); put a \\ before literal characters.`,
    };
  }
}

/** Endless repeats try every way to share out the text between them; each choice doubles that. */
function stepsOf({endless, choices}: Ways, length: number): number {
  let steps = length * 2 ** choices;
  for (let repeat = 1; repeat <= endless; repeat += 1) steps *= length / (repeat + 1);
  return steps;
}

function waysOf(source: string): Ways | SafeText {
  /** For each open group, whether it varies by itself. */
  const groups = [false];
  let varyingGroupEnd = -1;
  let ways: Ways = {endless: 0, choices: 0};
  for (const match of source.matchAll(TOKEN)) {
    const [token] = match;
    const isRepeat = /^[*+?{]/.test(token);
    if (isRepeat && match.index === varyingGroupEnd) return say`it repeats a group that itself repeats; simplify it.`;
    if (/^\\[1-9k]/.test(token)) return say`back-references are not supported.`;
    if (token.startsWith('(')) groups.push(false);
    const isVaryingGroup = token === ')' && groups.pop() === true;
    if (isVaryingGroup) varyingGroupEnd = match.index + 1;
    if (isRepeat || token === '|' || isVaryingGroup) groups[Math.max(0, groups.length - 1)] = true;
    ways = moreWays(ways, match);
  }
  return ways;
}

function moreWays({endless, choices}: Ways, [token, least, comma, most]: RegExpExecArray): Ways {
  if (/^[*+]/.test(token)) return {endless: endless + 1, choices};
  if (token === '|' || token.startsWith('?')) return {endless, choices: choices + 1};
  if (least === undefined || comma === '') return {endless, choices};
  const count = most ? Number(most) - Number(least) + 1 : Number.POSITIVE_INFINITY;
  return count > MAX_COUNTED_WAYS
    ? {endless: endless + 1, choices}
    : {endless, choices: choices + Math.log2(Math.max(1, count))};
}
