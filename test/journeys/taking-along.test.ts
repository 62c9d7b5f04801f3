import {readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {stripVTControlCharacters} from 'node:util';
import {expect, test} from 'vitest';
import {choose, cursorOn, openMachines} from '../support/deck.ts';
import {openHome} from '../support/program.ts';

test('saves the screen as text, with its colours, as a table and as records', async () => {
  const app = await openMachines();
  await app.sees(cursorOn('train-01'));
  await app.seesNot('reading the metrics');
  await app.press('ctrl-s');
  await app.sees('saved as ');

  const folder = join(app.home.path, 'state', 'skydeck', 'screens');
  const names = readdirSync(folder).sort();
  expect(names.map(name => name.slice(name.lastIndexOf('.')))).toEqual(['.ansi', '.csv', '.json', '.txt']);
  for (const name of names) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const [coloured = '', table = '', records = '', plain = ''] = names.map(name =>
    readFileSync(join(folder, name), 'utf8'),
  );

  expect(plain).toMatch(/▶ +train-01 +▲ ACTIVE/);
  expect(plain).not.toContain('\u001b');
  expect(plain.split('\n').filter(line => line.startsWith('╭')).length).toBeGreaterThan(0);
  expect(coloured).toContain('\u001b[');
  expect(stripVTControlCharacters(coloured)).toMatch(/▶ +train-01 +▲ ACTIVE/);
  const lines = table.trimEnd().split('\r\n');
  expect(lines[0]).toMatch(/^NAME,STATE,/);
  expect(lines).toHaveLength(1 + 40);
  const parsed: unknown = JSON.parse(records);
  expect(parsed).toHaveLength(40);
  expect(parsed).toContainEqual(expect.objectContaining({NAME: 'train-01', '$/h': '25.60', REGION: 'CANADA-1'}));
});

test('says where a screen could not be saved', async () => {
  const home = openHome();
  const stateHome = join(home.path, 'no-folder');
  writeFileSync(stateHome, '');
  const app = await openMachines({scenario: 'empty', home, env: {XDG_STATE_HOME: stateHome}});
  await app.sees('this account has no machines');
  await app.press('ctrl-s');
  await app.sees('the screen could not be saved');
});

test('copies a name and an address through the terminal', async () => {
  const app = await openMachines();
  await choose(app, 'sweep-04');
  await app.press('c');
  await app.sees('copied sweep-04');
  expect(app.raw()).toContain(`\u001b]52;c;${btoa('sweep-04')}\u0007`);

  const address = /198\.18\.0\.\d+/.exec(app.text())?.[0] ?? '';
  await app.press('C', 'a');
  await app.sees(`copied ${address}`);
  expect(app.raw()).toContain(`\u001b]52;c;${btoa(address)}\u0007`);
});

test('copies a name of other letters whole', async () => {
  const app = await openMachines();
  await app.press('/', '推論', 'enter');
  await app.sees('machines 1 of 40 /推論');
  await app.press('c');
  await app.sees('copied 推論サーバー-東京-01');
  expect(app.raw()).toContain(Buffer.from('推論サーバー-東京-01').toString('base64'));
});
