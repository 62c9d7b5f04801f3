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
  it('ignores order and repetition', () => {
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
      'unchanged when nothing has changed',
      {in: 'gone', kept: 'attached', out: 'attached'},
      {in: 'gone', kept: 'attached', out: 'attached'},
      'unchanged',
    ],
    [
      'target when every member is as wanted',
      {in: 'gone', kept: 'attached', out: 'attached'},
      {in: 'attached', kept: 'attached', out: 'gone'},
      'target',
    ],
    [
      'transition when one member is changing',
      {in: 'gone', kept: 'attached', out: 'attached'},
      {in: 'changing', kept: 'attached', out: 'attached'},
      'transition',
    ],
    [
      'transition when one member was added and another is not removed yet',
      {in: 'gone', kept: 'attached', out: 'attached'},
      {in: 'attached', kept: 'attached', out: 'attached'},
      'transition',
    ],
    [
      'elsewhere when one member has failed',
      {in: 'gone', kept: 'attached', out: 'attached'},
      {in: 'failed', kept: 'attached', out: 'gone'},
      'elsewhere',
    ],
  ])('is %s', (_name, before, now, kind) => {
    const stateIn = (states: Record<string, AttachmentState>) => (id: string) => states[id] ?? 'gone';
    const evidence = membershipEvidence({goals, now: stateIn(now), before: stateIn(before), hasSeenTransition: false});
    expect(evidence.kind).toBe(kind);
  });

  it('is target if and only if every member is as wanted', () => {
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
