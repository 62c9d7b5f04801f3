import {describe, expect, it} from 'vitest';
import {epochMs} from '../../src/domain/time.ts';
import {createLink} from '../../src/state/link.ts';

describe('createLink', () => {
  it('knows nothing before the first answer', () => {
    const link = createLink(() => 0);
    expect([link.latencyMs(), link.clockOffsetMs()]).toEqual([undefined, undefined]);
  });

  it('gives the median of the last nine answers, so that one slow answer does not count', () => {
    const link = createLink(() => 0);
    for (const latencyMs of [20, 30, 9000]) link.saw({latencyMs});
    expect(link.latencyMs()).toBe(30);
    for (let count = 0; count < 9; count += 1) link.saw({latencyMs: 100 + count});
    expect(link.latencyMs()).toBe(104);
  });

  it('gives how far the service is ahead, by the last answer that carried a date', () => {
    const link = createLink(() => 10_000);
    link.saw({latencyMs: 1, serverDate: epochMs(70_000)});
    link.saw({latencyMs: 1});
    expect(link.clockOffsetMs()).toBe(60_000);
    link.saw({latencyMs: 1, serverDate: epochMs(4000)});
    expect(link.clockOffsetMs()).toBe(-6000);
  });
});
