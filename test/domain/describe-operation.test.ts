import {describe, expect, it} from 'vitest';
import {recordOf, verbOf} from '../../src/actions/actions.ts';
import {stopMachine} from '../../src/actions/machines/power.ts';
import type {Action} from '../../src/domain/action.ts';
import {describeOperation, operationWords, outcomeWords} from '../../src/domain/describe-operation.ts';
import type {Failure} from '../../src/domain/failure.ts';
import {firewallId} from '../../src/domain/firewall.ts';
import {afterReply, afterSending, type Operation, type OperationPhase} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {ShownFacts} from '../../src/domain/shown-facts.ts';
import {epochMs, monotonicMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {volumeId} from '../../src/domain/volume.ts';

function anOperation(phase: OperationPhase, detail?: string): Operation {
  return {
    id: 'op-1',
    action: {kind: 'vm.stop', id: virtualMachineId(7)},
    traits: stopMachine,
    subjectName: safeText('gpu-7'),
    initialStatus: 'ACTIVE',
    phase,
    confirmedAt: epochMs(0),
    hasSeenTransition: false,
    targetReadCount: 0,
    otherReadCount: 0,
    unchangedReadCount: 0,
    ...(detail === undefined ? {} : {detail: safeText(detail)}),
  };
}

describe('outcomeWords', () => {
  it.each<[OperationPhase, string | undefined, string]>([
    ['CONFIRMED', undefined, 'confirmed'],
    ['CONTRADICTED', 'it is HIBERNATED instead', 'failed: it is HIBERNATED instead'],
    ['REFUSED', 'refused (400): no', 'refused (400): no'],
    ['REFUSED', 'rate-limited (429); the service', 'refused: rate-limited (429); the service'],
  ])('describes %s with %s as "%s"', (phase, detail, words) => {
    expect(outcomeWords(anOperation(phase, detail))).toBe(words);
  });
});

const UNPROVEN =
  'stop gpu-7 #7: outcome unknown: no answer; a change was seen since, which is no proof yet; watching, not sent again';

describe('describeOperation', () => {
  it.each<[OperationPhase, string | undefined, string, string]>([
    ['preflight', undefined, 'stop gpu-7 #7: checking that nothing has changed', 'text'],
    ['sent', undefined, 'stop gpu-7 #7: sent, waiting for the answer', 'text'],
    ['accepted', undefined, 'stop gpu-7 #7: accepted, watching for the effect', 'text'],
    ['in-progress', undefined, 'stop gpu-7 #7: under way', 'text'],
    ['overdue', undefined, 'stop gpu-7 #7: takes longer than usual; still watching', 'warning'],
    // The answer was lost: what is seen under way may be somebody else's.
    ['in-progress', 'no answer', UNPROVEN, 'warning'],
    ['overdue', 'no answer', UNPROVEN, 'warning'],
    ['unknown', 'no answer', 'stop gpu-7 #7: outcome unknown: no answer; watching, not sent again', 'warning'],
    ['CONFIRMED', undefined, 'stop gpu-7 #7: confirmed', 'good'],
    ['REFUSED', 'refused (400): no', 'stop gpu-7 #7: refused (400): no', 'danger'],
    ['REFUSED', undefined, 'stop gpu-7 #7: refused', 'danger'],
    ['NOT_SENT', 'no room', 'stop gpu-7 #7: not sent: no room', 'danger'],
    ['STALE', 'it is SHUTOFF now', 'stop gpu-7 #7: not sent: it is SHUTOFF now', 'danger'],
    ['CONTRADICTED', 'it is ERROR instead', 'stop gpu-7 #7: failed: it is ERROR instead', 'danger'],
    [
      'NO_EFFECT_SEEN',
      undefined,
      'stop gpu-7 #7: no effect seen; it was sent once and is not sent again; check its state before you repeat it',
      'warning',
    ],
  ])('describes %s (%s) in one line', (phase, detail, line, tone) => {
    expect(describeOperation(anOperation(phase, detail))).toEqual({text: line, tone});
  });

  it('says of a request that changes nothing that it was made, and may be made again, not that its result was seen', () => {
    const action = {kind: 'vm.request-logs', id: virtualMachineId(7), lineCount: 500} as const;
    const told = (phase: OperationPhase) =>
      describeOperation({...anOperation(phase), action, traits: recordOf(action)});
    expect(told('CONFIRMED').text).toBe('request the log of gpu-7 #7: confirmed');
    expect(told('NO_EFFECT_SEEN').text).toBe(
      'request the log of gpu-7 #7: no effect seen; it changes nothing, so it may be repeated',
    );
    const seen = {kind: 'vm.request-console', id: virtualMachineId(7)} as const;
    const traits = recordOf(seen);
    expect(describeOperation({...anOperation('CONFIRMED'), action: seen, traits}).text).toBe(
      'request the console of gpu-7 #7: confirmed',
    );
  });

  it('adds what is still to be done when it is confirmed, not before', () => {
    const followUp = safeText('p h hibernates it');
    expect(describeOperation({...anOperation('CONFIRMED'), followUp}).text).toBe(
      'stop gpu-7 #7: confirmed; p h hibernates it',
    );
    expect(describeOperation({...anOperation('sent'), followUp}).text).not.toContain('hibernates');
  });

  it('says only once that a request was not sent', () => {
    const failure: Failure = {kind: 'not-sent', detail: safeText('connect ECONNREFUSED 127.0.0.1:443')};
    const operation = afterReply(afterSending(anOperation('preflight'), monotonicMs(1)), failure);
    expect(describeOperation(operation).text).toBe('stop gpu-7 #7: not sent: connect ECONNREFUSED 127.0.0.1:443');
  });

  it('claims no outcome for a phase that has none, and acceptance only when accepted', () => {
    for (const phase of ['preflight', 'sent', 'accepted', 'in-progress', 'overdue', 'unknown'] as const) {
      const {text} = describeOperation(anOperation(phase, 'why'));
      expect(text).not.toMatch(/confirmed|stopped|done|failed/i);
      // An overdue operation may have been seen under way although its answer was lost.
      expect(text.includes('accepted')).toBe(phase === 'accepted');
    }
  });
});

describe('operationWords', () => {
  const id = virtualMachineId(7);
  const subjectName = safeText('gpu-7');
  const firewallIds = [3, 4, 5, 6, 7, 8].map(firewallId);
  it.each<[Action, string]>([
    [{kind: 'vm.set-firewalls', id, firewallIds: firewallIds.slice(0, 1)}, 'set firewall #3 on gpu-7 #7'],
    [{kind: 'vm.set-firewalls', id, firewallIds}, 'set firewalls #3, #4, #5, #6 and 2 more on gpu-7 #7'],
    [{kind: 'vm.set-firewalls', id, firewallIds: []}, 'set no firewalls on gpu-7 #7'],
    [{kind: 'vm.set-labels', id, labels: [safeText('prod'), safeText('eu')]}, 'set labels prod, eu on gpu-7 #7'],
    [{kind: 'vm.set-labels', id, labels: []}, 'set no labels on gpu-7 #7'],
    [{kind: 'vm.attach-volumes', id, volumeIds: [volumeId(9), volumeId(10)]}, 'attach volumes #9, #10 to gpu-7 #7'],
  ])('lists what is set or attached: %o', (action, words) => {
    expect(operationWords({action, traits: recordOf(action), subjectName})).toBe(words);
  });

  it.each<[string, ShownFacts]>([
    ['its own question', {named: new Map([[safeText('volume #9'), safeText('data-1')]])}],
    ['the question about others', {others: new Map([[safeText('volume #9'), safeText('data-1')]])}],
  ])('names the volumes that %s has named', (_, facts) => {
    const volumeIds = [volumeId(9), volumeId(10)];
    const told = (['vm.attach-volumes', 'vm.detach-volumes'] as const).map(kind => {
      const action: Action = {kind, id, volumeIds};
      return operationWords({action, traits: recordOf(action), subjectName, facts});
    });
    expect(told).toEqual(['attach volumes data-1 #9, #10 to gpu-7 #7', 'detach volumes data-1 #9, #10 from gpu-7 #7']);
  });

  it.each([
    [[1, 2], 'set machines #1, #2 on web #5'],
    [[], 'set no machines on web #5'],
  ])('lists the machines that a firewall is set for: %o', (ids, words) => {
    const action: Action = {kind: 'firewall.set-attachments', id: firewallId(5), machineIds: ids.map(virtualMachineId)};
    expect(operationWords({action, traits: recordOf(action), subjectName: safeText('web')})).toBe(words);
  });
});

describe('verbOf', () => {
  it.each([
    ['vm.start', 'start'],
    ['vm.stop', 'stop'],
    ['vm.hard-reboot', 'hard reboot'],
    ['vm.hibernate', 'hibernate'],
    ['vm.restore', 'restore'],
  ] as const)('names %s by the verb of the service', (kind, verb) => {
    expect(verbOf(kind)).toBe(verb);
  });
});
