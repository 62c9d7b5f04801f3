import {expect, test} from 'vitest';
import {operationRequests} from '../support/colleague.ts';
import {ARMED, choose, cursorOn, openMachines, rowOf} from '../support/deck.ts';
import {openApp} from '../support/program.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';

const PATIENT = {timeout: 90_000};

test(
  'keeps the last data while the service is away, says so, and is fresh again when it is back',
  PATIENT,
  async () => {
    // The same seed gives the same keys: it is the same service that comes back.
    const simulator = await openSimulator({scenario: 'calm', seed: 1});
    const app = await openMachines({simulator});
    await app.sees(cursorOn('train-01'));
    await app.seesNot('reading the metrics');
    const {port} = new URL(simulator.url);

    await simulator.close();
    await app.press('ctrl-r');
    await app.sees(/link down \d+s/, {withinMs: 20_000});
    await app.sees(/[a-z]+: not read: connection refused \(127\.0\.0\.1:\d+\)/, {withinMs: 20_000});
    expect(app.text()).not.toContain('not sent');
    expect(rowOf(app, 'train-01')).toContain(' 25.60 ');
    // Frames with old data are dotted, and their age goes on.
    await app.sees(/╭┄ machines (\d+) of \1 ┄/);
    const age = dataAge(app.text());
    await app.becomes('to show a growing age', () => dataAge(app.text()) >= age + 2);

    await openSimulator({scenario: 'calm', seed: 1, port: Number(port)});
    await app.press('ctrl-r');
    await app.seesNot('link down', {withinMs: 30_000});
    await app.sees(/ data [0-3]s /, {withinMs: 20_000});
    await app.seesNot(/not read: /);
    expect(app.text()).not.toContain('not authorised');
    expect(rowOf(app, 'train-01')).toContain(' 25.60 ');
  },
);

function dataAge(text: string): number {
  return Number(/ data (\d+)s /.exec(text)?.[1]);
}

test('sends no operation while the service is away, and comes back by itself', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const app = await openMachines({simulator});
  await choose(app, 'sweep-04');
  simulator.setFaults(['status=503']);
  await app.press('ctrl-r');
  await app.sees(/service failing \d+s/, {withinMs: 20_000});
  await app.sees('the service failed (503)');
  await app.press('p');
  await app.sees(/x +stop +off: service failing \d+s/);
  await app.press('x');
  await app.sees(/stop: service failing \d+s/);
  await app.seesNot('What happens');
  expect(operationRequests(simulator)).toEqual([]);
  simulator.setFaults([]);
  await app.seesNot('service failing', {withinMs: 60_000});
  await app.press('esc');
  await app.sees(/machines (\d+) of \1/);
});

test('does not send what was asked when the service went away in between', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const app = await openMachines({simulator});
  await choose(app, 'sweep-04');
  await app.press('p', 'x');
  await app.sees(ARMED);
  simulator.setFaults(['kind=reset']);
  await app.press('y');
  await app.sees(/stop sweep-04 #\d+: not sent: the check before sending failed/);
  expect(operationRequests(simulator)).toEqual([]);
});

test('waits when the service says that it is asked too often, and counts the seconds', PATIENT, async () => {
  const simulator = await openSimulator({scenario: 'calm', seed: 1});
  const app = await openMachines({simulator});
  await app.sees(cursorOn('train-01'));
  simulator.setFaults(['status=429']);
  await app.sees(/429, resume in \d\ds/, {withinMs: 20_000});
  await app.sees(/rate-limited \(429\); reading resumes by itself/);
  const askedCount = simulator.requests().length;
  await app.press('ctrl-r');
  // Nothing is read before the minute ends, so nothing else may be said.
  await app.seesNot('refreshing');
  const seconds = Number(/resume in (\d+)s/.exec(app.text())?.[1]);
  await app.sees(`resume in ${seconds - 3}s`);
  expect(simulator.requests()).toHaveLength(askedCount);
  // A message keeps the words of its moment, so the header alone counts.
  await app.press('p', 'x');
  await app.sees(/stop: rate-limited \(429\): nothing can be sent/);
  expect(app.text().match(/(?:limit|resume)\D*\d+ ?s\b/g)).toEqual([expect.stringMatching(/^resume in \d+s$/)]);
});

test('shows what it has when one part of the service is broken', PATIENT, async () => {
  const app = await openMachines({simulator: await openSmallCloud({faults: ['status=500,match=GET /billing/*']})});
  await app.sees('burn unknown');
  await app.sees(/bastion .* – +– +198\.18\.0\.\d+\b/);
  expect(app.text()).not.toContain(' 0.00');
  expect(app.text()).not.toContain('$0.00');
});

test('says how many records it could not read', PATIENT, async () => {
  const app = await openApp({
    simulator: await openSimulator({scenario: 'calm', faults: ['kind=malformed,match=GET /core/virtual-machines']}),
  });
  await app.press('2');
  await app.sees(/machines unknown: an unreadable answer|records? unreadable/);
});
