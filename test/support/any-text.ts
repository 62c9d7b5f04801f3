import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATE_COUNT = 0x800;
const LAST_CODE_POINT = 0x10ffff;

/** Any Unicode character, including control characters and unassigned code points. */
export const anyCharacter = fc
  .nat(LAST_CODE_POINT - SURROGATE_COUNT)
  .map(nth => String.fromCodePoint(nth < FIRST_SURROGATE ? nth : nth + SURROGATE_COUNT));

/**
 * Text of any characters, sometimes of ASCII alone, such as `__proto__`. The `binary` unit of fast-check would
 * generate the same from a table of all characters, which takes every process more than a second and 90 MB.
 */
export function anyText(length: {readonly minLength?: number; readonly maxLength?: number} = {}): fc.Arbitrary<string> {
  return fc.oneof(
    {weight: 9, arbitrary: fc.array(anyCharacter, length).map(characters => characters.join(''))},
    {weight: 1, arbitrary: fc.string(length)},
  );
}
