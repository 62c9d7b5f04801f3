/** A file of the repository. Its path starts at the root and has forward slashes. */
export type SourceFile = {readonly path: string; readonly text: string};

export type ImportKind =
  /** Loaded with the file itself. */
  | 'static'
  /** Loaded when the line runs. */
  | 'on-demand'
  /** Removed before anything runs. */
  | 'type';

export type Import = {
  /** Undefined if the argument of `import()` is not a plain string. */
  readonly specifier: string | undefined;
  readonly kind: ImportKind;
  readonly line: number;
};

/**
 * The text with comments, strings, templates and regular expressions blanked. Quotes and line ends stay, so that
 * positions do not change. TypeScript 7 has no parser to call. This knows as much of the language as the checks need.
 */
export function codeOnly(text: string): string {
  const known = codeByText.get(text);
  if (known !== undefined) return known;
  const code = withoutTexts(text);
  codeByText.set(text, code);
  return code;
}

/** A cache, because every check asks for the code of every file. */
const codeByText = new Map<string, string>();

function withoutTexts(text: string): string {
  const blanked = [...text];
  const blank = (from: number, to: number): void => {
    for (let place = from; place < to; place += 1) if (text[place] !== '\n') blanked[place] = ' ';
  };
  // Each entry is the brace depth at which a template continues after its `${…}`.
  const templates: number[] = [];
  let depth = 0;
  let place = 0;
  while (place < text.length) {
    const piece = pieceAt(text, place, templates.at(-1) === depth);
    if (piece.kind === 'comment' || piece.kind === 'regex') blank(place, piece.end);
    if (piece.kind === 'string') blank(place + 1, piece.end - 1);
    if (piece.kind === 'template') {
      blank(place + 1, piece.end - (piece.isOpen ? 2 : 1));
      if (text[place] === '}') {
        templates.pop();
        depth -= 1;
      }
      if (piece.isOpen) {
        depth += 1;
        templates.push(depth);
      }
    } else if (piece.kind === 'code') {
      if (text[place] === '{') depth += 1;
      if (text[place] === '}') depth -= 1;
    }
    place = piece.end;
  }
  return blanked.join('');
}

type Piece = {
  readonly kind: 'code' | 'comment' | 'string' | 'regex' | 'template';
  readonly end: number;
  /** Whether a template stops at `${` rather than at its closing backquote. */
  readonly isOpen?: boolean;
};

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;
// A quote without a partner on its line is an apostrophe in the text of a tag.
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const TEMPLATE = /[`}](?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;
const REGEX = /\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
/** What may precede a regular expression. After anything else a slash divides or closes a tag. */
const BEFORE_REGEX = /(?:[(,=:[!&|?{;+*%~^]|=>|\b(?:return|typeof|case|in|of|throw|await))$/;

function pieceAt(text: string, place: number, endsSubstitution: boolean): Piece {
  const char = text[place];
  if (char === '/') {
    const comment = endOf(COMMENT, text, place);
    if (comment !== undefined) return {kind: 'comment', end: comment};
    const regex = endOf(REGEX, text, place);
    const before = text.slice(Math.max(0, place - 80), place).trimEnd();
    if (regex !== undefined && (before === '' || BEFORE_REGEX.test(before))) return {kind: 'regex', end: regex};
  } else if (char === "'" || char === '"') {
    const string = endOf(STRING, text, place);
    if (string !== undefined) return {kind: 'string', end: string};
  } else if (char === '`' || (char === '}' && endsSubstitution)) {
    const template = endOf(TEMPLATE, text, place);
    if (template !== undefined) return {kind: 'template', end: template, isOpen: text[template - 1] === '{'};
  }
  return {kind: 'code', end: place + 1};
}

function endOf(pattern: RegExp, text: string, place: number): number | undefined {
  pattern.lastIndex = place;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

// In blanked code a string is its quotes with blanks between them.
const STATIC_IMPORT = /(?<![\w$.])import\b(\s+type\b(?!\s*(?:,|from\b)))?[^'"();]*?(['"])( *)\2/g;
const CALLED_IMPORT = /(typeof\s+)?(?<![\w$.])import\s*\(\s*(?:(['"])( *)\2\s*\)(\s*\.\s*[A-Z])?)?/g;

/** Every import of a file: static, `import type`, and `import()`, whether it loads a module or only names a type. */
export function importsOf({text}: SourceFile, code = codeOnly(text)): Import[] {
  const statics = [...code.matchAll(STATIC_IMPORT)].map((match): Import => {
    const specifierEnd = match.index + match[0].length - 1;
    return {
      specifier: text.slice(specifierEnd - (match[3]?.length ?? 0), specifierEnd),
      kind: match[1] === undefined ? 'static' : 'type',
      line: lineAt(text, match.index),
    };
  });
  const called = [...code.matchAll(CALLED_IMPORT)].map((match): Import => {
    const quote = match[2] === undefined ? -1 : code.indexOf(match[2], match.index);
    return {
      specifier: quote === -1 ? undefined : text.slice(quote + 1, quote + 1 + (match[3]?.length ?? 0)),
      kind: match[1] === undefined && match[4] === undefined ? 'on-demand' : 'type',
      line: lineAt(text, match.index),
    };
  });
  return [...statics, ...called];
}

export function lineAt(text: string, place: number): number {
  return text.slice(0, place).split('\n').length;
}

/** The path in the repository that a relative specifier refers to. Undefined for a package. */
export function resolved(fromPath: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const parts = fromPath.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
