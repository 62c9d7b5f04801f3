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
    ['the request itself', 'GET', '/core/virtual-machines/793001/stop', true],
    ['a parameter in braces', 'GET', '/core/virtual-machines/{vm_id}/stop', true],
    ['a parameter in angle brackets', 'GET', '/core/virtual-machines/<id>/stop', true],
    ['a parameter with a colon', 'get', '/core/virtual-machines/:id/stop', true],
    ['the version before it', 'GET', '/v1/core/virtual-machines/{id}/stop', true],
    ['a star', 'GET', '/core/virtual-machines/*/stop', true],
    ['another method', 'POST', '/core/virtual-machines/{id}/stop', false],
    ['another path', 'GET', '/core/virtual-machines/{id}/start', false],
    ['a shorter path', 'GET', '/core/virtual-machines/{id}', false],
    ['a longer path', 'GET', '/core/virtual-machines/{id}/stop/now', false],
  ])('compares the request with a permission that names %s', (_name, method, endpoint, expected) => {
    expect(permits([permission(method, endpoint)], STOP)).toBe(expected);
  });

  it('ignores the query of the path', () => {
    const path = '/object-storage/buckets/raw?region=CANADA-1';
    expect(permits([permission('DELETE', '/object-storage/buckets/{name}')], {method: 'DELETE', path})).toBe(true);
  });

  it('is undecided when a permission lists no request, unless another one fits', () => {
    const bare: Permission = {resource: safeText('machines'), action: safeText('stop')};
    expect(permits([], STOP)).toBeUndefined();
    expect(permits([bare], STOP)).toBeUndefined();
    expect(permits([bare, permission('GET', '/core/flavors')], STOP)).toBeUndefined();
    expect(permits([bare, permission('GET', '/core/virtual-machines/{id}/stop')], STOP)).toBe(true);
  });

  it('never withdraws a permitted request when permissions are added', () => {
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
