import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {
  type AttachmentState,
  attachmentState,
  goalsOf,
  isSameSet,
  membershipEvidence,
} from '../../src/domain/attachment-state.ts';
import {safeText} from '../../src/domain/safe-text.ts';

describe('attachmentState', () => {
  it.each<[string | undefined, AttachmentState]>([
    ['ATTACHED', 'attached'],
    ['attached', 'attached'],
    ['SUCCESS', 'attached'],
    [undefined, 'attached'],
    ['ATTACHING', 'changing'],
    ['detaching', 'changing'],
    ['pending', 'changing'],
    ['CREATING', 'changing'],
    ['DETACHED', 'gone'],
    ['NO FLOATING IP', 'gone'],
    ['NO_FLOATING_IP', 'gone'],
    ['ERROR', 'failed'],
    ['FAILED', 'failed'],
  ])('of %s is %s', (status, state) => {
    expect(attachmentState(status === undefined ? undefined : safeText(status))).toBe(state);
  });
});

describe('isSameSet', () => {
  it('does not mind order and repetition', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({min: 0, max: 5})), fc.array(fc.integer({min: 0, max: 5})), (left, right) => {
        const expected = [0, 1, 2, 3, 4, 5].every(each => left.includes(each) === right.includes(each));
        expect(isSameSet(left, right)).toBe(expected);
      }),
    );
  });
});

describe('membershipEvidence', () => {
  type Row = [string, Record<string, AttachmentState>, Record<string, AttachmentState>, string];
  const goals = goalsOf(['in', 'kept'], ['out']);

  it.each<Row>([
    [
      'nothing has changed',
      {in: 'gone', kept: 'attached', out: 'attached'},
      {in: 'gone', kept: 'attached', out: 'attached'},
      'unchanged',
    ],
    [
      'all is as it should be',
      {in: 'gone', kept: 'attached', out: 'attached'},
      {in: 'attached', kept: 'attached', out: 'gone'},
      'target',
    ],
    [
      'one is on its way',
      {in: 'gone', kept: 'attached', out: 'attached'},
      {in: 'changing', kept: 'attached', out: 'attached'},
      'transition',
    ],
    [
      'one has come, the other not gone',
      {in: 'gone', kept: 'attached', out: 'attached'},
      {in: 'attached', kept: 'attached', out: 'attached'},
      'transition',
    ],
    [
      'one has failed',
      {in: 'gone', kept: 'attached', out: 'attached'},
      {in: 'failed', kept: 'attached', out: 'gone'},
      'elsewhere',
    ],
  ])('when %s', (_name, before, now, kind) => {
    const stateIn = (states: Record<string, AttachmentState>) => (id: string) => states[id] ?? 'gone';
    const evidence = membershipEvidence({goals, now: stateIn(now), before: stateIn(before), hasSeenTransition: false});
    expect(evidence.kind).toBe(kind);
  });

  it('is the target exactly when every member stands as wanted', () => {
    const state = fc.constantFrom<AttachmentState>('attached', 'changing', 'gone', 'failed');
    fc.assert(
      fc.property(fc.tuple(state, state, state), fc.boolean(), (states, hasSeenTransition) => {
        const [into, kept, out] = states;
        const now = (id: string) => (id === 'in' ? into : id === 'kept' ? kept : out);
        const isThere = into === 'attached' && kept === 'attached' && out === 'gone';
        const evidence = membershipEvidence({goals, now, before: undefined, hasSeenTransition});
        expect(evidence.kind === 'target').toBe(isThere);
      }),
    );
  });
});
