import {mkdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {setImmediate as turn} from 'node:timers/promises';
import {describe, expect, it} from 'vitest';
import {ACTIONS} from '../../../src/actions/actions.ts';
import type {PowerAction} from '../../../src/actions/machines/power.ts';
import {subjectOf} from '../../../src/domain/action.ts';

import type {Operation, OperationPhase} from '../../../src/domain/operation.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {readAt} from '../../../src/domain/snapshot.ts';
import {MINUTE_MS} from '../../../src/domain/time.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {flavorsFeed, stocksFeed} from '../../../src/state/catalogue.ts';
import {volumesFeed} from '../../../src/state/volumes.ts';
import {openJournal} from '../../../src/state/operations/journal.ts';
import {EVERY_ACTION} from '../../actions/every-action.ts';
import {openServer} from '../../api/loopback.ts';
import {createVirtualClock} from '../../support/clock.ts';
import {sweepOf} from '../../support/tier.ts';
import {ACTION_KINDS, aFolder, openSession, stageAction} from '../open-session.ts';
import {createTinyCloud} from '../tiny-cloud.ts';

const LONG_MS = 4 * MINUTE_MS;
const HIBERNATION_MS = 20_000;

/** Every fault of the one request, and the phase that the operation must end in. */
const FAULTS: readonly (readonly [fault: string, isExecuted: boolean, end: OperationPhase])[] = [
  ...[500, 502, 503, 504].flatMap(
    status =>
      [
        [`status=${status},when=before`, false, 'NO_EFFECT_SEEN'],
        [`status=${status},when=after`, true, 'CONFIRMED'],
      ] as const,
  ),
  ...['reset', 'truncate', 'malformed', 'html', 'redirect:http://127.0.0.1:9/v1/elsewhere'].flatMap(
    kind =>
      [
        [`kind=${kind},when=before`, false, 'NO_EFFECT_SEEN'],
        [`kind=${kind},when=after`, true, 'CONFIRMED'],
      ] as const,
  ),
  ['status=429,when=before', false, 'REFUSED'],
  ['status=401,when=before', false, 'REFUSED'],
  ['status=404,when=before', false, 'REFUSED'],
  ['kind=latency:30s,when=after', true, 'CONFIRMED'],
  ['kind=latency:60s,when=after', true, 'CONFIRMED'],
];

/** One of each class, for the kinds whose other faults only `npm run test:deep` tries. */
const FAULT_SAMPLE = new Set([
  'status=502,when=before',
  'status=500,when=after',
  'kind=reset,when=after',
  'kind=latency:30s,when=after',
]);

/** The way of an operation is the same for every kind: each fault is tried with the one whose effect is hardest to see. */
function faultsOf(kind: PowerAction['kind']): typeof FAULTS {
  if (kind === 'vm.hard-reboot') return FAULTS;
  return sweepOf({sample: FAULTS.filter(([fault]) => FAULT_SAMPLE.has(fault)), deep: FAULTS});
}

describe.each(ACTION_KINDS)('%s', kind => {
  it('is checked, sent once, accepted, seen under way and confirmed', async () => {
    const staged = await stageAction(kind);
    expect(staged.begin().status).toBe('begun');
    await staged.pass(LONG_MS, staged.hasEnded);
    expect(staged.told.map(({phase}) => phase)).toEqual(['preflight', 'sent', 'accepted', 'in-progress', 'CONFIRMED']);
    expect([staged.fired(), staged.executions().length]).toEqual([1, 1]);
    expect(await staged.truth()).toBe(staged.target);
    expect(staged.operations.openOn(subjectOf(staged.confirmed.action))).toBeUndefined();
  });

  it.each(faultsOf(kind))('is sent once and reported correctly with the fault %s', async (fault, isExecuted, end) => {
    const staged = await stageAction(kind, {faults: [`${fault},times=1`]});
    let readsAtUnknown: number | undefined;
    let readsAtAnswer: number | undefined;
    staged.operations.subscribe(({phase}) => {
      if (phase === 'unknown') readsAtUnknown = staged.machineReads();
      else if (readsAtUnknown !== undefined) readsAtAnswer ??= staged.machineReads();
    });
    staged.begin();
    expect(staged.begin().status).toBe('locked');
    await staged.pass(LONG_MS, staged.hasEnded);
    expect(staged.operation().phase).toBe(end);
    expect([staged.fired(), staged.executions().length]).toEqual([1, isExecuted ? 1 : 0]);
    if (end === 'CONFIRMED') expect(await staged.truth()).toBe(staged.target);
    if (readsAtUnknown !== undefined) expect((readsAtAnswer ?? Infinity) - readsAtUnknown).toBeLessThanOrEqual(3);
  });

  it('reports an unknown outcome for a request that is carried out after we stopped waiting', async () => {
    const staged = await stageAction(kind, {faults: ['kind=latency:60s,when=before,times=1']});
    staged.begin();
    await staged.pass(50_000);
    expect(staged.told.map(({phase}) => phase)).toEqual(['preflight', 'sent', 'unknown']);
    await staged.pass(LONG_MS);
    expect(['CONFIRMED', 'NO_EFFECT_SEEN']).toContain(staged.operation().phase);
    expect([staged.fired(), staged.executions().length]).toEqual([1, 1]);
  });

  it('is unknown while nothing can be read, and resolved within three reads once it can', async () => {
    const staged = await stageAction(kind, {faults: ['kind=reset,when=after,times=1']});
    staged.begin();
    await staged.settle();
    staged.setFaults(['status=503,match=GET /core/*']);
    await staged.pass(2 * MINUTE_MS);
    expect(staged.operation().phase).toBe('unknown');
    staged.setFaults([]);
    const before = staged.machineReads();
    await staged.pass(MINUTE_MS, staged.hasEnded);
    expect(staged.operation().phase).toBe('CONFIRMED');
    expect(staged.machineReads() - before).toBeLessThanOrEqual(3);
    expect(staged.fired()).toBe(1);
  });

  it('is not sent when the machine has changed since the confirmation was shown', async () => {
    const staged = await stageAction(kind);
    await staged.other(kind === 'vm.start' ? 'start' : kind === 'vm.restore' ? 'hibernate-restore' : 'hibernate');
    const before = staged.executions().length;
    staged.begin();
    await staged.settle();
    expect(staged.operation()).toMatchObject({phase: 'STALE', detail: expect.stringContaining('now')});
    expect([staged.fired(), staged.executions().length]).toEqual([before === 1 && isOwnVerb(kind) ? 1 : 0, before]);
    expect(staged.operations.openOn(subjectOf(staged.confirmed.action))).toBeUndefined();
  });
});

/** If the other person did the same, their request counts on the same path. */
function isOwnVerb(kind: PowerAction['kind']): boolean {
  return kind !== 'vm.stop' && kind !== 'vm.hard-reboot';
}

it('reads flavors and stock again when an operation ends, since it may have taken or freed hardware', async () => {
  const staged = await stageAction('vm.hibernate');
  const {poller, store} = staged.session;
  poller.want(
    'pane',
    [flavorsFeed, stocksFeed].map(feed => ({feed, priority: 3, intervalMs: 60 * MINUTE_MS})),
  );
  const readings = () => [readAt(store.get(flavorsFeed)), readAt(store.get(stocksFeed))].map(at => at ?? -1);
  await staged.pass(MINUTE_MS, () => Math.min(...readings()) >= 0);
  const before = Math.max(...readings());
  staged.begin();
  await staged.pass(LONG_MS, staged.hasEnded);
  await staged.pass(MINUTE_MS, () => Math.min(...readings()) > before);
  expect(Math.min(...readings())).toBeGreaterThan(before);
});

it.each([
  'vm.attach-volumes',
  'vm.detach-volumes',
] as const)('reads the list of volumes again when %s is confirmed by readings of the machine', async kind => {
  const {confirmed, start, end} = EVERY_ACTION[kind];
  const cloud = createTinyCloud({start, handle: () => ({becomes: end})});
  const {operations, poller, store, hasEnded} = cloud.open();
  poller.want('pane', [{feed: volumesFeed, priority: 3, intervalMs: 60 * MINUTE_MS}]);
  await cloud.time.advance(1_000);
  operations.begin(confirmed);
  for (let seconds = 0; seconds < 60 && !hasEnded(); seconds += 1) await cloud.time.advance(1_000);
  expect(hasEnded()).toBe(true);
  const endedAt = cloud.time.clock.monotonicNow() - 1_000;
  await cloud.time.advance(5_000);
  expect(readAt(store.get(volumesFeed))).toBeGreaterThan(endedAt);
});

describe('begin', () => {
  it('sends only one of two operations begun in the same tick, and says which one holds the machine', async () => {
    const staged = await stageAction('vm.stop');
    const [first, second] = [staged.begin(), staged.begin()];
    if (first.status !== 'begun') throw new Error('Expected the first to begin.');
    expect(second).toEqual({status: 'locked', by: first.operation});
    await staged.pass(LONG_MS, staged.hasEnded);
    expect([staged.fired(), staged.executions().length]).toEqual([1, 1]);
    expect(staged.operations.all()).toHaveLength(1);
  });

  it('holds the lock through every open phase and releases it at the end', async () => {
    const staged = await stageAction('vm.hibernate');
    staged.begin();
    for (let count = 0; count < 200 && !staged.hasEnded(); count += 1) {
      expect(staged.begin().status).toBe('locked');
      await staged.pass(250);
    }
    expect(staged.operation().phase).toBe('CONFIRMED');
    expect(staged.begin().status).toBe('begun');
    await staged.settle();
    expect([staged.operation().phase, staged.fired()]).toEqual(['STALE', 1]);
  });

  it('reads the machine every few seconds while an operation is open, and not at all once all have ended', async () => {
    const staged = await stageAction('vm.hibernate');
    staged.begin();
    await staged.settle();
    await staged.pass(9000);
    // The check, then at most one reading in 2.5 s.
    expect(staged.machineReads()).toBeGreaterThanOrEqual(3);
    expect(staged.machineReads()).toBeLessThanOrEqual(5);
    await staged.pass(LONG_MS, staged.hasEnded);
    const after = staged.machineReads();
    await staged.pass(5 * MINUTE_MS);
    expect(staged.machineReads()).toBe(after);
    expect(staged.time.pendingCount()).toBe(0);
  });

  it('confirms a reboot from the history when the transition was too short to be seen', async () => {
    const staged = await stageAction('vm.hard-reboot', {faults: ['kind=reset,when=after,times=1']});
    // The pane reads the history only now and then; the watch must not wait for that.
    const {eventsFeed} = await import('../../../src/state/machines.ts');
    staged.session.poller.want('pane', [{feed: eventsFeed(virtualMachineId(staged.confirmed.action.id)), priority: 3}]);
    await staged.settle();
    staged.begin();
    await staged.settle();
    staged.setFaults([`status=503,match=GET /core/virtual-machines/${staged.confirmed.action.id}`]);
    await staged.pass(HIBERNATION_MS);
    staged.setFaults([]);
    await staged.pass(MINUTE_MS, staged.hasEnded);
    expect(staged.operation()).toMatchObject({phase: 'CONFIRMED', hasSeenTransition: false});
  });
});

describe('an operation before sending', () => {
  it('is NOT_SENT when the journal cannot be written, and no request leaves', async () => {
    const journalPath = join(aFolder(), 'taken');
    mkdirSync(journalPath);
    const server = await openMachineServer();
    const {operations, settle} = openSession({...server, journalPath});
    operations.begin(stopOf(7));
    await settle();
    expect(operations.all()[0]).toMatchObject({
      phase: 'NOT_SENT',
      detail: expect.stringContaining('the journal cannot be written'),
    });
    expect(server.stops()).toBe(0);
  });

  it.each([
    [500, 'the check before sending failed, the service failed (500)'],
    [404, 'the check before sending failed, not found (404)'],
    [429, 'the check before sending failed, rate-limited (429)'],
  ])('is not sent when the check is answered with %i', async (httpStatus, detail) => {
    const server = await openMachineServer({check: httpStatus});
    const {operations, pass} = openSession(server);
    operations.begin(stopOf(7));
    await pass(5000);
    expect(operations.all()[0]).toMatchObject({phase: 'NOT_SENT', detail: expect.stringContaining(detail)});
    expect(server.stops()).toBe(0);
  });

  it('is checked up to three times, with a pause, and then sent once when a check succeeds', async () => {
    const server = await openMachineServer({check: 500});
    const checks = () => server.seen.filter(({url}) => url.endsWith('/virtual-machines/7')).length;
    const first = openSession(server);
    first.operations.begin(stopOf(7));
    await first.settle();
    expect([checks(), first.operations.all()[0]?.phase]).toEqual([1, 'preflight']);
    await first.pass(10_000);
    expect([checks(), first.operations.all()[0]?.phase, server.stops()]).toEqual([3, 'NOT_SENT', 0]);

    const mended = await openMachineServer({check: 500, failedChecks: 2});
    const {operations, pass} = openSession(mended);
    operations.begin(stopOf(7));
    await pass(5000);
    expect([operations.all()[0]?.phase, mended.stops()]).toEqual(['accepted', 1]);
  });

  it('sends no request at all during a pause that the service asked for', async () => {
    const server = await openMachineServer({check: 429});
    const {operations, settle, pass} = openSession(server);
    operations.begin(stopOf(7));
    await settle();
    await pass(30_000);
    operations.begin(stopOf(8));
    await settle();
    expect(operations.all()[0]?.phase).toBe('NOT_SENT');
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    {sleptMs: 30_000, end: {phase: 'accepted'}, stopCount: 1},
    {sleptMs: 30_001, end: {phase: 'STALE', detail: 'the confirmation is 30 s old; ask again'}, stopCount: 0},
    // The machine slept: no timer ran, and the wall clock is far ahead when it wakes.
    {
      sleptMs: 8 * 60 * MINUTE_MS,
      end: {phase: 'STALE', detail: 'the confirmation is 28800 s old; ask again'},
      stopCount: 0,
    },
  ])('is $end.phase when the confirmation is $sleptMs ms old by the time the check is answered', async ({
    sleptMs,
    end,
    stopCount,
  }) => {
    const gate = Promise.withResolvers<void>();
    const server = await openMachineServer({gate: gate.promise});
    let held = 0;
    const {operations, time, settle} = openSession({...server, heldCount: () => held});
    held = 1;
    operations.begin(stopOf(7));
    await settle();
    time.sleep(sleptMs);
    held = 0;
    gate.resolve();
    await settle();
    expect(operations.all()[0]).toMatchObject(end);
    expect(server.stops()).toBe(stopCount);
  });

  it('is withdrawn while its check waits, and never sent, whenever the answer comes', async () => {
    for (const answeredAfterMs of [0, 1_000, 29_000, 31_000]) {
      const gate = Promise.withResolvers<void>();
      const server = await openMachineServer({gate: gate.promise});
      let held = 1;
      const {operations, time, told, journalPath, settle} = openSession({...server, heldCount: () => held});
      operations.begin(stopOf(7));
      await settle();
      const id = operations.all()[0]?.id ?? '';
      expect([operations.withdraw(id), operations.withdraw(id)]).toEqual([true, false]);
      expect(operations.all()[0]).toMatchObject({phase: 'NOT_SENT', detail: 'withdrawn'});
      expect(operations.openOn(subjectOf(stopOf(7).action))).toBeUndefined();
      time.sleep(answeredAfterMs);
      held = 0;
      gate.resolve();
      await settle();
      expect(told.map(({phase}) => phase)).toEqual(['preflight', 'NOT_SENT']);
      expect(server.stops()).toBe(0);
      const {entries} = openJournal(journalPath, ACTIONS).latest();
      expect(entries).toMatchObject([{operationId: id, phase: 'NOT_SENT', detail: 'withdrawn'}]);
    }
  });

  it('is either withdrawn or sent once, at whatever turn of the event loop it is withdrawn', async () => {
    const ends: string[] = [];
    const server = await openMachineServer();
    for (let turns = 0; turns < 60; turns += sweepOf({sample: 3, deep: 1})) {
      const {operations, told, journalPath, settle} = openSession(server);
      const before = server.stops();
      operations.begin(stopOf(7));
      const id = operations.all()[0]?.id ?? '';
      for (let count = 0; count < turns; count += 1) await (count % 2 === 0 ? Promise.resolve() : turn());
      const isWithdrawn = operations.withdraw(id);
      await settle();
      const phases = told.map(({phase}) => phase).join(' ');
      expect(phases).toBe(isWithdrawn ? 'preflight NOT_SENT' : 'preflight sent accepted');
      expect(server.stops() - before).toBe(isWithdrawn ? 0 : 1);
      expect(openJournal(journalPath, ACTIONS).latest().entries).toHaveLength(1);
      ends.push(phases);
    }
    expect(new Set(ends).size).toBe(2);
  });

  it('leaves its machine to another operation once it is withdrawn, and does not disturb it', async () => {
    const gate = Promise.withResolvers<void>();
    const server = await openMachineServer({gate: gate.promise});
    let held = 1;
    const {operations, told, settle} = openSession({...server, heldCount: () => held});
    operations.begin(stopOf(7));
    await settle();
    const first = operations.all()[0]?.id ?? '';
    operations.withdraw(first);
    expect(operations.begin(stopOf(7)).status).toBe('begun');
    held = 0;
    gate.resolve();
    await settle();
    expect(server.stops()).toBe(1);
    expect(told.filter(({id}) => id === first).map(({phase}) => phase)).toEqual(['preflight', 'NOT_SENT']);
    expect(operations.all()[0]?.phase).toBe('accepted');
    expect(operations.withdraw(operations.all()[0]?.id ?? '')).toBe(false);
  });

  it('is sent when the budget has room for exactly its check and itself', async () => {
    const server = await openMachineServer();
    const {session, operations, settle} = openSession(server);
    for (let count = 0; count < 98; count += 1) void session.budget.admit('operation');
    operations.begin(stopOf(7));
    await settle();
    expect(operations.all()[0]?.phase).toBe('accepted');
    expect(server.stops()).toBe(1);
  });

  it('is not sent without room in the budget, and says how much was used', async () => {
    const server = await openMachineServer();
    const {session, operations, settle} = openSession(server);
    for (let count = 0; count < 99; count += 1) void session.budget.admit('operation');
    operations.begin(stopOf(7));
    await settle();
    expect(operations.all()[0]).toMatchObject({
      phase: 'NOT_SENT',
      detail: '99 requests in the last minute; try again shortly',
    });
    expect(server.seen).toHaveLength(0);
  });

  it('is journaled as not sent when the program ends before its turn, under its own id if it was being checked', async () => {
    const server = await openMachineServer({gate: new Promise(() => {})});
    const journalPath = join(aFolder(), 'here.jsonl');
    const {operations} = openSession({...server, journalPath});
    operations.begin(stopOf(7));
    const [checked] = operations.all();
    if (checked === undefined) throw new Error('Expected an operation.');
    expect(operations.writeUnsent([checked, stopOf(8)])).toBeUndefined();
    const {entries} = openJournal(journalPath, ACTIONS).latest();
    expect(entries).toMatchObject([
      {operationId: checked.id, phase: 'NOT_SENT', subjectName: 'gpu-7'},
      {phase: 'NOT_SENT', subjectName: 'gpu-8', detail: 'skydeck ended before it was sent'},
    ]);
    expect(openSession({...server, journalPath}).operations.all()).toEqual([]);
  });

  it('is journaled with one moment for all that are left, however long writing them takes', async () => {
    const server = await openMachineServer();
    const journalPath = join(aFolder(), 'here.jsonl');
    const time = createVirtualClock();
    const {wallNow} = time.clock;
    const ticking = () => {
      time.shiftWall(1);
      return wallNow();
    };
    const clock = {...time.clock, wallNow: ticking};
    const {operations} = openSession({...server, journalPath, time: {...time, clock}});
    operations.writeUnsent([stopOf(7), stopOf(8), stopOf(9)]);
    const {entries} = openJournal(journalPath, ACTIONS).latest();
    expect(new Set(entries.map(({confirmedAt}) => confirmedAt)).size).toBe(1);
    expect(entries.map(({subjectName}) => subjectName)).toEqual(['gpu-7', 'gpu-8', 'gpu-9']);
  });

  it('does not wait behind reads, and is not sent later when there was no room for it', async () => {
    const server = await openMachineServer();
    const {session, operations, time, settle} = openSession(server);
    for (let count = 0; count < 80; count += 1) void session.budget.admit('read');
    for (let count = 0; count < 16; count += 1) void session.budget.admit('operation');
    for (const id of [1, 2, 3]) operations.begin(stopOf(id));
    await settle();
    // Four requests are left. Three checks take three of them at once; the last goes to the first operation
    // that asks again.
    expect(
      operations
        .all()
        .map(({phase}) => phase)
        .sort(),
    ).toEqual(['NOT_SENT', 'NOT_SENT', 'accepted']);
    await time.advance(60_000);
    await settle();
    expect(server.stops()).toBe(1);
  });
});

describe('a wall clock that is moved', () => {
  const HOURS_MS = 5 * 60 * MINUTE_MS;
  const {confirmed, start, through = {}, end} = EVERY_ACTION['vm.stop'];

  it.each([-HOURS_MS, HOURS_MS])('by %d ms changes nothing about an operation that is under way', async shiftMs => {
    const cloud = createTinyCloud({start, handle: () => ({becomes: through})});
    const visitor = cloud.open();
    visitor.operations.begin(confirmed);
    await cloud.time.advance(10_000);
    expect(visitor.newest().phase).toBe('in-progress');
    cloud.time.shiftWall(shiftMs);
    await cloud.time.advance(10_000);
    expect(visitor.newest().phase).toBe('in-progress');
    cloud.become(end);
    await cloud.time.advance(10_000);
    expect(visitor.newest().phase).toBe('CONFIRMED');
    expect(cloud.fired).toHaveLength(1);
  });

  it('forward during the check, by the host, may have been a sleep: nothing is sent', async () => {
    const cloud = createTinyCloud({start, handle: () => ({becomes: end})});
    const visitor = cloud.open();
    visitor.operations.begin(confirmed);
    cloud.time.sleep(HOURS_MS);
    await cloud.time.advance(10_000);
    expect(cloud.fired).toEqual([]);
    expect(visitor.newest().phase).toBe('STALE');
  });

  it.each([-HOURS_MS, HOURS_MS])('by %d ms by the service during the check is no age', async shiftMs => {
    const cloud = createTinyCloud({start, handle: () => ({becomes: end})});
    const visitor = cloud.open();
    visitor.operations.begin(confirmed);
    cloud.time.shiftWall(shiftMs);
    await cloud.time.advance(10_000);
    expect(cloud.fired).toHaveLength(1);
    expect(visitor.newest().phase).toBe('CONFIRMED');
  });
});

describe('a secret in an answer', () => {
  it('is available until it is dropped, and the rest of the operation stays', async () => {
    const {confirmed, start, end, result} = EVERY_ACTION['access-key.create'];
    const cloud = createTinyCloud({start, handle: () => ({becomes: end, result})});
    const {operations, newest, hasEnded} = cloud.open();
    operations.begin(confirmed);
    await cloud.time.advance(1000);
    const secretOf = ({result: told}: Operation) => (told?.kind === 'access-key' ? told.secretKey.reveal() : undefined);
    expect(secretOf(newest())).toBe('CANARY-secret-half');
    let newsCount = 0;
    operations.subscribe(() => {
      newsCount += 1;
    });
    operations.dropSecret(newest().id);
    operations.dropSecret('no such operation');
    expect(secretOf(newest())).toBe('');
    // Listeners are not notified again of a key that is shown once.
    expect(newsCount).toBe(0);
    await cloud.time.advance(LONG_MS);
    expect(hasEnded()).toBe(true);
    expect(newest()).toMatchObject({phase: 'CONFIRMED', result: {kind: 'access-key', accessKey: 'AK80'}});
    expect(newest().remark).toBeUndefined();
  });
});

describe('the journal', () => {
  it('contains the sent entry, without the key, before the request arrives', async () => {
    const entries: unknown[] = [];
    const journalPath = join(aFolder(), 'journal', 'here.jsonl');
    const server = await openMachineServer({
      onStop: () =>
        entries.push(
          ...readFileSync(journalPath, 'utf8')
            .trim()
            .split('\n')
            .map(line => JSON.parse(line)),
        ),
    });
    const {operations, settle} = openSession({...server, journalPath});
    operations.begin(stopOf(7));
    await settle();
    expect(entries).toEqual([
      expect.objectContaining({phase: 'sent', action: {kind: 'vm.stop', id: 7}, subjectName: 'gpu-7'}),
    ]);
    const text = readFileSync(journalPath, 'utf8');
    expect(text).not.toContain(server.apiKey);
    expect(text).not.toContain(btoa(server.apiKey));
  });
});

function stopOf(id: number) {
  return {
    action: {kind: 'vm.stop', id: virtualMachineId(id)},
    subjectName: safeText(`gpu-${id}`),
    status: 'ACTIVE',
  } as const;
}

/** A server whose machines stay ACTIVE whatever is asked of them. */
async function openMachineServer({
  check = 200,
  failedChecks = Number.POSITIVE_INFINITY,
  gate = Promise.resolve(),
  onStop = () => {},
}: {
  check?: number;
  /** How many of the first readings get that status; later ones get 200. */
  failedChecks?: number;
  gate?: Promise<void>;
  onStop?: () => void;
} = {}): Promise<
  Parameters<typeof openSession>[0] & {
    readonly seen: readonly {readonly url: string}[];
    readonly stops: () => number;
  }
> {
  let readCount = 0;
  const server = await openServer((request, response) => {
    const [, id, verb] = /virtual-machines\/(\d+)\/?(\w*)/.exec(request.url ?? '') ?? [];
    if (verb === 'stop') {
      onStop();
      response.end(JSON.stringify({status: true, message: 'Stopping virtual machine'}));
      return;
    }
    const instance = {id: Number(id), name: `gpu-${id}`, status: 'ACTIVE'};
    readCount += 1;
    const httpStatus = readCount <= failedChecks ? check : 200;
    const refusal = {status: false, message: 'No such machine', error_reason: 'not_found'};
    const answer = httpStatus === 200 ? {status: true, instance} : refusal;
    void gate.then(() => response.writeHead(httpStatus).end(JSON.stringify(answer)));
  });
  return {
    baseUrl: server.baseUrl,
    apiKey: 'CANARY-0123456789-abcdef',
    seen: server.seen,
    stops: () => server.seen.filter(({url}) => url.endsWith('/stop')).length,
  };
}
