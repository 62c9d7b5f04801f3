import {describe, expect, it} from 'vitest';
import {environmentId} from '../../../src/domain/environment.ts';
import type {Failure} from '../../../src/domain/failure.ts';
import {parseDecimal, rational, usd} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {monotonicMs} from '../../../src/domain/time.ts';
import {FACT_COLUMNS, type FactRow, MAX_QUOTA_COUNT, youRows} from '../../../src/panes/account/you-rows.ts';
import {dashboardFeed, organizationFeed} from '../../../src/state/account.ts';
import {creditFeed, usageFeed} from '../../../src/state/billing.ts';
import {environmentsFeed, quotaFeed} from '../../../src/state/environments.ts';
import type {Feed} from '../../../src/state/feed.ts';
import {machinesFeed} from '../../../src/state/machines.ts';
import type {WritableStore} from '../../../src/state/store.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';
import {A_FLAVOR, aUsageRecord, dollarsPerHour} from '../a-known-scene.ts';
import {aReadScene, listed, read} from '../a-read-scene.ts';
import {ME, ORGANIZATION, ROLES} from '../../resources/an-organization.ts';

function factsOf(...readings: Parameters<typeof aReadScene>[0]): ReadonlyMap<string, FactRow> {
  return new Map(youRows(aReadScene(readings))?.map(row => [row.id, row]));
}

const MACHINES = read(machinesFeed, aListing([1, 2].map(id => aVirtualMachine({id, flavor: A_FLAVOR}))));

describe('youRows', () => {
  it('shows whose key it is, with the names of the roles', () => {
    const facts = factsOf(ME, ORGANIZATION, ROLES);
    expect(facts.get('user')?.value).toBe('Ines  INES@acme.example');
    expect(facts.get('user')?.copied).toBe('INES@acme.example');
    expect(facts.get('role')?.value).toBe('Owner  owner  auditor');
    expect(facts.get('organization')?.value).toBe('acme  #4217');
  });

  it('shows nothing when nothing was read, and never zero', () => {
    for (const {id, value, dashboard} of factsOf().values()) {
      expect(value, id).toBeUndefined();
      expect(dashboard?.value, id).toBeUndefined();
      expect(dashboard?.differs ?? false, id).toBe(false);
    }
  });

  it('says of what was refused that there is no permission, and of what failed that it was not read', () => {
    const refused: Failure = {kind: 'not-authorised', httpStatus: 403, message: safeText('Missing policy.')};
    const shownOf = (id: string, ...failures: readonly (readonly [Feed<unknown>, Failure])[]) => {
      const reading = failures.map(
        ([feed, failure]) =>
          (store: WritableStore) =>
            store.writeFailure(feed, failure, monotonicMs(1)),
      );
      const row = factsOf(...reading).get(id);
      return row && [FACT_COLUMNS.find(({key}) => key === 'value')?.value(row)?.text, row.words[0]];
    };
    const sentence = 'Not read: this key may not do that (403): Missing policy.';
    expect(shownOf('credit', [creditFeed, refused])).toEqual(['no permission', sentence]);
    expect(shownOf('machines', [machinesFeed, refused])).toEqual(['no permission', sentence]);
    expect(shownOf('role', [organizationFeed, refused])).toEqual(['no permission', sentence]);
    expect(shownOf('volume-rate', [usageFeed, {kind: 'timed-out', afterMs: 15_000}])).toEqual([
      'not read',
      'Not read: timed out after 15 s.',
    ]);
    expect(shownOf('credit', [usageFeed, refused])).toEqual([
      undefined,
      expect.stringMatching(/^The service gives no/),
    ]);
  });

  it('says how long the credit lasts', () => {
    const balance = usd(parseDecimal('100') ?? rational(0n, 1n));
    const facts = factsOf(read(creditFeed, {balance}), listed(usageFeed, [aUsageRecord(1, '2.00')]));
    expect(facts.get('credit')?.value).toBe('$100.00  runway 50h');
  });

  it('shows the count of the service beside our own, and marks a difference', () => {
    const machines = {count: 3, cpuCount: 32, gpuCount: 2, rate: dollarsPerHour('2.00')};
    const usage = listed(usageFeed, [aUsageRecord(1, '1.00'), aUsageRecord(2, '1.00')]);
    const facts = factsOf(MACHINES, usage, read(dashboardFeed, {machines}));
    expect(facts.get('machines')).toMatchObject({value: '2', dashboard: {value: '3', differs: true}});
    // Two machines of sixteen processors and one card each.
    expect(facts.get('vcpus')).toMatchObject({value: '32', dashboard: {value: '32', differs: false}});
    expect(facts.get('gpus')).toMatchObject({value: '2', dashboard: {differs: false}});
    expect(facts.get('ram')).toMatchObject({value: '256 GB', dashboard: {value: undefined, differs: false}});
    expect(facts.get('machine-rate')).toMatchObject({value: '$2.00/h', dashboard: {value: '$2.00/h', differs: false}});
  });

  it('shows containers only of an account that has some, with their cost', () => {
    const rate = dollarsPerHour('1.20');
    expect(factsOf(read(dashboardFeed, {containers: {count: 2, rate}})).get('containers')?.value).toBe('2, $1.20/h');
    const none = {count: 0, rate: dollarsPerHour('0')};
    expect(factsOf(read(dashboardFeed, {containers: none})).has('containers')).toBe(false);
    expect(factsOf().has('containers')).toBe(false);
  });

  it('shows the quota of a limited number of environments, since each is a request', () => {
    const environments = Array.from({length: MAX_QUOTA_COUNT + 3}, (_, index) => ({
      id: environmentId(index + 1),
      name: safeText(`env-${index + 1}`),
    }));
    const quota = read(quotaFeed(environmentId(1)), {currentCount: 12, maxCount: 250, availableCount: 238});
    const facts = factsOf(listed(environmentsFeed, environments), quota);
    expect(facts.get('quota 1')?.value).toBe('12 of 250 machines, 238 left');
    expect([...facts.keys()].filter(id => id.startsWith('quota'))).toHaveLength(MAX_QUOTA_COUNT);
  });
});
