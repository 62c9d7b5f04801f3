import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {ENDPOINTS} from '../../src/api/endpoints.ts';
import {normalisePath} from '../../src/api/normalised-path.ts';

function normalised(path: string, method = 'GET') {
  return normalisePath(path, method, {endpoints: ENDPOINTS, basePath: '/v1'});
}

describe('normalisePath', () => {
  it.each([
    ['/core/flavors', '/core/flavors'],
    ['core/flavors', '/core/flavors'],
    ['/v1/core/flavors', '/core/flavors'],
    ['//core///flavors/', '/core/flavors'],
    ['/core/./x/../flavors', '/core/flavors'],
    ['/CORE/Flavors', '/core/flavors'],
    ['/core/%66lavors', '/core/flavors'],
    [String.raw`/core\flavors`, '/core/flavors'],
    ['/core/virtual-machines/7', '/core/virtual-machines/7'],
    ['/Core/Virtual-Machines/7/Events', '/core/virtual-machines/7/events'],
    ['/object-storage/buckets/My.Bucket', '/object-storage/buckets/My.Bucket'],
  ])('recognises the read in %s', (written, path) => {
    expect(normalised(written)).toMatchObject({path, read: {effect: 'read'}});
  });

  it.each([
    '/core/virtual-machines/7/stop',
    '/core/virtual-machines/7/STOP',
    '/core/virtual-machines/7/stop/',
    '/core/virtual-machines/7//stop',
    '/core/virtual-machines/7/%73top',
    '/core/virtual-machines/7/%2573top',
    '/core/virtual-machines/7%2Fstop',
    '/core/virtual-machines/7%252Fstop',
    '/core/virtual-machines/7/events/../stop',
    '/core/virtual-machines/7/events/%2e%2e/stop',
    '/core/virtual-machines/7/events/..%2fstop',
    String.raw`/core/virtual-machines/7\stop`,
    '/core/virtual-machines/7/hibernate?retain_ip=true',
    '/core/virtual-machines/7/request-console',
    '/core/no-such-thing',
    '/core/virtual-machines/name',
    '/core/virtual-machines/0',
  ])('treats GET %s as an operation', written => {
    expect(normalised(written)).toMatchObject({read: undefined});
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('treats %s of a path that can be read as an operation', method => {
    expect(normalised('/core/virtual-machines/7', method)).toMatchObject({read: undefined});
  });

  it.each(['', '/', '/a b', '/a#b', '/a?b?c', '/%zz', '/%00', '/a%0d%0ab', '/%252525252566'])('refuses %j', written => {
    expect(normalised(written)).toBeUndefined();
  });

  it('keeps the query', () => {
    expect(normalised('/core/flavors?region=CANADA-1&x=a%20b')?.query).toEqual([
      ['region', 'CANADA-1'],
      ['x', 'a b'],
    ]);
  });

  it('never takes any spelling of a power operation for a read', () => {
    const noise = fc.constantFrom('', '/', '.', '//', '/./', '/x/../', '%2f', '%2F', '\\', '/%2e/');
    const verb = fc.constantFrom('start', 'stop', 'hard-reboot', 'hibernate', 'hibernate-restore');
    const spelled = (word: string) =>
      fc
        .array(fc.constantFrom('plain', 'upper', 'percent', 'twice'), {minLength: word.length, maxLength: word.length})
        .map(ways => [...word].map((letter, index) => spelling(letter, ways[index] ?? 'plain')).join(''));
    const path = fc.tuple(noise, noise, verb.chain(spelled), noise);
    fc.assert(
      fc.property(path, ([first, second, word, last]) => {
        const outcome = normalised(`/core${first}/virtual-machines/7/${second}${word}${last}`);
        // The path that is sent is checked once more, as a server would read it.
        expect(
          outcome === undefined || outcome.read === undefined || !/\/(?:start|stop|hard|hib)/i.test(outcome.path),
        ).toBe(true);
      }),
      {numRuns: 500},
    );
  });
});

function spelling(letter: string, way: string): string {
  const hex = letter.charCodeAt(0).toString(16);
  if (way === 'upper') return letter.toUpperCase();
  if (way === 'percent') return `%${hex}`;
  return way === 'twice' ? `%25${hex}` : letter;
}
