import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, it, onTestFinished} from 'vitest';
import {ACTIONS} from '../../src/actions/actions.ts';
import type {Action, ActionKind} from '../../src/domain/action.ts';
import {isEnded, type OperationPhase} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {secret} from '../../src/domain/secret.ts';
import {epochMs, MINUTE_MS, monotonicMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {type Simulator, startSimulator} from '../../src/simulator/http/server.ts';
import {createLink} from '../../src/state/poller/link.ts';
import {createSession} from '../../src/state/session.ts';
import {executed, operationRequests} from '../support/colleague.ts';
import {reportCounted, reportMeasured} from '../support/measured.ts';
import {sweepOf} from '../support/tier.ts';

// The whole session over real connections to a service that fails, which counts what arrives and what takes effect.

/** Time passes so many times as fast, here and on the service. */
const HASTE = 40;
const RUNS = sweepOf({sample: 6, deep: 40, whole: 200});
/** So many at once, since most of a run is waiting. */
const AT_ONCE = 8;
const LONGEST_MS = (10 * MINUTE_MS) / HASTE;
const PATIENT = {timeout: RUNS * 10_000};

/** What becomes of the request of the operation; of each kind whether it takes effect or not. */
const FAULTS: readonly (string | undefined)[] = [
  undefined,
  ...['500', '502', '503', '504'].flatMap(status => [`status=${status}`, `status=${status},when=after`]),
  ...['reset', 'html', 'redirect:https://elsewhere.example/', 'truncate', 'malformed', 'drip'].flatMap(kind => [
    `kind=${kind},when=before`,
    `kind=${kind},when=after`,
  ]),
  ...['latency:500ms', 'latency:3s'].flatMap(kind => [`kind=${kind},when=before`, `kind=${kind},when=after`]),
  ...['401', '403', '404', '409', '429'].map(status => `status=${status}`),
];

/** The verb of each on the wire, and the state in which a machine must be. */
const POWER: readonly (readonly [kind: ActionKind, verb: string, status: string])[] = [
  ['vm.stop', 'stop', 'ACTIVE'],
  ['vm.start', 'start', 'SHUTOFF'],
  ['vm.hard-reboot', 'hard-reboot', 'ACTIVE'],
  ['vm.hibernate', 'hibernate', 'ACTIVE'],
  ['vm.restore', 'hibernate-restore', 'HIBERNATED'],
];

it('sends nothing twice over real connections, and says of nothing that it is what it is not', PATIENT, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skydeck-sockets-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  const broken: string[] = [];
  const ends: Record<string, number> = {};
  let [next, arrivedCount, executedCount] = [0, 0, 0];
  const work = async () => {
    for (let index = next++; index < RUNS; index = next++) {
      const run = await play(index, join(folder, `${index}.jsonl`));
      arrivedCount += run.arrived;
      executedCount += run.executed;
      ends[run.phase] = (ends[run.phase] ?? 0) + 1;
      if (run.broken !== undefined) broken.push(`${run.name}: ${run.broken}`);
    }
  };
  await Promise.all(Array.from({length: AT_ONCE}, work));
  const told = Object.entries(ends).map(([phase, count]) => `${count} ${phase}`);
  reportCounted(
    'runs on real sockets',
    Object.values(ends).reduce((sum, count) => sum + count, 0),
  );
  reportMeasured(
    `${RUNS} runs on real sockets, ${arrivedCount} requests arrived, ${executedCount} took effect: ${told.join(', ')}`,
  );
  expect(broken).toEqual([]);
  // Requests that never leave would prove nothing.
  expect(arrivedCount).toBeGreaterThan(RUNS * 0.9);
  expect(executedCount).toBeGreaterThan(RUNS / 5);
});

type Played = {
  readonly name: string;
  readonly phase: OperationPhase;
  readonly arrived: number;
  readonly executed: number;
  readonly broken: string | undefined;
};

/** One action under one fault, confirmed twice in one tick; the service counts. */
async function play(index: number, journalPath: string): Promise<Played> {
  const [kind, verb, status] = POWER[index % POWER.length] ?? POWER[0] ?? [];
  // Each action meets each fault, in another order.
  const fault = FAULTS[(Math.floor(index / POWER.length) + 6 * (index % POWER.length)) % FAULTS.length];
  if (kind === undefined || verb === undefined || status === undefined) throw new Error('Expected an action.');
  const simulator = await startSimulator({
    seed: index + 1,
    speed: HASTE,
    rateLimitPerMinute: 'off',
    faults: fault === undefined ? [] : [`${fault},match=GET /core/virtual-machines/*/${verb}`],
  });
  try {
    const machine = await machineIn(simulator, {kind, status});
    const phase = await act(simulator, {kind, machine, status, journalPath});
    const sent = operationRequests(simulator).filter(each => each === `${verb} ${machine.id}`).length;
    const done = executed(simulator).filter(each => each === `${verb} ${machine.id}`).length;
    const name = `${kind} under ${fault ?? 'nothing'}`;
    return {name, phase, arrived: sent, executed: done, broken: lieIn({phase, sent, done})};
  } finally {
    await simulator.close();
  }
}

function lieIn({phase, sent, done}: {phase: OperationPhase; sent: number; done: number}): string | undefined {
  if (sent > 1 || done > 1) return `arrived ${sent} times, took effect ${done} times`;
  if (phase === 'CONFIRMED' && done === 0) return 'confirmed, and did not take effect';
  return (phase === 'REFUSED' || phase === 'NOT_SENT') && done > 0 ? `${phase}, and took effect` : undefined;
}

type Machine = {readonly id: number; readonly name: string; readonly status: string; readonly flavor: {name: string}};

async function machineIn(
  {url, apiKey}: Simulator,
  {kind, status}: {readonly kind: ActionKind; readonly status: string},
): Promise<Machine> {
  const response = await fetch(`${url}/core/virtual-machines?pageSize=100`, {headers: {api_key: apiKey}});
  const {instances} = (await response.json()) as {readonly instances: readonly Machine[]};
  // A colleague starts and stops this one, which looks like an effect. Not every flavor supports hibernation.
  const isFitting = ({name, flavor}: Machine) =>
    name !== 'ci-runner-02' && (kind !== 'vm.hibernate' || flavor.name === 'n3-H100x8');
  const machine = instances.find(each => each.status === status && isFitting(each));
  if (machine === undefined) throw new Error(`No machine is ${status}.`);
  return machine;
}

/** How it ended, or what it was at when it was watched for long enough. */
async function act(
  {url, apiKey}: Simulator,
  {kind, machine, status, journalPath}: {kind: ActionKind; machine: Machine; status: string; journalPath: string},
): Promise<OperationPhase> {
  let idCount = 0;
  const wallNow = () => epochMs(Date.now());
  const {operations, poller} = createSession({
    actions: ACTIONS,
    baseUrl: url,
    key: secret(apiKey),
    secrets: [secret(apiKey)],
    clock: {
      wallNow,
      monotonicNow: () => monotonicMs(performance.now() * HASTE),
      after: (delayMs, run) => {
        const timer = setTimeout(run, delayMs / HASTE);
        return () => clearTimeout(timer);
      },
    },
    link: createLink(wallNow),
    random: Math.random,
    newId: () => {
      idCount += 1;
      return `${idCount}`;
    },
    journalPath,
    isReadOnly: false,
    isTlsUnchecked: false,
    readTimeoutMs: undefined,
  });
  if (operations === undefined) throw new Error('Expected a session with operations.');
  const id = virtualMachineId(machine.id);
  const action: Action = kind === 'vm.hibernate' ? {kind, id, retainsIp: true} : {kind, id};
  const confirmed = {action, subjectName: safeText(machine.name), status} as const;
  let last: OperationPhase = 'unknown';
  await new Promise<void>(ended => {
    const timer = setTimeout(ended, LONGEST_MS);
    operations.subscribe(({phase}) => {
      last = phase;
      if (!isEnded(phase)) return;
      clearTimeout(timer);
      ended();
    });
    operations.begin(confirmed);
    operations.begin(confirmed);
  });
  poller.stop();
  return last;
}
