import {type SafeText, safeText, say} from './safe-text.ts';

/** One term of a filter expression as written, before its column, number or pattern is parsed. */
export type WrittenTerm = {
  /** The whole term, for error messages. */
  readonly text: string;
  readonly isNegated: boolean;
  readonly column?: string;
  readonly operator?: ':' | '>' | '<';
  readonly value: string;
  readonly form: 'word' | 'quoted' | 'pattern';
};

export type WrittenTerms =
  | {readonly ok: true; readonly terms: readonly WrittenTerm[]}
  | {readonly ok: false; readonly mistake: SafeText};

/**
 * An optional `!`, an optional column with operator, then optionally something "quoted" or a /pattern/, then everything
 * up to a space.
 */
const TERM = /(!*)(?:([^\s!"/:<>]+)([:<>]))?("[^"]*"?|\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])*\/?)?(\S*)/y;
const SPACE = /\s*/y;
const OPERATORS: Readonly<Record<string, ':' | '>' | '<'>> = {':': ':', '>': '>', '<': '<'};

/** Splits an expression into its terms; spaces inside quotes and patterns do not end one. */
export function cutTerms(expression: string): WrittenTerms {
  const terms: WrittenTerm[] = [];
  const end = expression.trimEnd().length;
  for (let at = after(SPACE, expression, 0); at < end; ) {
    const next = after(TERM, expression, at);
    const text = expression.slice(at, next);
    const term = readTerm(text);
    if (!term.ok) return {ok: false, mistake: say`${safeText(text)}: ${term.mistake}`};
    terms.push(term.term);
    at = after(SPACE, expression, next);
  }
  return {ok: true, terms};
}

function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

type OneTerm = {readonly ok: true; readonly term: WrittenTerm} | {readonly ok: false; readonly mistake: SafeText};

function readTerm(text: string): OneTerm {
  TERM.lastIndex = 0;
  const [, negation = '', column, operator = '', enclosed, rest = ''] = TERM.exec(text) ?? [];
  const known = {text, isNegated: negation.length % 2 === 1};
  const subject = column === undefined ? known : {...known, column, ...operatorOf(operator)};
  if (enclosed === undefined) return readWord(subject, rest);
  const mark = enclosed.startsWith('"') ? '"' : '/';
  const inside = enclosed.slice(1, -1);
  if (enclosed.length < 2 || !enclosed.endsWith(mark)) {
    return invalid(say`the closing ${safeText(mark)} is missing; without the first ${safeText(mark)} it is a word.`);
  }
  if (rest !== '') return invalid(say`put a space after the closing ${safeText(mark)}, or quote the whole text.`);
  if (inside === '') return invalid(say`there is nothing between the two ${safeText(mark)}.`);
  return {ok: true, term: {...subject, value: inside, form: mark === '"' ? 'quoted' : 'pattern'}};
}

function readWord(subject: Omit<WrittenTerm, 'value' | 'form'>, value: string): OneTerm {
  if (value === '') return invalid(say`write after it what to look for.`);
  if (subject.column === undefined && /^(?:[<>=]|:$)/.test(value))
    return invalid(say`name a column before it, as in cpu>80.`);
  return {ok: true, term: {...subject, value, form: 'word'}};
}

/** A column with the signs after it, as other query languages write them. */
const SIGNS_AFTER_COLUMN = /^(?<column>[^\s!"/:<>=~]+)(?<signs>[!=:<>~]+)(?<value>.*)$/;
/** More colons are part of an address: `ip:::1`. */
const KNOWN_SIGNS = /^(?::+|>|<)$/;

/** What a list knows: its columns, those with exact figures, and whether it understands an expression. */
type ListGrammar = {
  readonly isColumn: (name: string) => boolean;
  readonly isExact: (name: string) => boolean;
  readonly isValid: (expression: string) => boolean;
};

/** What is wrong with `state!=active` in a list that has that column; undefined for any other text. */
export function foreignOperator(
  {text, isNegated}: WrittenTerm,
  {isColumn, isExact, isValid}: ListGrammar,
): SafeText | undefined {
  const bare = text.replace(/^!+/, '');
  const {column = '', signs = '', value = ''} = SIGNS_AFTER_COLUMN.exec(bare)?.groups ?? {};
  if (KNOWN_SIGNS.test(signs) || !isColumn(column)) return undefined;
  const meant = {isNegated, column, signs, value};
  const exact = isExact(column) && NUMBER_ALONE.test(value) ? exactlyMeantBy(meant) : undefined;
  if (exact !== undefined) return say`${safeText(signs)} is not known; write ${exact}.`;
  const {instead, meaning} = meantBy(meant);
  const quoted = `"${bare}"`;
  const literal = isValid(quoted) ? say` For the text itself write ${safeText(quoted)}.` : say``;
  if (!isValid(instead))
    return say`${safeText(signs)} is not known. There are : > and <, and ! before a term.${literal}`;
  if (meaning !== undefined)
    return say`${safeText(signs)} is not known; there are : > and <, and ${safeText(instead)} is ${meaning}.`;
  // The suggestion comes first, so that a line of 80 cells shows it.
  return say`${safeText(signs)} is not known; write ${safeText(instead)}. There are : > and <, and ! before a term.${literal}`;
}

type ForeignTerm = {
  readonly isNegated: boolean;
  readonly column: string;
  readonly signs: string;
  readonly value: string;
};

const NUMBER_ALONE = /^\$?[\d.,]*\d$/;

/** Equality of a figure: its text would be found in others too, `10` in `110.00`. Undefined for other comparisons. */
function exactlyMeantBy({column, signs, value, ...term}: ForeignTerm): SafeText | undefined {
  const [isAbove, isBelow] = [signs.includes('>'), signs.includes('<')];
  if (isAbove !== isBelow) return undefined;
  const isNot = term.isNegated !== ((signs.split('!').length % 2 === 0) !== isAbove);
  const [below, above] = [safeText(`${column}<${value}`), safeText(`${column}>${value}`)];
  return isNot ? say`${below} or ${above}, for anything else` : say`!${below} !${above} for exactly that`;
}

/** The term that was probably meant, with its meaning where that is not obvious. */
function meantBy({isNegated, column, signs, value}: ForeignTerm): {
  readonly instead: string;
  readonly meaning?: SafeText;
} {
  const isNot = isNegated !== (signs.split('!').length % 2 === 0);
  const [isAbove, isBelow] = [signs.includes('>'), signs.includes('<')];
  const term = (isTermNegated: boolean, operator: string) => `${isTermNegated ? '!' : ''}${column}${operator}${value}`;
  // `<>` means "not equal".
  if (isAbove === isBelow) return {instead: term(isNot !== isAbove, ':')};
  if (!signs.includes('=')) return {instead: term(isNot, isAbove ? '>' : '<')};
  // "At least" means "not less than": the negation of the opposite operator.
  const instead = term(!isNot, isAbove ? '<' : '>');
  if (isNot) return {instead, meaning: isAbove ? say`less than that` : say`more than that`};
  return {instead, meaning: isAbove ? say`at least that much` : say`at most that much`};
}

function operatorOf(sign: string): Pick<WrittenTerm, 'operator'> {
  const operator = OPERATORS[sign];
  return operator === undefined ? {} : {operator};
}

function invalid(mistake: SafeText): {readonly ok: false; readonly mistake: SafeText} {
  return {ok: false, mistake};
}
