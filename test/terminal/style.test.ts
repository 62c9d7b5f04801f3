import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {afterSgr, PLAIN, transition} from '../../src/terminal/style.ts';

const CODES = [
  '0',
  '1',
  '2',
  '3',
  '4',
  '7',
  '9',
  '22',
  '23',
  '24',
  '27',
  '29',
  '31',
  '97',
  '39',
  '44',
  '105',
  '49',
  '38;5;9',
  '48;2;1;2;3',
];

function styleAfter(...sequences: readonly string[]) {
  return sequences.reduce((style, parameters) => afterSgr(style, parameters).style, PLAIN);
}

describe('afterSgr', () => {
  it.each([
    ['1;31', '22;39'],
    ['2;4;7;9', '22;24;27;29'],
    ['38;5;203;48;2;1;2;3', '39;49'],
    ['1;2;3', ''],
  ])('returns to the plain style: %s then %s', (on, off) => {
    expect(styleAfter(on, off)).toBe(PLAIN);
  });

  it.each([
    ['8', 1],
    ['5;6', 2],
    ['38;5', 1],
    ['38;9;1', 1],
    ['38;5;300', 1],
    ['99;31', 1],
  ])('refuses codes that the deck does not use: %s', (parameters, count) => {
    expect(afterSgr(PLAIN, parameters).refusedCount).toBe(count);
  });
});

describe('transition', () => {
  const sequences = fc.array(fc.constantFrom(...CODES), {maxLength: 5});

  it('leads from any style to any other', () => {
    fc.assert(
      fc.property(sequences, sequences, (left, right) => {
        const [from, to] = [styleAfter(...left), styleAfter(...right)];
        const parameters = transition(from, to).slice(2, -1);
        expect(from === to ? from : afterSgr(from, parameters).style).toBe(to);
      }),
      {numRuns: 1000},
    );
  });

  it.each([
    ['31', '32', '\u001b[32m'],
    ['1;31', '', '\u001b[m'],
    ['1;2;31', '2;31', '\u001b[22;2m'],
    ['4;38;2;10;20;30', '38;2;10;20;30', '\u001b[24m'],
    ['1;3;4;7;9', '31', '\u001b[0;31m'],
  ])('takes the shorter of a change and a reset: %s to %s', (from, to, expected) => {
    expect(transition(styleAfter(from), to === '' ? PLAIN : styleAfter(to))).toBe(expected);
  });
});
