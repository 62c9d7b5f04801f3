import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, it} from 'vitest';
import {saveScreen} from '../../src/app/save-screen.ts';
import {say} from '../../src/domain/safe-text.ts';
import {epochMs} from '../../src/domain/time.ts';
import {openHome} from '../support/program.ts';

it('saves a table that no spreadsheet reads as formulas, and says where', () => {
  const {path, environment} = openHome();
  const table = {
    columns: ['name', '$/h'],
    rows: [
      ['=HYPERLINK("x")', '-0.5'],
      ['@sum', 1.25],
      ['unread', undefined],
    ],
  };
  const now = epochMs(Date.UTC(2026, 10, 20));
  expect(saveScreen(table, {plain: 'plain', coloured: 'coloured'}, {environment, now})).toMatch(/^saved as /);
  // A terminal of 80 columns folds a message once, and a path with a blank in it.
  const told = saveScreen(
    table,
    {plain: '', coloured: ''},
    {environment: {HOME: path, XDG_STATE_HOME: join(path, '.local/state')}, now},
  );
  expect(told).toBe('saved as txt,ansi,csv,json: ~/.local/state/skydeck/screens/skydeck-2026-11-20T00-00-00-000Z.*');
  const ofPart = saveScreen(
    {...table, title: say`contracts`},
    {plain: '', coloured: ''},
    {environment: {HOME: path}, now: epochMs(now + 1)},
  );
  expect(ofPart).toContain('saved as txt,ansi; contracts as csv,json: ~/');
  const names = readdirSync(path, {recursive: true, encoding: 'utf8'});
  const csv = names.find(name => name.endsWith('.csv')) ?? '';
  expect(readFileSync(join(path, csv), 'utf8')).toBe(
    `name,$/h\r\n"'=HYPERLINK(""x"")",-0.5\r\n'@sum,1.25\r\nunread,\r\n`,
  );
  const json = names.find(name => name.endsWith('.json')) ?? '';
  // Numbers stay numbers, so a program can add them up.
  expect(JSON.parse(readFileSync(join(path, json), 'utf8'))).toEqual([
    {name: '=HYPERLINK("x")', '$/h': '-0.5'},
    {name: '@sum', '$/h': 1.25},
    {name: 'unread', '$/h': null},
  ]);
});
