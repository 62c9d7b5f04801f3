import {describe, expect, test} from 'vitest';
import {getCommand} from '../../src/cli/commands/get.ts';
import {run} from './a-command.ts';
import {openService} from './a-service.ts';

/** Seconds pass in milliseconds; an answer may take an hour of them, so that none times out. */
const SPEED = 1000;
const PATIENT = '--timeout 1h';
const machine = (id: number, status: string) => ({id, name: `gpu-${id}`, status, created_at: '2026-11-19T00:00:00'});

/** A service whose list of machines changes with each reading; the last one stays. */
async function openChanging(
  listings: readonly unknown[],
  line: string,
  isDone: (stdout: string, stderr: string) => boolean,
  others: Readonly<Record<string, unknown>> = {},
) {
  const answers: Record<string, unknown> = {...others};
  let readCount = 0;
  Object.defineProperty(answers, '/core/virtual-machines', {
    get: () => {
      const listing = listings[Math.min(readCount, listings.length - 1)];
      readCount += 1;
      return Array.isArray(listing) ? {status: true, count: listing.length, instances: listing} : listing;
    },
  });
  const {simulator} = await openService(answers);
  const gone = new AbortController();
  const seen = {stdout: '', stderr: ''};
  const see = (stream: 'stdout' | 'stderr', text: string) => {
    seen[stream] += text;
    if (isDone(seen.stdout, seen.stderr)) gone.abort();
  };
  const ran = await run(getCommand, `${line} ${PATIENT}`, {
    simulator,
    gone: gone.signal,
    speed: SPEED,
    onOutput: text => see('stdout', text),
    onError: text => see('stderr', text),
  });
  return {...ran, readCount};
}

describe('skydeck get --watch', () => {
  test('prints the records once, and then each that changes, under one header', async () => {
    const listings = [
      [machine(1, 'ACTIVE'), machine(2, 'ACTIVE')],
      [machine(1, 'ACTIVE'), machine(2, 'STOPPING')],
      [machine(1, 'ACTIVE'), machine(2, 'SHUTOFF'), machine(3, 'BUILD')],
    ];
    const {stdout, stderr, exitCode} = await openChanging(listings, 'vms -w --columns name,state,age', text =>
      text.includes('gpu-3'),
    );
    expect({stderr, exitCode}).toEqual({stderr: '', exitCode: 0});
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map(line => line.split(/\s+/).slice(0, 2).join(' '));
    expect(lines).toEqual([
      'NAME STATE',
      'gpu-1 ACTIVE',
      'gpu-2 ACTIVE',
      'gpu-2 STOPPING',
      'gpu-2 SHUTOFF',
      'gpu-3 BUILD',
    ]);
  });

  test('applies the filter, and says what is no longer listed', async () => {
    const listings = [[machine(1, 'ACTIVE'), machine(2, 'SHUTOFF')], [machine(2, 'SHUTOFF')]];
    const line = 'vms --watch --filter state:active -o name';
    const {stdout, stderr} = await openChanging(listings, line, (_out, err) => err !== '');
    expect(stdout).toBe('gpu-1\n');
    expect(stderr).toBe('skydeck: gpu-1 #1 is no longer listed\n');
  });

  test('says once how many the filter could not judge, and again when that changes', async () => {
    const listings = [
      [machine(1, 'ACTIVE'), machine(2, 'ACTIVE'), machine(3, 'SHUTOFF')],
      [machine(1, 'ACTIVE'), machine(2, 'ACTIVE'), machine(3, 'SHUTOFF'), machine(4, 'SHUTOFF')],
      [machine(1, 'ACTIVE'), machine(3, 'SHUTOFF')],
    ];
    const columns = ['time', 'granularity', 'value'];
    const old = {
      cpu: {
        unit: 'ns',
        columns,
        data: [
          ['2026-11-01T00:00:00Z', 300, 1e9],
          ['2026-11-01T00:05:00Z', 300, 3e11],
        ],
      },
    };
    const metrics = Object.fromEntries([1, 2].map(id => [`/core/virtual-machines/${id}/metrics`, old]));
    const isDone = (_stdout: string, said: string) => said.includes('1 machine ');
    const {stdout, stderr} = await openChanging(listings, 'vms -w -o name --filter cpu>80', isDone, metrics);
    const words = 'not judged: cpu is not known, as there are no current metrics\n';
    expect(stdout).toBe('');
    expect(stderr).toBe(`skydeck: 2 machines ${words}skydeck: 1 machine ${words}`);
  });

  test('prints each record as separate JSON', async () => {
    const listings = [[machine(1, 'ACTIVE')], [machine(1, 'SHUTOFF')]];
    const {stdout} = await openChanging(listings, 'vms -w -o json', text => text.includes('SHUTOFF'));
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual(listings.flat());
  });

  test('continues through an outage, which it reports once', async () => {
    const outage = {status: false, data: 'odd'};
    const listings = [[machine(1, 'ACTIVE')], outage, outage, [machine(1, 'SHUTOFF')]];
    const isDone = (text: string) => text.includes('SHUTOFF');
    const {stdout, stderr, exitCode} = await openChanging(listings, 'vms -w -o ndjson', isDone);
    expect({stdout: stdout.split('\n').length, exitCode}).toEqual({stdout: 3, exitCode: 0});
    expect(stderr).toMatch(/^skydeck: get vms: .*; still watching\nskydeck: get vms: answered again\n$/);
  });

  test('ends at once when the first reading fails, or when no record or several have the name', async () => {
    const {exitCode, readCount} = await openChanging([{status: false, message: 'no'}], 'vms -w', () => false);
    expect({exitCode, readCount}).toEqual({exitCode: 1, readCount: 1});
    const twins = [machine(1, 'ACTIVE'), {...machine(2, 'ACTIVE'), name: 'gpu-1'}];
    const mistaken = await openChanging([twins], 'rules --vm gpu-1 -w', () => false);
    expect(mistaken).toMatchObject({exitCode: 2, stderr: expect.stringContaining('use an id (1, 2)')});
    const nobody = await openChanging([[machine(1, 'ACTIVE')]], 'vms nobody -w', () => false);
    expect(nobody).toMatchObject({exitCode: 4, stdout: '', stderr: 'skydeck: get: machine "nobody" not found\n'});
  });
});
