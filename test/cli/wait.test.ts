import {describe, expect, test} from 'vitest';
import {waitCommand} from '../../src/cli/commands/wait.ts';
import {openSimulator} from '../support/simulator.ts';
import {rawAnswer, run} from './a-command.ts';
import {openService} from './a-service.ts';

/** An answer still has most of a second before it times out. */
const SPEED = 20;

/** A service whose machine goes through these states, `undefined` when it does not exist; the last one stays. */
async function openStates(states: readonly (string | undefined)[]) {
  let readCount = 0;
  const answers = {
    get '/core/virtual-machines/7'() {
      const state = states[Math.min(readCount, states.length - 1)];
      readCount += 1;
      return state === undefined
        ? undefined
        : {status: true, message: '', instance: {id: 7, name: 'gpu-7', status: state}};
    },
    '/core/virtual-machines': {status: true, count: 0, instances: []},
  };
  const {simulator} = await openService(answers);
  return (line: string) => run(waitCommand, line, {simulator, speed: SPEED});
}

describe('skydeck wait', () => {
  test('ends its progress line before it says on a terminal what it could not do', async () => {
    const simulator = await openSimulator({faults: ['kind=latency:30s,match=GET /core/virtual-machines*']});
    const line = 'vm 7 --for state=ACTIVE --timeout 5s';
    const {stderr} = await run(waitCommand, line, {simulator, speed: SPEED, answers: []});
    const message = 'skydeck: machine 7 was not ACTIVE within 5s: the service did not answer in time\n';
    expect(stderr.startsWith('\r\x1b[Kskydeck: reading 7')).toBe(true);
    expect(stderr.endsWith(`\r\x1b[K${message}`)).toBe(true);
  });

  test('lists the states by the words that it takes', async () => {
    const wait = await openStates(['BUILD']);
    const {stdout} = await wait('--help');
    const states = stdout.slice(stdout.indexOf('States:'));
    expect([...states.matchAll(/^ {2}([a-z]+) /gm)].map(([, word]) => word)).toEqual(['vm', 'cluster', 'volume']);
  });

  test.each(['-o json', '--output=json'])('says that it has one output format: %s', async option => {
    const {stdout, stderr, exitCode} = await run(waitCommand, `vm 7 --for state=ACTIVE ${option}`);
    const flag = option.split(/[ =]/)[0];
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 2});
    expect(stderr).toBe(`skydeck: unknown option "${flag}"; this command has one output format only\n`);
  });

  test('exits once the state is seen', async () => {
    const wait = await openStates(['BUILD', 'BUILD', 'ACTIVE']);
    const {stdout, stderr, exitCode} = await wait('vm 7 --for state=active');
    expect({stdout, stderr, exitCode}).toEqual({stdout: 'machine gpu-7 #7 is ACTIVE\n', stderr: '', exitCode: 0});
  });

  test('exits with 7 when the time runs out, and says what it saw last', async () => {
    const wait = await openStates(['BUILD']);
    const {stdout, stderr, exitCode} = await wait('vm 7 --for state=ACTIVE --timeout 10s');
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 7});
    expect(stderr).toBe('skydeck: machine gpu-7 #7 was not ACTIVE within 10s, last seen BUILD\n');
  });

  test.each(['gpu-7', '7'])('times out too while %s is still being looked up', async wanted => {
    const simulator = await openSimulator({faults: ['kind=latency:30s,match=GET /core/virtual-machines*']});
    const line = `vm ${wanted} --for state=ACTIVE --timeout 5s`;
    const {stdout, stderr, exitCode} = await run(waitCommand, line, {simulator, speed: SPEED});
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 7});
    expect(stderr).toBe(`skydeck: machine ${wanted} was not ACTIVE within 5s: the service did not answer in time\n`);
  });

  test.each(['a name', 'an id'])('looks up %s again after a failure that passes', async wanted => {
    const same = await openSimulator({scenario: 'calm'});
    const {instances} = JSON.parse((await rawAnswer(same, '/core/virtual-machines')).text);
    const {id, name} = instances.find(({status}: {status: string}) => status === 'ACTIVE');
    const faults = ['status=500,match=GET /core/virtual-machines*,times=2'];
    const simulator = await openSimulator({scenario: 'calm', faults});
    const line = `vm ${wanted === 'an id' ? id : name} --for state=ACTIVE --timeout 60s`;
    const {stdout, stderr, exitCode} = await run(waitCommand, line, {simulator, speed: SPEED});
    expect({stdout, exitCode}).toEqual({stdout: `machine ${name} #${id} is ACTIVE\n`, exitCode: 0});
    const what = `machine ${wanted === 'an id' ? id : name} to be ACTIVE`;
    expect(stderr).toMatch(/^skydeck: .*\n$/);
    expect(stderr).toContain(`waiting up to 1m for ${what}: the service failed (500)`);
  });

  test('exits with 7, and says why, when the look-up fails until the time runs out', async () => {
    const simulator = await openSimulator({faults: ['status=500,match=GET /core/virtual-machines*']});
    const line = 'vm gpu-7 --for state=ACTIVE --timeout 5s';
    const {stdout, stderr, exitCode} = await run(waitCommand, line, {simulator, speed: SPEED});
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 7});
    const [first, last, ...others] = stderr.split('\n');
    expect(first).toMatch(/^skydeck: waiting up to 5s for machine gpu-7 to be ACTIVE: the service failed \(500\)/);
    expect(last).toMatch(/^skydeck: machine gpu-7 was not ACTIVE within 5s: the service failed \(500\)/);
    expect(others).toEqual(['']);
  });

  test('counts a machine that no longer exists as DELETED, and as no other state', async () => {
    const gone = await (await openStates(['DELETING', 'DELETING', undefined]))('vm 7 --for state=DELETED');
    expect(gone).toMatchObject({exitCode: 0, stdout: 'machine gpu-7 #7 is gone\n'});
    const missed = await (await openStates(['DELETING', undefined]))('vm 7 --for state=ACTIVE');
    expect(missed).toMatchObject({exitCode: 4, stdout: '', stderr: 'skydeck: machine gpu-7 #7 is gone\n'});
    const never = await (await openStates([undefined]))('vm 7 --for state=DELETED');
    expect(never).toMatchObject({exitCode: 0, stdout: '7 does not exist\n'});
    const typed = await (await openStates([undefined]))('vm nobody --for state=ACTIVE');
    expect(typed).toMatchObject({exitCode: 4, stdout: ''});
  });

  test('says of a name that nothing has that it may never have been', async () => {
    const never = await (await openStates([undefined]))('vm nobody --for state=DELETED');
    expect(never).toMatchObject({exitCode: 0, stdout: 'no machine is called "nobody": it is gone, or never was\n'});
  });

  test('takes no name for gone while a record of the list has no readable name, since that may be it', async () => {
    const faults = ['kind=without:name,match=GET /core/virtual-machines*'];
    const simulator = await openSimulator({seed: 7, faults});
    const line = 'vm train-02 --for state=DELETED --timeout 5s';
    const {stdout, stderr, exitCode} = await run(waitCommand, line, {simulator, speed: SPEED});
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 7});
    expect(stderr).toContain('whether there is a machine "train-02" is not known');
  });

  test('takes no name for gone because the list of names does not exist', async () => {
    const {simulator} = await openService({});
    const {stdout, exitCode} = await run(waitCommand, 'vm gpu-7 --for state=DELETED', {simulator, speed: SPEED});
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 4});
  });

  test.each([
    ['cluster', '/core/clusters', 'clusters', 'ACTIVE'],
    ['volume', '/core/volumes', 'volumes', 'IN_USE'],
  ])('knows the states of a %s', async (kind, path, field, state) => {
    const simulator = await openSimulator({scenario: 'calm'});
    const records: {id: number; name: string; status: string}[] = JSON.parse((await rawAnswer(simulator, path)).text)[
      field
    ];
    const isWanted = ({status}: {status: string}) => status.toUpperCase().replace('-', '_') === state;
    const record = records.find(isWanted);
    const {stdout, exitCode} = await run(waitCommand, `${kind} ${record?.name} --for state=${state}`, {simulator});
    expect({stdout, exitCode}).toEqual({
      stdout: `${kind} ${record?.name} #${record?.id} is ${record?.status}\n`,
      exitCode: 0,
    });
  });

  test.each([
    ['firewall web --for state=ACTIVE', 'only a vm, a cluster or a volume'],
    ['vm 7 --for state=ACTVE', 'no state of a machine is called "ACTVE"'],
    ['vm 7 --for ACTIVE', 'use state=STATE'],
    ['vm 7', '--for'],
    ['vm 7 --for state=ACTIVE --timeout soon', 'use a duration'],
  ])('refuses %s', async (line, words) => {
    const {stdout, stderr, exitCode} = await run(waitCommand, line);
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 2});
    expect(stderr).toContain(words);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test('exits with 3 when the key is refused', async () => {
    const simulator = await openSimulator({faults: ['status=401,match=GET /core/*']});
    expect(await run(waitCommand, 'vm 7 --for state=ACTIVE', {simulator})).toMatchObject({exitCode: 3, stdout: ''});
  });
});
