import {expect, test} from 'vitest';
import * as z from 'zod';
import {CALLBACK_URL, complaint, FLAG, ID, INTEGER, NAME, optional, TEXT} from '../../../src/simulator/http/schema.ts';

const CASES: readonly [value: unknown, schema: z.ZodType, complaint: string | undefined][] = [
  ['a', TEXT, undefined],
  [1, TEXT, "1 is not of type 'string'"],
  [null, TEXT, "null is not of type 'string'"],
  ['', NAME, "'' is too short"],
  ['🚀'.repeat(50), NAME, undefined],
  ['🚀'.repeat(51), NAME, 'is longer than 50 characters'],
  ['b', z.enum(['a', 'c']), "'b' is not one of a, c"],
  [1, z.enum(['a', 'c']), "1 is not of type 'string'"],
  ['no!', z.string().regex(/^[a-z]+$/), "'no!' does not match '^[a-z]+$'"],
  [1.5, INTEGER, "1.5 is not of type 'integer'"],
  [1e300, INTEGER, "1e+300 is not of type 'integer'"],
  ['1', INTEGER, "'1' is not of type 'integer'"],
  [0, ID, '0 is less than 1'],
  [9, z.int().max(8), '9 is more than 8'],
  ['true', FLAG, "'true' is not of type 'boolean'"],
  [null, FLAG, "null is not of type 'boolean'"],
  [null, optional(FLAG), undefined],
  [[1, 'a'], z.array(INTEGER), "'a' is not of type 'integer'"],
  [1, z.array(INTEGER), "1 is not of type 'array'"],
  [[], z.array(INTEGER).min(1), 'has fewer than 1 items'],
  [[1, 2], z.array(INTEGER).max(1), 'has more than 1 items'],
  [{}, z.object({name: TEXT}), "'name' is a required property"],
  [[], z.object({name: TEXT}), "[] is not of type 'object'"],
  [{name: 'a', other: 1}, z.object({name: TEXT}), undefined],
  ['http://a.example/x', CALLBACK_URL, undefined],
  ['ftp://a.example/x', CALLBACK_URL, "'ftp://a.example/x' is not an http or https URL"],
  ['x'.repeat(80), z.enum(['a']), `'${'x'.repeat(59)}… is not one of a`],
];

test.each(CASES)('%j against a schema: %#', (value, schema, expected) => {
  const result = schema.safeParse(value, {error: complaint});
  expect(result.success ? undefined : result.error.issues[0]?.message).toBe(expected);
});
