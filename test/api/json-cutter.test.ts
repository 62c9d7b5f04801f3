import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {JsonCutter, PIECE_BYTES} from '../../src/api/json-cutter.ts';
import {anyText} from '../support/any-text.ts';

const MOST_BYTES = 1024 * 1024;

/** The pieces of a text that arrives in chunks of these lengths in turn, and the rest. */
function cut(
  text: string,
  chunkLengths: readonly number[],
  maxElementBytes = MOST_BYTES,
): {pieces: readonly string[]; rest: string} {
  const cutter = new JsonCutter(maxElementBytes);
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
const records = fc.array(fc.oneof(fc.jsonValue({maxDepth: 3}), anyText()), {minLength: 1, maxLength: 20}).map(some => {
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
  ])('is cut into pieces of its own shape that lose nothing: a list %s', (_place, around, listIn) => {
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

describe('an element that is too long', () => {
  const most = 300;
  // Characters that end a text, a list or an element early when they are misunderstood.
  const long = fc
    .array(fc.string({unit: fc.constantFrom(...'"\\,[]{}:é '), minLength: 1, maxLength: 9}), {
      minLength: 200,
      maxLength: 300,
    })
    .chain(words => fc.constantFrom<unknown>(words, words.join(''), {name: words}, {a: {b: [words]}}));

  it('is replaced by null, and changes nothing else, however it arrives', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof({arbitrary: fc.jsonValue({maxDepth: 1}), weight: 3}, long), {minLength: 1, maxLength: 12}),
        fc.array(fc.integer({min: 1, max: 200}), {minLength: 1, maxLength: 5}),
        (list, lengths) => {
          const {pieces, rest} = cut(JSON.stringify({before: ['x'], list, after: 'z'}), lengths, most);
          const body = JSON.parse(rest);
          const kept = [...pieces.map(text => JSON.parse(text)), body].flatMap(part => part.list);
          expect(body).toMatchObject({before: ['x'], after: 'z'});
          expect(kept).toHaveLength(list.length);
          for (const [index, element] of list.entries()) {
            const bytes = Buffer.byteLength(JSON.stringify(element));
            // An element that is only a little too long may have arrived at once.
            if (bytes > most + 200) expect(kept[index]).toBeNull();
            else if (bytes <= most) expect(JSON.stringify(kept[index])).toBe(JSON.stringify(element));
          }
        },
      ),
    );
  });

  it('is not kept in memory, and its length is counted', () => {
    const cutter = new JsonCutter(most);
    cutter.push(Buffer.from('{"instances":[{"id":1},{"name":"'));
    for (let count = 0; count < 100; count += 1) cutter.push(Buffer.from('x\\'.repeat(500)));
    expect(cutter.heldBytes()).toBeLessThan(2 * most);
    expect(cutter.skippedBytes()).toBeGreaterThan(90_000);
    cutter.push(Buffer.from('\\"},{"id":2}]}'));
    expect([cutter.rest(), cutter.skippedBytes()]).toEqual(['{"instances":[{"id":1},null,{"id":2}]}', 0]);
  });
});

describe('a text that is not JSON', () => {
  it('is given back as it is, in no pieces', () => {
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

  it('is read in a short time, however often it closes what was never opened', () => {
    const begun = performance.now();
    cut(`{}${'"a"}'.repeat(1_000_000)}`, [64 * 1024]);
    expect(performance.now() - begun).toBeLessThan(3000);
  });

  it('keeps no more in memory than its longest record and a piece', () => {
    const cutter = new JsonCutter(MOST_BYTES);
    const chunk = Buffer.from('{"id":1},'.repeat(10_000));
    cutter.push(Buffer.from('{"instances":['));
    for (let count = 0; count < 100; count += 1) {
      cutter.push(chunk);
      expect(cutter.heldBytes()).toBeLessThan(2 * PIECE_BYTES);
    }
  });
});
