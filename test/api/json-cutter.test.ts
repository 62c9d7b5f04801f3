import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {JsonCutter, PIECE_BYTES} from '../../src/api/json-cutter.ts';

/** The pieces of a text that comes in chunks of these lengths by turns, and what is left. */
function cut(text: string, chunkLengths: readonly number[]): {pieces: readonly string[]; rest: string} {
  const cutter = new JsonCutter();
  const bytes = Buffer.from(text);
  const pieces: string[] = [];
  for (let from = 0, turn = 0; from < bytes.length; turn += 1) {
    const length = chunkLengths[turn % chunkLengths.length] ?? 1;
    pieces.push(...cutter.push(bytes.subarray(from, from + length)));
    from += length;
  }
  return {pieces, rest: cutter.rest()};
}

/** Records of any shape, long enough together to be cut several times. */
const records = fc
  .array(fc.oneof(fc.jsonValue({maxDepth: 3}), fc.string({unit: 'binary'})), {minLength: 1, maxLength: 20})
  .map(some => {
    const round = `${JSON.stringify(some)}`.length;
    return Array.from({length: Math.ceil((3 * PIECE_BYTES) / round)}, () => some).flat();
  });
const chunks = fc.array(fc.integer({min: 1, max: 2 * PIECE_BYTES}), {minLength: 1, maxLength: 5});

describe('a long text', () => {
  it.each<[string, (list: readonly unknown[]) => unknown, (body: never) => readonly unknown[]]>([
    ['in the body itself', list => list, (body: readonly unknown[]) => body],
    [
      'under a key, among other things',
      list => ({status: true, 'a "key"\\': list, nothing: [], count: [[1], [2]], after: {x: 'y'}}),
      (body: {'a "key"\\': unknown[]}) => body['a "key"\\'],
    ],
    ['three objects down', list => ({a: {x: [1], b: {c: list}}}), (body: {a: {b: {c: unknown[]}}}) => body.a.b.c],
  ])('comes whole in pieces of its own shape: a list %s', (_place, around, listIn) => {
    fc.assert(
      fc.property(records, chunks, (list, lengths) => {
        const body = around(list);
        const {pieces, rest} = cut(JSON.stringify(body, undefined, 1), lengths);
        expect(pieces.length).toBeGreaterThan(0);
        const parts = [...pieces, rest].map(text => listIn(JSON.parse(text) as never));
        expect(JSON.stringify(parts.flat(1))).toBe(JSON.stringify(list));
        expect(JSON.stringify(JSON.parse(rest))).toBe(JSON.stringify(around(parts.at(-1) ?? [])));
      }),
      {numRuns: 12},
    );
  });
});

describe('a text that is no JSON', () => {
  it('makes pieces that are none, and no harm', () => {
    fc.assert(
      fc.property(
        fc.string({unit: fc.constantFrom(...'[]{}",:\\ 1a')}),
        fc.integer({min: 1, max: 9}),
        (round, length) => {
          const text = `${round}${'[{"a":"b"},'.repeat(30)}${round}`;
          const {pieces, rest} = cut(text, [length]);
          expect({pieces, rest}).toEqual({pieces: [], rest: text});
        },
      ),
    );
  });

  it('holds no more than its longest record and a piece', () => {
    const cutter = new JsonCutter();
    const chunk = Buffer.from('{"id":1},'.repeat(10_000));
    cutter.push(Buffer.from('{"instances":['));
    for (let count = 0; count < 100; count += 1) {
      cutter.push(chunk);
      expect(cutter.heldBytes()).toBeLessThan(2 * PIECE_BYTES);
    }
  });
});
