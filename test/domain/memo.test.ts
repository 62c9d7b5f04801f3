import {describe, expect, test} from 'vitest';
import {memoPer, oncePer} from '../../src/domain/memo.ts';

describe('oncePer', () => {
  test('makes a value once for each object, whatever the value is', () => {
    const asked: object[] = [];
    const make = oncePer((key: object) => void asked.push(key));
    const [one, other] = [{}, {}];
    expect([make(one), make(other), make(one)]).toEqual([undefined, undefined, undefined]);
    expect(asked).toEqual([one, other]);
  });
});

describe('memoPer', () => {
  test.each<[string, readonly unknown[], number]>([
    ['the same', [1, 'a'], 1],
    ['another', [1, 'b'], 2],
    ['fewer', [1], 2],
    ['more', [1, 'a', undefined], 2],
  ])('keeps the value of an object while its dependencies are the same: %s', (_, dependencies, madeCount) => {
    const memo = memoPer<object, number>();
    const key = {};
    let count = 0;
    const make = () => ++count;
    memo(key, [1, 'a'], make);
    expect(memo(key, dependencies, make)).toBe(madeCount);
  });

  test('keeps only the last value of each object', () => {
    const memo = memoPer<object, number>();
    const key = {};
    let count = 0;
    for (const dependency of [1, 2, 1]) memo(key, [dependency], () => ++count);
    expect(count).toBe(3);
  });
});
