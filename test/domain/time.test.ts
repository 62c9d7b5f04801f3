import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {HOUR_MS, momentOf, parseTimestamp} from '../../src/domain/time.ts';

const MOMENT = Date.UTC(2026, 4, 3, 11, 22, 33);

describe('parseTimestamp', () => {
  it.each([
    ['Z', '2026-05-03T11:22:33Z', MOMENT],
    ['an offset', '2026-05-03T13:22:33+02:00', MOMENT],
    ['an offset without a colon', '2026-05-03T13:22:33+0200', MOMENT],
    ['a western offset', '2026-05-03T06:22:33-05:00', MOMENT],
    ['no zone, which is UTC', '2026-05-03T11:22:33', MOMENT],
    ['a space for the T', '2026-05-03 11:22:33', MOMENT],
    ['a fraction', '2026-05-03T11:22:33.250Z', MOMENT + 250],
    ['a fraction of microseconds', '2026-05-03T11:22:33.250999', MOMENT + 250],
    ['no seconds', '2026-05-03T11:22', MOMENT - 33_000],
    ['a date alone', '2026-05-03', MOMENT - (11 * HOUR_MS + 22 * 60_000 + 33_000)],
    ['a leap day', '2028-02-29T00:00:00', Date.UTC(2028, 1, 29)],
    ['white space around', ' 2026-05-03T11:22:33Z ', MOMENT],
    ['small letters', '2026-05-03t11:22:33z', MOMENT],
  ])('reads %s', (_name, text, expected) => {
    expect(parseTimestamp(text)).toBe(expected);
  });

  it.each([
    '',
    'yesterday',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2027-02-29',
    '2026-05-03T25:00:00Z',
    '2026-05-03T11:61:00Z',
    '2026-5-3',
    '1767225600',
    '2026-05-03T11:22:33Z; drop',
    '03/05/2026',
  ])('refuses %j', text => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  it('reads back every moment that was written with any offset', () => {
    const moment = fc.integer({min: Date.UTC(1990, 0, 1), max: Date.UTC(2090, 0, 1)});
    fc.assert(
      fc.property(moment, fc.integer({min: -14, max: 14}), (epoch, offsetHours) => {
        const local = new Date(epoch + offsetHours * HOUR_MS).toISOString().slice(0, -1);
        const sign = offsetHours < 0 ? '-' : '+';
        const zone = `${sign}${String(Math.abs(offsetHours)).padStart(2, '0')}:00`;
        expect(parseTimestamp(`${local}${zone}`)).toBe(epoch);
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/)), text => {
        const moment = parseTimestamp(text);
        expect(moment === undefined || /^\d{4}-/.test(new Date(moment).toISOString())).toBe(true);
      }),
    );
  });
});

describe('momentOf', () => {
  it.each([
    ['the start of the epoch', 0, 0],
    ['a moment of today', MOMENT, MOMENT],
    ['the last moment of the year 9999', Date.UTC(9999, 11, 31, 23, 59, 59, 999), 253_402_300_799_999],
    ['the first moment of the year 10000', Date.UTC(10_000, 0, 1), undefined],
    ['the last moment a Date can hold', 8.64e15, undefined],
    ['a number that no Date can hold', 1e300, undefined],
    ['NaN', Number.NaN, undefined],
    ['infinity', Number.POSITIVE_INFINITY, undefined],
  ])('accepts or refuses %s', (_name, value, expected) => {
    expect(momentOf(value)).toBe(expected);
  });

  it('turns any number into a moment with a year of four digits, or nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.maxSafeInteger()), value => {
        const moment = momentOf(value);
        expect(moment === undefined || /^\d{4}-/.test(new Date(moment).toISOString())).toBe(true);
      }),
    );
  });
});
