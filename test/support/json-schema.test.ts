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
  ['what fits', {port: 22, names: ['a'], side: null, more: 1}, []],
  ['a missing field', {}, ['$.port is missing']],
  ['what is below its range', {port: 0}, ['$.port is no such integer']],
  ['a fraction for an integer', {port: 1.5}, ['$.port is no such integer']],
  ['null where there is no null', {port: null}, ['$.port is null']],
  ['an empty text in a list', {port: 1, names: ['']}, ['$.names[0] is no such text']],
  ['a text of another form', {port: 1, names: ['A']}, ['$.names[0] does not match ^[a-z]+$']],
  ['a list that is too long', {port: 1, names: ['a', 'b', 'c']}, ['$.names is no such list']],
  ['a word that is no choice', {port: 1, side: 'up'}, ['$.side is "up"']],
  ['two mistakes', {port: 'x', side: 1}, ['$.port is no such integer', '$.side is 1']],
  ['a list for an object', [], ['$ is no object']],
])('tells %s', (_what, value, mistakes) => {
  expect(mistakesIn(value, RULE, NAMED)).toEqual(mistakes);
});

test('takes any of several, and names a schema that is not there', () => {
  const either: JsonSchema = {anyOf: [{type: 'string'}, {type: 'boolean'}]};
  expect([mistakesIn(true, either), mistakesIn(1, either)]).toEqual([[], ['$ is none of 2']]);
  expect(mistakesIn(1, {$ref: '#/components/schemas/Gone'})).toEqual(['$: #/components/schemas/Gone is not there']);
});
