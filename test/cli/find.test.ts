import {describe, expect, test} from 'vitest';
import {clusterCommand} from '../../src/cli/commands/cluster.ts';
import {describeCommand} from '../../src/cli/commands/describe.ts';
import {firewallCommand} from '../../src/cli/commands/firewall.ts';
import {getCommand} from '../../src/cli/commands/get.ts';
import {keyPairCommand} from '../../src/cli/commands/key-pair.ts';
import {vmCommand} from '../../src/cli/commands/vm.ts';
import {volumeCommand} from '../../src/cli/commands/volume.ts';
import {run} from './a-command.ts';
import {openService} from './a-service.ts';

const MACHINE = {id: 7, name: 'web', status: 'ACTIVE', cluster_id: null};
const TAKEN = {status: true, message: 'taken'};

function answers(count: number) {
  return {
    '/core/virtual-machines': {status: true, count, instances: [MACHINE]},
    '/core/virtual-machines/7': {status: true, instance: MACHINE},
    'GET /core/virtual-machines/7/stop': TAKEN,
  };
}

describe('a name that is searched for', () => {
  test.each([
    ['train-05', 'whether there is a machine "train-05" is not known: the list may be incomplete (repeated-page)'],
    [
      'web',
      'whether only one machine is called "web" is not known: the list may be incomplete (repeated-page); use an id (7)',
    ],
  ])('is not decided from an incomplete list: %s', async (name, words) => {
    const {simulator, asked} = await openService(answers(900));
    const given = await run(vmCommand, ['stop', name, '--yes'], {simulator});
    expect(given).toMatchObject({exitCode: 6, stdout: '', stderr: `skydeck: nothing was sent: ${words}\n`});
    expect(asked.filter(({path}) => path.endsWith('/stop'))).toEqual([]);
  });

  test('is not needed when the id is given', async () => {
    const {simulator} = await openService(answers(900));
    expect(await run(vmCommand, 'stop 7 --yes', {simulator})).toMatchObject({exitCode: 0});
    const gone = await run(vmCommand, 'stop 8 --yes', {simulator});
    expect(gone).toMatchObject({exitCode: 4, stderr: 'skydeck: nothing was sent: not found (404): not there\n'});
  });

  test('is not taken for an id when another machine has it as its name', async () => {
    const other = {...MACHINE, id: 9, name: '7'};
    const {simulator, asked} = await openService({
      ...answers(2),
      '/core/virtual-machines': {status: true, count: 2, instances: [MACHINE, other]},
    });
    const given = await run(vmCommand, 'stop 7 --yes', {simulator});
    expect(given).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr:
        'skydeck: "7" is the id of machine web and the name of machine #9: use the name of the one or the id of the other\n',
    });
    expect(asked.filter(({path}) => path.endsWith('/stop'))).toEqual([]);
    expect(await run(vmCommand, 'stop web --yes', {simulator})).toMatchObject({exitCode: 0});
  });

  test.each([
    [vmCommand, 'stop 7', 'virtual-machines', 'instances', 'instance', {status: 'ACTIVE'}, 'machine'],
    [volumeCommand, 'delete 7', 'volumes', 'volumes', 'volume', {status: 'available', size: 10}, 'volume'],
    [clusterCommand, 'delete 7', 'clusters', 'clusters', 'cluster', {status: 'ACTIVE'}, 'cluster'],
    [keyPairCommand, 'delete 7', 'keypairs', 'keypairs', 'keypair', {}, 'key pair'],
  ])('by an id that the list has twice is not decided: %#', async (command, words, path, many, one, rest, kind) => {
    const subject = {...rest, id: 7, name: 'web'};
    const {simulator, asked} = await openService({
      [`/core/${path}`]: {status: true, count: 2, [many]: [subject, {...subject, name: 'prod-db'}]},
      [`/core/${path}/7`]: {status: true, [one]: subject},
      [`GET /core/${path}/7/stop`]: TAKEN,
      [`DELETE /core/${path}/7`]: TAKEN,
      'DELETE /core/keypair/7': TAKEN,
    });
    const given = await run(command, `${words} --yes`, {simulator});
    expect(given).toMatchObject({
      exitCode: 6,
      stdout: '',
      stderr: `skydeck: nothing was sent: the list has ${kind} #7 twice, so which one is meant is unknown\n`,
    });
    expect(asked.filter(({method, path}) => method !== 'GET' || path.endsWith('/stop'))).toEqual([]);
  });

  test('is asked about with the other names that look like it, as in the deck, also when the id is given', async () => {
    const web = {...MACHINE, name: 'db-1'};
    const {simulator} = await openService({
      '/core/virtual-machines': {status: true, count: 2, instances: [web, {...web, id: 9, name: 'db-l'}]},
      '/core/virtual-machines/7': {status: true, instance: web},
    });
    for (const word of ['db-1', '7']) {
      const {stderr} = await run(vmCommand, `stop ${word} --dry-run`, {simulator});
      expect(stderr).toContain('Its name looks like db-l #9: compare the id.');
    }
  });

  test.each([
    [volumeCommand, 'volumes', 'volume', {status: 'available', size: 10}],
    [clusterCommand, 'clusters', 'cluster', {status: 'ACTIVE'}],
    [firewallCommand, 'firewalls', 'firewall', {status: 'SUCCESS', rules: [], attachments: []}],
  ])('is compared with those of its kind before a deletion, machine or not: %#', async (command, many, one, rest) => {
    const paths = {volumes: '/core/volumes', clusters: '/core/clusters', firewalls: '/core/firewalls'};
    const path = paths[many as keyof typeof paths];
    const subject = {...rest, id: 7, name: 'db-1'};
    const {simulator} = await openService({
      [path]: {status: true, count: 2, [many]: [subject, {...subject, id: 9, name: 'db-l'}]},
      [`${path}/7`]: {status: true, [one]: subject},
    });
    const {stderr} = await run(command, 'delete 7 --dry-run', {simulator});
    expect(stderr).toContain('Its name looks like db-l #9: compare the id.');
  });

  test('is reported as not found without a 404, which nobody answered', async () => {
    const {simulator} = await openService(answers(1));
    const given = await run(vmCommand, 'stop train-05 --yes', {simulator});
    expect(given).toMatchObject({exitCode: 4, stderr: 'skydeck: nothing was sent: machine "train-05" not found\n'});
  });

  test.each([
    [vmCommand, 'stop wbe --yes', 'nothing was sent'],
    [getCommand, 'vms wbe', 'get'],
    [describeCommand, 'vm wbe', 'describe'],
  ])('is answered with the name that was probably meant', async (command, words, what) => {
    const {simulator, asked} = await openService(answers(1));
    expect(await run(command, words, {simulator})).toMatchObject({
      exitCode: 4,
      stdout: '',
      stderr: `skydeck: ${what}: machine "wbe" not found; did you mean web?\n`,
    });
    expect(asked.filter(({path}) => path.endsWith('/stop'))).toEqual([]);
  });

  test('is answered with the likely name in quotes when that could be mistaken for our own words', async () => {
    const named = {...MACHINE, name: 'web, #8?'};
    const {simulator} = await openService({'/core/virtual-machines': {status: true, count: 1, instances: [named]}});
    const {stderr} = await run(vmCommand, ['stop', 'web, #8', '--yes'], {simulator});
    expect(stderr).toBe('skydeck: nothing was sent: machine "web, #8" not found; did you mean "web, #8?"?\n');
  });

  test.each(['-web', 'w\u202eeb'])('is not answered with %j, which cannot be typed as a name', async name => {
    const named = {...MACHINE, name};
    const {simulator} = await openService({'/core/virtual-machines': {status: true, count: 1, instances: [named]}});
    const {stderr} = await run(vmCommand, ['stop', 'web', '--yes'], {simulator});
    expect(stderr).toBe('skydeck: nothing was sent: machine "web" not found\n');
  });

  test('is not reported as not found by get either while the list is incomplete', async () => {
    const {simulator} = await openService(answers(900));
    const {exitCode, stderr} = await run(getCommand, 'vms train-05', {simulator});
    expect(exitCode).toBe(6);
    expect(stderr).toContain('the list may be incomplete');
  });

  test('is not reported as not found by describe either', async () => {
    const {simulator} = await openService(answers(900));
    expect(await run(describeCommand, 'vm train-05', {simulator})).toMatchObject({
      exitCode: 6,
      stdout: '',
      stderr:
        'skydeck: describe: whether there is a machine "train-05" is not known: the list may be incomplete (repeated-page)\n',
    });
    // Asked about the id, the service answered that there is none.
    expect(await run(describeCommand, 'vm 8', {simulator})).toMatchObject({exitCode: 4, stdout: ''});
  });

  test.each<[string, object, string]>([
    ['is unreadable', {id: 'x'}, 'x'],
    ['is no number that an id can be', {id: -1}, '-1'],
    ['is missing', {}, '?'],
    ['is null', {id: null}, '?'],
    ['is very long', {id: 'x'.repeat(3000)}, `${'x'.repeat(59)}…`],
  ])('is not decided while another record has it whose id %s', async (_, other, id) => {
    const instances = [MACHINE, {...other, name: 'web', status: 'ACTIVE'}];
    const {simulator, asked} = await openService({
      ...answers(2),
      '/core/virtual-machines': {status: true, count: 2, instances},
      'DELETE /core/virtual-machines/7': TAKEN,
    });
    const words = `2 are called "web": use an id (7, ${id})`;
    for (const verb of ['delete', 'stop']) {
      const given = await run(vmCommand, `${verb} web --yes`, {simulator});
      expect(given).toMatchObject({exitCode: 2, stdout: '', stderr: `skydeck: ${words}\n`});
    }
    expect(asked.filter(({method, path}) => method !== 'GET' || path.endsWith('/stop'))).toEqual([]);
    expect(await run(describeCommand, 'vm web', {simulator})).toMatchObject({exitCode: 2, stdout: ''});
    expect(await run(vmCommand, 'stop 7 --yes', {simulator})).toMatchObject({exitCode: 0});
  });

  test('is not reported as not found when a record could not be read, since that may have the name', async () => {
    const instances = [MACHINE, {id: -1, name: 'train-05', status: 'ACTIVE'}];
    const {simulator} = await openService({'/core/virtual-machines': {status: true, count: 2, instances}});
    const words = 'the list may be incomplete (1 record could not be read)';
    const whether = `whether there is a machine "train-05" is not known: ${words}`;
    const stopped = await run(vmCommand, 'stop train-05 --yes', {simulator});
    expect(stopped).toMatchObject({exitCode: 6, stdout: '', stderr: `skydeck: nothing was sent: ${whether}\n`});
    const described = await run(describeCommand, 'vm train-05', {simulator});
    expect(described).toMatchObject({exitCode: 6, stdout: '', stderr: `skydeck: describe: ${whether}\n`});
    const got = await run(getCommand, 'vms train-05', {simulator});
    expect(got).toMatchObject({exitCode: 6, stderr: `skydeck: ${words}\n`});
    // The service denied the id and the other record could be read, so both are certain.
    expect(await run(getCommand, 'vms 4711', {simulator})).toMatchObject({exitCode: 4});
    expect(await run(getCommand, 'vms web', {simulator})).toMatchObject({exitCode: 0});
  });

  test.each([
    ['vm', 'machine', vmCommand, 'stop', 'virtual-machines', 'instances', {status: 'ACTIVE'}],
    ['cluster', 'cluster', clusterCommand, 'delete', 'clusters', 'clusters', {status: 'ACTIVE'}],
    ['volume', 'volume', volumeCommand, 'delete', 'volumes', 'volumes', {status: 'available', size: 10}],
    ['firewall', 'firewall', firewallCommand, 'delete', 'firewalls', 'firewalls', {status: 'SUCCESS'}],
    ['key-pair', 'key pair', keyPairCommand, 'delete', 'keypairs', 'keypairs', {}],
  ])('is not reported as not found when a record has no readable name, since that may be it: %s', async (kind, noun, command, verb, path, many, rest) => {
    const records = [
      {...rest, id: 7, name: 'web'},
      {...rest, id: 8},
      {...rest, id: 9, name: ['train-05']},
    ];
    const {simulator} = await openService({[`/core/${path}`]: {status: true, count: 3, [many]: records}});
    const words = 'the list may be incomplete (2 records have no readable name)';
    const whether = `whether there is a ${noun} "train-05" is not known: ${words}`;
    const sent = await run(command, `${verb} train-05 --yes`, {simulator});
    expect(sent).toMatchObject({exitCode: 6, stdout: '', stderr: `skydeck: nothing was sent: ${whether}\n`});
    const described = await run(describeCommand, `${kind} train-05`, {simulator});
    expect(described).toMatchObject({exitCode: 6, stdout: '', stderr: `skydeck: describe: ${whether}\n`});
    const got = await run(getCommand, `${kind} train-05`, {simulator});
    expect(got).toMatchObject({exitCode: 6, stderr: `skydeck: ${words}\n`});
    expect(await run(getCommand, `${kind} web`, {simulator})).toMatchObject({exitCode: 0});
  });

  test.each([
    ['stop 7 web-8 9 web-10 --dry-run', ['7', '9']],
    ['stop web-7 web-8 --dry-run', []],
    ['stop 7 --dry-run', ['7']],
  ])('is looked up with all others in one reading of the list, which the question compares with as well: %s', async (line, ids) => {
    const instances = [7, 8, 9, 10].map(id => ({...MACHINE, id, name: `web-${id}`}));
    const {simulator, asked} = await openService({
      '/core/virtual-machines': {status: true, count: 4, instances},
      '/core/virtual-machines/7': {status: true, instance: instances[0]},
      '/core/virtual-machines/9': {status: true, instance: instances[2]},
    });
    expect(await run(vmCommand, line, {simulator})).toMatchObject({exitCode: 0});
    const paths = asked.map(({path}) => path.replace(/\?.*$/, ''));
    const readAlone = paths.flatMap(path => /^\/core\/virtual-machines\/(\d+)$/.exec(path)?.[1] ?? []);
    expect(readAlone).toEqual(ids);
    expect(paths.filter(path => path === '/core/virtual-machines')).toHaveLength(1);
  });
});
