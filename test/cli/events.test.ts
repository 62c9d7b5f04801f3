import {describe, expect, test} from 'vitest';
import {eventsCommand} from '../../src/cli/commands/events.ts';
import {vmCommand} from '../../src/cli/commands/vm.ts';
import {openHome} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {run} from './a-command.ts';
import {openService} from './a-service.ts';

describe('skydeck events', () => {
  test('prints events newest first, with the person, the cost and the suspects of a step', async () => {
    const simulator = await openSimulator({scenario: 'runaway-spend'});
    const {stdout, exitCode} = await run(eventsCommand, '--since 6h -o json', {simulator});
    expect(exitCode).toBe(0);
    const entries = JSON.parse(stdout);
    const moments = entries.flatMap(({at}: {at: string | null}) => at ?? []);
    expect(moments).toEqual([...moments].sort().reverse());
    const burn = entries.find(({what}: {what: string}) => what.startsWith('burn rate up by'));
    expect(burn).toMatchObject({source: 'finding', step: 'burn'});
    expect(burn.subjects[0]).toEqual({type: 'account', id: null, name: 'account'});
    const sweep = burn.subjects.filter(({name}: {name: string}) => name.startsWith('hyperparam-sweep-'));
    // Nine machines were created one by one, every 25 minutes up to the start.
    expect(sweep).toHaveLength(9);
    const names = burn.suspects.map(({subject}: {subject: {name: string}}) => subject.name);
    expect(names[0]).toMatch(/^hyperparam-sweep-/);
    const created = entries.filter(
      ({what, subjects}: {what: string; subjects: {name: string}[]}) =>
        what.startsWith('Instance creation') && subjects[0]?.name === 'hyperparam-sweep-05',
    );
    expect(created).toHaveLength(1);
    // $25.60 an hour; the billing record and the event are one entry.
    expect(created[0]).toMatchObject({
      perHourMicrousd: 25_600_000,
      alsoFrom: ['billing'],
      who: {you: expect.any(Boolean)},
    });
  });

  test('tells a rise of the burn rate at its rate of then, after it was ended', async () => {
    const speed = 4;
    const openedAt = Date.now();
    const simulator = await openSimulator({scenario: 'runaway-spend', speed});
    // On a busy computer, what the service did meanwhile would lie in the future of a command with the time of day.
    const wallNow = () => openedAt + speed * (Date.now() - openedAt);
    const place = {simulator, home: openHome(), wallNow};
    const before = JSON.parse((await run(eventsCommand, '--since 6h -o json', place)).stdout);
    const risen = before.find(({what}: {what: string}) => what.startsWith('burn rate up by'));
    const ids = risen.subjects.flatMap(({name, id}: {name: string; id: number}) => (/sweep/.test(name) ? [id] : []));
    const line = `hibernate ${ids.join(' ')} --retain-ip --yes --wait`;
    expect(await run(vmCommand, line, {...place, speed: 20})).toMatchObject({exitCode: 0});
    const after = JSON.parse((await run(eventsCommand, '--since 6h -o json', place)).stdout);
    const told = after.find(({what}: {what: string}) => what.startsWith('burn rate was up by'));
    expect(told).toMatchObject({source: 'finding', at: risen.at});
    expect(told.perHourMicrousd).toBeGreaterThan(0.99 * risen.perHourMicrousd);
  });

  test('says on a narrow terminal who did it, and not again of what the events are that were asked for', async () => {
    const simulator = await openSimulator();
    const head = async (line: string) =>
      (await run(eventsCommand, line, {simulator, columns: 80})).stdout.split('\n')[0]?.trim().split(/ +/);
    expect(await head('--since 12h')).toEqual(expect.arrayContaining(['TIME', 'OBJECT', 'WHAT', 'WHO']));
    const ofOne = await head('train-03 --since 12h');
    expect(ofOne).toEqual(expect.arrayContaining(['TIME', 'WHAT', 'WHO']));
    expect(ofOne).not.toContain('OBJECT');
  });

  test('can be limited to one object by its name, and to a recent time', async () => {
    const simulator = await openSimulator();
    const read = async (path: string) =>
      JSON.parse(await (await fetch(`${simulator.url}/${path}`, {headers: {api_key: simulator.apiKey}})).text());
    const {instances} = await read('core/virtual-machines?pageSize=100');
    const {id} = instances.find(({name}: {name: string}) => name === 'train-03');
    const {instance_events: events} = await read(`core/virtual-machines/${id}/events`);
    const {user_id: userId} = events.find(({message}: {message: string}) => message === 'Instance is to be stopped.');
    const {organization} = await read('auth/organizations');
    const {name: who} = organization.users.find((user: {id: number}) => user.id === userId);
    const {stdout, exitCode} = await run(eventsCommand, 'train-03 --since 12h', {simulator});
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`event +train-03 +Instance is to be stopped\\. +${who} `));
    expect(
      stdout
        .split('\n')
        .slice(1, -1)
        .every(line => line.includes('train-03')),
    ).toBe(true);
    const recent = await run(eventsCommand, 'train-03 --since 5m', {simulator});
    expect(recent).toMatchObject({exitCode: 0, stderr: expect.stringContaining('no events known since')});
  });

  test('reads the metrics of a machine that is named, and says without a name that none are judged', async () => {
    const simulator = await openSimulator({scenario: 'troubles'});
    const named = await run(eventsCommand, 'saturated --since 2d', {simulator});
    expect(named.stdout).toMatch(/finding +saturated +CPU /);
    expect(named.stderr).not.toContain('not judged');
    expect(simulator.requests().filter(({path}) => path.includes('/metrics'))).toHaveLength(1);
    const whole = await run(eventsCommand, '--since 2d', {simulator});
    expect(whole.stderr).toContain('findings by metrics are not judged here; name a machine, or run skydeck triage');
  });

  test('prints plain numbers as CSV', async () => {
    const simulator = await openSimulator({scenario: 'runaway-spend'});
    const {stdout} = await run(eventsCommand, '--since 6h -o csv', {simulator});
    const [head, ...lines] = stdout.split('\r\n');
    expect(head).toBe('time,age,source,object,what,who,cost,type,step,also');
    expect(lines.find(line => line.includes('hyperparam-sweep-05,Instance creation'))).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z,\d+,event,hyperparam-sweep-05,Instance creation was requested\.,[\w ]+,25\.6,vm,burn,billing$/,
    );
  });

  test('shows what a hibernation saved, marked when only the price says so', async () => {
    const simulator = await openSimulator();
    const {stdout} = await run(eventsCommand, 'sweep-02 --since 10d -o json', {simulator});
    const [hibernated, requested] = JSON.parse(stdout);
    // n3-H100x2 is $5 and its address $0.00672043; the address and 100 GB of root disk at $0.000096774 stay billed.
    expect(hibernated).toMatchObject({perHourMicrousd: -4_990_323, isEstimated: true});
    expect(requested).toMatchObject({what: 'Instance is to be hibernated.', perHourMicrousd: null});
    const table = (await run(eventsCommand, 'sweep-02 --since 10d', {simulator})).stdout;
    expect(table).toMatch(/Instance was hibernated\. .* ~-4\.99$/m);
  });

  test('says that the events of a deleted machine are no longer available', async () => {
    // Early in a month more than one was deleted within the hour.
    const simulator = await openSimulator({speed: 20, startedAt: Date.parse('2026-11-11T12:00:00Z')});
    const place = {simulator, speed: 20, wallNow: simulator.localNow};
    await run(vmCommand, 'delete eval-02 --yes --wait --timeout 60s', place);
    const {stdout, stderr} = await run(eventsCommand, '--since 1h --timeout 60s', place);
    expect(stderr).toContain(
      'events of 1 deleted machine are no longer reported by the service; the end of their billing is printed',
    );
    expect(stdout).toMatch(/eval-02 +billing ended .* -2\.50$/m);
    const other = await run(eventsCommand, 'train-03 --since 12h --timeout 60s', place);
    expect(other.stderr).not.toContain('deleted machine');
  });

  test('does not print a finding without a known start as if it were recent', async () => {
    const simulator = await openSimulator();
    const {stdout, stderr} = await run(eventsCommand, '--since 10m -o json', {simulator});
    expect(JSON.parse(stdout).filter(({at}: {at: string | null}) => at === null)).toEqual([]);
    // The findings about runway, contract, stock and the unattached firewall have no known start.
    expect(stderr).toContain('4 findings not printed because their start is unknown; skydeck triage lists them');
  });

  test.each([
    ['an unknown name', 'nobody-here', 4, /no machine, cluster, firewall or volume is called nobody-here/],
    ['an invalid time', '--since yesterday', 2, /--since needs a moment/],
  ])('fails for %s', async (_, line, code, words) => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {exitCode, stdout, stderr} = await run(eventsCommand, line, {simulator});
    expect({exitCode, stdout, stderr}).toEqual({exitCode: code, stdout: '', stderr: expect.stringMatching(words)});
  });

  test('fails when machines cannot be read', async () => {
    const {simulator} = await openService({'/billing/billing/usage': {status: true, data: []}});
    const {exitCode, stderr} = await run(eventsCommand, '', {simulator});
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('machines: ');
  });
});

test('events since a moment to come are refused', async () => {
  const {simulator, asked} = await openService({});
  const {stdout, stderr, exitCode} = await run(eventsCommand, '--since 2099-01-01T00:00:00Z', {simulator});
  expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 2});
  expect(stderr).toMatch(/^skydeck: --since needs a moment that is past, /);
  expect(asked).toEqual([]);
});
