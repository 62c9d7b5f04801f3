import {expect, test} from 'vitest';
import {openAccount} from '../../src/cli/account.ts';
import type {BuildCommand} from '../../src/cli/command-io.ts';
import {costCommand} from '../../src/cli/commands/cost.ts';
import {doctorCommand} from '../../src/cli/commands/doctor.ts';
import {eventsCommand} from '../../src/cli/commands/events.ts';
import {handoverCommand} from '../../src/cli/commands/handover.ts';
import {getCommand} from '../../src/cli/commands/get.ts';
import {printOverview} from '../../src/cli/commands/overview.ts';
import {triageCommand} from '../../src/cli/commands/triage.ts';
import {volumeCommand} from '../../src/cli/commands/volume.ts';
import {commandIo, run, type Surroundings} from './a-command.ts';
import {aUsedMachine, openService} from './a-service.ts';

const MACHINE = {name: 'gpu-1', status: 'ACTIVE', created_at: '2026-11-06T00:00:00', labels: []};

/** Of three machines two, and of two volumes one, cannot be read, since they have no id. */
async function partlyUnreadable(status = 'ACTIVE'): Promise<Surroundings> {
  const {simulator} = await openService({
    '/core/virtual-machines': {
      status: true,
      instances: [{...MACHINE, status, id: 1}, {...MACHINE, id: {}}, MACHINE],
      count: 3,
    },
    '/core/volumes': {
      status: true,
      volumes: [
        {id: 5, name: 'data', size: 10},
        {id: 'x', name: 'other'},
      ],
      count: 2,
    },
    '/core/clusters': {status: true, clusters: [], count: 0},
    '/core/firewalls': {status: true, firewalls: [], count: 0},
    '/core/flavors': {status: true, data: []},
    '/pricebook': [],
    '/billing/billing/usage': {status: true, data: [aUsedMachine(), aUsedMachine({resource_id: null})]},
    '/billing/contracts': {status: true, contracts: []},
    '/auth/me': {status: true, user: {id: 3, email: 'ana@example.com'}},
  });
  return {simulator, env: {SKYDECK_NOW: '2026-11-11T00:00:00Z'}};
}

const MACHINES = /^skydeck: machines: 2 records could not be read completely: id; id$/m;
const VOLUMES = /^skydeck: volumes: 1 record could not be read completely: #x \(id\)$/m;

test.each<[string, BuildCommand, string]>([
  ['triage', triageCommand, '--metrics none'],
  ['triage -o json', triageCommand, '-o json --metrics none'],
  ['handover', handoverCommand, '--metrics none'],
  ['events', eventsCommand, ''],
  ['cost', costCommand, '--metrics none'],
  ['cost -o json', costCommand, '-o json --metrics none'],
])('skydeck %s says how many machines and volumes it could not read, and ends well', async (_, command, line) => {
  const {stderr, exitCode} = await run(command, line, await partlyUnreadable());
  expect(stderr).toMatch(MACHINES);
  expect(stderr).toMatch(VOLUMES);
  expect(exitCode).toBe(0);
});

test('the overview in a pipe says it too', async () => {
  const {io, stderr} = commandIo(await partlyUnreadable());
  const opened = await openAccount(io, {color: false});
  if (!opened.ok) throw new Error(opened.mistake);
  expect(await printOverview(io, opened.account)).toBe(0);
  expect(stderr()).toMatch(MACHINES);
});

test.each([
  ['ACTIVE', 3, /^SKYDECK UNKNOWN - machines: 2 records could not be read completely: id; id\n/],
  ['ERROR', 1, /^SKYDECK WARNING - .*; 3 lists not read completely; 2 machines could not be read; .* \| /],
])('skydeck triage --check is not OK, and counts them beside what was found: %s', async (status, code, line) => {
  const {stdout, stderr, exitCode} = await run(triageCommand, '--check --metrics none', await partlyUnreadable(status));
  expect(stdout).toMatch(line);
  expect(exitCode).toBe(code);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).toBe('');
});

test('skydeck doctor warns of them', async () => {
  const {stdout, exitCode} = await run(doctorCommand, '-o json', await partlyUnreadable());
  const found = JSON.parse(stdout).filter(({check}: {check: string}) => check === 'permission');
  expect(found).toMatchObject([
    {verdict: 'warn', found: 'machines: 2 records could not be read completely: id; id'},
    {verdict: 'warn', found: 'usage and cost: 1 record could not be read completely: resource_id'},
  ]);
  expect(exitCode).toBe(0);
});

test.each([
  ['in-use', '?'],
  ['in-use', {}],
  ['in-use', [null]],
  ['in-use', null],
  ['in-use', undefined],
  ['available', '?'],
  ['available', null],
])('a volume that is %s with the attachments %j may be attached, so it is not deleted', async (status, attachments) => {
  const volume = {id: 5, name: 'data', size: 10, status, attachments};
  const {simulator} = await openService({
    '/core/volumes': {status: true, volumes: [volume], count: 1},
    '/core/volumes/5': {status: true, volume},
    '/core/virtual-machines': {status: true, instances: [], count: 0},
    '/billing/billing/usage': {status: true, data: []},
    '/auth/me': {status: true, user: {id: 3, email: 'ana@example.com'}},
  });
  const listed = await run(getCommand, 'volumes --columns id,machines', {simulator});
  expect(listed.stdout).toMatch(/^ *5 +unknown$/m);
  const {stdout, stderr, exitCode} = await run(volumeCommand, 'delete 5 --dry-run', {simulator});
  expect(exitCode).toBe(1);
  expect(stdout + stderr).toContain('data #5: not sent: what it is attached to is unknown');
  expect(stdout).not.toContain('DELETE');
});

test.each<[string, BuildCommand, string, RegExp]>([
  ['get', getCommand, 'vms', /^skydeck: 1 of 1 records could not be read completely: #x{59}… \(id\)$/m],
  [
    'triage',
    triageCommand,
    '--metrics none',
    /^skydeck: machines: 1 record could not be read completely: #x{59}… \(id\)$/m,
  ],
])('skydeck %s cuts an id of any length', async (_, command, line, words) => {
  const {simulator} = await openService({
    '/core/virtual-machines': {status: true, instances: [{...MACHINE, id: 'x'.repeat(3000)}], count: 1},
  });
  expect((await run(command, line, {simulator})).stderr).toMatch(words);
});

test('one cause has one wording in all rules that it keeps from judging', async () => {
  const {stdout} = await run(triageCommand, '-o json --metrics none', await partlyUnreadable());
  const unknown: readonly string[] = JSON.parse(stdout).unknown;
  for (const rule of ['idle', 'ghost-spend', 'open-to-world', 'rule-pending'])
    expect(unknown).toContain(`${rule}: 2 machines could not be read`);
  expect(unknown).toContain('ghost-spend: 1 volume could not be read');
  expect(unknown.filter(each => each.includes('is not complete'))).toEqual([]);
});
