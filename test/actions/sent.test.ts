import {expect, test} from 'vitest';
import {candidate, questionFor} from '../../src/actions/question/question-for.ts';
import {lateEffectLines, presentSent, sentFrom, sentFromHere} from '../../src/actions/sent.ts';
import type {Action} from '../../src/domain/action.ts';
import {outcomeWords} from '../../src/domain/describe-operation.ts';
import type {OperationPhase} from '../../src/domain/operation.ts';
import {redactedUrl} from '../../src/domain/redacted-url.ts';
import {type SafeText, safeText} from '../../src/domain/safe-text.ts';
import {epochMs, HOUR_MS, MINUTE_MS, SECOND_MS} from '../../src/domain/time.ts';
import {eventEntry, operationEntry} from '../../src/domain/timeline/entry.ts';
import {timelineOf} from '../../src/domain/timeline/timeline.ts';
import {type VirtualMachine, virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {textOf} from '../../src/ui/text.ts';
import {aReadScene, read} from '../panes/a-read-scene.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {anOperation} from './an-operation.ts';

const CONFIRMED_AT = epochMs(Date.UTC(2026, 10, 20, 2, 10));

/** A hibernation that was noted last in this phase. */
function journalWith(phase: OperationPhase) {
  const entry = {
    operationId: 'a1',
    at: CONFIRMED_AT,
    confirmedAt: CONFIRMED_AT,
    action: {kind: 'vm.hibernate' as const, id: virtualMachineId(7)},
    subjectName: safeText('gpu-7'),
    phase,
  };
  return () => ({entries: [entry], raws: [], unreadableCount: 0});
}

test.each<[OperationPhase, number, OperationPhase]>([
  ['accepted', 12 * SECOND_MS, 'accepted'],
  ['in-progress', 12 * SECOND_MS, 'in-progress'],
  // The answer never came.
  ['sent', 12 * SECOND_MS, 'unknown'],
  ['unknown', 12 * SECOND_MS, 'unknown'],
  ['accepted', 24 * HOUR_MS, 'unknown'],
  ['CONFIRMED', 24 * HOUR_MS, 'CONFIRMED'],
])('an operation that is %s in the journal is reported after %i ms as %s', (phase, ageMs, told) => {
  const journal = journalWith(phase);
  expect(sentFrom({journal, now: epochMs(CONFIRMED_AT + ageMs)}).map(sent => sent.phase)).toEqual([told]);
});

test.each<OperationPhase>([
  'in-progress',
  'overdue',
])('an operation without an answer stays unknown when one reading showed a change: %s', phase => {
  const entry = {
    operationId: 'a1',
    at: CONFIRMED_AT,
    confirmedAt: CONFIRMED_AT,
    action: {kind: 'vm.hibernate' as const, id: virtualMachineId(7)},
    subjectName: safeText('gpu-7'),
    phase,
    detail: safeText('timed out after 30 s'),
  };
  const journal = () => ({entries: [entry], raws: [], unreadableCount: 0});
  const [sent] = presentSent({journal, now: epochMs(CONFIRMED_AT + 12 * SECOND_MS)});
  const detail = 'timed out after 30 s; a change was seen since, which is no proof yet';
  expect(sent).toMatchObject({phase: 'unknown', detail});
});

test('what remained to be done after a start goes once the state of the machine was changed again, and not before', () => {
  const followUp = safeText('p h on gpu-7 in Machines hibernates it, saves $25.60/h');
  const next = `next ${followUp}`;
  const operation = (
    operationId: string,
    {minute, kind, id = 7, phase = 'CONFIRMED'}: {minute: number; kind: Kind; id?: number; phase?: OperationPhase},
  ) => ({
    operationId,
    at: epochMs(CONFIRMED_AT + minute * MINUTE_MS),
    confirmedAt: epochMs(CONFIRMED_AT + minute * MINUTE_MS),
    action:
      kind === 'vm.hibernate' ? {kind, id: virtualMachineId(id), retainsIp: true} : {kind, id: virtualMachineId(id)},
    subjectName: safeText(`gpu-${id}`),
    phase,
    ...(operationId === 'start' ? {followUp} : {}),
  });
  type Kind = 'vm.start' | 'vm.hibernate' | 'vm.stop' | 'vm.attach-ip';
  const detailAfter = (later?: Parameters<typeof operation>[1]) => {
    const entries = [
      operation('start', {minute: 0, kind: 'vm.start'}),
      ...(later === undefined ? [] : [operation('later', later)]),
    ];
    const sent = sentFromHere({journal: () => ({entries, raws: [], unreadableCount: 0})});
    return sent.find(({id}) => id === 'start')?.detail;
  };
  expect(detailAfter()).toBe(next);
  for (const kind of ['vm.hibernate', 'vm.stop'] as const) {
    expect(detailAfter({minute: 5, kind})).toBeUndefined();
  }
  expect(detailAfter({minute: 5, kind: 'vm.hibernate', phase: 'REFUSED'})).toBe(next);
  expect(detailAfter({minute: 5, kind: 'vm.hibernate', id: 8})).toBe(next);
  expect(detailAfter({minute: -5, kind: 'vm.hibernate'})).toBe(next);
  expect(detailAfter({minute: 5, kind: 'vm.attach-ip'})).toBe(next);
});

test('what was not sent stands once, for its last reason, and only until the same is sent', () => {
  const stop = (operationId: string, minute: number, phase: OperationPhase, detail?: string) => ({
    operationId,
    at: epochMs(CONFIRMED_AT + minute * MINUTE_MS),
    confirmedAt: epochMs(CONFIRMED_AT + minute * MINUTE_MS),
    action: {kind: 'vm.stop' as const, id: virtualMachineId(7)},
    subjectName: safeText('gpu-7'),
    phase,
    ...(detail === undefined ? {} : {detail: safeText(detail)}),
  });
  const standing = (...entries: ReturnType<typeof stop>[]) =>
    sentFromHere({journal: () => ({entries, raws: [], unreadableCount: 0})}).map(({id, detail}) => [id, detail]);
  const stopped = stop('a1', 0, 'NOT_SENT', 'stopped at stop gpu-6 #6');
  const cancelled = stop('a2', 1, 'NOT_SENT', 'cancelled');
  expect(standing(stopped)).toEqual([['a1', 'stopped at stop gpu-6 #6']]);
  expect(standing(stopped, cancelled)).toEqual([['a2', 'cancelled']]);
  expect(standing(stopped, cancelled, stop('a3', 2, 'CONFIRMED'))).toEqual([['a3', undefined]]);
  // With a clock that stands still, what was sent is what stands.
  expect(standing(stop('a3', 0, 'REFUSED'), stopped)).toEqual([['a3', undefined]]);
  // What was sent before is not taken back by what was not sent later.
  expect(standing(stop('a0', -1, 'CONFIRMED'), stopped).map(([id]) => id)).toEqual(['a0', 'a1']);
  // Another action for the same machine is not the same.
  const other = {...stop('b1', 3, 'CONFIRMED'), action: {kind: 'vm.hard-reboot' as const, id: virtualMachineId(7)}};
  const both = sentFromHere({journal: () => ({entries: [stopped, other], raws: [], unreadableCount: 0})});
  expect(both.map(({id}) => id)).toEqual(['a1', 'b1']);
});

test.each<[what: string, unsent: Action, later: Action]>([
  ['callback', callbackAction('https://a.example/hook'), callbackAction('https://b.example/hook')],
  ['hibernation that keeps the address', hibernation(true), hibernation(false)],
  ['set of labels', labelsAction('a'), labelsAction('b')],
])('what was not sent is not taken for another %s that was', (_what, unsent, later) => {
  const entry = (operationId: string, action: Action, phase: OperationPhase) => ({
    operationId,
    at: CONFIRMED_AT,
    confirmedAt: epochMs(CONFIRMED_AT + (operationId === 'unsent' ? 0 : MINUTE_MS)),
    action,
    subjectName: safeText('gpu-7'),
    phase,
  });
  const first = entry('unsent', unsent, 'NOT_SENT');
  const idsWith = (action: Action) => {
    const entries = [first, entry('later', action, 'CONFIRMED')];
    return sentFromHere({journal: () => ({entries, raws: [], unreadableCount: 0})}).map(({id}) => id);
  };
  expect(idsWith(later)).toEqual(['unsent', 'later']);
  expect(idsWith({...unsent})).toEqual(['later']);
});

function callbackAction(url: string): Action {
  return {kind: 'vm.set-callback', id: virtualMachineId(7), url: safeText(url), isUpdate: false};
}

function hibernation(retainsIp: boolean): Action {
  return {kind: 'vm.hibernate', id: virtualMachineId(7), retainsIp};
}

function labelsAction(label: string): Action {
  return {kind: 'vm.set-labels', id: virtualMachineId(7), labels: [safeText(label)]};
}

test('what was not sent in an earlier session is the same as what this one sends, though the journal hides its address', () => {
  const action = callbackAction('https://a.example/hook');
  const subjectName = safeText('gpu-7');
  const [written, other] = ['https://a.example/hook', 'https://b.example/hook'].map(url => ({
    operationId: url,
    at: CONFIRMED_AT,
    confirmedAt: CONFIRMED_AT,
    action: {...action, url: redactedUrl(safeText(url))},
    subjectName,
    phase: 'NOT_SENT' as const,
  }));
  const operation = anOperation('live', {action, subjectName}, epochMs(CONFIRMED_AT + MINUTE_MS));
  const operations = {all: () => [{...operation, phase: 'CONFIRMED' as const}]};
  const idsWith = (entry = other) => {
    const entries = entry === undefined ? [] : [entry];
    return sentFromHere({operations, journal: () => ({entries, raws: [], unreadableCount: 0})}).map(({id}) => id);
  };
  expect(idsWith(written)).toEqual(['live']);
  expect(idsWith(other)).toEqual(['live', 'https://b.example/hook']);
});

test('raw requests are all listed: without their bodies none is known to be the same as another', () => {
  const raw = (operationId: string, phase: 'NOT_SENT' | 'accepted') => ({
    operationId,
    at: CONFIRMED_AT,
    confirmedAt: CONFIRMED_AT,
    phase,
    request: safeText('POST /core/keypairs'),
  });
  const raws = [raw('a1', 'NOT_SENT'), raw('a2', 'accepted')];
  expect(sentFromHere({journal: () => ({entries: [], raws, unreadableCount: 0})}).map(({id}) => id)).toEqual([
    'a1',
    'a2',
  ]);
});

test.each([
  [
    'the detail that was given',
    {detail: safeText('the service failed (500)')},
    'the service failed (500); last looked 6s after sending; check its state before you repeat it',
  ],
  ['nothing else', {}, 'last looked 6s after sending; check its state before you repeat it'],
  ['not that when the effect came later', {correction: safeText('it came late')}, 'it came late'],
])('an end without an effect says for how long it was watched and what to do, and %s', (_which, told, detail) => {
  const entry = {
    operationId: 'a1',
    at: epochMs(CONFIRMED_AT + HOUR_MS),
    confirmedAt: CONFIRMED_AT,
    sentAt: epochMs(CONFIRMED_AT + SECOND_MS),
    endedAt: epochMs(CONFIRMED_AT + 7 * SECOND_MS),
    action: {kind: 'vm.restore' as const, id: virtualMachineId(7)},
    subjectName: safeText('gpu-7'),
    phase: 'NO_EFFECT_SEEN' as const,
    ...told,
  };
  const journal = () => ({entries: [entry], raws: [], unreadableCount: 0});
  expect(sentFromHere({journal}).map(sent => sent.detail)).toEqual([detail]);
});

test('a request that changes nothing and was not answered may be repeated, and takes no effect later', () => {
  const entry = {
    ...LATE_ENTRY,
    action: {kind: 'vm.request-logs' as const, id: virtualMachineId(7), lineCount: 500},
    detail: safeText('the service failed (503)'),
  };
  const journal = () => ({entries: [entry], raws: [], unreadableCount: 0});
  const now = epochMs(CONFIRMED_AT + 30 * SECOND_MS);
  expect(presentSent({journal, now}).map(({detail}) => detail)).toEqual([
    'the service failed (503); it changes nothing, so it may be repeated',
  ]);
  expect(lateEffectLines([{action: {kind: 'vm.stop', id: virtualMachineId(7)}}], {journal, now})).toEqual([]);
});

test.each([
  ['is listed', [aVirtualMachine({id: 7, status: 'SHUTOFF'})], 'the service failed (500); it is SHUTOFF now'],
  ['is gone', [aVirtualMachine({id: 8})], 'the service failed (500); it is no longer listed'],
  ['was not read', undefined, 'the service failed (500)'],
  [
    'has no state that can be read',
    [aVirtualMachine({id: 7, status: 'UNKNOWN', statusText: safeText('')})],
    'the service failed (500)',
  ],
])('an outcome that nobody looked for says how the subject is now: it %s', (_what, machines, detail) => {
  const entry = {
    operationId: 'a1',
    at: CONFIRMED_AT,
    confirmedAt: CONFIRMED_AT,
    action: {kind: 'vm.stop' as const, id: virtualMachineId(7)},
    subjectName: safeText('gpu-7'),
    phase: 'unknown' as const,
    detail: safeText('the service failed (500)'),
  };
  const journal = () => ({entries: [entry], raws: [], unreadableCount: 0});
  const {store} = aReadScene(machines === undefined ? [] : [read(machinesFeed, aListing(machines))]);
  const [sent] = presentSent({journal, now: epochMs(CONFIRMED_AT + HOUR_MS), store});
  // One look proves nothing, so the phase stays.
  expect(sent).toMatchObject({phase: 'unknown', detail});
});

test.each<[OperationPhase, readonly VirtualMachine[] | undefined, string]>([
  ['accepted', undefined, 'accepted: no change noted yet'],
  ['accepted', [aVirtualMachine({id: 7, status: 'ACTIVE'})], 'accepted: no change noted yet; it is ACTIVE now'],
  ['in-progress', undefined, 'under way'],
  ['in-progress', [aVirtualMachine({id: 7, status: 'HIBERNATING'})], 'under way: it is HIBERNATING now'],
])('what is %s in the journal, and watched by nobody, is under way only if a change was seen', (phase, machines, outcome) => {
  const journal = journalWith(phase);
  const {store} = aReadScene(machines === undefined ? [] : [read(machinesFeed, aListing(machines))]);
  const all = presentSent({journal, now: epochMs(CONFIRMED_AT + 12 * SECOND_MS), store});
  expect(all.map(outcomeWords)).toEqual([outcome]);
});

test('an outcome that nobody looked for says nothing of a state that does not depend on the action', () => {
  const rule = {id: 501, direction: safeText('ingress'), protocol: safeText('tcp')};
  const entry = {
    operationId: 'a1',
    at: CONFIRMED_AT,
    confirmedAt: CONFIRMED_AT,
    action: {kind: 'vm.remove-rule' as const, id: virtualMachineId(7), ruleId: 501, rule},
    subjectName: safeText('gpu-7'),
    phase: 'unknown' as const,
    detail: safeText('the service failed (500)'),
  };
  const journal = () => ({entries: [entry], raws: [], unreadableCount: 0});
  const {store} = aReadScene([read(machinesFeed, aListing([aVirtualMachine({id: 7, status: 'ACTIVE'})]))]);
  const [sent] = presentSent({journal, now: epochMs(CONFIRMED_AT + HOUR_MS), store});
  expect(sent?.detail).toBe('the service failed (500)');
});

const MACHINE = {id: virtualMachineId(7)};
const VOLUMES = {...MACHINE, volumeIds: [12]};

// The reasons are those that the service documents.
test.each([
  [{kind: 'vm.attach-volumes' as const, ...VOLUMES}, 'AttachVolumeToInstanceSuccess'],
  [{kind: 'vm.detach-volumes' as const, ...VOLUMES}, 'DetachVolumeToInstanceSuccess'],
  [{kind: 'vm.attach-ip' as const, ...MACHINE}, 'AttachFloatingIPToInstanceSuccess'],
  [{kind: 'vm.detach-ip' as const, ...MACHINE}, 'DetachFloatingIPToInstanceSuccess'],
])('$kind and the event that the service records of it are one entry, done by you', (action, reason) => {
  const subjectName = safeText('gpu-7');
  const entry = {
    operationId: 'a1',
    at: CONFIRMED_AT,
    confirmedAt: CONFIRMED_AT,
    action,
    subjectName,
    phase: 'CONFIRMED' as const,
  };
  const journal = () => ({entries: [entry], raws: [], unreadableCount: 0});
  const event = {
    occurredAt: epochMs(CONFIRMED_AT + 20 * SECOND_MS),
    type: safeText('normal'),
    reason: safeText(reason),
    message: safeText('done'),
    userId: 12,
  };
  const [told, ...others] = timelineOf([
    ...sentFrom({journal, now: epochMs(CONFIRMED_AT + MINUTE_MS)}).map(operationEntry),
    eventEntry(event, {type: 'vm', id: 7, name: subjectName}, 12),
  ]);
  expect(told).toMatchObject({source: 'event', alsoFrom: ['operation'], who: {kind: 'you'}});
  expect(others).toEqual([]);
});

const LATE_ENTRY = {
  operationId: 'a1',
  at: epochMs(CONFIRMED_AT + 6 * SECOND_MS),
  confirmedAt: CONFIRMED_AT,
  sentAt: CONFIRMED_AT,
  endedAt: epochMs(CONFIRMED_AT + 6 * SECOND_MS),
  action: {kind: 'vm.hibernate' as const, id: virtualMachineId(7), retainsIp: true},
  subjectName: safeText('gpu-7'),
  phase: 'NO_EFFECT_SEEN' as const,
};

test('what may still take effect is said beside it for as long as that is looked for', () => {
  const journal = () => ({entries: [LATE_ENTRY], raws: [], unreadableCount: 0});
  const detailAfter = (ms: number) => presentSent({journal, now: epochMs(CONFIRMED_AT + ms)})[0]?.detail;
  const looked = 'last looked 6s after sending; check its state before you repeat it';
  expect(detailAfter(15 * MINUTE_MS)).toBe(`it may still take effect; ${looked}`);
  expect(detailAfter(15 * MINUTE_MS + 1)).toBe(looked);
});

test.each([
  ['one', [7]],
  ['many', [7, 8]],
])('the next question about %s warns of what was sent before and may still take effect', (_, ids) => {
  const machines = ids.map(id => aVirtualMachine({id, name: safeText(`gpu-${id}`), status: 'ACTIVE'}));
  const scene = aReadScene([read(machinesFeed, aListing(machines))]);
  const warnedWith = (entry: typeof LATE_ENTRY & {readonly correction?: SafeText}) => {
    const journal = () => ({entries: [entry], raws: [], unreadableCount: 0});
    const known = {...scene, journal, now: epochMs(CONFIRMED_AT + 30 * SECOND_MS)};
    const question = questionFor(
      machines.map(machine => candidate({kind: 'vm.stop', id: machine.id}, machine, known)),
      known,
    );
    return question?.facts.flatMap(({lines}) => lines.map(textOf)).filter(line => line.includes('take effect'));
  };
  expect(warnedWith(LATE_ENTRY)).toEqual([
    'hibernate gpu-7 #7 was sent 30s ago; its outcome was never known, it may still take effect.',
  ]);
  expect(warnedWith({...LATE_ENTRY, correction: safeText('seen after all')})).toEqual([]);
});
