import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {isSameUrl, redactedUrl} from '../../src/domain/redacted-url.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {anyText} from '../support/any-text.ts';

describe('redactedUrl', () => {
  it.each([
    ['https://hooks.example/services/T0/B0/SECRET', 'hooks.example'],
    ['https://user:SECRET@hooks.example:8443/a', 'hooks.example:8443'],
    ['https://hooks.example?token=SECRET', 'hooks.example'],
    ['https://hooks.example#SECRET', 'hooks.example'],
    ['SECRET', ''],
    ['//user:SECRET@hooks.example', ''],
    ['SECRET https://hooks.example', ''],
  ])('keeps the host of %s, and no secret', (url, host) => {
    const kept = redactedUrl(safeText(url));
    expect(kept).toMatch(new RegExp(`^${host.replaceAll('.', '\\.')}/…[0-9a-f]{8}$`));
    expect(kept).not.toContain('SECRET');
  });

  it('uses a published hash, so that a later skydeck can read the journal of today', () => {
    // FNV-1a of the empty text and of "a", as published with the algorithm.
    expect(redactedUrl(safeText(''))).toBe('/…811c9dc5');
    expect(redactedUrl(safeText('a'))).toBe('/…e40c292c');
  });
});

it('writes the hash of a redacted URL in eight digits, whatever it begins with', () => {
  const lengths = Array.from({length: 200}, (_, at) => redactedUrl(safeText(`${at}`)).length);
  expect(new Set(lengths)).toEqual(new Set([10]));
});

describe('isSameUrl', () => {
  it('recognises an address, whole or redacted, and no other', () => {
    const url = fc
      .tuple(fc.domain(), anyText(), anyText(), anyText())
      .map(([name, ...texts]) => [name, ...texts.map(each => encodeURIComponent(each))])
      .map(([name, path, query, fragment]) => safeText(`https://${name}/${path}?${query}#${fragment}`));
    fc.assert(
      fc.property(url, url, (one, other) => {
        expect([isSameUrl(one, one), isSameUrl(redactedUrl(one), one)]).toEqual([true, true]);
        expect(isSameUrl(one, other)).toBe(one === other);
        expect(isSameUrl(redactedUrl(one), other)).toBe(redactedUrl(one) === redactedUrl(other));
      }),
    );
  });
});
