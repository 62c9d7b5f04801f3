import {describe, expect, test} from 'vitest';
import {parse} from 'yaml';
import {getCommand} from '../../src/cli/commands/get.ts';
import {run} from './a-command.ts';
import {openService} from './a-service.ts';

const NOW = Date.UTC(2026, 10, 20);

/** Three machines, one of them without a flavor. `-o name` prints the id of the third, whose name cannot be printed. */
const MACHINES = [
  {id: 1, name: 'train-10', status: 'ACTIVE', flavor: {name: 'b', gpu_count: 2}, created_at: '2026-11-19T23:58:59'},
  {id: 2, name: 'train-2', status: 'SHUTOFF', created_at: '2026-11-19T00:00:00'},
  {id: 3, name: 'web\u202e', status: 'ACTIVE', flavor: {name: 'a', gpu_count: 8}, created_at: '2026-11-18T00:00:00'},
];

/** Metered rates that binary arithmetic cannot represent exactly. */
const USAGE = [
  {resource_id: 1, resource_type: 'vm', resource_name: 'train-10', active: true, bill_per_minute: 0.005},
  {resource_id: 2, resource_type: 'vm', resource_name: 'train-2', active: true, bill_per_minute: 0.0001},
];

async function openMachines() {
  const one = Object.fromEntries(
    MACHINES.map(each => [`/core/virtual-machines/${each.id}`, {status: true, message: '', instance: each}]),
  );
  const {simulator, asked} = await openService({
    ...one,
    '/core/virtual-machines': {status: true, count: 3, instances: MACHINES},
    '/billing/billing/usage': {status: true, data: USAGE},
    '/core/volumes': {status: true, count: 0, volumes: []},
  });
  const env = {SKYDECK_NOW: new Date(NOW).toISOString()};
  return {asked, get: (line: string) => run(getCommand, line, {simulator, env})};
}

describe('skydeck get', () => {
  test.each([
    ['--sort name', ['train-2', 'train-10', '3']],
    ['--sort name:desc', ['3', 'train-10', 'train-2']],
    ['--sort age', ['train-10', 'train-2', '3']],
    ['--sort flavor', ['3', 'train-10', 'train-2']],
    ['--sort flavor:desc', ['train-10', '3', 'train-2']],
    ['--sort cost:desc', ['train-10', 'train-2', '3']],
    ['--sort id:desc --limit 2', ['3', 'train-2']],
    ['--limit 9', ['train-10', 'train-2', '3']],
    ['--filter state:active --limit 1', ['train-10']],
  ])('vms %s prints the right machines in the right order', async (options, names) => {
    const {get} = await openMachines();
    const {stdout, stderr, exitCode} = await get(`vms ${options} -o name`);
    expect({stderr, exitCode}).toEqual({stderr: '', exitCode: 0});
    expect(stdout).toBe(names.map(name => `${name}\n`).join(''));
  });

  test('-o name hides a key that is spread over the names of several records', async () => {
    const key = 'sim-owner-8e12fec9b3a887814b3456fd2aa95ce5';
    const pieces = key.match(/.{1,6}/g) ?? [];
    const instances = pieces.map((name, index) => ({id: index + 1, name, status: 'ACTIVE', environment: {name: 'a'}}));
    const {simulator} = await openService({
      '/core/virtual-machines': {status: true, count: pieces.length, instances},
    });
    const {stdout} = await run(getCommand, 'vms -o name', {simulator: {...simulator, apiKey: key}});
    // Such a name is no word for another command, so the ids are given.
    expect(stdout).toBe(pieces.map((_, index) => `${index + 1}\n`).join(''));
  });

  test('prints the named columns in their order, as a table and as CSV', async () => {
    const {get} = await openMachines();
    const table = await get('vms --columns name,id --sort id');
    expect(table.stdout).toBe('NAME         ID\ntrain-10      1\ntrain-2       2\nweb<U+202E>   3\n');
    const csv = await get('vms --columns id,cost,age --sort id -o csv');
    expect(csv.stdout.split('\r\n')).toEqual(['id,cost,age', '1,0.3,61', '2,0.006,86400', '3,,172800', '']);
  });

  test('shows the sorted column in a table; a file has the same columns in every order', async () => {
    const {get} = await openMachines();
    const {stdout} = await get('vms --sort gpus:desc');
    const [titles = '', ...rows] = stdout.trimEnd().split('\n');
    expect(rows.map(row => row.slice(titles.indexOf('GPUS'), titles.indexOf('GPUS') + 4).trim())).toEqual([
      '8',
      '2',
      '–',
    ]);
    expect((await get('vms --sort gpus -o csv')).stdout.split('\r\n')[0]).not.toContain('gpus');
    expect((await get('vms --sort gpus --columns name')).stdout).not.toContain('GPUS');
  });

  test('prints YAML with the same contents as the JSON, in plain ASCII', async () => {
    const {get} = await openMachines();
    const {stdout} = await get('vms --sort id -o yaml');
    expect(parse(stdout)).toEqual(MACHINES);
    expect([...stdout].every(character => character === '\n' || /[\x20-\x7e]/.test(character))).toBe(true);
    expect((await get('volumes -o yaml')).stdout).toBe('[]\n');
  });

  test('accepts jsonl as another name for ndjson', async () => {
    const {get} = await openMachines();
    expect((await get('vms -o jsonl')).stdout).toBe((await get('vms -o ndjson')).stdout);
  });

  test('prints several records once each, in the order given, and reads the list once', async () => {
    const {get, asked} = await openMachines();
    const {stdout, stderr, exitCode} = await get('vms train-2 1 train-10 -o name');
    expect({stdout, stderr, exitCode}).toEqual({stdout: 'train-2\ntrain-10\n', stderr: '', exitCode: 0});
    expect(asked.map(({path}) => path.replace(/\?.*/, '')).toSorted()).toEqual([
      '/core/virtual-machines',
      '/core/virtual-machines/1',
    ]);
  });

  test('prints those of several names that exist, and says which do not', async () => {
    const {get} = await openMachines();
    const {stdout, stderr, exitCode} = await get('vms nobody train-2 4711 -o name');
    expect({stdout, exitCode}).toEqual({stdout: 'train-2\n', exitCode: 4});
    expect(stderr).toBe('skydeck: get: machine "nobody" not found\nskydeck: get: machine "4711" not found\n');
  });

  test.each([
    ['vms --filter nothing-like-this', 'skydeck: no matches (3 machines)\n'],
    ['vms --filter nothing-like-this -o ndjson', 'skydeck: no matches (3 machines)\n'],
    ['vms --filter id:1 --filter nothing-like-this -o json', 'skydeck: no matches (3 machines)\n'],
    [
      'vms --filter name>4',
      'skydeck: no matches (3 machines): name is text, which > and < cannot compare; write name:text\n',
    ],
    ['volumes', 'skydeck: no volumes\n'],
  ])('says for %s that there is nothing to print', async (line, words) => {
    const {get} = await openMachines();
    expect(await get(line)).toMatchObject({stderr: words, exitCode: 0});
  });

  test.each([
    // Of the three machines one does not run, and one is ruled out by its name.
    [
      'cpu>80',
      'skydeck: no matches (3 machines)\nskydeck: 2 machines not judged: cpu is not known, as there are no current metrics\n',
    ],
    [
      '!cpu<10 train-2',
      'skydeck: no matches (3 machines)\nskydeck: 1 machine not judged: cpu is not known, as there are no current metrics\n',
    ],
    ['cpu>80 !train', 'skydeck: no matches (3 machines)\n'],
  ])('says for %s how many machines could not be judged without current metrics', async (filter, words) => {
    const old = new Date(NOW - 3 * 3_600_000).toISOString();
    const older = new Date(NOW - 4 * 3_600_000).toISOString();
    const cpu = {
      unit: 'ns',
      columns: ['time', 'granularity', 'value'],
      data: [
        [older, 300, 1e9],
        [old, 300, 3e11],
      ],
    };
    const metrics = Object.fromEntries([1, 2, 3].map(id => [`/core/virtual-machines/${id}/metrics`, {cpu}]));
    const {simulator} = await openService({
      '/core/virtual-machines': {
        status: true,
        count: 3,
        instances: MACHINES.map((each, index) => ({...each, status: index < 2 ? 'ACTIVE' : 'SHUTOFF'})),
      },
      ...metrics,
      '/billing/billing/usage': {status: true, data: USAGE},
    });
    const env = {SKYDECK_NOW: new Date(NOW).toISOString()};
    const {stdout, stderr, exitCode} = await run(getCommand, ['vms', '--filter', filter, '-o', 'name'], {
      simulator,
      env,
    });
    expect({stdout, stderr, exitCode}).toEqual({stdout: '', stderr: words, exitCode: 0});
  });

  test('accepts the other name of a column too, as the chart of metrics calls it', async () => {
    const {get} = await openMachines();
    const {stdout} = await get('vms --columns name,memory -o csv');
    expect(stdout).toMatch(/^name,mem\r\n/);
    expect((await get('vms --sort memory:desc --filter memory>200 -o name')).stderr).toContain(
      'no matches (3 machines)',
    );
  });

  test('accepts the title of a column too, with hyphens for spaces, when no other column has that key', async () => {
    const {get} = await openMachines();
    const {stdout} = await get('vms --columns name,key-pair -o csv');
    expect(stdout).toMatch(/^name,key\r\n/);
    expect((await get('vms --sort $/h:desc --filter key-pair:none -o name')).stderr).toContain(
      'no matches (3 machines)',
    );
  });

  test.each([
    ['vms --sort nme', '--sort: no column of vms is called "nme"; did you mean name?'],
    ['vms --sort name:down', '--sort: after the column comes :asc or :desc'],
    ['vms --columns name,colour', '--columns: no column of vms is called "colour"; there are id name state'],
    ['vms --columns name -o json', '--columns: -o json prints no columns'],
    ['vms --limit 0', 'use a whole number from 1'],
  ])('refuses %s without a request', async (line, words) => {
    const {get, asked} = await openMachines();
    const {stdout, stderr, exitCode} = await get(line);
    expect({stdout, exitCode, asked}).toEqual({stdout: '', exitCode: 2, asked: []});
    expect(stderr).toContain(words);
  });

  test('prints a resource of which there is only one by the name of its kind', async () => {
    const {simulator} = await openService({
      '/billing/user-credit/credit': {status: true, data: {credit: 12.5, threshold: 0}},
    });
    expect((await run(getCommand, 'credit -o name', {simulator})).stdout).toBe('credit\n');
  });
});
