import {describe, expect, it} from 'vitest';
import {contracts, getContract} from '../../src/api/contracts.ts';
import {rational} from '../../src/domain/money.ts';
import {readExample} from './wire-example.ts';

describe('contracts', () => {
  it('reads contracts with their discounts and exact numbers', () => {
    expect(readExample(contracts)).toStrictEqual({
      records: [
        {
          id: 118,
          description: 'H100 for a quarter',
          organizationId: 2041,
          status: 'ACTIVE',
          statusText: 'Active',
          createdAt: Date.UTC(2026, 1, 20, 9),
          startsAt: Date.UTC(2026, 2, 1),
          endsAt: Date.UTC(2026, 5, 1),
          expirationPolicy: {kind: 'delete', code: 0},
          discounts: [
            {
              id: 301,
              resourceName: 'n3-H100x8',
              resourceId: 136,
              resourceCount: 4,
              remainingCount: 1,
              terms: {kind: 'percent', percent: rational(25n, 2n)},
              typeText: 'percent',
              statusText: 'active',
            },
            {
              id: 302,
              resourceName: 'n3-L40x1',
              resourceId: 115,
              terms: {kind: 'flat', price: rational(7n, 10n)},
              typeText: 'flat',
              statusText: 'active',
              code: 'L40-SPRING',
            },
          ],
        },
      ],
      quarantined: [],
    });
  });

  it('reads the field names of another version, and marks unusable discounts as such', () => {
    expect(readExample(contracts, 'contracts.list.odd-spellings')).toStrictEqual({
      records: [
        {
          id: 7,
          status: 'ACTIVE',
          statusText: 'ACTIVE',
          startsAt: Date.UTC(2026, 0, 1),
          expirationPolicy: {kind: 'market', code: 1},
          discounts: [
            {
              id: 11,
              resourceName: 'n3-A100x1',
              resourceId: 121,
              resourceCount: 0,
              terms: {kind: 'percent', percent: rational(25n, 2n)},
              typeText: 'Percent',
              statusText: 'Expired',
              code: 'OLD',
              validityDays: -3,
              startsAt: Date.UTC(2026, 0, 1),
              endsAt: Date.UTC(2026, 1, 1),
            },
            {terms: {kind: 'unusable'}, typeText: 'percent'},
            {terms: {kind: 'unusable'}, typeText: 'flat'},
            {terms: {kind: 'unusable'}, typeText: 'barter'},
          ],
        },
        {
          id: 8,
          status: 'UNKNOWN',
          statusText: 'Suspended',
          expirationPolicy: {kind: 'unknown', code: 2},
          discounts: [],
        },
        {id: 9, status: 'UNKNOWN', statusText: '', expirationPolicy: {kind: 'unknown'}, discounts: []},
      ],
      quarantined: [{fields: ['id']}],
    });
  });

  it('reads a single object under the plural key', () => {
    expect(readExample(contracts, 'contracts.one').records).toMatchObject([
      {id: 97, expirationPolicy: {kind: 'market', code: 1}, discounts: []},
    ]);
  });

  it('asks for pages with the parameter names of this part of the service', () => {
    expect(contracts.paging).toMatchObject({pageParameter: 'page', sizeParameter: 'per_page'});
  });
});

describe('getContract', () => {
  it('reads the one contract asked for by its id', () => {
    expect(getContract.path({id: 97})).toBe('/pricebook/contracts/97');
    expect(readExample(getContract).records).toMatchObject([
      {id: 97, description: 'One object under the plural', expirationPolicy: {kind: 'market', code: 1}},
    ]);
  });
});
