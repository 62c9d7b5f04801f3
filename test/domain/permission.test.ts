import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {type Permission, permits} from '../../src/domain/permission.ts';
import {safeText} from '../../src/domain/safe-text.ts';

function permission(method: string, endpoint: string): Permission {
  return {resource: safeText('machines'), method: safeText(method), endpoint: safeText(endpoint)};
}

const STOP = {method: 'GET', path: '/core/virtual-machines/793001/stop'};

describe('permits', () => {
  it.each<[string, string, string, boolean]>([
    ['the call itself', 'GET', '/core/virtual-machines/793001/stop', true],
    ['a part in braces', 'GET', '/core/virtual-machines/{vm_id}/stop', true],
    ['a part in angles', 'GET', '/core/virtual-machines/<id>/stop', true],
    ['a part with a colon', 'get', '/core/virtual-machines/:id/stop', true],
    ['the version before it', 'GET', '/v1/core/virtual-machines/{id}/stop', true],
    ['a star', 'GET', '/core/virtual-machines/*/stop', true],
    ['another method', 'POST', '/core/virtual-machines/{id}/stop', false],
    ['another path', 'GET', '/core/virtual-machines/{id}/start', false],
    ['a shorter path', 'GET', '/core/virtual-machines/{id}', false],
    ['a longer path', 'GET', '/core/virtual-machines/{id}/stop/now', false],
  ])('goes by a permission that names %s', (_name, method, endpoint, expected) => {
    expect(permits([permission(method, endpoint)], STOP)).toBe(expected);
  });

  it('looks at the path without its query', () => {
    const path = '/object-storage/buckets/raw?region=CANADA-1';
    expect(permits([permission('DELETE', '/object-storage/buckets/{name}')], {method: 'DELETE', path})).toBe(true);
  });

  it('proves nothing where a permission lists no request, and goes by those that fit', () => {
    const bare: Permission = {resource: safeText('machines'), action: safeText('stop')};
    expect(permits([], STOP)).toBeUndefined();
    expect(permits([bare], STOP)).toBeUndefined();
    expect(permits([bare, permission('GET', '/core/flavors')], STOP)).toBeUndefined();
    expect(permits([bare, permission('GET', '/core/virtual-machines/{id}/stop')], STOP)).toBe(true);
  });

  it('never takes a call back when permissions are added', () => {
    const someMethod = fc.constantFrom('GET', 'POST', 'DELETE');
    const somePath = fc.constantFrom('/core/flavors', '/core/virtual-machines/{id}/stop', '/core/volumes/{id}');
    const some = fc.array(fc.tuple(someMethod, somePath).map(([method, path]) => permission(method, path)));
    fc.assert(
      fc.property(some, some, (few, more) => {
        if (permits(few, STOP) === true) expect(permits([...few, ...more], STOP)).toBe(true);
      }),
    );
  });
});
