import {describe, expect, it} from 'vitest';
import {pinTo} from '../../src/api/base-url.ts';
import {authorised, type Line} from '../../src/api/exchange.ts';
import {secret} from '../../src/domain/secret.ts';
import {createVirtualClock} from '../support/clock.ts';
import {KEY} from './loopback.ts';

const line: Line = {
  pin: pinTo('https://api.example/v1'),
  key: secret(KEY),
  clock: createVirtualClock().clock,
  route: {kind: 'direct'},
};

describe('authorised', () => {
  it('gives the key to a request below the pinned base URL', () => {
    const request = {method: 'GET', url: new URL('https://api.example/v1/core/virtual-machines')};
    expect(authorised(line, request)).toMatchObject({ok: true, value: {api_key: KEY}});
  });

  it.each([
    ['another host', 'https://api.example.evil/v1/core/virtual-machines'],
    ['another port', 'https://api.example:8443/v1/core/virtual-machines'],
    ['no encryption', 'http://api.example/v1/core/virtual-machines'],
    ['a path beside the base path', 'https://api.example/v2/core/virtual-machines'],
    ['a host in the place of the path', 'https://evil.example//api.example/v1/core'],
  ])('gives the key to nobody by %s, and says that nothing was sent', (_name, href) => {
    const given = authorised(line, {method: 'GET', url: new URL(href)});
    expect(given).toMatchObject({ok: false, failure: {kind: 'not-sent'}});
    expect(JSON.stringify(given)).not.toContain(KEY);
  });
});
