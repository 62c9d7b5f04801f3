import {expect, test} from 'vitest';
import {complaintAbout, FLAG, fields, INTEGER, NAME, type Schema, TEXT} from '../../../src/simulator/http/schema.ts';

const CASES: readonly [value: unknown, schema: Schema, complaint: string | undefined][] = [
  ['a', TEXT, undefined],
  [1, TEXT, "1 is not of type 'string'"],
  ['', NAME, "'' is too short"],
  ['🚀'.repeat(50), NAME, undefined],
  ['🚀'.repeat(51), NAME, 'is longer than 50 characters'],
  ['b', {type: 'string', enum: ['a', 'c']}, "'b' is not one of a, c"],
  [1.5, INTEGER, "1.5 is not of type 'integer'"],
  [1.5, {type: 'number'}, undefined],
  [0, {type: 'integer', minimum: 1}, '0 is less than 1'],
  [9, {type: 'integer', maximum: 8}, '9 is more than 8'],
  ['true', FLAG, "'true' is not of type 'boolean'"],
  [null, FLAG, "null is not of type 'boolean'"],
  [null, {type: 'boolean', nullable: true}, undefined],
  [[1, 'a'], {type: 'array', items: INTEGER}, "'a' is not of type 'integer'"],
  [[], {type: 'array', items: INTEGER, minItems: 1}, 'has fewer than 1 items'],
  [[1, 2], {type: 'array', items: INTEGER, maxItems: 1}, 'has more than 1 items'],
  [{}, fields({name: TEXT}), "'name' is a required property"],
  [{name: 1}, fields({name: TEXT}), "name: 1 is not of type 'string'"],
  [{name: 'a', other: 1}, fields({name: TEXT}), undefined],
  [[], fields({}), "[] is not of type 'object'"],
];

test.each(CASES)('%j as %j: %s', (value, schema, complaint) => {
  expect(complaintAbout(value, schema)).toBe(complaint);
});
