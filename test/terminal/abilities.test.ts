import {describe, expect, it} from 'vitest';
import {checkTerminal, colourDepth, isUtf8Locale, terminalBackground} from '../../src/terminal/abilities.ts';

describe('checkTerminal', () => {
  const terminal = {isTTY: true};

  it.each([
    ['both a terminal', terminal, terminal, 'xterm', 'deck'],
    ['output to a file', terminal, {}, 'xterm', 'overview'],
    ['neither', {}, {}, 'xterm', 'overview'],
    ['input from a file', {}, terminal, 'xterm', 'refused'],
    ['a dumb terminal', terminal, terminal, 'dumb', 'refused'],
  ])('decides whether the deck opens with %s', (_name, stdin, stdout, TERM, kind) => {
    expect(checkTerminal({stdin, stdout, env: {TERM}}).kind).toBe(kind);
  });

  it('says in one line why it refuses, and what to do', () => {
    const check = checkTerminal({stdin: {}, stdout: terminal, env: {}});
    expect(check.kind === 'refused' ? check.line : '').toMatch(/^skydeck: .*skydeck \| cat$/);
  });
});

describe('colourDepth', () => {
  it.each([
    [{TERM: 'xterm-256color'}, '256'],
    [{TERM: 'xterm-256color', COLORTERM: 'truecolor'}, 'truecolor'],
    [{TERM: 'xterm-kitty'}, 'truecolor'],
    [{TERM: 'xterm'}, '16'],
    [{TERM: 'linux'}, '16'],
    [{TERM: 'vt100'}, 'none'],
    [{TERM: 'dumb', COLORTERM: 'truecolor'}, 'none'],
    [{}, 'none'],
    [{TERM: 'xterm-256color', NO_COLOR: '1'}, 'none'],
    [{TERM: 'xterm-256color', NO_COLOR: ''}, '256'],
    [{TERM: 'xterm-256color', NO_COLOR: '1', FORCE_COLOR: '3'}, 'none'],
    [{TERM: 'dumb', FORCE_COLOR: '1'}, '16'],
    [{TERM: 'xterm-256color', FORCE_COLOR: '3'}, 'truecolor'],
    [{TERM: 'xterm-256color', FORCE_COLOR: '0'}, 'none'],
  ] as const)('reads %o as %s', (env, depth) => {
    expect(colourDepth(env)).toBe(depth);
  });
});

describe('isUtf8Locale', () => {
  it.each([
    [{LANG: 'en_GB.UTF-8'}, true],
    [{LANG: 'C.utf8'}, true],
    [{LANG: 'C'}, false],
    [{LANG: 'en_GB.UTF-8', LC_ALL: 'C'}, false],
    [{LANG: 'C', LC_CTYPE: 'en_GB.UTF-8'}, true],
    [{LANG: 'en_GB.UTF-8', LC_ALL: ''}, true],
    [{}, false],
  ])('reads %o as %s', (env, isUtf8) => {
    expect(isUtf8Locale(env)).toBe(isUtf8);
  });
});

describe('terminalBackground', () => {
  it.each([
    [{}, 'dark'],
    [{COLORFGBG: '15;0'}, 'dark'],
    [{COLORFGBG: '0;15'}, 'light'],
    [{COLORFGBG: '0;default;7'}, 'light'],
  ] as const)('reads %o as %s', (env, background) => {
    expect(terminalBackground(env)).toBe(background);
  });
});
