import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {journalCommand} from '../../src/cli/commands/journal.ts';
import {vmCommand} from '../../src/cli/commands/vm.ts';
import {openHome} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {rawAnswer, run} from './a-command.ts';

/** A journal with one stop that was accepted, and one start that was refused. */
async function journalled() {
  const simulator = await openSimulator({scenario: 'calm'});
  const home = openHome();
  const {instances} = JSON.parse((await rawAnswer(simulator, '/core/virtual-machines')).text);
  const [first, second] = instances.filter(({status}: {status: string}) => status === 'ACTIVE');
  await run(vmCommand, `stop ${first.id} --yes`, {simulator, home});
  simulator.setFaults(['status=400,match=GET *stop']);
  await run(vmCommand, `stop ${second.id} --yes`, {simulator, home});
  return {simulator, home, first, second};
}

describe('skydeck journal', () => {
  test('prints what was sent from here, and its outcome', async () => {
    const {first, second, ...place} = await journalled();
    const {stdout, stderr, exitCode} = await run(journalCommand, '', place);
    expect({stderr, exitCode}).toEqual({stderr: '', exitCode: 0});
    const [head, one, other] = stdout.split('\n');
    expect(head).toMatch(/^SENT +OPERATION +OUTCOME +DETAIL$/);
    expect(one).toContain(`stop ${first.name} #${first.id}`);
    // The later command has checked on it, as every command that can send does.
    expect(one).toMatch(/(?:accepted|under way) \(open\)/);
    expect(other).toContain(`stop ${second.name} #${second.id}`);
    expect(other).toMatch(/ refused +refused \(400\)/);
  });

  test('marks what was sent with another key, in every form, and nothing where that is not known', async () => {
    const {simulator, home} = await journalled();
    const other = {...simulator, apiKey: simulator.keys.member};
    const marksIn = async (flags: string, place: {simulator: typeof simulator; home: typeof home}) =>
      (await run(journalCommand, flags, place)).stdout.split('by another key').length - 1;
    expect(await marksIn('', {simulator, home})).toBe(0);
    expect(await marksIn('', {simulator: other, home})).toBe(2);
    expect(await marksIn('-o csv', {simulator: other, home})).toBe(2);
    const records: unknown = JSON.parse((await run(journalCommand, '-o json', {simulator: other, home})).stdout);
    expect(records).toMatchObject([{isByOtherKey: true}, {isByOtherKey: true}]);
    const own: unknown = JSON.parse((await run(journalCommand, '-o json', {simulator, home})).stdout);
    expect(JSON.stringify(own)).not.toContain('isByOtherKey');
  });

  test('prints ISO 8601 times as CSV', async () => {
    const place = await journalled();
    const {stdout} = await run(journalCommand, '-o csv', place);
    expect(stdout.split('\r\n')[1]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z,stop /);
  });

  /** A journal with these lines alone. */
  async function written(lines: readonly object[]) {
    const place = await journalled();
    const [file = ''] = readdirSync(place.home.path, {recursive: true, encoding: 'utf8'}).filter(path =>
      path.endsWith('.jsonl'),
    );
    writeFileSync(join(place.home.path, file), lines.map(line => `${JSON.stringify(line)}\n`).join(''));
    return place;
  }

  const stop = {action: {kind: 'vm.stop', id: 7}, subjectName: 'gpu-7'};
  const at = (minute: number, second = 0) => Date.UTC(2026, 0, 1, 0, minute, second);
  /** The first was confirmed before the second, and sent after it; the third was never sent. */
  const WAITED = [
    {operationId: 'first', at: at(1), confirmedAt: at(1), phase: 'preflight', ...stop},
    {operationId: 'second', at: at(2), confirmedAt: at(2), phase: 'preflight', ...stop},
    {operationId: 'second', at: at(2, 1), confirmedAt: at(2), phase: 'sent', ...stop},
    {operationId: 'first', at: at(5), confirmedAt: at(1), phase: 'sent', ...stop},
    {operationId: 'third', at: at(6), confirmedAt: at(4), phase: 'STALE', ...stop},
  ];

  test('orders and times operations by when they were sent, and says of the others that they were not', async () => {
    const place = await written(WAITED);
    const {stdout} = await run(journalCommand, '-o wide', place);
    const [head, ...lines] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^SENT +OPERATION +OUTCOME +DETAIL +ID +REQUESTED$/);
    expect(lines.map(line => line.split(/ {2,}/)).map(cells => [cells[0], ...cells.slice(-2)])).toEqual([
      ['2026-01-01 00:02:01Z', 'second', '2026-01-01 00:02:00Z'],
      ['not sent', 'third', '2026-01-01 00:04:00Z'],
      ['2026-01-01 00:05:00Z', 'first', '2026-01-01 00:01:00Z'],
    ]);
    const records = JSON.parse((await run(journalCommand, '-o json', place)).stdout);
    expect(records).toMatchObject([
      {operationId: 'second', confirmedAt: '2026-01-01T00:02:00.000Z', sentAt: '2026-01-01T00:02:01.000Z'},
      {operationId: 'third', confirmedAt: '2026-01-01T00:04:00.000Z', sentAt: null},
      {operationId: 'first', confirmedAt: '2026-01-01T00:01:00.000Z', sentAt: '2026-01-01T00:05:00.000Z'},
    ]);
    const csv = (await run(journalCommand, '-o csv', place)).stdout.split('\r\n');
    expect(csv[0]).toBe('time,operation,outcome,detail,id,requested');
    expect(csv.slice(1, 4).map(line => line.split(',')[0])).toEqual([
      '2026-01-01T00:02:01.000Z',
      '2026-01-01T00:04:00.000Z',
      '2026-01-01T00:05:00.000Z',
    ]);
  });

  test('prints those sent since a moment, however long before they were confirmed', async () => {
    const place = await written(WAITED);
    const {stdout} = await run(journalCommand, '--since 2026-01-01T00:04:30Z -o json', place);
    expect(JSON.parse(stdout)).toMatchObject([{operationId: 'first'}]);
  });

  test('shows the outcome of what nobody watches any more as unknown, as the deck does', async () => {
    const place = await written(WAITED);
    const {stdout} = await run(journalCommand, '', place);
    expect(stdout).toMatch(/outcome unknown \(open\)/);
    const records = JSON.parse((await run(journalCommand, '-o json', place)).stdout);
    expect(records).toContainEqual(expect.objectContaining({operationId: 'first', phase: 'sent', outcome: 'open'}));
  });

  test('says that older operations are missing if the journal is too long, unless they were not asked for', async () => {
    const {simulator, home} = await journalled();
    const [file = ''] = readdirSync(home.path, {recursive: true, encoding: 'utf8'}).filter(path =>
      path.endsWith('.jsonl'),
    );
    const lineAt = (at: number) => {
      const long = `POST /x?q=${'x'.repeat(4000)}`;
      return `${JSON.stringify({operationId: `op-${at}`, at, confirmedAt: at, phase: 'sent', request: long})}\n`;
    };
    const lines = Array.from({length: 2200}, (_, index) => lineAt(Date.UTC(2026, 0, 1, 0, 0, index)));
    writeFileSync(join(home.path, file), lines.join(''));
    const missing = /operations before 2026-01-01 00:\d\d:\d\dZ are missing: the journal is too long to read all of it/;
    expect((await run(journalCommand, '', {simulator, home})).stderr).toMatch(missing);
    expect((await run(journalCommand, '-o name --since 2025-12-01T00:00:00Z', {simulator, home})).stderr).toMatch(
      missing,
    );
    expect((await run(journalCommand, '-o name --since 2026-01-01T00:36:00Z', {simulator, home})).stderr).toBe('');
  });

  test('never prints a key that an older journal contains', async () => {
    const {simulator, home} = await journalled();
    const [file = ''] = readdirSync(home.path, {recursive: true, encoding: 'utf8'}).filter(path =>
      path.endsWith('.jsonl'),
    );
    const line = {operationId: 'op', at: 1, confirmedAt: 1, phase: 'sent', request: `POST /x?key=${simulator.apiKey}`};
    appendFileSync(join(home.path, file), `${JSON.stringify(line)}\n`);
    for (const format of ['table', 'json', 'csv', 'name']) {
      const {stdout} = await run(journalCommand, `-o ${format}`, {simulator, home});
      expect(stdout).toContain('POST /x?key=[key');
      expect(stdout).not.toContain(simulator.apiKey);
    }
  });

  test.each([
    'journal',
    '',
  ])('reads nothing through a link in place of its folder, or of the one above (%j)', async part => {
    const {simulator, home} = await journalled();
    const folder = join(home.path, 'state', 'skydeck', part);
    renameSync(folder, `${folder}-elsewhere`);
    symlinkSync(`${folder}-elsewhere`, folder);
    const {stdout, stderr, exitCode} = await run(journalCommand, '', {simulator, home});
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 6});
    expect(stderr).toContain('links are not followed');
  });

  test.each([
    ['a link', (path: string) => symlinkSync('/dev/zero', path), 'is a link, and links are not followed'],
    ['a folder', (path: string) => mkdirSync(path), 'is not a plain file'],
    [
      'a file that others can change',
      (path: string) => {
        writeFileSync(path, '');
        chmodSync(path, 0o666);
      },
      'can be changed by others: run chmod 600',
    ],
  ])('names what is wrong with %s in place of its file', async (_what, plant, fault) => {
    const {simulator, home} = await journalled();
    const [file = ''] = readdirSync(home.path, {recursive: true, encoding: 'utf8'}).filter(path =>
      path.endsWith('.jsonl'),
    );
    const path = join(home.path, file);
    rmSync(path);
    plant(path);
    const {stdout, stderr, exitCode} = await run(journalCommand, '', {simulator, home});
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 6});
    expect(stderr).toContain(`the journal cannot be read: ${path} ${fault}`);
  });

  test('skips lines that skydeck cannot have written, and counts them', async () => {
    const {simulator, home} = await journalled();
    const [file = ''] = readdirSync(home.path, {recursive: true, encoding: 'utf8'}).filter(path =>
      path.endsWith('.jsonl'),
    );
    const moments = fc.sample(fc.oneof(fc.double({noNaN: true, noDefaultInfinity: true}), fc.maxSafeInteger()), {
      numRuns: 200,
      seed: 1,
    });
    const late = ['8640000000000001', '253402300800000', '1e300', '-1e300'];
    const lines = [...late, ...moments.map(String)].map(
      (at, index) => `{"operationId":"op-${index}","at":${at},"confirmedAt":${at},"phase":"sent","request":"POST /x"}`,
    );
    appendFileSync(join(home.path, file), `${lines.join('\n')}\n`);
    for (const format of ['table', 'json', 'csv', 'name']) {
      const {stdout, stderr, exitCode} = await run(journalCommand, `-o ${format}`, {simulator, home});
      expect({exitCode, stderr}).toMatchObject({
        exitCode: 0,
        stderr: expect.stringMatching(/skipped \d+ lines of the journal that could not be read/),
      });
      expect(stdout).not.toContain('Invalid');
    }
    const {stdout, stderr} = await run(journalCommand, '-o json', {simulator, home});
    const readCount = JSON.parse(stdout).length - 2;
    expect(stderr).toContain(`skipped ${lines.length - readCount} lines of the journal`);
  });

  test('prints records for scripts', async () => {
    const {first, ...place} = await journalled();
    const records = JSON.parse((await run(journalCommand, '-o json', place)).stdout);
    expect(records).toMatchObject([
      {kind: 'vm.stop', subject: {type: 'vm', id: first.id, name: first.name}, outcome: 'open'},
      {kind: 'vm.stop', phase: 'REFUSED', outcome: 'REFUSED'},
    ]);
  });

  test.each([
    ['1h', 2],
    ['2001-01-01', 2],
  ])('leaves out what is older than %s', async (since, count) => {
    const place = await journalled();
    const records = JSON.parse((await run(journalCommand, `--since ${since} -o json`, place)).stdout);
    expect(records).toHaveLength(count);
  });

  test('reads a time of day as its latest occurrence', async () => {
    const place = await journalled();
    // The fixed clock is two minutes ahead: its present minute has begun, and the one after next was yesterday.
    const at = (offsetMs: number) => new Date(Date.now() + offsetMs).toISOString();
    const env = {SKYDECK_NOW: at(120_000)};
    const countSince = async (time: string) =>
      JSON.parse((await run(journalCommand, `--since ${time} -o json`, {...place, env})).stdout).length;
    expect(await countSince(at(120_000).slice(11, 16))).toBe(0);
    expect(await countSince(at(240_000).slice(11, 16))).toBe(2);
  });

  test.each([
    ['', 'no account: run'],
    ['--since soon --base-url https://api.example/v1', '--since needs a moment'],
    ['--since 2099-01-01 --base-url https://api.example/v1', '--since needs a moment that is past'],
    ['--base-url nonsense', 'has no https://'],
  ])('refuses %s with exit code 2', async (line, words) => {
    const {exitCode, stderr} = await run(journalCommand, line);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(words);
  });

  test('is empty when nothing was sent, and says so', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    expect(await run(journalCommand, '-o json', {simulator})).toMatchObject({
      exitCode: 0,
      stdout: '[]\n',
      stderr: 'skydeck: the journal is empty\n',
    });
    expect(simulator.requests()).toEqual([]);
    expect(await run(journalCommand, '--since soon', {simulator})).toMatchObject({exitCode: 2});
  });
});
