const NAMED_KEYS: Readonly<Record<string, string>> = {
  enter: '\r',
  esc: '\x1b',
  tab: '\t',
  'shift-tab': '\x1b[Z',
  space: ' ',
  backspace: '\x7f',
  delete: '\x1b[3~',
  insert: '\x1b[2~',
  pageup: '\x1b[5~',
  pagedown: '\x1b[6~',
  'shift-up': '\x1b[1;2A',
  'shift-down': '\x1b[1;2B',
  'shift-right': '\x1b[1;2C',
  'shift-left': '\x1b[1;2D',
  f1: '\x1bOP',
  f2: '\x1bOQ',
  f3: '\x1bOR',
  f4: '\x1bOS',
  f5: '\x1b[15~',
};

// These change if the program asks for application cursor keys (DECCKM).
const CURSOR_KEYS: Readonly<Record<string, string>> = {up: 'A', down: 'B', right: 'C', left: 'D', home: 'H', end: 'F'};

const CONTROL_KEY = /^ctrl-([a-z@[\\\]^_])$/;
const ALT_KEY = /^alt-(.)$/u;

/**
 * What a terminal sends for a key, one string per key press. A name (`enter`, `shift-tab`, `ctrl-c`, `alt-x`) is one
 * press. Any other text is one press per character.
 */
export function keySequences(key: string, {isApplicationCursor}: {isApplicationCursor: boolean}): string[] {
  const named = NAMED_KEYS[key];
  if (named !== undefined) return [named];
  const cursor = CURSOR_KEYS[key];
  if (cursor !== undefined) return [`\x1b${isApplicationCursor ? 'O' : '['}${cursor}`];
  const control = CONTROL_KEY.exec(key)?.[1];
  if (control !== undefined) return [String.fromCharCode(control.toUpperCase().charCodeAt(0) & 0x1f)];
  const alt = ALT_KEY.exec(key)?.[1];
  if (alt !== undefined) return [`\x1b${alt}`];
  return [...key];
}
