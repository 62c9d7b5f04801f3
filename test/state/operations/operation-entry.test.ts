import {appendFileSync, mkdirSync, readFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {describe, expect, it} from 'vitest';
import {ACTIONS} from '../../../src/actions/actions.ts';
import {subjectOf} from '../../../src/domain/action.ts';
import {describeOperation} from '../../../src/domain/describe-operation.ts';
import type {Failure} from '../../../src/domain/failure.ts';
import {afterObservation} from '../../../src/domain/operation.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, MINUTE_MS, monotonicMs, SECOND_MS} from '../../../src/domain/time.ts';
import {type JournalEntry, type JournalLine, openJournal} from '../../../src/state/operations/journal.ts';
import {
  afterSenderEnded,
  afterSilence,
  asEntered,
  awaitsOutcome,
  entryOf,
  reopened,
} from '../../../src/state/operations/operation-entry.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {volumeId} from '../../../src/domain/volume.ts';
import {organizationFeed} from '../../../src/state/account.ts';
import {usageFeed} from '../../../src/state/billing.ts';
import {firewallsFeed} from '../../../src/state/firewalls.ts';
import {volumesFeed} from '../../../src/state/volumes.ts';
import {machinesFeed} from '../../../src/state/machines.ts';
import {EVERY_ACTION} from '../../actions/every-action.ts';
import {aFirewall, aMachine} from '../../actions/some-things.ts';
import {createTinyCloud} from '../tiny-cloud.ts';

const stop = EVERY_ACTION['vm.stop'];
const {action, subjectName} = stop.confirmed;
const subject = subjectOf(action);
const cut: Failure = {kind: 'cut', detail: safeText('why')};

function anEntry(phase: JournalEntry['phase'], rest: Partial<JournalEntry> = {}): JournalEntry {
  return {operationId: 'theirs', at: epochMs(1000), confirmedAt: epochMs(900), phase, action, subjectName, ...rest};
}

function stopping(handleFailure?: Failure) {
  return createTinyCloud({start: stop.start, handle: () => ({becomes: stop.through, failure: handleFailure})});
}

describe('two skydecks on one account', () => {
  it('lock an object for each other while an operation of either is open, and show since when', async () => {
    const cloud = stopping();
    const [first, second] = [cloud.open(), cloud.open()];
    first.operations.begin(stop.confirmed);
    await cloud.time.advance(3 * SECOND_MS);
    const seen = second.operations.openOn(subject);
    if (seen === undefined) throw new Error('Expected the second to see what the first has sent.');
    const clock = new Date(first.newest().confirmedAt).toISOString().slice(11, 19);
    expect(describeOperation(seen).text).toMatch(`stop gpu-7 #7, sent by another skydeck ${clock}Z: `);
    expect(second.operations.begin(stop.confirmed)).toMatchObject({status: 'locked', by: {id: first.newest().id}});
  });

  it("see the end of each other's operations, and release the lock", async () => {
    const cloud = stopping();
    const [first, second] = [cloud.open(), cloud.open()];
    first.operations.begin(stop.confirmed);
    await cloud.time.advance(6 * SECOND_MS);
    cloud.become(stop.end);
    await cloud.time.advance(12 * SECOND_MS);
    expect([first.newest().phase, second.newest().phase]).toEqual(['CONFIRMED', 'CONFIRMED']);
    expect(second.operations.openOn(subject)).toBeUndefined();
    expect(cloud.fired).toHaveLength(1);
  });

  it('look into the journal and at readings no longer once they are stopped', async () => {
    const cloud = stopping();
    const [first, second] = [cloud.open(), cloud.open()];
    second.operations.stop();
    first.operations.begin(stop.confirmed);
    await cloud.time.advance(6 * SECOND_MS);
    expect(second.operations.all()).toEqual([]);
    first.operations.stop();
    cloud.become(stop.end);
    await cloud.time.advance(12 * SECOND_MS);
    expect(first.newest().phase).toBe('in-progress');
    for (const {poller} of [first, second]) poller.stop();
    expect(cloud.time.pendingCount()).toBe(0);
  });

  it('check the journal before they begin, not only periodically', async () => {
    const cloud = stopping();
    const [first, second] = [cloud.open(), cloud.open()];
    first.operations.begin(stop.confirmed);
    await cloud.time.advance(1);
    expect(second.operations.begin(stop.confirmed).status).toBe('locked');
  });

  it('send only once when both begin at the same moment', async () => {
    const cloud = stopping();
    const [first, second] = [cloud.open(), cloud.open()];
    expect(first.operations.begin(stop.confirmed).status).toBe('begun');
    expect(second.operations.begin(stop.confirmed).status).toBe('begun');
    await cloud.time.advance(1);
    expect(cloud.fired).toHaveLength(1);
    const phases = [first, second].map(({operations}) => operations.all().map(({phase}) => phase));
    expect(phases.flat()).toContain('STALE');
    cloud.become(stop.end);
    await cloud.time.advance(15 * SECOND_MS);
    expect([first, second].map(({operations}) => operations.openOn(subject))).toEqual([undefined, undefined]);
  });

  it("withdraw an operation before it is sent when the other's entry came first", async () => {
    const cloud = stopping();
    const journal = openJournal(cloud.journalPath, ACTIONS);
    // The other's line is written between our last check and our own line.
    const forestalled = {
      ...journal,
      append: (entry: JournalLine) => {
        if (entry.phase === 'sent') journal.append(anEntry('sent', {initialStatus: 'ACTIVE'}));
        journal.append(entry);
      },
    };
    const {operations, told} = cloud.open({journal: forestalled});
    operations.begin(stop.confirmed);
    await cloud.time.advance(1);
    expect(cloud.fired).toEqual([]);
    expect(told.map(({phase}) => phase)).toContain('STALE');
    expect(operations.openOn(subject)).toMatchObject({id: 'theirs', sentElsewhereAt: 1000});
  });

  it('send nothing while the journal cannot be read, since another may be sending the same', async () => {
    const cloud = stopping();
    const journal = openJournal(cloud.journalPath, ACTIONS);
    const unreadable = {...journal, news: () => []};
    const {operations, told} = cloud.open({journal: unreadable});
    operations.begin(stop.confirmed);
    await cloud.time.advance(1);
    expect(cloud.fired).toEqual([]);
    expect(operations.all()).toMatchObject([{phase: 'NOT_SENT', detail: expect.stringContaining('cannot be read')}]);
    expect(told.map(({phase}) => phase)).toEqual(['preflight', 'NOT_SENT']);
    expect(journal.latest().entries.map(({phase}) => phase)).toEqual(['NOT_SENT']);
    expect(operations.openOn(subject)).toBeUndefined();
  });

  it('say at once that nothing was sent when their line may be on the disk although writing it failed', async () => {
    const cloud = stopping();
    const journal = openJournal(cloud.journalPath, ACTIONS);
    const failing = {
      ...journal,
      append: (entry: JournalLine) => {
        journal.append(entry);
        if (entry.phase === 'sent') throw new Error('EIO: i/o error, fsync');
      },
    };
    const {operations, told} = cloud.open({journal: failing});
    operations.begin(stop.confirmed);
    await cloud.time.advance(1);
    expect(cloud.fired).toEqual([]);
    expect(told.map(({phase}) => phase)).toEqual(['preflight', 'NOT_SENT']);
    expect(journal.latest().entries).toMatchObject([{phase: 'NOT_SENT', detail: expect.stringContaining('EIO')}]);
    // Another skydeck has nothing to wait for.
    expect(cloud.open().operations.openOn(subject)).toBeUndefined();
  });

  it('send an operation whose entry came first', async () => {
    const cloud = stopping();
    const journal = openJournal(cloud.journalPath, ACTIONS);
    const first = {
      ...journal,
      append: (entry: JournalLine) => {
        journal.append(entry);
        if (entry.phase === 'sent') journal.append(anEntry('sent', {initialStatus: 'ACTIVE'}));
      },
    };
    const {operations} = cloud.open({journal: first});
    operations.begin(stop.confirmed);
    await cloud.time.advance(1);
    expect(cloud.fired).toHaveLength(1);
    expect(operations.openOn(subject)?.id).not.toBe('theirs');
  });

  it('do not affect operations on other machines, even when one writes between the check and the entry of the other', async () => {
    const other = {action: {...action, id: virtualMachineId(8)}, subjectName: safeText('gpu-8'), status: 'ACTIVE'};
    const machines = [7, 8, 9].map(number => aMachine({id: virtualMachineId(number), name: safeText(`gpu-${number}`)}));
    const cloud = createTinyCloud({start: {vm: machines}});
    const journal = openJournal(cloud.journalPath, ACTIONS);
    const between = {
      ...journal,
      append: (entry: JournalLine) => {
        if (entry.phase === 'sent') journal.append(anEntry('sent', {...other, initialStatus: 'ACTIVE'}));
        journal.append(entry);
      },
    };
    const [first, second] = [cloud.open({journal: between}), cloud.open()];
    first.operations.begin(stop.confirmed);
    await cloud.time.advance(1);
    expect(first.operations.openOn(subject)?.phase).toBe('accepted');
    expect(second.operations.begin(stop.confirmed).status).toBe('locked');
    expect(second.operations.openOn({type: 'vm', id: virtualMachineId(8)})?.id).toBe('theirs');
    expect(cloud.fired).toHaveLength(1);
    const third = {...other, action: {...action, id: virtualMachineId(9)}, subjectName: safeText('gpu-9')};
    expect(second.operations.begin(third).status).toBe('begun');
    await cloud.time.advance(1);
    expect(second.operations.openOn({type: 'vm', id: virtualMachineId(9)})?.phase).toBe('accepted');
  });

  it('journal each phase once, and of the operation that gave way only that it was not sent, and why', async () => {
    const cloud = stopping();
    const [first, second] = [cloud.open({hasOthers: true}), cloud.open({hasOthers: true})];
    first.operations.begin(stop.confirmed);
    second.operations.begin(stop.confirmed);
    await cloud.time.advance(6 * SECOND_MS);
    cloud.become(stop.end);
    await cloud.time.advance(15 * SECOND_MS);
    const [sender, other] = first.newest().phase === 'CONFIRMED' ? [first, second] : [second, first];
    expect(other.operations.all().map(({phase}) => phase)).toContain('STALE');
    const all: readonly JournalEntry[] = readFileSync(cloud.journalPath, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    const lines = all.filter(({operationId}) => operationId === sender.newest().id);
    expect(all.filter(line => !lines.includes(line))).toMatchObject([
      {phase: 'STALE', subjectName, detail: 'another skydeck has just started an operation on it'},
    ]);
    // Both may see the end before they read what the other wrote about it.
    const written = lines.map(({phase, writer}) => `${phase} by ${writer?.pid}`);
    expect(new Set(written).size).toBe(written.length);
    expect([...new Set(lines.map(({phase}) => phase))]).toEqual(['sent', 'accepted', 'in-progress', 'CONFIRMED']);
  });

  it("see each other's operations even when one is opened in between", async () => {
    const cloud = stopping();
    const first = cloud.open();
    first.operations.begin(stop.confirmed);
    await cloud.time.advance(1);
    const second = cloud.open();
    expect(second.operations.openOn(subject)?.phase).toBe('unknown');
    await cloud.time.advance(6 * SECOND_MS);
    expect(second.operations.openOn(subject)).toMatchObject({phase: 'in-progress'});
  });

  it("keep waiting for each other's accepted operation while it shows no effect yet", async () => {
    const cloud = createTinyCloud({start: stop.start});
    const first = cloud.open();
    first.operations.begin(stop.confirmed);
    await cloud.time.advance(1);
    const second = cloud.open({hasOthers: true});
    await cloud.time.advance(30 * SECOND_MS);
    expect(second.operations.openOn(subject)).toMatchObject({phase: 'accepted', id: first.newest().id});
    cloud.become(stop.end);
    await cloud.time.advance(15 * SECOND_MS);
    expect([first.newest().phase, second.newest().phase]).toEqual(['CONFIRMED', 'CONFIRMED']);
  });

  it('give up on an operation without effect when no other skydeck is running', async () => {
    const cloud = createTinyCloud({start: stop.start});
    const first = cloud.open();
    first.operations.begin(stop.confirmed);
    await cloud.time.advance(1);
    first.poller.stop();
    const second = cloud.open();
    await cloud.time.advance(30 * SECOND_MS);
    expect(second.newest().phase).toBe('NO_EFFECT_SEEN');
  });

  it('say what remains to be done after what another one sent, which has ended since', async () => {
    const cloud = stopping();
    const first = cloud.open();
    const followUp = safeText('p h on gpu-7 in Machines hibernates it');
    first.operations.begin({...stop.confirmed, followUp});
    await cloud.time.advance(3 * SECOND_MS);
    first.poller.stop();
    const second = cloud.open();
    await cloud.time.advance(6 * SECOND_MS);
    cloud.become(stop.end);
    await cloud.time.advance(12 * SECOND_MS);
    expect(second.newest()).toMatchObject({phase: 'CONFIRMED', followUp});
    expect(describeOperation(second.newest()).text).toBe(`stop gpu-7 #7: confirmed; ${followUp}`);
  });

  it('watch an operation to its end, and never send it, when its sender dies silently', async () => {
    const cloud = createTinyCloud({start: stop.start});
    const second = cloud.open();
    mkdirSync(dirname(cloud.journalPath), {recursive: true});
    appendFileSync(cloud.journalPath, `${JSON.stringify(anEntry('sent', {initialStatus: 'ACTIVE'}))}\n`);
    await cloud.time.advance(6 * SECOND_MS);
    expect(second.operations.openOn(subject)).toMatchObject({phase: 'sent', sentElsewhereAt: 1000});
    await cloud.time.advance(2 * MINUTE_MS);
    expect(second.newest().phase).toBe('NO_EFFECT_SEEN');
    expect(cloud.fired).toEqual([]);
  });

  it('notice within one check that the process waiting for the answer is gone', async () => {
    const cloud = createTinyCloud({start: stop.start});
    const second = cloud.open({hasOthers: true});
    const at = cloud.time.clock.wallNow();
    openJournal(cloud.journalPath, ACTIONS).append(
      anEntry('sent', {initialStatus: 'ACTIVE', writer: {host: 'here', pid: 99}, at}),
    );
    await cloud.time.advance(30 * SECOND_MS);
    expect(second.newest().phase).toBe('sent');
    cloud.kill(99);
    await cloud.time.advance(3 * SECOND_MS);
    expect(second.told.map(({phase}) => phase)).toContain('unknown');
    expect(openJournal(cloud.journalPath, ACTIONS).latest().entries[0]).toMatchObject({
      operationId: 'theirs',
      phase: 'unknown',
    });
    await cloud.time.advance(10 * SECOND_MS);
    expect(second.newest().phase).toBe('NO_EFFECT_SEEN');
    expect(cloud.fired).toEqual([]);
  });

  const sentBefore = (agoMs: number) => {
    const cloud = createTinyCloud({start: stop.start});
    const sentAt = epochMs(cloud.time.clock.wallNow() - agoMs);
    openJournal(cloud.journalPath, ACTIONS).append(
      anEntry('sent', {initialStatus: 'ACTIVE', writer: {host: 'here', pid: 99}, at: sentAt, confirmedAt: sentAt}),
    );
    return {cloud, second: cloud.open({hasOthers: true})};
  };

  it.each([
    ['was sent more than 15 minutes ago', 15 * MINUTE_MS + 1],
    ['was sent, by its line, twenty days from now', -20 * 24 * 60 * MINUTE_MS],
  ])('watch what %s themselves, whatever process has the id of its sender', async (_what, agoMs) => {
    const {cloud, second} = sentBefore(agoMs);
    expect(second.operations.begin(stop.confirmed)).toMatchObject({status: 'locked', by: {phase: 'sent'}});
    await cloud.time.advance(10 * SECOND_MS);
    expect(second.told.map(({phase}) => phase)).toEqual(['unknown', 'NO_EFFECT_SEEN']);
    expect(openJournal(cloud.journalPath, ACTIONS).latest().entries).toMatchObject([
      {operationId: 'theirs', phase: 'NO_EFFECT_SEEN', detail: 'the other skydeck did not report the answer'},
    ]);
    expect(second.operations.openOn(subject)).toBeUndefined();
    expect(cloud.fired).toEqual([]);
  });

  it('wait for the answer to what was sent less than 15 minutes ago by a process that is running', async () => {
    const {cloud, second} = sentBefore(14 * MINUTE_MS);
    await cloud.time.advance(50 * SECOND_MS);
    expect(second.newest().phase).toBe('sent');
    expect(second.operations.begin(stop.confirmed).status).toBe('locked');
  });

  it('trust the last entry of a process over the fact that it died', async () => {
    const cloud = createTinyCloud({start: stop.start});
    const second = cloud.open({hasOthers: true});
    const theirs = {initialStatus: 'ACTIVE', writer: {host: 'here', pid: 99}};
    openJournal(cloud.journalPath, ACTIONS).append(anEntry('sent', theirs));
    await cloud.time.advance(3 * SECOND_MS);
    openJournal(cloud.journalPath, ACTIONS).append(anEntry('REFUSED', theirs));
    cloud.kill(99);
    await cloud.time.advance(3 * SECOND_MS);
    expect(second.told.map(({phase}) => phase)).toEqual(['sent', 'REFUSED']);
  });

  it('ignore operations of another organization of the same person', async () => {
    const cloud = stopping(cut);
    const [first, other] = [cloud.open({organizationId: 1}), cloud.open({organizationId: 2})];
    for (const {poller} of [first, other]) poller.want('test', [{feed: organizationFeed, priority: 1}]);
    await cloud.time.advance(10 * SECOND_MS);
    first.operations.begin(stop.confirmed);
    await cloud.time.advance(1);
    await cloud.time.advance(6 * SECOND_MS);
    expect(first.operations.openOn(subject)).toBeDefined();
    expect(other.operations.all()).toEqual([]);
    // A newly opened skydeck finds the entry before it knows which organization its key belongs to, and drops
    // it once it does.
    const late = cloud.open({organizationId: 2});
    expect(late.operations.openOn(subject)).toBeDefined();
    await cloud.time.advance(10 * SECOND_MS);
    expect(late.operations.all()).toEqual([]);
    expect(late.told).toEqual([]);
  });
});

describe('what is read for an operation', () => {
  const machineReads = (reads: readonly string[]) => reads.filter(id => id === 'virtual-machines.get').length;

  it('is its machine, often at first, then less often, and nothing once it has ended', async () => {
    const cloud = stopping();
    const visitor = cloud.open();
    visitor.operations.begin(stop.confirmed);
    const counts: number[] = [];
    for (let minute = 1; minute <= 17; minute += 1) {
      const before = machineReads(cloud.reads);
      await cloud.time.advance(MINUTE_MS);
      counts.push(machineReads(cloud.reads) - before);
    }
    // The check and the reading after the answer come on top of one every 2.5 s.
    expect(counts[0]).toBeGreaterThanOrEqual(24);
    expect([5, 6]).toContain(counts[9]);
    expect([1, 2]).toContain(counts[16]);
    cloud.become(stop.end);
    await cloud.time.advance(2 * MINUTE_MS);
    expect(visitor.newest().phase).toBe('CONFIRMED');
    const atEnd = cloud.reads.length;
    await cloud.time.advance(10 * MINUTE_MS);
    expect(cloud.reads).toHaveLength(atEnd);
  });

  it('is nothing after sending when nobody waits for the end', async () => {
    const cloud = stopping();
    const {operations} = cloud.open({watchesOwn: false});
    operations.begin(stop.confirmed);
    await cloud.time.advance(1);
    expect(cloud.fired).toHaveLength(1);
    const atSending = machineReads(cloud.reads);
    await cloud.time.advance(MINUTE_MS);
    expect(machineReads(cloud.reads) - atSending).toBe(0);
  });

  it("includes the organization for another process's journal entry, until it is known", async () => {
    const cloud = createTinyCloud({start: stop.start});
    const own = cloud.open();
    own.operations.begin(stop.confirmed);
    await cloud.time.advance(MINUTE_MS);
    expect(cloud.reads).not.toContain('account.organization');
    const found = createTinyCloud({start: stop.through ?? {}});
    openJournal(found.journalPath, ACTIONS).append(anEntry('accepted', {initialStatus: 'ACTIVE', organizationId: 1}));
    const visitor = found.open();
    await found.time.advance(MINUTE_MS);
    expect(found.reads.filter(id => id === 'account.organization')).toHaveLength(1);
    expect(visitor.newest().phase).toBe('in-progress');
  });

  it('is nothing more once it turns out to belong to another organization', async () => {
    const cloud = createTinyCloud({start: stop.start});
    openJournal(cloud.journalPath, ACTIONS).append(anEntry('accepted', {initialStatus: 'ACTIVE', organizationId: 1}));
    const {operations} = cloud.open({organizationId: 2});
    await cloud.time.advance(10 * SECOND_MS);
    expect(operations.all()).toEqual([]);
    const atDrop = cloud.reads.length;
    await cloud.time.advance(5 * MINUTE_MS);
    expect(cloud.reads).toHaveLength(atDrop);
  });

  it('includes the usage at its end, and the list only when the machine was deleted', async () => {
    const gone = EVERY_ACTION['vm.delete'];
    for (const [each, isListRead] of [
      [gone, true],
      [stop, false],
    ] as const) {
      const cloud = createTinyCloud({start: each.start, handle: () => ({becomes: each.through})});
      const visitor = cloud.open();
      const wants = [usageFeed, machinesFeed].map(feed => ({feed, priority: 3, intervalMs: 60 * MINUTE_MS}));
      visitor.poller.want('pane', wants);
      await cloud.time.advance(10 * SECOND_MS);
      visitor.operations.begin(each.confirmed);
      await cloud.time.advance(20 * SECOND_MS);
      expect(visitor.newest().phase).toBe('in-progress');
      const before = cloud.reads.length;
      cloud.become(each.end);
      await cloud.time.advance(20 * SECOND_MS);
      expect(visitor.newest().phase).toBe('CONFIRMED');
      const since = cloud.reads.slice(before);
      expect(since.filter(id => id === 'billing.usage')).toHaveLength(1);
      expect(cloud.reads.filter(id => id === 'billing.usage')).toHaveLength(2);
      expect(since.includes('virtual-machines.list')).toBe(isListRead);
    }
  });

  it.each([
    [
      'a volume and a firewall',
      {volumes: [{id: volumeId(9), name: safeText('disk')}]},
      [aFirewall({attachments: [{machineId: virtualMachineId(7), machineName: safeText('gpu-7')}]})],
      true,
    ],
    ['neither', {}, [aFirewall({attachments: []})], false],
  ])('includes at once the lists that name a machine that is gone: it had %s', async (_what, parts, firewall, isRead) => {
    const gone = EVERY_ACTION['vm.delete'];
    const machine = aMachine(parts);
    const through = {vm: [{...machine, status: 'DELETING' as const, statusText: safeText('DELETING')}]};
    const cloud = createTinyCloud({
      start: {vm: [machine], firewall},
      handle: () => ({becomes: {...through, firewall}}),
    });
    const visitor = cloud.open();
    const wants = [volumesFeed, firewallsFeed].map(feed => ({feed, priority: 3, intervalMs: 60 * MINUTE_MS}));
    visitor.poller.want('pane', wants);
    await cloud.time.advance(10 * SECOND_MS);
    visitor.operations.begin(gone.confirmed);
    await cloud.time.advance(20 * SECOND_MS);
    const before = cloud.reads.length;
    cloud.become({vm: [], firewall});
    await cloud.time.advance(20 * SECOND_MS);
    expect(visitor.newest().phase).toBe('CONFIRMED');
    const lists = ['firewalls.list', 'volumes.list'];
    expect(
      cloud.reads
        .slice(before)
        .filter(id => lists.includes(id))
        .sort(),
    ).toEqual(isRead ? lists : []);
  });
});

it('forgets a secret that was shown, and counts that as a change', async () => {
  const create = EVERY_ACTION['access-key.create'];
  const cloud = createTinyCloud({start: create.start, handle: () => ({becomes: create.end, result: create.result})});
  const {operations, newest} = cloud.open();
  operations.begin(create.confirmed);
  await cloud.time.advance(1);
  const {result, id} = newest();
  expect(result).toBe(create.result);
  const before = operations.version();
  operations.dropSecret(id);
  const left = newest().result;
  expect(left?.kind === 'access-key' && left.secretKey.reveal()).toBe('');
  expect(operations.version()).toBe(before + 1);
});

describe('a sleep of the computer, which looks like a clock set forward', () => {
  it('does not end an operation: its effect is awaited as long as without it, and read often again', async () => {
    const cloud = createTinyCloud({start: stop.start});
    const {operations, newest} = cloud.open();
    operations.begin(stop.confirmed);
    await cloud.time.advance(10 * SECOND_MS);
    cloud.time.sleep(60 * MINUTE_MS);
    const before = cloud.reads.length;
    await cloud.time.advance(10 * SECOND_MS);
    expect(cloud.reads.slice(before).filter(id => id === 'virtual-machines.get').length).toBeGreaterThanOrEqual(3);
    await cloud.time.advance(14 * MINUTE_MS);
    expect(operations.openOn(subject)).toMatchObject({phase: 'overdue'});
    await cloud.time.advance(1.5 * MINUTE_MS);
    expect(newest().phase).toBe('NO_EFFECT_SEEN');
  });

  it('does not count as silence of the skydeck that waits for the answer', async () => {
    const cloud = createTinyCloud({start: stop.start});
    const second = cloud.open();
    mkdirSync(dirname(cloud.journalPath), {recursive: true});
    appendFileSync(cloud.journalPath, `${JSON.stringify(anEntry('sent', {initialStatus: 'ACTIVE'}))}\n`);
    await cloud.time.advance(6 * SECOND_MS);
    cloud.time.sleep(60 * MINUTE_MS);
    await cloud.time.advance(30 * SECOND_MS);
    expect(second.operations.openOn(subject)).toMatchObject({phase: 'sent'});
    await cloud.time.advance(MINUTE_MS);
    expect(second.newest().phase).toBe('NO_EFFECT_SEEN');
  });

  it('does not end the look for a late effect', async () => {
    const cloud = createTinyCloud({start: stop.start, handle: () => ({failure: cut})});
    const {operations, newest} = cloud.open();
    operations.begin(stop.confirmed);
    await cloud.time.advance(20 * SECOND_MS);
    expect(newest()).toMatchObject({phase: 'NO_EFFECT_SEEN'});
    cloud.time.sleep(60 * MINUTE_MS);
    cloud.become(stop.end);
    await cloud.time.advance(MINUTE_MS);
    expect(newest()).toMatchObject({phase: 'NO_EFFECT_SEEN', correction: expect.stringContaining('after all')});
  });

  it('before an operation is sent does not lengthen its time', async () => {
    const cloud = createTinyCloud({start: stop.start});
    const {operations, newest} = cloud.open();
    cloud.time.sleep(60 * MINUTE_MS);
    operations.begin(stop.confirmed);
    await cloud.time.advance(15.6 * MINUTE_MS);
    expect(newest().phase).toBe('NO_EFFECT_SEEN');
  });
});

describe('an operation that ended with no effect seen', () => {
  const ended = async (cloud = createTinyCloud({start: stop.start, handle: () => ({failure: cut})})) => {
    const visitor = cloud.open();
    visitor.operations.begin(stop.confirmed);
    await cloud.time.advance(20 * SECOND_MS);
    expect(visitor.newest()).toMatchObject({phase: 'NO_EFFECT_SEEN'});
    expect(visitor.operations.openOn(subject)).toBeUndefined();
    return {cloud, ...visitor};
  };

  it('keeps its end, and is corrected once if the effect comes within fifteen minutes', async () => {
    const {cloud, newest, told} = await ended();
    const toldBefore = told.length;
    await cloud.time.advance(10 * MINUTE_MS);
    expect(told).toHaveLength(toldBefore);
    cloud.become(stop.end);
    await cloud.time.advance(MINUTE_MS);
    const correction = 'its effect was seen after all, late or by someone else';
    expect(newest()).toMatchObject({phase: 'NO_EFFECT_SEEN', correction});
    expect(told.slice(toldBefore).map(({phase}) => phase)).toEqual(['NO_EFFECT_SEEN']);
    expect(describeOperation(newest()).text).toBe(`stop gpu-7 #7: no effect was seen at first; ${correction}`);
    expect(openJournal(cloud.journalPath, ACTIONS).latest().entries[0]).toMatchObject({
      phase: 'NO_EFFECT_SEEN',
      correction,
    });
  });

  it('is not corrected by a single reading, nor after fifteen minutes', async () => {
    const {cloud, newest} = await ended();
    cloud.become(stop.end);
    await cloud.time.advance(11 * SECOND_MS);
    cloud.become(stop.start);
    await cloud.time.advance(16 * MINUTE_MS);
    cloud.become(stop.end);
    await cloud.time.advance(MINUTE_MS);
    expect(newest().correction).toBeUndefined();
  });

  it('is not corrected by the effect of a later operation on the same object', async () => {
    const {cloud, operations} = await ended();
    operations.begin(stop.confirmed);
    await cloud.time.advance(SECOND_MS);
    cloud.become(stop.end);
    await cloud.time.advance(MINUTE_MS);
    expect(operations.all().map(({phase, correction}) => [phase, correction])).toEqual([
      ['CONFIRMED', undefined],
      ['NO_EFFECT_SEEN', undefined],
    ]);
  });

  it("is not corrected by the effect of another skydeck's later operation on the same object", async () => {
    let count = 0;
    const cloud = createTinyCloud({
      start: stop.start,
      handle: () => {
        count += 1;
        return count === 1 ? {failure: cut} : {becomes: stop.end};
      },
    });
    const first = await ended(cloud);
    const second = cloud.open();
    second.operations.begin(stop.confirmed);
    await cloud.time.advance(2 * MINUTE_MS);
    expect(second.newest().phase).toBe('CONFIRMED');
    expect(first.operations.all().find(({phase}) => phase === 'NO_EFFECT_SEEN')).not.toHaveProperty('correction');
  });

  it('is no longer read once it is corrected', async () => {
    const {cloud, newest} = await ended();
    cloud.become(stop.end);
    await cloud.time.advance(MINUTE_MS);
    expect(newest().correction).toBeDefined();
    const atCorrection = cloud.reads.length;
    await cloud.time.advance(5 * MINUTE_MS);
    expect(cloud.reads).toHaveLength(atCorrection);
  });

  it('is corrected in another skydeck too, from the journal', async () => {
    const {newest} = await ended();
    const end = anEntry('NO_EFFECT_SEEN', {operationId: newest().id, correction: safeText('it came late')});
    expect(asEntered(newest(), end)).toMatchObject({phase: 'NO_EFFECT_SEEN', correction: 'it came late'});
  });
});

describe('an operation that another process left in the journal', () => {
  it('keeps the reason given for its unknown outcome', async () => {
    const cloud = createTinyCloud({start: stop.start, handle: () => ({failure: cut})});
    const first = cloud.open();
    first.operations.begin(stop.confirmed);
    await cloud.time.advance(1);
    const {phase, detail} = first.newest();
    expect([phase, detail]).toEqual(['unknown', expect.stringContaining('why')]);
    first.poller.stop();
    const second = cloud.open();
    expect(second.newest()).toMatchObject({phase, detail});
    await cloud.time.advance(30 * SECOND_MS);
    const [entry] = openJournal(cloud.journalPath, ACTIONS).latest().entries;
    expect(entry).toMatchObject({phase: 'NO_EFFECT_SEEN', detail});
  });

  it('is not opened here when it has ended', async () => {
    const cloud = createTinyCloud({start: stop.end});
    const {operations} = cloud.open();
    const journal = openJournal(cloud.journalPath, ACTIONS);
    journal.append(anEntry('CONFIRMED', {initialStatus: 'ACTIVE'}));
    await cloud.time.advance(6 * SECOND_MS);
    expect(operations.all()).toEqual([]);
    expect(cloud.open().operations.all()).toEqual([]);
  });

  const sentWith = (keyDigest: string) => ({writer: {host: 'here', pid: 99, keyDigest}});

  it.each([
    ['of this organization', {organizationId: 1}],
    ['sent with the same key', sentWith('a0b1c2d3')],
  ])('is CONTRADICTED when its machine no longer exists and it is %s', async (_which, rest) => {
    const cloud = createTinyCloud({start: {}});
    openJournal(cloud.journalPath, ACTIONS).append(anEntry('accepted', {initialStatus: 'ACTIVE', ...rest}));
    const {newest, poller} = cloud.open({organizationId: 1});
    poller.want('test', [{feed: organizationFeed, priority: 1}]);
    await cloud.time.advance(MINUTE_MS);
    expect(newest()).toMatchObject({phase: 'CONTRADICTED', detail: 'the machine no longer exists'});
  });

  // What another organization has is not in any reading of this key, and its names may be taken here as well.
  it.each([
    ['its machine was deleted', 'vm.delete', 'end', {}],
    ['its machine is not there', 'vm.stop', 'nothing', sentWith('ffffffff')],
    ['a machine has the name it gives', 'vm.create', 'end', sentWith('ffffffff')],
    ['no machine has the name it gives', 'vm.create', 'nothing', {}],
  ] as const)('ends not here while nobody knows whose it is and %s', async (_case, kind, world, rest) => {
    const each = EVERY_ACTION[kind];
    const cloud = createTinyCloud({start: world === 'end' ? each.end : {}});
    const left = {action: each.confirmed.action, subjectName: each.confirmed.subjectName, ...rest};
    openJournal(cloud.journalPath, ACTIONS).append(anEntry('accepted', left));
    const {newest, poller} = cloud.open({organizationId: 1});
    poller.want('test', [{feed: organizationFeed, priority: 1}]);
    await cloud.time.advance(20 * MINUTE_MS);
    expect(newest().phase).toBe('unknown');
    expect(openJournal(cloud.journalPath, ACTIONS).latest().entries).toMatchObject([{phase: 'accepted'}]);
  });

  it('has an end that is not corrected here while nobody knows whose it is', async () => {
    const each = EVERY_ACTION['vm.delete'];
    const cloud = createTinyCloud({start: each.end});
    const {newest} = cloud.open({organizationId: 1});
    const journal = openJournal(cloud.journalPath, ACTIONS);
    const left = {action: each.confirmed.action, subjectName: each.confirmed.subjectName, ...sentWith('ffffffff')};
    journal.append(anEntry('sent', left));
    await cloud.time.advance(3 * SECOND_MS);
    journal.append(anEntry('NO_EFFECT_SEEN', left));
    await cloud.time.advance(MINUTE_MS);
    expect(newest()).toMatchObject({phase: 'NO_EFFECT_SEEN'});
    expect(newest()).not.toHaveProperty('correction');
  });
});

describe('a skydeck whose key may not read its organization', () => {
  const entry = {...anEntry('accepted', {initialStatus: 'ACTIVE'}), organizationId: 1};

  it('judges a journal entry by the object it sees, and does not treat one it may never have seen as deleted', async () => {
    for (const [world, end] of [
      [stop.end, 'CONFIRMED'],
      [{}, 'unknown'],
    ] as const) {
      const cloud = createTinyCloud({start: world});
      openJournal(cloud.journalPath, ACTIONS).append(entry);
      const {newest} = cloud.open({organizationId: undefined});
      await cloud.time.advance(MINUTE_MS);
      expect(newest().phase).toBe(end);
    }
  });
});

describe('awaitsOutcome', () => {
  it.each([
    ['preflight', false],
    ['sent', true],
    ['accepted', true],
    ['unknown', true],
    ['CONFIRMED', false],
    ['STALE', false],
  ] as const)('for %s is %s', (phase, expected) => {
    expect(awaitsOutcome(anEntry(phase), ACTIONS)).toBe(expected);
  });

  it('is false for a job, which leaves no trace to wait for', () => {
    expect(awaitsOutcome(anEntry('sent', {action: EVERY_ACTION['vm.request-logs'].confirmed.action}), ACTIONS)).toBe(
      false,
    );
  });
});

describe('an operation and its entry', () => {
  it('have no field for what is not known', () => {
    const operation = reopened(anEntry('unknown'), ACTIONS, monotonicMs(5));
    expect(operation).not.toHaveProperty('detail');
    const entry = entryOf(operation, {at: epochMs(1000), organizationId: undefined, writer: undefined});
    expect(entry).toStrictEqual(anEntry('unknown'));
  });

  it('have each field that is known', () => {
    const known = {
      initialStatus: safeText('ACTIVE'),
      organizationId: 3,
      detail: safeText('no answer'),
      writer: {host: 'here', pid: 99},
    };
    const entry = anEntry('unknown', known);
    const operation = {...reopened(entry, ACTIONS, monotonicMs(5)), correction: safeText('it came late')};
    expect(entryOf(operation, {at: epochMs(1000), organizationId: 3, writer: known.writer})).toStrictEqual({
      ...entry,
      correction: 'it came late',
    });
  });
});

describe('reopened', () => {
  it.each([
    ['sent', false, 'skydeck ended before the outcome was seen'],
    ['accepted', false, 'no answer'],
    ['in-progress', true, 'no answer'],
    ['unknown', false, 'no answer'],
  ] as const)('does not know the outcome of what was %s', (phase, hasSeenTransition, detail) => {
    const entry = anEntry(phase, {detail: safeText('no answer')});
    expect(reopened(entry, ACTIONS, monotonicMs(5))).toMatchObject({phase: 'unknown', hasSeenTransition, detail});
  });
});

describe('an operation found open', () => {
  const seenStopping = (from: 'sent' | 'accepted') =>
    afterObservation(reopened(anEntry(from), ACTIONS, monotonicMs(5)), {
      records: [aMachine({id: virtualMachineId(7), status: 'STOPPING'})],
      isWhole: true,
      startedAt: monotonicMs(6),
    });

  it('is under way again once that is seen, if it had been accepted, and otherwise has a reason to be unknown', () => {
    expect(seenStopping('accepted')).toMatchObject({phase: 'in-progress'});
    expect(seenStopping('accepted')).not.toHaveProperty('detail');
    expect(seenStopping('sent')).toMatchObject({detail: 'skydeck ended before the outcome was seen'});
  });
});

describe('an answer that left the outcome unknown', () => {
  it('stays the reason, however many skydecks look at it before its end', async () => {
    const cloud = stopping({kind: 'service-error', httpStatus: 502, message: safeText('bad gateway')});
    const first = cloud.open();
    first.operations.begin(stop.confirmed);
    await cloud.time.advance(500);
    expect(first.newest()).toMatchObject({phase: 'unknown', detail: 'the service failed (502): bad gateway'});
    first.poller.stop();
    for (let count = 0; count < 3; count += 1) {
      const later = cloud.open();
      expect(later.newest()).toMatchObject({phase: 'unknown', detail: 'the service failed (502): bad gateway'});
      await cloud.time.advance(3 * SECOND_MS);
      expect(later.newest()).toMatchObject({phase: 'in-progress', detail: 'the service failed (502): bad gateway'});
      later.poller.stop();
    }
  });
});

describe('afterSenderEnded', () => {
  const sent = asEntered(reopened(anEntry('sent'), ACTIONS, monotonicMs(0)), anEntry('sent'));

  it('does not know what became of an operation without an answer, and keeps every other', () => {
    const detail = 'the skydeck that sent it ended before it got an answer';
    expect(afterSenderEnded(sent)).toMatchObject({phase: 'unknown', detail});
    const accepted = {...sent, phase: 'accepted'} as const;
    expect(afterSenderEnded(accepted)).toBe(accepted);
  });
});

describe('asEntered', () => {
  const ended = {...reopened(anEntry('sent'), ACTIONS, monotonicMs(5)), phase: 'NO_EFFECT_SEEN'} as const;
  const late = safeText('it came late');

  it.each([
    ['without one', ended, anEntry('NO_EFFECT_SEEN')],
    ['of another end', ended, anEntry('CONFIRMED', {correction: late})],
    ['when it has one', {...ended, correction: safeText('earlier')}, anEntry('NO_EFFECT_SEEN', {correction: late})],
  ])('takes no correction %s', (_name, operation, entry) => {
    expect(asEntered(operation, entry)).toBe(operation);
  });

  it('takes over the correction of an operation that ended elsewhere, and only that', () => {
    const open = reopened(anEntry('sent'), ACTIONS, monotonicMs(5));
    expect(asEntered(open, anEntry('NO_EFFECT_SEEN', {correction: late}))).toMatchObject({correction: late});
    const uncorrected = asEntered(open, anEntry('accepted'));
    expect(uncorrected).not.toHaveProperty('correction');
    expect(uncorrected).not.toHaveProperty('detail');
  });

  it('is the same operation while the phase is the same', () => {
    const accepted = asEntered(reopened(anEntry('sent'), ACTIONS, monotonicMs(5)), anEntry('accepted'));
    expect(asEntered(accepted, anEntry('accepted', {detail: safeText('again')}))).toBe(accepted);
  });

  it('tells when it was sent by the line that says so, however many were written since', () => {
    const open = reopened(anEntry('sent'), ACTIONS, monotonicMs(5));
    expect(asEntered(open, {...anEntry('accepted'), sentAt: epochMs(777)}).sentElsewhereAt).toBe(777);
  });

  it('tells when it was sent, which can be long after it was confirmed', () => {
    const open = asEntered(reopened(anEntry('preflight'), ACTIONS, monotonicMs(5)), anEntry('preflight'));
    expect(describeOperation(open).text).toContain('confirmed in another skydeck 00:00:00Z');
    const sent = asEntered(open, anEntry('sent', {at: epochMs(13_000)}));
    expect(describeOperation(sent).text).toContain('sent by another skydeck 00:00:13Z');
    const underWay = asEntered(sent, anEntry('in-progress', {at: epochMs(20_000)}));
    expect(describeOperation(underWay).text).toContain('sent by another skydeck 00:00:13Z');
  });

  it('is dated in a refusal, unless it was sent today', () => {
    const sent = asEntered(reopened(anEntry('sent'), ACTIONS, monotonicMs(5)), anEntry('sent', {at: epochMs(13_000)}));
    const said = (now: number) => describeOperation(sent, epochMs(now)).text;
    expect(said(DAY_MS - 1)).toContain('sent by another skydeck 00:00:13Z: ');
    expect(said(DAY_MS)).toContain('sent by another skydeck 1970-01-01 00:00:13Z: ');
  });

  const found = reopened(anEntry('sent'), ACTIONS, monotonicMs(5));

  it('takes over the phase and its detail', () => {
    const detail = safeText('no answer');
    expect(asEntered(found, anEntry('unknown', {detail}))).toMatchObject({
      phase: 'unknown',
      detail,
      sentElsewhereAt: 900,
    });
    expect(asEntered(found, anEntry('in-progress'))).toMatchObject({hasSeenTransition: true});
  });

  it('does not change an operation that has ended', () => {
    const ended = {...found, phase: 'CONFIRMED'} as const;
    expect(asEntered(ended, anEntry('unknown'))).toBe(ended);
  });
});

describe('afterSilence', () => {
  const sent = asEntered(reopened(anEntry('sent'), ACTIONS, monotonicMs(0)), anEntry('sent'));

  it('treats the answer as lost after a minute', () => {
    expect(afterSilence(sent, monotonicMs(MINUTE_MS))).toBe(sent);
    const detail = 'the other skydeck did not report the answer';
    expect(afterSilence(sent, monotonicMs(MINUTE_MS + 1))).toMatchObject({phase: 'unknown', detail});
    const later = {...sent, sentAt: monotonicMs(9 * MINUTE_MS)};
    expect(afterSilence(later, monotonicMs(10 * MINUTE_MS))).toBe(later);
    const {sentAt: _at, ...unsent} = sent;
    expect(afterSilence(unsent, monotonicMs(9 * MINUTE_MS))).toBe(unsent);
  });

  it('leaves operations unchanged that this process sent or that were answered', () => {
    const {sentElsewhereAt: _elsewhere, ...own} = sent;
    const accepted = {...sent, phase: 'accepted'} as const;
    expect(afterSilence(own, monotonicMs(9 * MINUTE_MS))).toBe(own);
    expect(afterSilence(accepted, monotonicMs(9 * MINUTE_MS))).toBe(accepted);
  });
});
