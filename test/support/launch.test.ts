import {existsSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {createHome, type Home, launchOnTerminal, launchWithoutTerminal} from './launch.ts';

/** A stand-in for the built program, because these tests are about how it is started. */
function programOf(source: string): {home: Home; program: string} {
  const home = createHome();
  onTestFinished(home.remove);
  const program = join(home.path, 'program.mjs');
  writeFileSync(program, source);
  return {home, program};
}

describe('without a terminal', () => {
  test('returns both outputs separately and the exit code', async () => {
    const {home, program} = programOf(`
      process.stdout.write('out ' + process.argv.slice(2).join('|'));
      process.stderr.write('err');
      process.exitCode = 4;`);
    const outcome = await launchWithoutTerminal({home, program, arguments: ['get', 'a b'], timeoutMs: 10_000});
    expect(outcome).toEqual({stdout: 'out get|a b', stderr: 'err', exitCode: 4});
  });

  test('passes the whole standard input and then its end', async () => {
    const {home, program} = programOf(`
      let text = '';
      process.stdin.setEncoding('utf8').on('data', chunk => { text += chunk; });
      process.stdin.on('end', () => console.log(text.toUpperCase()));`);
    const outcome = await launchWithoutTerminal({home, program, stdin: 'secret é', timeoutMs: 10_000});
    expect(outcome).toEqual({stdout: 'SECRET É\n', stderr: '', exitCode: 0});
  });

  test('works with a program that never reads its input', async () => {
    const {home, program} = programOf(`process.exit(2);`);
    const outcome = await launchWithoutTerminal({home, program, stdin: 'x'.repeat(1_000_000), timeoutMs: 10_000});
    expect(outcome.exitCode).toBe(2);
  });

  test('reports a signal in the exit code, as a shell does', async () => {
    const {home, program} = programOf(`process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1e6);`);
    expect(await launchWithoutTerminal({home, program, timeoutMs: 10_000})).toMatchObject({exitCode: 128 + 15});
  });

  test('fails with the output so far if the program does not exit', async () => {
    const {home, program} = programOf(`process.stdout.write('so far'); setInterval(() => {}, 1e6);`);
    const running = launchWithoutTerminal({home, program, arguments: ['get', 'vms'], timeoutMs: 3000});
    await expect(running).rejects.toThrow('skydeck get vms did not end within 3000 ms.\nstdout: so far');
  });

  test('gives the program the connection, an empty home and no variables of the test run', async () => {
    const {home, program} = programOf(`
      const {SKYDECK_BASE_URL, SKYDECK_API_KEY, HOME, SKYDECK_CONFIG_DIR, XDG_STATE_HOME, CI, VITEST, NODE_ENV, TZ} = process.env;
      console.log(JSON.stringify({SKYDECK_BASE_URL, SKYDECK_API_KEY, HOME, SKYDECK_CONFIG_DIR, XDG_STATE_HOME, CI, VITEST, NODE_ENV, TZ}));`);
    const connection = {url: 'http://127.0.0.1:1/v1', apiKey: 'key-of-the-test'};
    const {stdout} = await launchWithoutTerminal({
      home,
      program,
      isCold: true,
      connection,
      env: {TZ: 'Asia/Tokyo'},
      timeoutMs: 10_000,
    });
    expect(JSON.parse(stdout)).toEqual({
      SKYDECK_BASE_URL: connection.url,
      SKYDECK_API_KEY: connection.apiKey,
      HOME: home.path,
      SKYDECK_CONFIG_DIR: join(home.path, 'config'),
      XDG_STATE_HOME: join(home.path, 'state'),
      TZ: 'Asia/Tokyo',
    });
    expect([readdirSync(join(home.path, 'config')), readdirSync(join(home.path, 'state'))]).toEqual([[], []]);
  });
});

test('runs the program on a terminal of the requested size', async () => {
  const {home, program} = programOf(
    `console.log(process.stdout.columns, process.stdout.rows, process.stdin.isTTY, process.argv[2]);`,
  );
  const terminal = launchOnTerminal({home, program, arguments: ['--ascii'], columns: 100, rows: 30});
  onTestFinished(terminal.close);
  await terminal.sees('100 30 true --ascii');
});

test('removes the home with everything in it', () => {
  const home = createHome();
  writeFileSync(join(home.path, 'state', 'journal'), 'an entry');
  home.remove();
  expect(existsSync(home.path)).toBe(false);
});
