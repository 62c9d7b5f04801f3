import {expect, test} from 'vitest';
import {type JsonSchema, mistakesIn} from './json-schema.ts';

const NAMED: Readonly<Record<string, JsonSchema>> = {Port: {type: 'integer', minimum: 1, maximum: 65_535}};
const RULE: JsonSchema = {
  type: 'object',
  required: ['port'],
  properties: {
    port: {$ref: '#/components/schemas/Port'},
    names: {type: 'array', maxItems: 2, items: {type: 'string', minLength: 1, pattern: '^[a-z]+$'}},
    side: {type: 'string', enum: ['in', 'out'], nullable: true},
  },
};

test.each<[string, unknown, string[]]>([
  ['nothing for a valid value', {port: 22, names: ['a'], side: null, more: 1}, []],
  ['a missing field', {}, ['$.port is missing']],
  ['a number below its range', {port: 0}, ['$.port is no such integer']],
  ['a fraction in place of an integer', {port: 1.5}, ['$.port is no such integer']],
  ['null where it is not allowed', {port: null}, ['$.port is null']],
  ['an empty text in a list', {port: 1, names: ['']}, ['$.names[0] is no such text']],
  ['a text that does not match its pattern', {port: 1, names: ['A']}, ['$.names[0] does not match ^[a-z]+$']],
  ['a list that is too long', {port: 1, names: ['a', 'b', 'c']}, ['$.names is no such list']],
  ['a word that is not one of the choices', {port: 1, side: 'up'}, ['$.side is "up"']],
  ['two mistakes', {port: 'x', side: 1}, ['$.port is no such integer', '$.side is 1']],
  ['a list in place of an object', [], ['$ is no object']],
])('reports %s', (_what, value, mistakes) => {
  expect(mistakesIn(value, RULE, NAMED)).toEqual(mistakes);
});

test('accepts any of several schemas, and reports a reference to a missing one', () => {
  const either: JsonSchema = {anyOf: [{type: 'string'}, {type: 'boolean'}]};
  expect([mistakesIn(true, either), mistakesIn(1, either)]).toEqual([[], ['$ is none of 2']]);
  expect(mistakesIn(1, {$ref: '#/components/schemas/Gone'})).toEqual(['$: #/components/schemas/Gone is not there']);
});
