import {describe, expect, it} from 'vitest';
import {checkBaseUrl, isPinned, pinTo, urlAt} from '../../src/api/base-url.ts';

describe('checkBaseUrl', () => {
  it.each([
    'https://api.example.org/v1',
    'https://api.example.org/v1/',
    'https://api.example.org:8443',
    'http://127.0.0.1:8080/v1',
    'http://127.9.8.7',
    'http://localhost:3000/v1',
    'http://[::1]:3000/v1',
  ])('accepts %s', text => {
    expect(checkBaseUrl(text)).toEqual({ok: true, url: new URL(text)});
  });

  it.each([
    ['', 'not a URL'],
    ['api.example.org/v1', 'has no https:// in front'],
    ['127.0.0.1:8080/v1', 'has no https:// in front'],
    ['ftp://api.example.org', 'must start with https'],
    ['javascript:alert(1)', 'must start with https'],
    ['http://api.example.org/v1', 'must use https'],
    ['http://10.0.0.1/v1', 'must use https'],
    ['http://localhost.example.org/v1', 'must use https'],
    ['http://127.0.0.1.example.org/v1', 'must use https'],
    ['https://user:pa55@api.example.org/v1', 'user name or a password'],
    ['https://user@api.example.org/v1', 'user name or a password'],
    ['https://api.example.org/v1?x=pa55', 'query or a fragment'],
    ['https://api.example.org/v1?', 'query or a fragment'],
    ['https://api.example.org/v1#x', 'query or a fragment'],
  ])('refuses %j without repeating it', (text, words) => {
    const checked = checkBaseUrl(text);
    expect(checked.ok || checked.mistake).toContain(words);
    // As every other message of a command.
    expect(checked.ok || checked.mistake).toMatch(/^the base URL .*[^.]$/);
    expect(checked.ok || checked.mistake).not.toContain('pa55');
  });
});

describe('urlAt', () => {
  it.each([
    'https://api.example.org/v1',
    'https://api.example.org/v1/',
    'https://api.example.org:443/v1//',
  ])('keeps the version of %s in front of every path', base => {
    expect(urlAt(pinTo(base), '/core/flavors?page=1').href).toBe('https://api.example.org/v1/core/flavors?page=1');
  });
});

describe('isPinned', () => {
  const pin = pinTo('https://api.example.org/v1');

  it('is true below the base URL', () => {
    expect(isPinned(pin, new URL('https://api.example.org/v1/auth/me?x=1'))).toBe(true);
    expect(isPinned(pinTo('http://127.0.0.1:80/v1'), new URL('http://127.0.0.1/v1/x'))).toBe(true);
  });

  it.each([
    'http://api.example.org/v1/auth/me',
    'https://api.example.org:444/v1/auth/me',
    'https://api.example.org.evil.example/v1/auth/me',
    'https://evil.example/v1/auth/me',
    'https://api.example.org/v2/auth/me',
    'https://api.example.org/v1/../auth/me',
    'https://api.example.org/v11/auth/me',
  ])('is false for %s', url => {
    expect(isPinned(pin, new URL(url))).toBe(false);
  });
});
