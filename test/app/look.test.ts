import {chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it, onTestFinished} from 'vitest';
import {type LookOptions, themeFor} from '../../src/app/look.ts';
import {themesOn} from '../../src/app/themes.ts';

/** A settings folder with one theme in it. */
function withTheme(text: string, {mode = 0o600, name = 'mine'} = {}): Readonly<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'skydeck-look-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  mkdirSync(join(folder, 'themes'));
  const path = join(folder, 'themes', `${name}.json`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return {SKYDECK_CONFIG_DIR: folder, COLORTERM: 'truecolor', LANG: 'C.UTF-8', TERM: 'xterm-256color'};
}

function look(environment: Readonly<Record<string, string>>, over: Partial<LookOptions> = {}) {
  return themeFor({
    environment,
    hasColour: true,
    isAscii: false,
    glyphs: 'auto',
    charts: 'auto',
    theme: 'mine',
    ...over,
  });
}

function mistakeIn(environment: Readonly<Record<string, string>>, over: Partial<LookOptions> = {}): string {
  const outcome = look(environment, over);
  return outcome.ok ? '' : outcome.mistake;
}

describe('themeFor', () => {
  it('reads a person’s own theme', () => {
    const outcome = look(withTheme('{"extends": "light", "colors": {"danger": "#aa0000"}}'));
    expect(outcome.ok && outcome.value.sgr('danger')).toBe('1;38;2;170;0;0');
  });

  it('follows the terminal when none is named, without a file of a person’s own', () => {
    const outcome = look(withTheme('{"colors": {"danger": "#aa0000"}}', {name: 'dark'}), {theme: 'auto'});
    expect(outcome.ok && outcome.value.sgr('danger')).toBe('1;38;2;255;107;107');
  });

  it('prefers a person’s own theme to a built-in one of the same name', () => {
    const own = look(withTheme('{"colors": {"danger": "#aa0000"}}', {name: 'dark'}), {theme: 'dark'});
    expect(own.ok && own.value.sgr('danger')).toBe('1;38;2;170;0;0');
    expect(mistakeIn(withTheme('{"colors"', {name: 'dark'}), {theme: 'dark'})).toMatch(/^the theme dark: .*JSON/);
  });

  it('gives a built-in theme when a person has none of their own', () => {
    const environment = {...withTheme('{}'), SKYDECK_CONFIG_DIR: join(tmpdir(), 'skydeck-no-such-folder')};
    const builtIn = look(environment, {theme: 'dark'});
    expect(builtIn.ok && builtIn.value.sgr('danger')).toBe('1;38;2;255;107;107');
  });

  it.each([
    ['a mistake in it', '{"colors": {"danger": "red"}}', /mine\.json: colors\.danger: .*#rrggbb/],
    ['not JSON', '{"colors"', /^the theme mine: \/.*\/mine\.json is not valid JSON/],
  ])('names the file and what is wrong: %s', (_name, text, mistake) => {
    expect(mistakeIn(withTheme(text))).toMatch(mistake);
  });

  it('lists the available themes when none has this name', () => {
    expect(mistakeIn(withTheme('{}'), {theme: 'neon'})).toMatch(
      /no theme neon: .*auto, dark, light, high-contrast.*themes\/\*\.json/,
    );
  });

  it('reads no theme that others can write', () => {
    expect(mistakeIn(withTheme('{}', {mode: 0o666}))).toMatch(/chmod 600/);
  });

  it('draws charts as lines when that was chosen', () => {
    const outcome = look(withTheme('{}'), {charts: 'line'});
    expect(outcome.ok && outcome.value.glyphs.charts).toBe('line');
  });
});

describe('themesOn', () => {
  const onTerminal = (environment: Readonly<Record<string, string>>, theme = 'auto') =>
    themesOn({environment, hasColour: true, isAscii: false, glyphs: 'auto', charts: 'auto', theme});

  it('lists the built-in themes and a person’s own', () => {
    const themes = onTerminal(withTheme('{}', {name: 'night'}));
    expect(themes.names()).toEqual(['auto', 'dark', 'light', 'high-contrast', 'night']);
    const none = onTerminal({SKYDECK_CONFIG_DIR: join(tmpdir(), 'skydeck-no-such-folder')});
    expect(none.names()).toEqual(['auto', 'dark', 'light', 'high-contrast']);
  });

  it('saves the chosen one in the settings, beside what is already there', async () => {
    const environment = withTheme('{}');
    const path = join(environment.SKYDECK_CONFIG_DIR ?? '', 'settings.json');
    writeFileSync(path, '{"refreshSeconds": 30}', {mode: 0o600});
    expect(await onTerminal(environment).keep('light')).toMatchObject({ok: true});
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({refreshSeconds: 30, theme: 'light'});
  });
});
