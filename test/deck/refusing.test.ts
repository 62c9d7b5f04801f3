import {expect, test} from 'vitest';
import {colleagueStops, executed, machineNamed, operationRequests} from '../support/colleague.ts';
import {ARMED, choose, cursorOn, openMachines, questionIsRead, typeName} from '../support/deck.ts';
import {openApp} from '../support/program.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';

const PATIENT = {timeout: 60_000};

test('leaves the nodes of a cluster to the cluster, and says so before and after the key', PATIENT, async () => {
  const simulator = await openSimulator();
  const app = await openMachines({simulator});
  await choose(app, 'serve-worker-0');
  await app.press('p');
  await app.sees(/x +stop +off: a node of cluster #1612: its power is managed by the cluster/);
  await app.press('x');
  await app.sees('stop: a node of cluster #1612: its power is managed by the cluster');
  await app.seesNot('What happens');
  expect(operationRequests(simulator)).toEqual([]);
});

test('has no operations in a read-only session, and says why', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const app = await openMachines({simulator, env: {SKYDECK_READ_ONLY: '1'}});
  await app.sees(' READ-ONLY ');
  await choose(app, 'sweep-04');
  for (const key of ['s', 'x', 'h', 'H', 'r', 'u']) {
    await app.press('p');
    await app.sees(/x +stop +off: read-only session/);
    await app.press(key);
    await app.sees(/: read-only session; W allows writes for a while/);
    await app.seesNot('What happens');
    await app.press('esc', '/', 'sweep-04', 'enter');
  }
  await app.press('p', 'x', 'y', 'esc');
  expect(operationRequests(simulator)).toEqual([]);
});

test('is read-only by its option as well', PATIENT, async () => {
  const app = await openApp({scenario: 'empty', arguments: ['--read-only']});
  await app.sees(' READ-ONLY ');
});

test('tells what a key may not see, and shows the rest', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const app = await openMachines({simulator: {...simulator, apiKey: simulator.keys.member}});
  await app.sees('burn unknown');
  await choose(app, 'sweep-04');
  await app.press('$');
  await app.sees('6/7: cost');
  await app.sees(/this key may not do that \(403\)/);
  expect(app.text()).not.toContain('$0.00');
});

test('tells when a key may see nothing', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const app = await openApp({simulator: {...simulator, apiKey: simulator.keys.none}});
  await app.press('2');
  await app.sees(/machines unknown: this key may not do that \(403\)/);
  await app.seesNot('machines 0 of 0');
});

test('stops asking when the key is not accepted, until a person asks again', PATIENT, async () => {
  const simulator = await openSimulator({scenario: 'calm'});
  const app = await openApp({simulator: {...simulator, apiKey: 'not-a-key-of-anybody'}});
  await app.sees('not authorised');
  await app.sees('the key or its role was not accepted (401)');
  await app.sees('ctrl-r retries');
  // A few questions were on their way together; after the first answer no more follow.
  const askedCount = simulator.requests().length;
  expect(askedCount).toBeLessThanOrEqual(4);
  await app.press('ctrl-r');
  await app.becomes('to have asked again', () => simulator.requests().length > askedCount);
});

test(
  'tells an operation as refused that the service refuses by the role, by the machine or as too much, and sends it once',
  PATIENT,
  async () => {
    const simulator = await openSmallCloud();
    const {id} = await machineNamed(simulator, 'sweep-04');
    const app = await openMachines({simulator});
    await choose(app, 'sweep-04');
    for (const [index, [fault, told]] of [
      ['status=403', 'this key may not do that (403)'],
      ['status=400', 'refused (400)'],
      ['status=429', 'rate-limited (429)'],
    ].entries()) {
      simulator.setFaults([`${fault},match=GET /core/virtual-machines/*/stop`]);
      await app.press('p', 'x');
      await app.sees(ARMED);
      await app.press('y');
      await app.sees(`stop sweep-04 #${id}: ${told}`);
      await app.sees(/sweep-04 +\S ACTIVE {2}/);
      expect(operationRequests(simulator)).toEqual(Array.from({length: index + 1}, () => `stop ${id}`));
      expect(executed(simulator)).toEqual([]);
    }
  },
);

test('sends nothing when the machine has changed since the question was asked', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const {id} = await machineNamed(simulator, 'sweep-04');
  const app = await openMachines({simulator});
  await choose(app, 'sweep-04');
  await app.press('p', 'h');
  await typeName(app, 'sweep-04');
  await fetch(`${simulator.url}/core/virtual-machines/${id}/stop`, {headers: {api_key: simulator.apiKey}});
  await app.press('enter');
  await app.sees(/hibernate sweep-04 #\d+: not sent: it was ACTIVE and is STOPPING now/);
  await app.sees(cursorOn('sweep-04'));
  expect(operationRequests(simulator)).toEqual([`stop ${id}`]);
});

test('says in an open question what somebody else did meanwhile, and sends nothing for it', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const app = await openMachines({simulator});
  await choose(app, 'sweep-04');
  await app.press('p', 'x');
  await questionIsRead(app);
  await colleagueStops(simulator, 'sweep-04');
  await app.sees(/sweep-04: it was ACTIVE and is S\w+ now\. This question no longer applies\./, {withinMs: 20_000});
  await app.seesNot('<y>');
  const sent = operationRequests(simulator);
  await app.press('y');
  await app.sees('not sent: the question no longer applies; esc closes it');
  await app.press('esc');
  await app.sees('[2 Machines]');
  expect(operationRequests(simulator)).toEqual(sent);
});
