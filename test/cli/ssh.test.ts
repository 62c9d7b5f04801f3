import {describe, expect, test} from 'vitest';
import {sshCommand} from '../../src/cli/commands/ssh.ts';
import {run} from './a-command.ts';
import {openService} from './a-service.ts';

const MACHINE = {
  id: 7,
  name: 'gpu-1',
  status: 'ACTIVE',
  floating_ip: '203.0.113.7',
  image: {name: 'Ubuntu Server 24.04 LTS'},
};

async function serviceWith(machine: object) {
  return openService({'/core/virtual-machines/7': {status: true, message: '', instance: {...MACHINE, ...machine}}});
}

describe('skydeck ssh', () => {
  test('runs ssh to the machine, in read-only mode too, and exits with its code', async () => {
    const {simulator} = await serviceWith({});
    const env = {SKYDECK_READ_ONLY: '1', ELSEWHERE: simulator.apiKey};
    const ran = await run(sshCommand, '7 -- uptime -p', {simulator, env, programEnd: {kind: 'ended', exitCode: 255}});
    expect(ran).toMatchObject({exitCode: 255, stdout: '', stderr: ''});
    expect(ran.programs.map(({words}) => words)).toEqual([['ssh', '--', 'ubuntu@203.0.113.7', 'uptime', '-p']]);
    expect(JSON.stringify(ran.programs)).not.toContain(simulator.apiKey);
  });

  test('prints the line for a shell, and runs nothing', async () => {
    const {simulator} = await serviceWith({});
    const ran = await run(sshCommand, ['7', '--print', '--user', 'ana', '--', "echo 'a'"], {simulator});
    expect(ran).toMatchObject({exitCode: 0, stdout: `ssh -- ana@203.0.113.7 'echo '\\''a'\\'''\n`, programs: []});
  });

  test('says that the address is private, also when it only prints the line, and still tries', async () => {
    const {simulator} = await serviceWith({floating_ip: '', fixed_ip: '10.0.1.4'});
    const words =
      'skydeck: gpu-1 has no public address: its private one is reached from inside its network, or by skydeck ssh --jump HOST\n';
    const ran = await run(sshCommand, '7', {simulator});
    expect(ran.stderr).toBe(words);
    const unread = await serviceWith({floating_ip: {}, fixed_ip: '10.0.1.4'});
    expect((await run(sshCommand, '7', unread)).stderr).toContain('the public address of gpu-1 could not be read: its');
    expect(ran.programs.map(each => each.words)).toEqual([['ssh', '--', 'ubuntu@10.0.1.4']]);
    const printed = await run(sshCommand, '7 --print', {simulator});
    expect(printed).toMatchObject({stderr: words, stdout: 'ssh -- ubuntu@10.0.1.4\n'});
  });

  test('can go through another host, with an own key', async () => {
    const {simulator} = await serviceWith({floating_ip: '', fixed_ip: '10.0.1.4'});
    const ran = await run(sshCommand, '7 --jump ana@bastion -i keys/lab', {simulator});
    expect(ran.stderr).toBe('');
    const words = ['ssh', '-J', 'ana@bastion', '-i', 'keys/lab', '--', 'ubuntu@10.0.1.4'];
    expect(ran.programs.map(each => each.words)).toEqual([words]);
    const two = await run(sshCommand, '7 --print --jump ana@b-1.example:2222,[2001:db8::1]', {simulator});
    expect(two.stdout).toBe("ssh -J 'ana@b-1.example:2222,[2001:db8::1]' -- ubuntu@10.0.1.4\n");
  });

  test('says that SSH may be on another port', async () => {
    const {simulator} = await serviceWith({port_randomization: true});
    const {stderr, exitCode} = await run(sshCommand, '7', {simulator});
    const words = 'skydeck: gpu-1 has randomized ports: its SSH may be at another port than 22\n';
    expect({stderr, exitCode}).toEqual({stderr: words, exitCode: 0});
  });

  test.each([
    [{status: 'SHUTOFF'}, 'gpu-1 is SHUTOFF: start it first, with skydeck vm start 7'],
    [{status: 'SHUTOFF', power_state: 'SHUTDOWN'}, 'gpu-1 is SHUTOFF: start it first, with skydeck vm start 7'],
    [{status: 'HIBERNATED'}, 'gpu-1 is HIBERNATED: restore it first, with skydeck vm restore 7'],
  ])('does not try a machine that is off, and says how to start it: %j', async (machine, words) => {
    const {simulator} = await serviceWith(machine);
    const ran = await run(sshCommand, '7', {simulator});
    expect(ran).toMatchObject({exitCode: 1, stdout: '', stderr: `skydeck: ${words}\n`, programs: []});
    const printed = await run(sshCommand, '7 --print', {simulator});
    expect(printed).toMatchObject({exitCode: 0, stdout: 'ssh -- ubuntu@203.0.113.7\n'});
    expect(printed.stderr).toBe(`skydeck: gpu-1 is ${machine.status}, so it may not answer\n`);
  });

  test.each([
    {status: 'ERROR'},
    {status: 'STARTING'},
    // The service contradicts itself, and its guest may be running.
    {status: 'SHUTOFF', power_state: 'RUNNING'},
  ])('says that the machine may not be running, and still tries: %j', async machine => {
    const {simulator} = await serviceWith(machine);
    const ran = await run(sshCommand, '7', {simulator});
    expect(ran.stderr).toBe(`skydeck: gpu-1 is ${machine.status}, so it may not answer\n`);
    expect(ran.programs).toHaveLength(1);
  });

  test('names no command for a node that is off, whose power its cluster manages', async () => {
    const {simulator} = await serviceWith({status: 'SHUTOFF', cluster_id: 41});
    const ran = await run(sshCommand, '7', {simulator});
    expect(ran).toMatchObject({exitCode: 1, stderr: 'skydeck: gpu-1 is SHUTOFF\n', programs: []});
  });

  test.each([
    [{floating_ip: '-oProxyCommand=x'}, '7', 1, 'is not an IP address'],
    [{floating_ip: null}, '7', 1, 'has no address'],
    [{}, '7 --user -x', 2, 'is not a user name'],
    [{}, '7 --jump=-oProxyCommand=id', 2, '--jump needs a host'],
    [{}, '7 --jump=bastion,-oProxyCommand=id', 2, '--jump needs a host'],
    [{}, '7 --identity=-oProxyCommand=id', 2, '--identity needs a file'],
    [{}, '8', 4, 'not found'],
  ])('runs nothing for %j and %s', async (machine, line, exitCode, words) => {
    const {simulator} = await serviceWith(machine);
    const ran = await run(sshCommand, line, {simulator});
    expect(ran).toMatchObject({exitCode, stdout: '', programs: []});
    expect(ran.stderr).toContain(words);
  });

  test('says that ssh cannot be started', async () => {
    const {simulator} = await serviceWith({});
    const programEnd = {kind: 'not-started', reason: 'spawn ssh ENOENT'} as const;
    const {exitCode, stderr} = await run(sshCommand, '7', {simulator, programEnd});
    expect({exitCode, stderr}).toEqual({exitCode: 2, stderr: 'skydeck: ssh cannot be started: spawn ssh ENOENT\n'});
  });
});
