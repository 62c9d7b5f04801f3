import {chmodSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {doctorCommand} from '../../src/cli/commands/doctor.ts';
import {profileCommand} from '../../src/cli/commands/profile.ts';
import {openHome} from '../support/program.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';
import {openService} from './a-service.ts';
import {runCommand} from '../../src/cli/run-command.ts';
import {commandIo, run, type Surroundings} from './a-command.ts';

type Checkup = {
  readonly check: string;
  readonly verdict: string;
  readonly found: string;
  readonly remedy: string | null;
};

async function examined(given: Surroundings, line = '') {
  const {stdout, stderr, exitCode} = await run(doctorCommand, `${line} -o json`, given);
  const checkups: readonly Checkup[] = JSON.parse(stdout);
  const of = (check: string) => checkups.filter(each => each.check === check);
  return {checkups, of, stderr, exitCode};
}

describe('skydeck doctor', () => {
  test('finds no problem when everything is well', async () => {
    const simulator = await openSmallCloud();
    const {checkups, of, exitCode, stderr} = await examined({simulator});
    expect({exitCode, stderr}).toEqual({exitCode: 0, stderr: ''});
    expect(checkups.filter(({verdict}) => verdict !== 'ok')).toEqual([]);
    expect(of('key').map(({found}) => found)).toEqual([expect.stringContaining('ines@acme.example')]);
    for (const check of [
      'settings file',
      'state folder',
      'terminal',
      'locale',
      'TLS checks',
      'theme',
      'base URL',
      'service',
      'clock',
      'permission',
      'requests',
      'credit',
    ]) {
      expect(of(check).length).toBeGreaterThan(0);
    }
  });

  test('forgets the key in its environment before it runs the key command, which may be for another account', async () => {
    const simulator = await openSmallCloud();
    const home = openHome();
    const file = join(home.path, 'key');
    const env = {SKYDECK_BASE_URL: simulator.url};
    const {io, stdout} = commandIo({home, env});
    const forgetKey = () => writeFileSync(file, simulator.apiKey);
    const words = ['--key-command', `cat ${file}`, '-o', 'json'];
    await runCommand(doctorCommand, words, {...io, forgetKey});
    const checkups: readonly Checkup[] = JSON.parse(stdout());
    expect(checkups.find(({check}) => check === 'key source')).toMatchObject({
      verdict: 'ok',
      found: 'from the command',
    });
  });

  test('uses the key of the environment although it is then forgotten', async () => {
    const simulator = await openSmallCloud();
    const {io, stdout} = commandIo({env: {SKYDECK_BASE_URL: simulator.url, SKYDECK_API_KEY: simulator.apiKey}});
    const environment = {...io.environment};
    const forgetKey = () => {
      delete environment.SKYDECK_API_KEY;
    };
    const exitCode = await runCommand(doctorCommand, ['-o', 'json'], {...io, environment, forgetKey});
    const checkups: readonly Checkup[] = JSON.parse(stdout());
    expect(checkups.filter(({verdict}) => verdict === 'fail')).toEqual([]);
    expect(checkups.find(({check}) => check === 'key source')?.found).toBe('from the environment');
    expect(exitCode).toBe(0);
    expect(environment).not.toHaveProperty('SKYDECK_API_KEY');
  });

  test('prints a table with remedies', async () => {
    const {stdout, exitCode} = await run(doctorCommand, '');
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(/^VERDICT +CHECK +FOUND$/m);
    expect(stdout).toMatch(/^fail +account +none configured$/m);
    expect(stdout).toMatch(/^ +remedy: skydeck profile add/m);
  });

  test.each<[string, string, number, string]>([
    ['status=401,match=GET /auth/me', 'key', 3, 'the key or its role was not accepted'],
    ['status=429,match=GET /auth/me', 'limits', 5, 'rate-limited'],
    ['status=500,match=GET /auth/me', 'service', 6, 'the service failed'],
    ['kind=html,match=GET /auth/me', 'service', 6, 'not JSON'],
  ])('reports the fault %s', async (fault, check, code, words) => {
    const simulator = await openSimulator({faults: [fault]});
    const {of, exitCode} = await examined({simulator});
    expect(exitCode).toBe(code);
    const found = of(check).find(({verdict}) => verdict === 'fail');
    expect(found?.found).toContain(words);
    expect(found?.remedy).not.toBeNull();
  });

  test('says where a new key belongs', async () => {
    const simulator = await openSimulator({faults: ['status=401,match=GET /auth/me']});
    const home = openHome();
    await run(profileCommand, `add staging --base-url ${simulator.url}`, {home, stdin: simulator.apiKey});
    const given = join(home.path, 'own.key');
    writeFileSync(given, simulator.apiKey, {mode: 0o600});
    const remedies: unknown[] = [];
    for (const [line, env] of [
      ['', {}],
      ['', {SKYDECK_API_KEY: simulator.apiKey}],
      [` --key-file ${given}`, {}],
    ] as const) {
      const {stdout} = await run(doctorCommand, `-o json${line}`, {home, env});
      const checkups: {check: string; verdict: string; remedy: string}[] = JSON.parse(stdout);
      remedies.push(checkups.find(({check, verdict}) => check === 'key' && verdict === 'fail')?.remedy);
    }
    expect(remedies).toEqual([
      'create a new key, then skydeck profile add staging --replace',
      'create a new key, then set SKYDECK_API_KEY to it',
      'create a new key, then put it in the key file',
    ]);
  });

  test('wraps its findings in a narrow terminal, and cuts nothing', async () => {
    const whole = (await run(doctorCommand, '', {})).stdout;
    const {stdout} = await run(doctorCommand, '', {columns: 60});
    expect(Math.max(...whole.split('\n').map(line => line.length))).toBeGreaterThan(60);
    expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(60);
    expect(stdout).not.toContain('…');
  });

  test('reports a service that cannot be reached', async () => {
    const simulator = await openSmallCloud();
    await simulator.close();
    const {of, exitCode} = await examined({simulator});
    expect(exitCode).toBe(6);
    expect(of('service')[0]).toMatchObject({verdict: 'fail'});
  });

  test('warns of what the key may not read', async () => {
    const simulator = await openSmallCloud();
    const {of, exitCode} = await examined({simulator: {...simulator, apiKey: simulator.keys.member}});
    expect(exitCode).toBe(0);
    expect(of('permission')).toMatchObject([
      {verdict: 'ok'},
      {verdict: 'warn', remedy: 'an administrator can give your user a role with it'},
    ]);
  });

  test('names a list that the key may not read, although it may read machines and usage', async () => {
    const simulator = await openSimulator({faults: ['status=403,match=GET /core/firewalls']});
    const {of, exitCode} = await examined({simulator});
    expect(exitCode).toBe(0);
    expect(of('permission')).toMatchObject([
      {verdict: 'ok'},
      {verdict: 'ok'},
      {verdict: 'warn', found: expect.stringMatching(/^firewalls: .*403/)},
    ]);
  });

  test.each([
    ['/core/virtual-machines', 'machines'],
    ['/core/volumes', 'volumes'],
    ['/core/clusters', 'clusters'],
    ['/core/firewalls', 'firewalls'],
  ])('fails on a service that does not answer %s, which is no matter of permissions', async (path, what) => {
    const simulator = await openSimulator({faults: [`status=503,match=GET ${path}`]});
    const {checkups, of, exitCode} = await examined({simulator});
    expect(exitCode).toBe(6);
    expect(checkups.filter(({verdict}) => verdict !== 'ok')).toEqual([
      {
        check: 'service',
        verdict: 'fail',
        found: expect.stringMatching(new RegExp(`^${what}: .*503`)),
        remedy: 'try again; if it stays, see the status page of the service',
      },
    ]);
    expect(of('permission').length).toBeGreaterThan(0);
  });

  test.each([
    [4 * 60_000, 'fail', 1],
    [-20_000, 'warn', 0],
    [1000, 'ok', 0],
  ])('judges a clock that is %i ms off', async (offsetMs, verdict, code) => {
    // The computer has its own clock, and not that of the service.
    const {url, apiKey} = await openSimulator({startedAt: Date.now() + offsetMs});
    const {of, exitCode} = await examined({simulator: {url, apiKey}});
    expect(of('clock')).toMatchObject([{verdict}]);
    expect(exitCode).toBe(code);
  });

  test('says that a clock of the service 400 days ahead is not followed', async () => {
    const {url, apiKey} = await openSimulator({startedAt: Date.now() + 400 * 86_400_000});
    const {of, exitCode} = await examined({simulator: {url, apiKey}});
    expect(of('clock')).toMatchObject([{verdict: 'fail', remedy: expect.stringContaining('too far off')}]);
    expect(exitCode).toBe(1);
  });

  test('tells a date of the service that cannot be read from none', async () => {
    const {simulator} = await openService({'/auth/me': {status: true, user: {email: 'a@b.example'}}}, () => Number.NaN);
    const {of} = await examined({simulator});
    expect(of('clock')).toMatchObject([{verdict: 'warn', found: 'the service sends a date that cannot be read'}]);
  });

  test('reports files that others can read', async () => {
    const home = openHome();
    const folder = join(home.path, 'config');
    mkdirSync(join(folder, 'keys'));
    for (const file of ['settings.json', join('keys', 'a.key')]) {
      writeFileSync(join(folder, file), '{}');
      chmodSync(join(folder, file), 0o644);
    }
    const {of, exitCode} = await examined({home});
    expect(exitCode).toBe(2);
    expect(of('settings file')[0]).toMatchObject({
      verdict: 'fail',
      remedy: `chmod 600 ${join(folder, 'settings.json')}`,
    });
    expect(of('key file')[0]).toMatchObject({verdict: 'fail'});
  });

  test('finds a settings folder that others can change', async () => {
    const home = openHome();
    const folder = join(home.path, 'config');
    chmodSync(folder, 0o777);
    const {of, exitCode} = await examined({home});
    expect(exitCode).toBe(2);
    expect(of('settings folder')[0]).toMatchObject({verdict: 'fail', remedy: `chmod 700 ${folder}`});
  });

  test('says that nothing can be kept where the home is no folder, and what to set instead', async () => {
    const elsewhere = {SKYDECK_CONFIG_DIR: '', XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', HOME: '/dev/null'};
    const {of, exitCode} = await examined({env: elsewhere});
    expect(of('settings folder')).toEqual([
      {
        check: 'settings folder',
        verdict: 'fail',
        found: '/dev/null/.config/skydeck cannot be made: /dev/null is not a folder',
        remedy: 'make it a folder that you own, or set SKYDECK_CONFIG_DIR to one',
      },
    ]);
    expect(of('state folder')).toEqual([
      {
        check: 'state folder',
        verdict: 'fail',
        found: '/dev/null/.local/state/skydeck cannot be made: /dev/null is not a folder',
        remedy: 'operations need it: make it a folder that you own and can write to, or set XDG_STATE_HOME to one',
      },
    ]);
    expect(exitCode).toBe(2);
  });

  test.each<[string, (folder: string) => void, string]>([
    [
      'the journal has a file in place of its folder',
      state => {
        mkdirSync(join(state, 'skydeck'), {recursive: true, mode: 0o700});
        writeFileSync(join(state, 'skydeck', 'journal'), '');
      },
      'state folder',
    ],
    [
      'the journal has a folder in place of its file',
      state => mkdirSync(join(state, 'skydeck', 'journal', '127.0.0.1_4010.jsonl'), {recursive: true, mode: 0o700}),
      'journal',
    ],
  ])('fails if %s', async (_name, plant, check) => {
    const home = openHome();
    const simulator = await openSmallCloud();
    plant(join(home.path, 'state'));
    const {checkups, exitCode} = await examined({home, simulator});
    expect(checkups.filter(({verdict}) => verdict !== 'ok')).toMatchObject([{check, verdict: 'fail'}]);
    expect(exitCode).toBe(2);
  });

  test.each<[string, string]>([
    ['{"quietAfterHour": 3}', 'correct the file, or remove the key with skydeck profile set quietAfterHour'],
    ['{"refreshSeconds": 1}', 'correct the file, or remove the key with skydeck profile set refreshSeconds'],
    ['{"profiles": 1}', 'fix the file'],
    ['{"refreshSeconds": ', 'fix the file'],
  ])('says what to do about the settings %s', async (written, remedy) => {
    const home = openHome();
    writeFileSync(join(home.path, 'config', 'settings.json'), written, {mode: 0o600});
    const {of, exitCode} = await examined({home});
    expect(of('settings')).toMatchObject([{verdict: 'fail', remedy}]);
    expect(exitCode).toBe(2);
  });

  test.each<[string, string | undefined, string, RegExp]>([
    ['a built-in theme', undefined, 'dark', /^ok: dark$/],
    ['a theme that does not exist', undefined, 'nigth', /^fail: no theme nigth: there are auto, dark/],
    ['a theme of the person’s own', '{"extends": "dark"}', 'mine', /^ok: mine$/],
    ['a theme with a mistake', '{"colors": {"dangr": "#ff5f5f"}}', 'mine', /^fail: the theme .*colors\.dangr: no such/],
  ])('checks %s', async (_name, file, theme, expected) => {
    const home = openHome();
    const folder = join(home.path, 'config');
    writeFileSync(join(folder, 'settings.json'), JSON.stringify({theme}), {mode: 0o600});
    if (file !== undefined) {
      mkdirSync(join(folder, 'themes'));
      writeFileSync(join(folder, 'themes', 'mine.json'), file, {mode: 0o600});
    }
    const simulator = await openSimulator({scenario: 'empty'});
    const {of, exitCode} = await examined({home, simulator});
    const [told] = of('theme');
    expect(`${told?.verdict}: ${told?.found}`).toMatch(expected);
    expect(exitCode).toBe(told?.verdict === 'ok' ? 0 : 2);
    expect(told?.remedy).toBe(told?.verdict === 'ok' ? null : 'skydeck profile set theme auto');
  });

  test.each<[string, Surroundings, string, string]>([
    ['certificate checks are off', {env: {NODE_TLS_REJECT_UNAUTHORIZED: '0'}}, 'TLS checks', 'fail'],
    ['the terminal cannot show the deck', {terminal: {canShowDeck: false, remark: 'TERM=dumb'}}, 'terminal', 'warn'],
    ['the terminal is small', {terminal: {columns: 40, rows: 10}}, 'terminal size', 'warn'],
    ['the locale is not UTF-8', {terminal: {isUtf8: false}}, 'locale', 'warn'],
    [
      'the base URL is invalid',
      {env: {SKYDECK_BASE_URL: 'http://far.example/v1', SKYDECK_API_KEY: 'key-12345678'}},
      'base URL',
      'fail',
    ],
    [
      'the key is invalid',
      {env: {SKYDECK_BASE_URL: 'https://a.example/v1', SKYDECK_API_KEY: 'a b'}},
      'key source',
      'fail',
    ],
  ])('says so when %s', async (_, given, check, verdict) => {
    const {of} = await examined(given);
    expect(of(check)).toMatchObject([{verdict}]);
    expect(of(check)[0]?.remedy).not.toBeNull();
  });

  test('never shows the key', async () => {
    const simulator = await openSmallCloud();
    const {stdout, stderr} = await run(doctorCommand, '', {simulator});
    expect(stdout + stderr).not.toContain(simulator.apiKey);
  });
});
