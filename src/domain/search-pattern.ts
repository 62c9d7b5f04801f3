import {type SafeText, safeText, say} from './safe-text.ts';

export type SearchPattern =
  | {readonly ok: true; readonly matches: (text: string) => boolean}
  | {readonly ok: false; readonly mistake: SafeText};

/** Characters searched in each text, chosen to bound the number of steps. Names of machines have at most 50. */
const SEARCHED_LENGTHS = [256, 128, 64, 50];
/** Tens of milliseconds of backtracking on a text made for the purpose; microseconds on names. */
const MAX_STEPS = 2_000_000;
/** A larger range counts as unlimited. */
const MAX_COUNTED_WAYS = 16;

/** Escapes and classes, to be skipped; then what multiplies the ways to match: groups, repeats, alternatives. */
const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?|\)|[*+?]\??|\{(\d+)(,?)(\d*)\}\??|\|/gs;

type Ways = {readonly endless: number; readonly choices: number};

/**
 * A case-insensitive regular expression. Backtracking could take hours and block the keyboard, so a repeated group that
 * varies itself is refused, as are back-references, and only a limited part of each text is searched, to bound the
 * steps of the remaining repeats and alternatives.
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

/** Unlimited repeats try every way to divide the text between them; each alternative doubles that. */
function stepsOf({endless, choices}: Ways, length: number): number {
  let steps = length * 2 ** choices;
  for (let repeat = 1; repeat <= endless; repeat += 1) steps *= length / (repeat + 1);
  return steps;
}

function waysOf(source: string): Ways | SafeText {
  /** For each open group, whether it varies. */
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
