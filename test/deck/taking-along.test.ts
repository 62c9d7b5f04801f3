import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {promisify, stripVTControlCharacters} from 'node:util';
import {expect, test} from 'vitest';
import {getCommand} from '../../src/cli/commands/get.ts';
import {run} from '../cli/a-command.ts';
import {choose, cursorOn, openMachines} from '../support/deck.ts';
import {environmentOf} from '../support/launch.ts';
import {type App, openApp, openHome} from '../support/program.ts';

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
  expect(lines[0]).toMatch(/^id,name,state,/);
  expect(lines).toHaveLength(1 + 16);
  const parsed: unknown = JSON.parse(records);
  expect(parsed).toHaveLength(16);
  expect(parsed).toContainEqual(
    expect.objectContaining({name: 'train-01', state: 'ACTIVE', cost: 25.6, region: 'CANADA-1'}),
  );
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

test('copies commands and requests that a shell can carry out, in every pane', {timeout: 120_000}, async () => {
  const app = await openApp({scenario: 'on-call'});
  const {simulator, home} = app;
  assert(simulator !== undefined);
  await app.sees('1 Ov', {withinMs: 20_000});
  const keysTo: Readonly<Record<string, readonly string[]>> = {
    machines: ['2'],
    clusters: ['3'],
    firewalls: ['4'],
    volumes: ['6'],
    buckets: ['7'],
    'access keys': ['tab'],
    flavors: ['8'],
    images: ['tab'],
    'key pairs': ['tab'],
    environments: ['tab'],
  };
  /** The words of a line, as a shell gives them to the program that it names. */
  const wordsOf = async (line: string) => {
    const script = `skydeck() { printf '%s\\n' "$@"; }; curl() { printf '%s\\n' "$@"; }; ${line}`;
    const {stdout} = await promisify(execFile)('/bin/sh', ['-c', script], {
      env: environmentOf({home, connection: simulator}),
    });
    return stdout.split('\n').slice(0, -1);
  };
  for (const [title, keys] of Object.entries(keysTo)) {
    await app.press(...keys);
    // So many lists one after the other use up the requests of a minute.
    await app.sees(new RegExp(`${title} (\\d+) of \\1 `), {withinMs: 70_000});
    const name = await copiedBy(app, 'n');
    const get = await copiedBy(app, 'g');
    const [command, ...words] = await wordsOf(get);
    expect(command).toBe('get');
    const {stdout} = await run(getCommand, words, {simulator, home});
    const [record, ...others] = JSON.parse(stdout);
    expect(others, get).toEqual([]);
    expect(Object.values(record), get).toContain(name);

    const curl = await copiedBy(app, 'u');
    expect(curl).not.toContain(simulator.apiKey);
    const [, url = '', , header = ''] = await wordsOf(curl);
    const [headerName = '', value = ''] = header.split(': ');
    const answer = await fetch(url, {headers: {[headerName]: value}});
    expect(answer.status, curl).toBe(200);
    expect(await answer.text(), curl).toContain(JSON.stringify(name));
  }
});

/** What the menu `C` copies under a key; it is another text than the one before. */
async function copiedBy(app: App, key: string): Promise<string> {
  const before = lastCopy(app);
  await app.press('C', key);
  await app.becomes('another copy', () => lastCopy(app) !== before);
  return Buffer.from(lastCopy(app) ?? '', 'base64').toString();
}

function lastCopy(app: App): string | undefined {
  const begun = app.raw().split('\u001b]52;c;').slice(1);
  return begun.findLast(each => each.includes('\u0007'))?.split('\u0007')[0];
}

test('copies a name of other letters whole', async () => {
  const app = await openMachines({scenario: 'on-call'});
  await app.press('/', '推論', 'enter');
  await app.sees('machines 1 of 40 /推論');
  await app.press('c');
  await app.sees('copied 推論サーバー-東京-01');
  expect(app.raw()).toContain(Buffer.from('推論サーバー-東京-01').toString('base64'));
});
