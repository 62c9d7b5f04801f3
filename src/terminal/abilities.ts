import type {EnvironmentVariables} from '../domain/environment-variables.ts';

export type ColourDepth = 'none' | '16' | '256' | 'truecolor';

export type TerminalCheck =
  | {readonly kind: 'deck'}
  /** The output is not a terminal: the overview is printed once. */
  | {readonly kind: 'overview'}
  /** One line for stderr; the exit code is 2. */
  | {readonly kind: 'refused'; readonly line: string};

const FORCED: Readonly<Record<string, ColourDepth>> = {
  '': '16',
  true: '16',
  '1': '16',
  '2': '256',
  '3': 'truecolor',
  '0': 'none',
  false: 'none',
};
const TRUECOLOR_TERMINALS = /^(xterm-kitty|xterm-ghostty|alacritty|foot|wezterm|contour)|-direct$/;
const COLOURLESS_TERMINALS = /^(vt[0-9]+|dumb|unknown|)$/;

/** Whether the deck can run on these streams, and what to do if not. */
export function checkTerminal({
  stdin,
  stdout,
  env,
}: {
  readonly stdin: {readonly isTTY?: boolean};
  readonly stdout: {readonly isTTY?: boolean};
  readonly env: EnvironmentVariables;
}): TerminalCheck {
  if (stdout.isTTY !== true) return {kind: 'overview'};
  if (stdin.isTTY !== true) {
    return refused('skydeck: the deck needs a terminal for input. For plain text, pipe its output: skydeck | cat');
  }
  if (env.TERM === 'dumb') {
    return refused('skydeck: TERM=dumb cannot show the deck. For plain text, pipe its output: skydeck | cat');
  }
  return {kind: 'deck'};
}

/** NO_COLOR overrides FORCE_COLOR, and both override the terminal's name. */
export function colourDepth(env: EnvironmentVariables): ColourDepth {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return 'none';
  const forced = env.FORCE_COLOR === undefined ? undefined : FORCED[env.FORCE_COLOR];
  if (forced !== undefined) return forced;
  const terminal = env.TERM ?? '';
  if (COLOURLESS_TERMINALS.test(terminal)) return 'none';
  if (/^(truecolor|24bit)$/i.test(env.COLORTERM ?? '')) return 'truecolor';
  if (TRUECOLOR_TERMINALS.test(terminal)) return 'truecolor';
  return terminal.includes('256color') ? '256' : '16';
}

/** Whether the locale uses UTF-8: the first of the three variables that is set decides, as in C. */
export function isUtf8Locale(env: EnvironmentVariables, platform: NodeJS.Platform = 'linux'): boolean {
  if (platform === 'win32') return true;
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find(value => value !== undefined && value !== '');
  return /utf-?8/i.test(locale ?? '');
}

/** Some terminals report their colours as `COLORFGBG=foreground;background`; the others are assumed to be dark. */
export function terminalBackground(env: EnvironmentVariables): 'dark' | 'light' {
  const background = env.COLORFGBG?.split(';').at(-1);
  return background === '7' || background === '15' ? 'light' : 'dark';
}

function refused(line: string): TerminalCheck {
  return {kind: 'refused', line};
}
