import {appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {describe, expect, expectTypeOf, it} from 'vitest';
import {ACTIONS} from '../../src/actions/actions.ts';
import {subjectOf} from '../../src/domain/action.ts';
import type {OperationPhase} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {secret} from '../../src/domain/secret.ts';
import {epochMs, MINUTE_MS} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import type {JournalEntry} from '../../src/state/operations/journal.ts';
import {createLink} from '../../src/state/poller/link.ts';
import {createSession, type Session} from '../../src/state/session.ts';
import {openServer} from '../api/loopback.ts';
import {createVirtualClock} from '../support/clock.ts';
import {ACTION_KINDS, aFolder, openSession, type StagedAction, stageAction} from './open-session.ts';

const LONG_MS = 4 * MINUTE_MS;
const OPEN_PHASES = ['sent', 'accepted', 'in-progress', 'overdue', 'unknown'] as const;

function entriesOf(path: string): JournalEntry[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
}

/** What a process that was killed right after this phase leaves behind. */
function cutJournalAfter(staged: StagedAction, phase: OperationPhase): void {
  const entries = entriesOf(staged.journalPath);
  const end = entries.findIndex(entry => entry.phase === phase);
  expect(end).toBeGreaterThanOrEqual(0);
  const kept = entries.slice(0, end + 1).map(entry => `${JSON.stringify(entry)}\n`);
  writeFileSync(staged.journalPath, kept.join(''));
}

it('lends its store for reading only', () => {
  expectTypeOf<Session['store']>().not.toHaveProperty('writeValue');
  expectTypeOf<Session['store']>().not.toHaveProperty('writeFailure');
  expectTypeOf<Session['store']>().not.toHaveProperty('forget');
});

describe('a session that finds operations open in its journal', () => {
  it.each(ACTION_KINDS)('shows %s as unknown, keeps the lock and resolves it without sending again', async kind => {
    for (const lastPhase of ['sent', 'accepted', 'in-progress'] as const) {
      const first = await stageAction(kind);
      first.begin();
      await first.pass(LONG_MS, () => first.operation().phase === 'in-progress');
      first.session.poller.stop();
      cutJournalAfter(first, lastPhase);
      const subject = subjectOf(first.confirmed.action);
      const second = first.reopen();
      expect(second.operations.openOn(subject)).toMatchObject({
        phase: 'unknown',
        action: first.confirmed.action,
        detail: 'skydeck ended before the outcome was seen',
      });
      expect(second.operations.begin(first.confirmed).status).toBe('locked');
      await second.pass(LONG_MS, () => second.operations.openOn(subject) === undefined);
      expect(second.operations.all()[0]?.phase).toBe('CONFIRMED');
      expect([first.fired(), first.executions().length]).toEqual([1, 1]);
      expect(first.reopen().operations.all()).toEqual([]);
    }
  });

  it.each(ACTION_KINDS)('reports that %s had no effect when it was never carried out', async kind => {
    const first = await stageAction(kind, {faults: ['kind=reset,when=before']});
    first.begin();
    await first.settle();
    first.session.poller.stop();
    cutJournalAfter(first, 'sent');
    const second = first.reopen();
    await second.pass(LONG_MS, () => second.operations.openOn(subjectOf(first.confirmed.action)) === undefined);
    expect(second.operations.all()[0]?.phase).toBe('NO_EFFECT_SEEN');
    expect([first.fired(), first.executions().length]).toEqual([1, 0]);
  });

  it('confirms a reboot from its time in the history when it was over before the request timed out', async () => {
    const first = await stageAction('vm.hard-reboot', {faults: ['kind=latency:60s,when=after']});
    first.begin();
    await first.settle();
    // Nothing is read while the reboot comes and goes and the answer is awaited; then the process is killed.
    first.setFaults([`status=503,match=GET /core/virtual-machines/${first.confirmed.action.id}`]);
    await first.pass(50_000, () => first.operation().phase === 'unknown');
    first.setFaults([]);
    first.session.poller.stop();
    const second = first.reopen();
    await second.pass(LONG_MS, () => second.operations.openOn(subjectOf(first.confirmed.action)) === undefined);
    expect(second.operations.all()[0]?.phase).toBe('CONFIRMED');
    expect(first.executions()).toHaveLength(1);
  });

  it('remembers that the machine was seen in transition', async () => {
    const first = await stageAction('vm.hard-reboot');
    first.begin();
    await first.pass(LONG_MS, () => first.operation().phase === 'in-progress');
    first.session.poller.stop();
    await first.pass(MINUTE_MS);
    // The reboot is over and its history cannot be read, so what was seen before the restart must be enough.
    first.setFaults([`status=403,match=GET /core/virtual-machines/${first.confirmed.action.id}/events`]);
    const second = first.reopen();
    await second.pass(LONG_MS, () => second.operations.openOn(subjectOf(first.confirmed.action)) === undefined);
    expect(second.operations.all()[0]?.phase).toBe('CONFIRMED');
  });

  it('does not resume an ended operation, nor one that was only checked', async () => {
    const first = await stageAction('vm.stop');
    first.begin();
    await first.pass(LONG_MS, first.hasEnded);
    const checked = {...entriesOf(first.journalPath)[0], operationId: 'checked', phase: 'preflight'};
    appendFileSync(first.journalPath, `${JSON.stringify(checked)}\n`);
    expect(first.reopen().operations.all()).toEqual([]);
  });

  it('keeps the lock until the last of two operations on one machine has ended', async () => {
    const staged = await stageAction('vm.stop');
    const {action, subjectName, status} = staged.confirmed;
    const entry = {at: 1, confirmedAt: 1, phase: 'sent', subjectName};
    mkdirSync(dirname(staged.journalPath), {recursive: true});
    writeFileSync(
      staged.journalPath,
      [
        {...entry, operationId: 'a', action, initialStatus: status},
        {...entry, operationId: 'b', action: {kind: 'vm.start', id: action.id}, initialStatus: 'SHUTOFF'},
      ]
        .map(line => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    const second = staged.reopen();
    let lockedThroughout = true;
    second.operations.subscribe(() => {
      const open = second.operations.all().filter(({phase}) => phase === phase.toLowerCase());
      if (open.length > 0) lockedThroughout &&= second.operations.openOn(subjectOf(action)) !== undefined;
    });
    await second.pass(LONG_MS, () => second.operations.openOn(subjectOf(action)) === undefined);
    // The machine is ACTIVE: the start is confirmed by that after two reads, the stop has had no effect after three.
    expect(second.told).toEqual([
      {id: 'b', phase: 'CONFIRMED'},
      {id: 'a', phase: 'NO_EFFECT_SEEN'},
    ]);
    expect(lockedThroughout).toBe(true);
    expect(staged.fired()).toBe(0);
  });

  it.each(OPEN_PHASES)('resumes an operation that was last %s', async phase => {
    const journalPath = join(aFolder(), 'journal.jsonl');
    const entry: JournalEntry = {
      operationId: 'a',
      at: epochMs(1),
      phase,
      action: {kind: 'vm.stop', id: virtualMachineId(7)},
      subjectName: safeText('gpu-7'),
      initialStatus: 'ACTIVE',
    };
    writeFileSync(journalPath, `${JSON.stringify(entry)}\n`);
    const server = await openServer((_request, response) => response.end('{}'));
    const {operations, settle} = openSession({baseUrl: server.baseUrl, apiKey: 'CANARY-0123456789', journalPath});
    expect(operations.openOn({type: 'vm', id: virtualMachineId(7)})?.phase).toBe('unknown');
    await settle();
    expect(server.seen.map(({url}) => url)).toEqual(['/v1/core/virtual-machines/7']);
  });
});

describe('createSession', () => {
  it('has no operations in read-only mode, and touches no journal', async () => {
    const journalPath = join(aFolder(), 'journal', 'here.jsonl');
    const {clock} = createVirtualClock();
    const session = createSession({
      actions: ACTIONS,
      baseUrl: 'http://127.0.0.1:9/v1',
      key: secret('CANARY-0123456789'),
      secrets: [secret('CANARY-0123456789')],
      clock,
      link: createLink(clock.wallNow),
      random: () => 0.5,
      newId: () => 'id',
      journalPath,
      isReadOnly: true,
      isTlsUnchecked: false,
      readTimeoutMs: undefined,
      log: undefined,
    });
    expect(session.operations).toBeUndefined();
    expect(() => statSync(dirname(journalPath))).toThrow('ENOENT');
  });

  it('writes each phase to a journal that only its owner can read', async () => {
    const staged = await stageAction('vm.stop');
    staged.begin();
    await staged.pass(LONG_MS, staged.hasEnded);
    expect(statSync(staged.journalPath).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(staged.journalPath)).mode & 0o777).toBe(0o700);
    expect(entriesOf(staged.journalPath).map(({phase}) => phase)).toEqual([
      'sent',
      'accepted',
      'in-progress',
      'CONFIRMED',
    ]);
  });
});
