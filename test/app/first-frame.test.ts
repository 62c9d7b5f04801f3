import {describe, expect, it} from 'vitest';
import {firstFrame} from '../../src/app/first-frame.ts';
import {themeFor} from '../../src/app/look.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs, MINUTE_MS} from '../../src/domain/time.ts';
import {openPanes} from '../../src/panes/panes.ts';
import {graphemes} from '../../src/terminal/glyphs.ts';

const look = themeFor({
  environment: {LANG: 'C.UTF-8'},
  hasColour: false,
  isAscii: false,
  glyphs: 'auto',
  charts: 'auto',
  theme: 'auto',
});
const theme = look.ok ? look.value : undefined;
if (theme === undefined) throw new Error('The theme of the terminal is always there.');
const READ_AT = epochMs(1_700_000_000_000);
const WISH = {
  size: {columns: 80, rows: 24},
  theme,
  last: undefined,
  now: epochMs(READ_AT + 3 * MINUTE_MS),
  isSimulated: false,
  isReadOnly: false,
} as const;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with an escape.
const COLOURS = /\u001b\[[\d;]*m/g;

function linesOf(wish: Parameters<typeof firstFrame>[0]): readonly string[] {
  return firstFrame(wish).replaceAll(COLOURS, '').split('\n');
}

describe('firstFrame', () => {
  it('has the same tabs as the panes', () => {
    const panes = openPanes().filter(({key}) => key !== '');
    const line = linesOf({...WISH, size: {columns: 200, rows: 50}})[1] ?? '';
    const tabs = line.replaceAll(/[[\]]/g, ' ').trim().split(/ {2,}/);
    expect(tabs).toEqual(panes.map(({key, title}) => `${key} ${title}`));
  });

  it('says that it is reading when nothing was ever seen', () => {
    const lines = linesOf(WISH);
    expect(lines[0]).toContain('skydeck  account unknown');
    expect(lines[1]).toContain('[1 Overview]');
    expect(lines.join('\n')).toContain('reading…');
    expect(lines).toHaveLength(22);
    expect(lines.every(line => graphemes(line).length === 80)).toBe(true);
  });

  it('shows what was last seen, dimmed, with its age and its organization', () => {
    const frame = firstFrame({
      ...WISH,
      last: {readAt: READ_AT, organization: 'acme', lines: ['gpu-1 ACTIVE', 'gpu-2 SHUTOFF']},
    });
    const lines = frame.split('\n');
    expect(lines[0]).toContain('acme');
    expect(lines[0]?.replaceAll(COLOURS, '')).toContain('last seen 3m ago');
    expect(lines[2]).toContain('\u001b[2mgpu-1 ACTIVE');
    expect(frame).not.toContain('reading');
  });

  it('says below it why there is no answer yet, and what keys do', () => {
    const last = {readAt: READ_AT, organization: 'acme', lines: ['gpu-1 ACTIVE']};
    expect(linesOf({...WISH, last, unanswered: safeText('timed out after 15 s')}).slice(-2)).toEqual([
      ' no answer yet: timed out after 15 s'.padEnd(80),
      ' keys open the live deck instead of this old screen  <q>quit'.padEnd(80),
    ]);
  });

  it('does not draw a last screen that is too wide for the terminal', () => {
    const lines = linesOf({...WISH, last: {readAt: READ_AT, organization: 'acme', lines: ['x'.repeat(81)]}});
    expect(lines.join('\n')).toContain('the last screen was 81 columns wide and does not fit here');
    expect(lines.join('\n')).toContain('reading…');
    expect(lines.join('\n')).not.toContain('xxx');
  });

  it('does not say that it is reading, nor speak of an old screen, while there is no answer and none is shown', () => {
    const last = {readAt: READ_AT, organization: 'acme', lines: ['x'.repeat(120)]};
    const text = linesOf({...WISH, last, unanswered: safeText('connection refused')}).join('\n');
    expect(text).toContain('the last screen was 120 columns wide and does not fit here');
    expect(text).toContain('no answer yet: connection refused');
    expect(text).toContain('keys open the live deck  <q>quit');
    expect(text).not.toMatch(/reading|old screen/);
  });

  it('draws only as many lines as fit', () => {
    const lines = linesOf({
      ...WISH,
      last: {readAt: READ_AT, organization: 'acme', lines: Array.from({length: 90}, () => 'x')},
    });
    expect(lines).toHaveLength(22);
  });

  it('shows no control sequences, whatever the file contained', () => {
    const frame = firstFrame({
      ...WISH,
      last: {readAt: READ_AT, organization: 'a\u001b]0;x\u0007', lines: ['\u001b[2J']},
    });
    expect(frame.replaceAll(COLOURS, '')).not.toContain('\u001b');
  });

  it('says SIMULATED and READ-ONLY', () => {
    expect(linesOf({...WISH, isSimulated: true, isReadOnly: true})[0]).toMatch(/ SIMULATED .* READ-ONLY /);
  });

  it('has two lines when there is no room for boxes', () => {
    expect(linesOf({...WISH, size: {columns: 40, rows: 10}})).toHaveLength(2);
  });
});
