import {describe, expect, it} from 'vitest';
import {billedPerDay, monthSoFar} from '../../src/domain/billing-history.ts';
import {rational, usd} from '../../src/domain/money.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs} from '../../src/domain/time.ts';

const at = (text: string) => epochMs(Date.parse(text));
const dollars = (whole: bigint) => usd(rational(whole, 1n));

describe('monthSoFar', () => {
  it.each([
    ['2026-11-20T20:58:12Z', '2026-11-01T00:00:00Z', '2026-11-21T00:00:00Z'],
    ['2026-11-20T00:00:00Z', '2026-11-01T00:00:00Z', '2026-11-21T00:00:00Z'],
    ['2026-11-01T00:00:00Z', '2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z'],
    ['2026-12-31T23:59:59Z', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ])('of %s is from %s to %s', (now, startsAt, endsAt) => {
    expect(monthSoFar(at(now))).toEqual({startsAt: at(startsAt), endsAt: at(endsAt)});
  });
});

describe('billedPerDay', () => {
  const period = {startsAt: at('2026-11-01T00:00:00Z'), endsAt: at('2026-11-04T00:00:00Z')};

  it('adds up the hours of a day, and leaves a day without any as a gap', () => {
    const steps = [
      {startsAt: at('2026-11-01T00:00:00Z'), billedCost: dollars(2n)},
      {startsAt: at('2026-11-01T23:00:00Z'), billedCost: dollars(3n)},
      {startsAt: at('2026-11-03T00:00:00Z'), billedCost: dollars(0n)},
    ];
    const days = billedPerDay({name: safeText('a'), steps}, period);
    expect(days).toEqual([dollars(5n), undefined, dollars(0n)]);
  });

  it('leaves out what lies outside the period', () => {
    const steps = [
      {startsAt: at('2026-10-31T00:00:00Z'), billedCost: dollars(2n)},
      {startsAt: at('2026-11-04T00:00:00Z'), billedCost: dollars(2n)},
    ];
    expect(billedPerDay({name: safeText('a'), steps}, period)).toEqual([undefined, undefined, undefined]);
  });
});
