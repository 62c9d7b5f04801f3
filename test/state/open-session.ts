import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setImmediate as turn} from 'node:timers/promises';
import {expect, onTestFinished} from 'vitest';
import {ACTIONS} from '../../src/actions/actions.ts';
import type {PowerAction} from '../../src/actions/machines/power.ts';

import type {Confirmed, Operation, OperationPhase} from '../../src/domain/operation.ts';
import {isEnded} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {secret} from '../../src/domain/secret.ts';
import type {Clock} from '../../src/domain/time.ts';
import {type MachineStatus, virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {startSimulator} from '../../src/simulator/http/server.ts';
import type {Execution} from '../../src/simulator/world/operation.ts';
import {createLink} from '../../src/state/poller/link.ts';
import type {Begun, Operations} from '../../src/state/operations/operation.ts';
import {createSession, type Session} from '../../src/state/session.ts';
import {createVirtualClock, type VirtualClock} from '../support/clock.ts';

/** A timer with one of these lengths is a request under way; no other timer here has them. */
const READ_TIMEOUT_MS = 15_001;
const OPERATION_TIMEOUT_MS = 45_000;
const STEP_MS = 250;

export type SessionUnderTest = {
  readonly time: VirtualClock;
  readonly session: Session;
  readonly operations: Operations;
  readonly journalPath: string;
  /** Phases as they were reported, oldest first. */
  readonly told: readonly {readonly id: string; readonly phase: OperationPhase}[];
  /** Lets time pass in small steps and every answer arrive in its step; ends early once `until` holds. */
  readonly pass: (durationMs: number, until?: () => boolean) => Promise<void>;
  /** Lets what is under way arrive, without time passing. */
  readonly settle: () => Promise<void>;
};

export type SessionPlace = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly time?: VirtualClock;
  readonly journalPath?: string;
  /** The number of requests that a fault holds back, which waiting cannot finish. */
  readonly heldCount?: () => number;
};

/** A session as `main` creates it, except for the clock, randomness and the path of the journal. */
export function openSession({
  baseUrl,
  apiKey,
  time = createVirtualClock(),
  journalPath = join(aFolder(), 'journal', 'here.jsonl'),
  heldCount = () => 0,
}: SessionPlace): SessionUnderTest {
  const {clock, underWay} = watched(time.clock);
  let idCount = 0;
  const session = createSession({
    actions: ACTIONS,
    baseUrl,
    key: secret(apiKey),
    secrets: [secret(apiKey)],
    clock,
    link: createLink(clock.wallNow),
    // With 0.5, the longest pause of the circuit breaker would last as long as an operation may.
    random: () => 0.4,
    newId: () => {
      idCount += 1;
      return `op-${clock.monotonicNow()}-${idCount}`;
    },
    journalPath,
    isReadOnly: false,
    isTlsUnchecked: false,
    readTimeoutMs: READ_TIMEOUT_MS,
    log: undefined,
  });
  onTestFinished(session.poller.stop);
  const {operations} = session;
  if (operations === undefined) throw new Error('Expected a session with operations.');
  onTestFinished(operations.stop);
  const told: {id: string; phase: OperationPhase}[] = [];
  operations.subscribe(({id, phase}) => told.push({id, phase}));

  async function settle(): Promise<void> {
    // What follows from an answer takes a few turns of the event loop.
    for (let quietTurns = 0; quietTurns < 4; ) {
      await turn();
      quietTurns = underWay() <= heldCount() ? quietTurns + 1 : 0;
    }
  }

  async function pass(durationMs: number, until: () => boolean = () => false): Promise<void> {
    await settle();
    for (let passedMs = 0; passedMs < durationMs && !until(); passedMs += STEP_MS) {
      await time.advance(STEP_MS);
      await settle();
    }
  }

  return {time, session, operations, journalPath, told, pass, settle};
}

function watched(clock: Clock): {clock: Clock; underWay: () => number} {
  let count = 0;
  return {
    underWay: () => count,
    clock: {
      ...clock,
      after: (delayMs, run) => {
        if (delayMs !== READ_TIMEOUT_MS && delayMs !== OPERATION_TIMEOUT_MS) return clock.after(delayMs, run);
        count += 1;
        let isOver = false;
        const end = () => {
          if (!isOver) count -= 1;
          isOver = true;
        };
        const cancel = clock.after(delayMs, () => {
          end();
          run();
        });
        return () => {
          end();
          cancel();
        };
      },
    },
  };
}

export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skydeck-state-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  return folder;
}

/** The verb of each action's path, and the state in which the service accepts it, as the provider documents them. */
const WAYS: Readonly<
  Record<PowerAction['kind'], {verb: string; status: MachineStatus; target: MachineStatus; before?: string}>
> = {
  'vm.start': {verb: 'start', status: 'SHUTOFF', target: 'ACTIVE', before: 'stop'},
  'vm.stop': {verb: 'stop', status: 'ACTIVE', target: 'SHUTOFF'},
  'vm.hard-reboot': {verb: 'hard-reboot', status: 'ACTIVE', target: 'ACTIVE'},
  'vm.hibernate': {verb: 'hibernate', status: 'ACTIVE', target: 'HIBERNATED'},
  'vm.restore': {verb: 'hibernate-restore', status: 'HIBERNATED', target: 'ACTIVE', before: 'hibernate'},
};

export const ACTION_KINDS: readonly PowerAction['kind'][] = [
  'vm.start',
  'vm.stop',
  'vm.hard-reboot',
  'vm.hibernate',
  'vm.restore',
];

export type StagedAction = SessionUnderTest & {
  readonly confirmed: Confirmed & {readonly action: PowerAction};
  readonly target: MachineStatus;
  readonly begin: () => Begun;
  readonly operation: () => Operation;
  readonly hasEnded: () => boolean;
  /** What really took effect on the machine since it was staged. */
  readonly executions: () => readonly Execution[];
  /** Requests of the action's own path, and reads of the machine alone, since then. */
  readonly fired: () => number;
  readonly machineReads: () => number;
  readonly setFaults: (specs: readonly string[]) => void;
  /** What another person does to the machine, outside the session. */
  readonly other: (verb: string) => Promise<void>;
  readonly truth: () => Promise<string>;
  /** The same account, opened by another process that finds this one's journal. */
  readonly reopen: () => SessionUnderTest;
};

type WireMachine = {readonly id: number; readonly name: string; readonly status: string};
type WireReply = {readonly instance: WireMachine; readonly instances: readonly WireMachine[]};

/** A cloud with a machine in the state that the action needs, and a session that looks at it. */
export async function stageAction(
  kind: PowerAction['kind'],
  {faults = []}: {faults?: readonly string[]} = {},
): Promise<StagedAction> {
  const way = WAYS[kind];
  const time = createVirtualClock();
  let held = 0;
  const simulator = await startSimulator({
    scenario: 'calm',
    rateLimitPerMinute: 'off',
    wallClock: time.clock.wallNow,
    wait: async ms => {
      held += 1;
      await new Promise<void>(resolve => time.clock.after(ms, resolve));
      held -= 1;
    },
  });
  onTestFinished(simulator.close);
  const headers = {api_key: simulator.apiKey};
  const ask = async (path: string): Promise<WireReply> =>
    JSON.parse(await (await fetch(`${simulator.url}/core/virtual-machines${path}`, {headers})).text());
  const [found] = (await ask('?search=dev-tomasz')).instances;
  const id = virtualMachineId(found?.id ?? 0);
  if (way.before !== undefined) {
    await ask(`/${id}/${way.before}`);
    await time.advance(30_000);
  }
  const machine = (await ask(`/${id}`)).instance;
  expect(machine.status).toBe(way.status);
  const place = {baseUrl: simulator.url, apiKey: simulator.apiKey, time, heldCount: () => held};
  const opened = openSession(place);
  const [executedBefore, requestedBefore] = [simulator.executions().length, simulator.requests().length];
  simulator.setFaults(faults.map(fault => `${fault},match=GET /core/virtual-machines/*/${way.verb}`));
  const action: PowerAction = kind === 'vm.hibernate' ? {kind, id, retainsIp: true} : {kind, id};
  const confirmed = {action, subjectName: safeText(machine.name), status: way.status};
  const asked = (path: string) =>
    simulator
      .requests()
      .slice(requestedBefore)
      .filter(each => each.path === path).length;
  const operation = () => {
    const [newest] = opened.operations.all();
    if (newest === undefined) throw new Error('Expected an operation.');
    return newest;
  };
  return {
    ...opened,
    confirmed,
    target: way.target,
    begin: () => opened.operations.begin(confirmed),
    operation,
    hasEnded: () => isEnded(operation().phase),
    executions: () =>
      simulator
        .executions()
        .slice(executedBefore)
        .filter(each => each.id === id),
    fired: () => asked(`/core/virtual-machines/${id}/${way.verb}`),
    machineReads: () => asked(`/core/virtual-machines/${id}`),
    setFaults: simulator.setFaults,
    other: async verb => {
      await ask(`/${id}/${verb}`);
    },
    truth: async () => (await ask(`/${id}`)).instance.status,
    reopen: () => openSession({...place, journalPath: opened.journalPath}),
  };
}
