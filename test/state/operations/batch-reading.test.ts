import {expect, it, onTestFinished} from 'vitest';
import type {Action} from '../../../src/domain/action.ts';
import {lastValue} from '../../../src/domain/snapshot.ts';
import {cannotHibernate, type VirtualMachine} from '../../../src/domain/virtual-machine.ts';
import {startSimulator} from '../../../src/simulator/http/server.ts';
import {machinesFeed} from '../../../src/state/machines.ts';
import {type PlanStep, planCounts, startPlan} from '../../../src/state/operations/plan.ts';
import {createVirtualClock} from '../../support/clock.ts';
import {openSession} from '../open-session.ts';

const MACHINE_COUNT = 10;

/** Starts an action on ten machines of a calm cloud that can hibernate, and counts the requests since. */
async function tenMachines(what: (machine: VirtualMachine) => Action) {
  const time = createVirtualClock();
  const simulator = await startSimulator({scenario: 'calm', rateLimitPerMinute: 'off', wallClock: time.clock.wallNow});
  onTestFinished(simulator.close);
  const {session, operations, pass} = openSession({baseUrl: simulator.url, apiKey: simulator.apiKey, time});
  session.poller.want('once', [{feed: machinesFeed, priority: 1}]);
  await pass(1000);
  session.poller.want('once', []);
  const machines = lastValue(session.store.get(machinesFeed))?.records ?? [];
  const free = machines.filter(
    machine => machine.status === 'ACTIVE' && !cannotHibernate(machine) && machine.clusterId === undefined,
  );
  const steps = free
    .slice(0, MACHINE_COUNT)
    .map((machine): PlanStep => ({action: what(machine), subjectName: machine.name, status: 'ACTIVE'}));
  const [first, ...others] = steps;
  if (first === undefined || steps.length !== MACHINE_COUNT) throw new Error('Expected ten machines.');
  const before = simulator.requests().length;
  const start = startPlan(operations, [first, ...others], {mode: 'batch', tell: () => {}});
  if (start.status === 'locked') throw new Error('Expected the batch to begin.');
  const {plan} = start;
  return {
    session,
    pass,
    isRunning: () => plan.progress().status === 'running',
    counts: () => planCounts(plan.progress()),
    requests: () => {
      const paths = simulator.requests().slice(before);
      const count = (path: RegExp) => paths.filter(each => path.test(each.path)).length;
      return {
        all: paths.length,
        lists: count(/virtual-machines$/),
        machines: count(/virtual-machines\/\d+$/),
        histories: count(/events$/),
        sent: count(/hibernate$/),
        usage: count(/usage$/),
      };
    },
  };
}

it('confirms most of a batch of hibernations from the list instead of reading each machine again', async () => {
  const {pass, isRunning, counts, requests, session} = await tenMachines(({id}) => ({
    kind: 'vm.hibernate',
    id,
    retainsIp: true,
  }));
  let passedMs = 0;
  for (; isRunning() && passedMs < 60_000; passedMs += 1000) await pass(1000);
  expect(counts()).toEqual({done: MACHINE_COUNT, underWay: 0, failed: 0, left: 0});
  // The service takes ten to twenty seconds; two readings of the list in five seconds each confirm it.
  expect(passedMs).toBeLessThanOrEqual(32_000);
  const {lists, ...others} = requests();
  // Each machine and its history were read once before sending. The first two operations, before three were
  // under way, and the last two, when three no longer were, had their machines read individually as well.
  // They ended at two moments, and the usage was read after each.
  expect(others).toEqual({
    all: lists + 36,
    machines: MACHINE_COUNT + 4,
    histories: MACHINE_COUNT,
    sent: MACHINE_COUNT,
    usage: 2,
  });
  expect(lists).toBeLessThanOrEqual(7);
  expect(session.budget.usedLastMinute()).toBeLessThanOrEqual(50);
});
