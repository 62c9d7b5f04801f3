import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {authorised, readHttpDate} from '../../src/api/exchange.ts';
import {connection} from './a-connection.ts';
import {KEY} from './loopback.ts';

describe('authorised', () => {
  it('gives the key to a request below the pinned base URL', () => {
    const request = {method: 'GET', url: new URL('https://api.example/v1/core/virtual-machines')};
    expect(authorised(connection, request)).toMatchObject({ok: true, value: {api_key: KEY}});
  });

  it.each([
    ['another host', 'https://api.example.evil/v1/core/virtual-machines'],
    ['another port', 'https://api.example:8443/v1/core/virtual-machines'],
    ['a URL without encryption', 'http://api.example/v1/core/virtual-machines'],
    ['a path outside of the base path', 'https://api.example/v2/core/virtual-machines'],
    ['another host with the service in its path', 'https://evil.example//api.example/v1/core'],
  ])('does not give the key to %s, and says that nothing was sent', (_name, href) => {
    const given = authorised(connection, {method: 'GET', url: new URL(href)});
    expect(given).toMatchObject({ok: false, failure: {kind: 'not-sent'}});
    expect(JSON.stringify(given)).not.toContain(KEY);
  });
});

describe('readHttpDate', () => {
  it.each([
    ['Fri, 20 Nov 2026 20:58:12 GMT', Date.UTC(2026, 10, 20, 20, 58, 12)],
    ['Sat, 13 Sep 275760 00:00:00 GMT', undefined],
    ['Sat, 01 Jan 10000 00:00:00 GMT', undefined],
    ['Fri, 20 Nov 2026 20:58:12', undefined],
    ['soon GMT', undefined],
    [undefined, undefined],
  ])('reads %s', (header, expected) => {
    expect(readHttpDate(header)).toBe(expected);
  });

  it('turns any header into a moment with a four-digit year, or nothing', () => {
    const year = fc.integer({min: 0, max: 300_000});
    const dates = fc
      .tuple(fc.constantFrom('01 Jan', '13 Sep', '31 Dec'), year)
      .map(date => `Mon, ${date.join(' ')} 00:00:00 GMT`);
    fc.assert(
      fc.property(
        fc.oneof(
          dates,
          fc.string(),
          fc.string().map(text => `${text} GMT`),
        ),
        header => {
          const moment = readHttpDate(header);
          expect(moment === undefined || /^\d{4}-/.test(new Date(moment).toISOString())).toBe(true);
        },
      ),
    );
  });
});
