import {appendFileSync, mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {eventsCommand} from '../../src/cli/commands/events.ts';
import {handoverCommand} from '../../src/cli/commands/handover.ts';
import {journalCommand} from '../../src/cli/commands/journal.ts';
import {vmCommand} from '../../src/cli/commands/vm.ts';
import {openHome} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {run} from './a-command.ts';

test('skydeck handover prints what is open and what it cost, as Markdown', async () => {
  const simulator = await openSimulator();
  const {stdout, stderr, exitCode} = await run(handoverCommand, '--since 4h --metrics none', {simulator});
  expect({stderr, exitCode}).toEqual({stderr: '', exitCode: 0});
  expect(stdout).toMatch(
    /^# Handover of acme-prod, \d{4}-\d\d-\d\d \d\d:\d\dZ\n\nSince .*\.\n\n## Open findings \(\d+(?: in \d+ lines?)?\)\n/,
  );
  expect(stdout).toMatch(
    /^- \*\*warning\*\* train-03: SHUTOFF but billed in full \(since .*Z, \$25\.60\/h now\): SHUTOFF for 9 h 13 min and metered /m,
  );
  expect(stdout).toContain('\n## Sent from here (0)\n\n- nothing\n');
  // The answers carried the time of the service, so its clock was compared.
  expect(stdout).not.toContain('clock-skew');
  // Four hours at the burn rate of a fleet that hardly changed.
  const [, cost, burn] =
    /^- \$([\d.]+) since then, as billed by the provider\n- \$([\d.]+)\/h now$/m.exec(stdout) ?? [];
  expect(Number(cost) / Number(burn)).toBeCloseTo(4, 0);
});

test('skydeck handover and events report an outcome in the words of the journal', async () => {
  const simulator = await openSimulator({speed: 60});
  const home = openHome();
  const place = {simulator, home};
  const {exitCode} = await run(vmCommand, 'restore sweep-02 --yes --wait', {...place, speed: 20});
  expect(exitCode).toBe(1);
  const journal = await run(journalCommand, '', place);
  expect(journal.stdout).toMatch(/restore sweep-02 #\d+ +failed +it is HIBERNATED instead/);
  const {stdout} = await run(handoverCommand, '--metrics none', place);
  expect(stdout).toMatch(/restore sweep-02 \\#\d+: failed: it is HIBERNATED instead/);
  const events = await run(eventsCommand, '--since 1h -o json', place);
  expect(events.stdout).toContain('sent from this computer; failed: it is HIBERNATED instead');
});

test.each([
  [
    'a link in place of the folder',
    (journal: string, elsewhere: string) => symlinkSync(elsewhere, journal),
    'is not a folder, or a link to one, and links are not followed',
  ],
  [
    'a link in place of the file',
    (journal: string, elsewhere: string, name: string) => {
      mkdirSync(journal, {mode: 0o700});
      symlinkSync(join(elsewhere, name), join(journal, name));
    },
    'is a link, and links are not followed',
  ],
])('skydeck handover and events say that the journal is missing in them: %s', async (_, plant, why) => {
  const simulator = await openSimulator({speed: 60});
  const [home, other] = [openHome(), openHome()];
  expect(await run(vmCommand, 'stop sweep-04 --yes', {simulator, home: other})).toMatchObject({exitCode: 0});
  const stateOf = ({path}: typeof home) => join(path, 'state', 'skydeck');
  mkdirSync(stateOf(home), {recursive: true, mode: 0o700});
  const name = `${new URL(simulator.url).host.replace(':', '_')}.jsonl`;
  plant(join(stateOf(home), 'journal'), join(stateOf(other), 'journal'), name);
  for (const [command, line] of [
    [handoverCommand, '--metrics none'],
    [eventsCommand, '--since 1h'],
  ] as const) {
    const {stdout, stderr, exitCode} = await run(command, line, {simulator, home});
    const told = stderr.split('\n').filter(each => each.includes('journal'));
    expect(told).toEqual([
      expect.stringMatching(/^skydeck: operations sent from here are missing: the journal cannot be read: /),
    ]);
    expect(told[0]).toContain(why);
    expect(stdout).not.toContain('stop sweep-04');
    if (command === handoverCommand)
      expect(stdout).toContain('\n## Sent from here\n\n- unknown, since the journal could not be read\n');
    expect(exitCode).toBe(0);
  }
});

test('skydeck handover and events say that lines of the journal could not be read', async () => {
  const simulator = await openSimulator({speed: 60});
  const place = {simulator, home: openHome()};
  const sentLines = (text: string) => /^## Sent from here.*\n\n(?<lines>(?:- .*\n)+)/m.exec(text)?.groups?.lines;
  const folder = join(place.home.path, 'state', 'skydeck', 'journal');
  mkdirSync(folder, {recursive: true, mode: 0o700});
  const file = join(folder, `${new URL(simulator.url).host.replace(':', '_')}.jsonl`);
  writeFileSync(file, '{"operationId":"cut off\n', {mode: 0o600});
  const nothingKnown = await run(handoverCommand, '--metrics none', place);
  expect(sentLines(nothingKnown.stdout)).toBe(
    '- 1 line of the journal could not be read, so more may have been sent\n',
  );
  expect(await run(vmCommand, 'stop sweep-04 --yes', place)).toMatchObject({exitCode: 0});
  appendFileSync(file, '\n[1, 2]\n');
  const {stdout, stderr, exitCode} = await run(handoverCommand, '--metrics none', place);
  expect(exitCode).toBe(0);
  expect(stderr).toBe('skydeck: skipped 2 lines of the journal that could not be read\n');
  expect(stdout).toContain('\n## Sent from here (at least 1)\n');
  expect(sentLines(stdout)).toMatch(
    /stop sweep-04 .*\n- 2 lines of the journal could not be read, so more may have been sent\n$/,
  );
  const {stderr: told} = await run(eventsCommand, '--since 1h', place);
  expect(told).toContain('skydeck: skipped 2 lines of the journal that could not be read\n');
});

test('skydeck handover says how much hibernated machines save per hour', async () => {
  const simulator = await openSimulator({speed: 60});
  const place = {simulator, home: openHome()};
  const {exitCode} = await run(vmCommand, 'hibernate sweep-04 --retain-ip --yes --wait', {...place, speed: 20});
  expect(exitCode).toBe(0);
  const {stdout} = await run(handoverCommand, '--metrics none', place);
  // An n3-A100x4 is 4 × $1.35 an hour; 100 GB of root disk are still billed, and its address either way.
  const saved = 5.4 - 100 * 0.000096774;
  expect(stdout).toContain(`\n1 machine hibernated: saves $${saved.toFixed(2)}/h\n`);
});

test('skydeck handover says what hibernating a machine saves at the price of its contract', async () => {
  const simulator = await openSimulator({speed: 60});
  const place = {simulator, home: openHome()};
  const {exitCode} = await run(vmCommand, 'hibernate train-02 --yes --wait', {...place, speed: 20});
  expect(exitCode).toBe(0);
  const {stdout} = await run(handoverCommand, '--metrics none', place);
  // An n3-H100x8 is 8 × $2.50 an hour, 30% less under its contract; 100 GB of root disk are still billed.
  const saved = 8 * 2.5 * 0.7 - 100 * 0.000096774;
  expect(stdout).toContain(`\n1 machine hibernated: saves up to $${saved.toFixed(2)}/h\n`);
});

test('skydeck handover says that the findings are unknown, and why, when the service refuses everything', async () => {
  const simulator = await openSimulator({faults: ['status=429,match=GET /billing/*']});
  const {stdout, stderr, exitCode} = await run(handoverCommand, '--metrics none', {simulator});
  expect(exitCode).toBe(5);
  expect(stderr).toContain('skydeck: machines: rate-limited (429); ');
  expect(stderr).not.toContain('timed out');
  expect(stdout).toMatch(/^- machines, usage, volumes, .* not read: rate-limited \(429\); /m);
  // What cannot be read is a finding about the service; how many there are about the account is unknown.
  expect(stdout).toMatch(/^## Open findings \(at least 7 in 2 lines\)$/m);
  expect(stdout).not.toContain('none');
});

test('a time in the future is refused', async () => {
  const simulator = await openSimulator({scenario: 'empty'});
  const {stderr, exitCode} = await run(handoverCommand, '--since 2999-01-01', {simulator});
  expect({stderr, exitCode}).toEqual({
    stderr: expect.stringContaining('--since needs a moment that is past'),
    exitCode: 2,
  });
});
