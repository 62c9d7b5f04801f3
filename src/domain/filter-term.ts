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
  if (isComparison(subject.operator) && value.startsWith('=')) return invalid(orEqualMistake(subject, value.slice(1)));
  const more = subject.operator === undefined ? undefined : MORE_OF_OPERATOR.exec(value);
  if (more?.groups !== undefined) {
    const {column = '', operator = ''} = subject;
    const {signs = '', value: rest = ''} = more.groups;
    return invalid(unknownOperator({...subject, column, signs: `${operator}${signs}`, value: rest}));
  }
  return {ok: true, term: {...subject, value, form: 'word'}};
}

function isComparison(operator: WrittenTerm['operator']): operator is '>' | '<' {
  return operator === '>' || operator === '<';
}

/** "Not less than" means "at least": the negation of the opposite operator. */
function orEqualMistake({column = '', operator}: Omit<WrittenTerm, 'value' | 'form'>, limit: string): SafeText {
  const isAbove = operator === '>';
  const instead = `!${column}${isAbove ? '<' : '>'}${limit}`;
  const meaning = isAbove ? say`at least` : say`at most`;
  return say`${isAbove ? say`>=` : say`<=`} is not known; there are : > and <, and ${safeText(instead)} is ${meaning} that much.`;
}

/** An operator that other query languages have; of text with no column before it, the list of columns decides. */
const FOREIGN_OPERATOR = /^(?<column>[^\s!"/:<>=~]+)(?<signs>!=|!:|!~|==|=~|=|~)(?<value>.*)$/;
/** Two colons are part of an address: `ip:::1`. */
const MORE_OF_OPERATOR = /^(?<signs>[<>!=~]+)(?<value>.*)$/;

/** What `state!=active` is taken for in a list that has that column; undefined for any other word. */
export function foreignOperator(
  {form, column, value, isNegated}: WrittenTerm,
  isColumn: (name: string) => boolean,
): SafeText | undefined {
  const found = form === 'word' && column === undefined ? FOREIGN_OPERATOR.exec(value)?.groups : undefined;
  const {column: name = '', signs = '', value: rest = ''} = found ?? {};
  return isColumn(name) ? unknownOperator({text: value, isNegated, column: name, signs, value: rest}) : undefined;
}

/** The suggestion comes first, so that a line of 80 cells shows it. */
function unknownOperator({
  text,
  isNegated,
  column,
  signs,
  value,
}: Pick<WrittenTerm, 'text' | 'isNegated' | 'value'> & {readonly column: string; readonly signs: string}): SafeText {
  const isNot = isNegated !== (signs.includes('!') || signs === '<>');
  const operator = /^[<>]+$/.test(signs) && signs !== '<>' ? signs.charAt(0) : ':';
  const instead = `${isNot ? '!' : ''}${column}${operator}${value}`;
  const suggestion = value === '' ? say`` : say`; write ${safeText(instead)}`;
  const literal = safeText(`"${text.replace(/^!+/, '')}"`);
  return say`${safeText(signs)} is not known${suggestion}. There are : > and <, and ! before a term. For the text itself write ${literal}.`;
}

function operatorOf(sign: string): Pick<WrittenTerm, 'operator'> {
  const operator = OPERATORS[sign];
  return operator === undefined ? {} : {operator};
}

function invalid(mistake: SafeText): {readonly ok: false; readonly mistake: SafeText} {
  return {ok: false, mistake};
}
