import {expect, test} from 'vitest';
import {machineNamed, operationRequests} from '../support/colleague.ts';
import {ARMED, choose, openMachinesOnTerminal} from '../support/deck.ts';
import {openAppOnTerminal} from '../support/program.ts';
import {openSmallCloud} from '../support/simulator.ts';
import {isDeep} from '../support/tier.ts';

const PATIENT = {timeout: 60_000};

test('takes up an operation that was under way when the deck died', PATIENT, async () => {
  const simulator = await openSmallCloud({speed: 1});
  const {id} = await machineNamed(simulator, 'sweep-04');
  const first = await openMachinesOnTerminal({simulator});
  await choose(first, 'sweep-04');
  await first.press('p', 'x');
  await first.sees(ARMED);
  await first.press('y');
  await first.sees(/stop sweep-04 #\d+: (accepted|under way)/);
  first.kill('SIGKILL');
  await first.exited;

  const second = await openAppOnTerminal({simulator, home: first.home});
  await second.sees(/stop sweep-04 #\d+: (outcome unknown|under way)/);
  await second.sees(`stop sweep-04 #${id}: confirmed`, {withinMs: 20_000});
  expect(operationRequests(simulator)).toEqual([`stop ${id}`]);
});

// In one process: state/operations/operation-entry.test.ts.
test.runIf(isDeep)('sees at once that the deck which sent it was killed', PATIENT, async () => {
  const simulator = await openSmallCloud({
    faults: ['kind=latency:30s,when=before,match=GET /core/virtual-machines/*/stop'],
  });
  const {id} = await machineNamed(simulator, 'sweep-04');
  const first = await openMachinesOnTerminal({simulator});
  const second = await openMachinesOnTerminal({simulator, home: first.home});
  await choose(first, 'sweep-04');
  await first.press('p', 'x');
  await first.sees(ARMED);
  await first.press('y');
  await second.sees(new RegExp(`stop sweep-04 #${id}, sent by another skydeck .*: sent, waiting for the answer`));
  first.kill('SIGKILL');
  await first.exited;

  await second.sees(new RegExp(`stop sweep-04 #${id}, .*: outcome unknown`), {withinMs: 6000});
  expect(operationRequests(simulator)).toEqual([`stop ${id}`]);
});
