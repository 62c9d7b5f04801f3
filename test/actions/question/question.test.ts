import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {typedAnswer, typedBucket, typedId} from '../../../src/actions/question/question.ts';
import {safeText} from '../../../src/domain/safe-text.ts';

const REFLEXES = ['y', 'Y', 'yes', 'YES', 'n', 'no', 'No', ' y ', 'ok', 'a', 'ab', ' '];

/** What a keyboard can type, often what fingers type by themselves, or what stands for a thing of such a name. */
const typable = fc.oneof(
  fc.constantFrom(...REFLEXES, 'y #7', 'y #7 #8', 'bucket y', 'bucket bucket y'),
  fc.string({minLength: 1, unit: fc.integer({min: 0x20, max: 0x7e}).map(code => String.fromCharCode(code))}),
);
const anyName = fc.oneof(typable, fc.string({unit: 'grapheme'}));
const anyId = fc.integer({min: 0, max: 10_000_000});

function expectedOf(answer: ReturnType<typeof typedAnswer>): string {
  return answer.kind === 'key' ? 'y' : answer.expected;
}

const ofThing = (name: string, id: number) => expectedOf(typedAnswer(safeText(name), id));
const ofBucket = (name: string) => expectedOf(typedBucket(safeText(name)));

describe('the text that confirms', () => {
  it.each([
    ['train-02', 'train-02'],
    ['gpu', 'gpu'],
    ['yes-1', 'yes-1'],
    ['y', 'y #4711'],
    ['Yes', 'Yes #4711'],
    ['no', 'no #4711'],
    ['a1', 'a1 #4711'],
    // Otherwise it would be the text for a machine called y.
    ['y #7', 'y #7 #4711'],
    ['機械', '4711'],
    ['', '4711'],
    // Each of these is typed for something else: a thing by its id, or several things.
    ['4712', '4712 #4711'],
    ['id 7', 'id 7 #4711'],
    ['delete 2', 'delete 2 #4711'],
    ['hard-reboot 12', 'hard-reboot 12 #4711'],
  ])('of a machine called %j is %j', (name, expected) => {
    expect(ofThing(name, 4711)).toBe(expected);
  });

  it.each([
    ['datasets-raw', 'datasets-raw'],
    ['y', 'bucket y'],
    ['no', 'bucket no'],
    ['bucket y', 'bucket bucket y'],
    ['機械', 'delete bucket'],
  ])('of a bucket called %j, which has no id, is %j', (name, expected) => {
    expect(ofBucket(name)).toBe(expected);
  });

  it('of a thing that goes by its id is more than one or two digits', () => {
    expect([7, 42, 100, 38_112].map(id => expectedOf(typedId(id)))).toEqual(['id 7', 'id 42', '100', '38112']);
  });

  it('is never what is typed without reading', () => {
    fc.assert(
      fc.property(anyName, anyId, (name, id) => {
        for (const expected of [ofThing(name, id), ofBucket(name), expectedOf(typedId(id))]) {
          expect(expected.length).toBeGreaterThanOrEqual(3);
          expect(['y', 'yes', 'n', 'no']).not.toContain(expected.trim().toLowerCase());
        }
      }),
    );
  });

  it('is another for another name', () => {
    fc.assert(
      fc.property(typable, anyId, typable, anyId, (one, id, other, otherId) => {
        fc.pre(one !== other);
        expect(ofThing(one, id)).not.toBe(ofThing(other, otherId));
        expect(ofBucket(one)).not.toBe(ofBucket(other));
      }),
    );
  });

  it('is another for another id wherever the id is typed', () => {
    fc.assert(
      fc.property(anyId, anyId, (id, other) => {
        fc.pre(id !== other);
        expect(ofThing('y', id)).not.toBe(ofThing('y', other));
        expect(expectedOf(typedId(id))).not.toBe(expectedOf(typedId(other)));
      }),
    );
  });
});
