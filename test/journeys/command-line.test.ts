import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {giveCompiledCode, projectRoot} from '../support/launch.ts';
import {machineNamed} from '../support/colleague.ts';
import {openHome, runProgram} from '../support/program.ts';
import {openShell} from '../support/shell.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';
import {isDeep, sweepOf} from '../support/tier.ts';

const PATIENT = {timeout: 60_000};
const PROGRAM = 'dist/skydeck.js';

/** What may be a key comes first: it is never repeated. */
const ALL_REFUSED: readonly (readonly [words: readonly string[], told: string])[] = [
  [['CANARY-0123456789-abcdef'], 'unknown command'],
  [['get', 'vms', '--bogus=CANARY-0123456789'], 'unknown option "--bogus"'],
  [['stop', 'train-01'], 'unknown command "stop"; did you mean vm stop?'],
  [['bogus'], 'unknown command "bogus"'],
  [['joural'], 'did you mean journal?'],
  [['detach', 'data-1'], 'did you mean firewall detach, volume detach, ip detach?'],
  [['--bogus'], 'unknown option "--bogus"'],
];
const REFUSED = ALL_REFUSED.slice(0, sweepOf({sample: 2, deep: ALL_REFUSED.length}));
const LONG_FORMATS = sweepOf({sample: ['ndjson'], deep: ['json', 'ndjson', 'name']});

describe('the command line', PATIENT, () => {
  test.each(REFUSED)('refuses %j in one line, and opens nothing', async (words, told) => {
    const {stdout, stderr, exitCode} = await runProgram(words);
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 2});
    expect(stderr).toContain(told);
    expect(stderr).not.toContain('CANARY');
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test('lists every command below a group in the help', async () => {
    const commandsIn = (help: string, title: string) => help.slice(help.indexOf(`\n${title}:\n`));
    const [all, ofMachines] = await Promise.all([runProgram(['--help']), runProgram(['vm', '--help'])]);
    const names = [...commandsIn(ofMachines.stdout, 'Commands').matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name);
    expect(names).toContain('hibernate');
    const words = commandsIn(all.stdout, 'Commands').replaceAll(/\s+/g, ' ');
    expect(words).toContain(` vm manage machines (${names.filter(name => name !== 'help').join(', ')}) `);
  });

  test('keeps its two outputs apart', async () => {
    const simulator = await openSmallCloud();
    const member = {...simulator, apiKey: simulator.keys.member};
    const {stdout, stderr, exitCode} = await runProgram(['get', 'vms', '-o', 'csv'], {simulator: member});
    expect(exitCode).toBe(0);
    expect(stdout.startsWith('id,name,')).toBe(true);
    expect(stdout).not.toContain('skydeck:');
    expect(stderr).toMatch(/^skydeck: cost is unknown: .*\n$/);
  });

  test('takes common options before the command as well', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const given = await runProgram(['--read-only', '--timeout', '5s', '-o', 'name', 'get', 'me'], {simulator});
    expect(given).toMatchObject({stderr: '', exitCode: 0});
    const refused = await runProgram(['--read-only', 'vm', 'stop', '1', '--yes'], {simulator});
    expect(refused).toMatchObject({stdout: '', exitCode: 2});
  });

  test("runs the person's own ssh without a shell, and keeps the key from it", async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const home = openHome();
    const [folder, seen] = [join(home.path, 'programs'), join(home.path, 'seen')];
    mkdirSync(folder);
    const script = '#!/bin/sh\nfor word in "$@"; do echo "$word"; done > "$SEEN"\nenv >> "$SEEN"\nexit 9\n';
    writeFileSync(join(folder, 'ssh'), script, {mode: 0o755});
    const env = {PATH: `${folder}:${process.env.PATH}`, SEEN: seen, COPY_OF_KEY: simulator.apiKey};
    const machine = await machineNamed(simulator, 'dev-tomasz');
    const words = ['ssh', machine.name, '--read-only', '--', 'echo', '$HOME; touch x', '-oProxyCommand=x'];
    const {stdout, stderr, exitCode} = await runProgram(words, {simulator, home, env});
    expect({stdout, stderr, exitCode}).toEqual({stdout: '', stderr: '', exitCode: 9});
    const [dashes, target, ...rest] = readFileSync(seen, 'utf8').split('\n');
    expect([dashes, target]).toEqual(['--', `ubuntu@${machine.floating_ip}`]);
    expect(rest.slice(0, 3)).toEqual(['echo', '$HOME; touch x', '-oProxyCommand=x']);
    expect(rest.join('\n')).toContain('SEEN=');
    expect(rest.join('\n')).not.toContain(simulator.apiKey);
  });

  test('ends quietly when nobody reads on, however much there is', async () => {
    const simulator = await openSimulator({scenario: 'big', vmCount: 500});
    const home = openHome();
    const env = {...home.environment, SKYDECK_BASE_URL: simulator.url, SKYDECK_API_KEY: simulator.apiKey};
    giveCompiledCode(home);
    const shell = await openShell({cwd: projectRoot, env});
    onTestFinished(shell.close);
    for (const format of LONG_FORMATS) {
      shell.run(
        `node ${PROGRAM} get vms -o ${format} | head -1 >"$HOME/${format}"; echo "${format} \${PIPESTATUS[*]}"`,
      );
      await shell.sees(`${format} 0 0`, {withinMs: 30_000});
      expect(readFileSync(join(home.path, format), 'utf8').split('\n')).toHaveLength(2);
    }
    expect(shell.text()).not.toMatch(/EPIPE| {4}at /);
  });

  test('asks before it sends, and takes the name for a yes to what cannot be undone', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const home = openHome();
    const env = {...home.environment, SKYDECK_BASE_URL: simulator.url, SKYDECK_API_KEY: simulator.apiKey};
    giveCompiledCode(home);
    const shell = await openShell({cwd: projectRoot, env});
    onTestFinished(shell.close);
    shell.run(`node ${PROGRAM} vm hibernate dev-tomasz --release-ip; echo "code $?"`);
    await shell.sees('is released permanently.');
    await shell.sees('Type dev-tomasz to send it once:');
    shell.write('\x1b[200~dev-tomasz\r\x1b[201~\r');
    await shell.sees('pasted text is not accepted; type the answer');
    await shell.sees(/type the answer\nOn \S+ Type dev-tomasz to send it once:/);
    await shell.press('y', 'enter');
    await shell.sees('skydeck: nothing was sent');
    await shell.sees('code 2');
    expect(simulator.executions()).toEqual([]);
    shell.run(`node ${PROGRAM} vm label bastion --add x`);
    await shell.sees('Type y to send it once:');
    shell.write('\x03');
    await shell.sees(/Type y to send it once:\s+skydeck: nothing was sent/);
    await shell.seesPrompt();
    shell.run('echo "again $?"');
    await shell.sees('again 130');
    expect(simulator.executions()).toEqual([]);
  });

  const early = [['a whole answer', 'y\r', ''] as const, ['half an answer', 'y', '\r'] as const];
  test.each(
    early.slice(0, sweepOf({sample: 1, deep: early.length})),
  )('takes %s that was typed before the question for none', async (_, first, late) => {
    const slow = 'kind=latency:2s,match=GET /core/virtual-machines';
    const simulator = await openSimulator({scenario: 'calm', faults: [slow]});
    const home = openHome();
    const env = {...home.environment, SKYDECK_BASE_URL: simulator.url, SKYDECK_API_KEY: simulator.apiKey};
    giveCompiledCode(home);
    const shell = await openShell({cwd: projectRoot, env});
    onTestFinished(shell.close);
    shell.run(`node ${PROGRAM} vm label infer-01 --add x`);
    await shell.becomes('to read', () => simulator.requests().length > 0);
    shell.write(first);
    await shell.sees('Type y to send it once:');
    shell.write(`${late}\x04`);
    await shell.sees(/nothing was sent|accepted/);
    expect(shell.text()).toContain('skydeck: nothing was sent');
    expect(simulator.requests().filter(({method}) => method !== 'GET')).toEqual([]);
  });

  test('reads a key without showing it', async () => {
    const home = openHome();
    giveCompiledCode(home);
    const shell = await openShell({cwd: projectRoot, env: home.environment});
    onTestFinished(shell.close);
    shell.run(`node ${PROGRAM} profile add prod --base-url https://a.example/v1; echo "code $?"`);
    await shell.sees('API key (not shown):');
    shell.write('CANARY-0123456789\r');
    await shell.sees('prod added, and in use');
    await shell.sees('code 0');
    expect(shell.raw()).not.toContain('CANARY');
    expect(readFileSync(join(home.path, 'config', 'keys', 'prod.key'), 'utf8')).toBe('CANARY-0123456789\n');
  });

  test.runIf(isDeep)('opens the deck’s account by a profile', async () => {
    const simulator = await openSmallCloud();
    const home = openHome();
    const added = await runProgram(['profile', 'add', 'sim', '--base-url', simulator.url], {
      home,
      stdin: simulator.apiKey,
    });
    expect(added).toMatchObject({stderr: '', exitCode: 0});
    const {stdout} = await runProgram([], {home});
    expect(stdout).toMatch(/^skydeck {2}acme-prod {2}\d{4}/);
    expect(simulator.requests().length).toBeGreaterThan(0);
  });
});
