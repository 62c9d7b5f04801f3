import {existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join, relative} from 'node:path';
import {describe, expect, test} from 'vitest';
import {doctorCommand} from '../../src/cli/commands/doctor.ts';
import {getCommand} from '../../src/cli/commands/get.ts';
import {journalCommand} from '../../src/cli/commands/journal.ts';
import {profileCommand} from '../../src/cli/commands/profile.ts';
import {openHome} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {run} from './a-command.ts';

const KEY = 'CANARY-0123456789-abcdef';

function inHome() {
  const home = openHome();
  const folder = join(home.path, 'config');
  return {
    home,
    settings: () => JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8')),
    keyPath: (name: string) => join(folder, 'keys', `${name}.key`),
    modeOf: (path: string) => statSync(path).mode & 0o777,
    folder,
    profile: (line: string, given: {readonly stdin?: string; readonly answers?: readonly string[]} = {}) =>
      run(profileCommand, line, {home, ...given}),
  };
}

describe('skydeck profile add', () => {
  test('reads the key from standard input, and stores it in a file of its own', async () => {
    const place = inHome();
    const given = await place.profile('add prod --base-url https://a.example/v1', {stdin: `${KEY}\n`});
    expect(given).toMatchObject({exitCode: 0, stderr: '', stdout: 'prod added, and in use: https://a.example/v1\n'});
    expect(readFileSync(place.keyPath('prod'), 'utf8')).toBe(`${KEY}\n`);
    expect(place.modeOf(place.keyPath('prod'))).toBe(0o600);
    expect(place.modeOf(join(place.folder, 'keys'))).toBe(0o700);
    expect(place.modeOf(join(place.folder, 'settings.json'))).toBe(0o600);
    expect(readFileSync(join(place.folder, 'settings.json'), 'utf8')).not.toContain(KEY);
    expect(place.settings()).toMatchObject({profile: 'prod', profiles: {prod: {baseUrl: 'https://a.example/v1'}}});
  });

  test('asks for the key on a terminal, and uses the provider by default', async () => {
    const place = inHome();
    const given = await place.profile('add prod --read-only', {answers: [KEY]});
    expect(given).toMatchObject({exitCode: 0, questions: ['API key (not shown): ']});
    expect(place.settings().profiles.prod).toMatchObject({
      baseUrl: 'https://infrahub-api.nexgencloud.com/v1',
      readOnly: true,
    });
  });

  test('accepts a person’s own key file or a program, and copies neither key into the settings', async () => {
    const place = inHome();
    const own = join(place.home.path, 'own.key');
    writeFileSync(own, KEY, {mode: 0o600});
    expect(await place.profile(`add a --key-file ${own}`)).toMatchObject({exitCode: 0});
    expect(
      await run(profileCommand, ['add', 'b', '--key-command', 'pass show cloud'], {home: place.home}),
    ).toMatchObject({
      exitCode: 0,
    });
    expect(place.settings().profiles).toMatchObject({a: {keyFile: own}, b: {keyCommand: ['pass', 'show', 'cloud']}});
    expect(await place.profile('remove a')).toMatchObject({exitCode: 0});
    expect(existsSync(own)).toBe(true);
  });

  test('stores the whole path of a key file, which another folder would change', async () => {
    const place = inHome();
    const own = join(place.home.path, 'own.key');
    writeFileSync(own, KEY, {mode: 0o600});
    expect(await place.profile(`add a --key-file ${relative(process.cwd(), own)}`)).toMatchObject({exitCode: 0});
    expect(place.settings().profiles.a.keyFile).toBe(own);
  });

  test('says why the key cannot be stored', async () => {
    const place = inHome();
    rmSync(place.folder, {recursive: true});
    symlinkSync('nowhere', place.folder);
    const given = await place.profile('add prod', {stdin: KEY});
    expect(given).toMatchObject({exitCode: 2, stdout: ''});
    expect(given.stderr).toBe(
      `skydeck: the key cannot be stored: ${place.folder} is not a folder, or a link to one, and links are not followed\n`,
    );
  });

  test.each([
    ['add a/b', KEY, 'letters, digits'],
    ['add ../x', KEY, 'letters, digits'],
    ['add a --base-url http://a.example/v1', KEY, 'must use https'],
    ['add a', '', 'the key is empty'],
    ['add a', 'two words', 'white space'],
    ['add a --key-file none --key-command x', KEY, 'exclude each other'],
    ['add a --key-file none', KEY, 'cannot be opened'],
    ['add a --api-key x', KEY, '--api-key'],
    ['add a --key-command ./pass', KEY, 'the key command needs the name of a program on the PATH or an absolute path'],
    ['add a --key-command=', KEY, 'the key command is empty'],
  ])('refuses %s with %j', async (line, stdin, words) => {
    const place = inHome();
    const given = await place.profile(line, {stdin});
    expect(given).toMatchObject({exitCode: 2, stdout: ''});
    expect(given.stderr).toContain(words);
    expect(existsSync(join(place.folder, 'settings.json'))).toBe(false);
  });

  test('replaces a profile only when told to', async () => {
    const place = inHome();
    await place.profile('add a --base-url https://a.example/v1', {stdin: KEY});
    expect(await place.profile('add a', {stdin: KEY})).toMatchObject({exitCode: 2});
    expect(await place.profile('add a --replace --base-url https://b.example/v1', {stdin: KEY})).toMatchObject({
      exitCode: 0,
    });
    expect(place.settings().profiles.a.baseUrl).toBe('https://b.example/v1');
  });

  test('renews the key of a profile, and keeps everything that is not given', async () => {
    const place = inHome();
    await place.profile('add staging --base-url https://a.example/v1 --read-only --no-color', {stdin: KEY});
    const prometheus = {url: 'https://prometheus.example', tokenFile: '/run/token'};
    const settings = place.settings();
    settings.profiles.staging.prometheus = prometheus;
    writeFileSync(join(place.folder, 'settings.json'), JSON.stringify(settings), {mode: 0o600});
    const words =
      'prometheus  url https://prometheus.example, tokenFile /run/token, gpuLabel Hostname, gpuField name\n';
    expect((await place.profile('show staging')).stdout).toContain(words);
    expect(JSON.parse((await place.profile('show staging -o json')).stdout)).toMatchObject({prometheus});
    const renewed = await place.profile('add staging --replace', {stdin: `${KEY}-new`});
    expect(renewed).toMatchObject({exitCode: 0, stdout: 'staging replaced, and in use: https://a.example/v1\n'});
    expect(place.settings().profiles.staging).toMatchObject({
      baseUrl: 'https://a.example/v1',
      readOnly: true,
      color: false,
      prometheus,
    });
    expect(readFileSync(place.keyPath('staging'), 'utf8')).toBe(`${KEY}-new\n`);
    await place.profile('add staging --replace --base-url https://b.example/v1', {stdin: KEY});
    expect(place.settings().profiles.staging).toMatchObject({baseUrl: 'https://b.example/v1', readOnly: true});
    // What it measures are the machines of the other service.
    expect(place.settings().profiles.staging).not.toHaveProperty('prometheus');
  });

  test('removes the key file that was written for it, once its key comes from elsewhere', async () => {
    const place = inHome();
    await place.profile('add staging', {stdin: KEY});
    expect(existsSync(place.keyPath('staging'))).toBe(true);
    expect(await place.profile('add staging --replace --key-command /bin/true')).toMatchObject({exitCode: 0});
    expect(existsSync(place.keyPath('staging'))).toBe(false);
  });
});

describe('skydeck profile', () => {
  test('says on the page of each command what it does, in a sentence', async () => {
    expect((await inHome().profile('use --help')).stdout).toContain('\n\nUse this account by default.\n');
    expect((await inHome().profile('--help')).stdout).toMatch(/ use .* +use this account by default$/m);
  });

  test('lists, shows, changes and removes', async () => {
    const place = inHome();
    await place.profile('add a --base-url https://a.example/v1', {stdin: KEY});
    await place.profile('add b --base-url https://b.example/v1', {stdin: KEY});
    expect((await place.profile('list -o name')).stdout).toBe('a\nb\n');
    expect(await place.profile('use b')).toMatchObject({stdout: 'b is in use\n'});
    expect((await place.profile('show')).stdout).toContain('https://b.example/v1');
    expect((await place.profile('list')).stdout).toMatch(/^b +yes +https:\/\/b\.example\/v1/m);
    expect(JSON.parse((await place.profile('show a -o json')).stdout)).toMatchObject({name: 'a', inUse: false});
    const unused = 'no profile is in use: skydeck profile use NAME (a)';
    expect(await place.profile('remove b')).toMatchObject({exitCode: 0, stdout: `b removed; ${unused}\n`});
    for (const command of [getCommand, journalCommand]) {
      const given = await run(command, command === getCommand ? 'me' : '', {home: place.home});
      expect(given).toMatchObject({exitCode: 2, stderr: `skydeck: ${unused}\n`});
    }
    const {stdout: checkups} = await run(doctorCommand, '', {home: place.home});
    expect(checkups).toMatch(/^fail +account +no profile is in use\n +remedy: skydeck profile use, /m);
    expect(existsSync(place.keyPath('b'))).toBe(false);
    expect(place.settings().profile).toBeUndefined();
    expect(await place.profile('show b')).toMatchObject({exitCode: 2});
    for (const line of ['list', 'show a', 'list -o json'])
      expect((await place.profile(line)).stdout).not.toContain(KEY);
  });

  test('documents every setting with its unit and default', async () => {
    const {stdout} = await inHome().profile('show --defaults');
    for (const key of [
      'glyphs',
      'theme',
      'charts',
      'refreshSeconds',
      'budgetUsdPerMonth',
      'keep',
      'profiles.<name>.keyFile',
    ]) {
      expect(stdout).toMatch(new RegExp(`^${key.replaceAll('.', String.raw`\.`)} `, 'm'));
    }
    expect(stdout).toMatch(/^runwayCriticalHours +48 +hours +/m);
  });

  test('is used by other commands', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const place = inHome();
    await place.profile(`add sim --base-url ${simulator.url}`, {stdin: simulator.apiKey});
    await place.profile('add other --base-url https://other.example/v1', {stdin: KEY});
    const {home} = place;
    expect(await run(getCommand, 'me -o name', {home})).toMatchObject({exitCode: 0});
    expect(await run(getCommand, 'me -o name', {home, env: {SKYDECK_PROFILE: 'sim'}})).toMatchObject({exitCode: 0});
    expect(await run(getCommand, 'me -o name --profile sim', {home, env: {SKYDECK_PROFILE: 'none'}})).toMatchObject({
      exitCode: 0,
    });
    expect(await run(getCommand, 'me --profile none', {home})).toMatchObject({exitCode: 2});
  });

  test('never sends its key to another service', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const place = inHome();
    await place.profile('add prod --base-url https://a.example/v1', {stdin: KEY});
    const given = await run(getCommand, `me --base-url ${simulator.url}`, {home: place.home});
    expect(given).toMatchObject({exitCode: 2, stdout: ''});
    expect(given.stderr).toContain('no key: set');
    expect(simulator.requests()).toEqual([]);
  });
});

describe('skydeck profile set', () => {
  test('changes one setting, keeps the others, and removes it again', async () => {
    const place = inHome();
    expect(await place.profile('set theme light')).toMatchObject({exitCode: 0});
    expect(await place.profile('set budgetUsdPerMonth 45000')).toMatchObject({
      exitCode: 0,
      stdout: 'budgetUsdPerMonth is 45000; a running deck uses it after a restart\n',
    });
    expect(place.settings()).toEqual({theme: 'light', budgetUsdPerMonth: 45_000});
    expect(place.modeOf(join(place.folder, 'settings.json'))).toBe(0o600);
    expect(await place.profile('set theme')).toMatchObject({exitCode: 0});
    expect(place.settings()).toEqual({budgetUsdPerMonth: 45_000});
  });

  test('removes what the settings file should not have, one key after another, and names what is left', async () => {
    const place = inHome();
    const path = join(place.folder, 'settings.json');
    await place.profile('set theme light');
    writeFileSync(path, '{"theme": "light", "quietAfterHour": 3, "colour": "red", "refreshSeconds": "often"}');
    expect(await place.profile('list')).toMatchObject({exitCode: 2});
    const first = await place.profile('set quietAfterHour');
    expect(first).toMatchObject({exitCode: 0, stdout: `quietAfterHour is removed from ${path}\n`});
    expect(first.stderr).toContain(`${path}: `);
    expect(place.settings()).toEqual({theme: 'light', colour: 'red', refreshSeconds: 'often'});
    expect(await place.profile('set refreshSeconds')).toMatchObject({
      exitCode: 0,
      stdout: 'refreshSeconds is reset to its default; a running deck uses it after a restart\n',
      stderr: expect.stringContaining('skydeck profile set colour removes it'),
    });
    expect(await place.profile('set refreshSeconds 30')).toMatchObject({exitCode: 0});
    expect(await place.profile('set colour')).toMatchObject({exitCode: 0, stderr: ''});
    expect(place.settings()).toEqual({theme: 'light', refreshSeconds: 30});
    expect(await place.profile('list')).toMatchObject({exitCode: 0});
    expect(await place.profile('set colour')).toMatchObject({exitCode: 2});
  });

  test.each([
    ['budgetUsdPerMoth 45000', 'there is no setting "budgetUsdPerMoth"; did you mean budgetUsdPerMonth?'],
    ['profiles {}', 'there is no setting "profiles"; skydeck profile show --defaults lists all'],
    [
      'budgetUsdPerMonth lots',
      'budgetUsdPerMonth: "lots" is not accepted; use a number of dollars a month, for example 45000\n',
    ],
    ['idleAfterDays two', 'idleAfterDays: "two" is not accepted; use a number of days, for example 7\n'],
    ['refreshSeconds 5s', 'refreshSeconds: "5s" is not accepted; use a number of seconds, 2 to 3600, for example 10\n'],
    [
      'judgedMachines 1.5',
      'judgedMachines: 1.5 is not accepted; use a whole number of machines, 0 to 250, for example 50\n',
    ],
    ['budgetUsdPerMonth -- -5', 'budgetUsdPerMonth: -5 is not accepted; use dollars a month, at least 0\n'],
    ['refreshSeconds 1', 'refreshSeconds: 1 is not accepted; use seconds, 2 to 3600\n'],
    ['idleAfterDays 0', 'idleAfterDays: 0 is not accepted; use days, above 0\n'],
    ['alertBell loud', 'alertBell: "loud" is not accepted; use true, false\n'],
    ['alertCommand notify', 'alertCommand: "notify" is not accepted; use JSON such as ["notify-send", "skydeck"]\n'],
    ['pricesUsdPerHour 5', 'pricesUsdPerHour: 5 is not accepted; use JSON such as {"n3-H100x1": 2.5}\n'],
    ['pricesUsdPerHour {"n3-H100x1":"x"}', 'pricesUsdPerHour.n3-H100x1: "x" is not accepted; use dollars an hour'],
    ['budgetAlertPercents 50', 'budgetAlertPercents: 50 is not accepted; use JSON such as [50, 80, 100]\n'],
    ['keep 5', 'keep: 5 is not accepted; use JSON such as [{"resourceType": "vm", '],
    ['billingByState x', 'billingByState: "x" is not accepted; use JSON such as {"SHUTOFF": "full"}\n'],
    ['gpuPricesUsdPerHour 2', 'gpuPricesUsdPerHour: 2 is not accepted; use JSON such as {"H100": 2.5}\n'],
    ['theme nigth', 'no theme nigth: there are auto, dark'],
    ['glyphs fancy', 'glyphs: "fancy" is not accepted; use auto, unicode, narrow-safe, ascii\n'],
  ])('refuses %s', async (line, expected) => {
    const place = inHome();
    const {exitCode, stderr} = await place.profile(`set ${line}`);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(expected)]);
    expect(existsSync(join(place.folder, 'settings.json'))).toBe(false);
  });
});
