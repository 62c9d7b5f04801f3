import {describe, expect, it} from 'vitest';
import {parseInSlices} from '../../src/api/slices.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {type Clock, epochMs, monotonicMs} from '../../src/domain/time.ts';
import {createVirtualClock} from '../support/clock.ts';

const even = (raw: unknown) =>
  typeof raw === 'number' && raw % 2 === 0
    ? ({ok: true, value: raw} as const)
    : ({ok: false, fields: [safeText('evenness')]} as const);

/** A clock on which each look takes a millisecond. */
function tickingClock(): Clock {
  let now = 0;
  return {
    wallNow: () => epochMs(0),
    monotonicNow: () => {
      now += 1;
      return monotonicMs(now);
    },
    after: () => () => {},
  };
}

describe('parseInSlices', () => {
  const {clock} = createVirtualClock();

  it('counts every bad record and keeps every good one in its place', async () => {
    expect(await parseInSlices([0, 1, 2, {id: 9}, {resource_id: 'x\n'}, {id: null}, 4], even, clock)).toEqual({
      records: [0, 2, 4],
      quarantined: [
        {fields: ['evenness']},
        {id: '9', fields: ['evenness']},
        {id: 'x␊', fields: ['evenness']},
        {fields: ['evenness']},
      ],
    });
  });

  it('counts parts that a good record lost', async () => {
    const lost = [{fields: [safeText('cpu')]}];
    expect(await parseInSlices([1], value => ({ok: true, value, lost}), clock)).toEqual({
      records: [1],
      quarantined: lost,
    });
  });

  it('lets the event loop turn between slices of 8 ms', async () => {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await parseInSlices(
      Array.from({length: 80}, () => 2),
      even,
      tickingClock(),
    );
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(9);
  });
});
