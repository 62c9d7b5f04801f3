import {describe, expect, test} from 'vitest';
import {EXIT, type ExitCode, exitCodeOf, worstOf} from '../../src/domain/exit-codes.ts';
import type {Failure} from '../../src/domain/failure.ts';
import {say} from '../../src/domain/safe-text.ts';

const WORDS = say`words`;

describe('exitCodeOf', () => {
  test.each<[Failure, number, number]>([
    [{kind: 'refused', httpStatus: 409, reason: WORDS, message: WORDS}, 1, 1],
    [{kind: 'redirected', host: WORDS}, 6, 7],
    [{kind: 'not-authorised', httpStatus: 403, message: WORDS}, 3, 3],
    [{kind: 'not-found', message: WORDS}, 4, 4],
    [{kind: 'rate-limited'}, 5, 5],
    [{kind: 'not-sent', detail: WORDS}, 6, 6],
    [{kind: 'timed-out', afterMs: 1}, 6, 7],
    [{kind: 'cut', detail: WORDS}, 6, 7],
    [{kind: 'service-error', httpStatus: 502, message: WORDS}, 6, 7],
    [{kind: 'odd-answer', detail: WORDS}, 6, 7],
  ])('of %j is %i for a read and %i for an operation', (failure, read, operation) => {
    expect(exitCodeOf(failure, 'read')).toBe(read);
    expect(exitCodeOf(failure, 'operation')).toBe(operation);
  });
});

test('no two outcomes have the same code', () => {
  expect(EXIT).toMatchObject({done: 0, usage: 2, unknownOutcome: 7, crashed: 70});
  const codes = Object.values(EXIT);
  expect(new Set(codes).size).toBe(codes.length);
  for (const code of codes) expect(worstOf([code])).toBe(code);
});

describe('worstOf', () => {
  test.each<[readonly ExitCode[], number]>([
    [[], 0],
    [[0, 0], 0],
    [[0, 6], 6],
    [[6, 1], 1],
    [[1, 4], 4],
    [[4, 5], 5],
    [[5, 3], 3],
    [[2], 2],
    [[0, 2], 2],
    [[3, 2], 2],
    [[2, 7], 7],
    [[3, 7], 7],
    [[6, 1, 4, 5, 3, 7, 0], 7],
    [[7, 70], 70],
  ])('of %j is %i', (codes, worst) => {
    expect(worstOf(codes)).toBe(worst);
    expect(worstOf(codes.toReversed())).toBe(worst);
  });
});
