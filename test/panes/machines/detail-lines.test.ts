import {describe, expect, it} from 'vitest';
import type {UsageRecord} from '../../../src/domain/billing.ts';
import {monthSoFar} from '../../../src/domain/billing-history.ts';
import {rational, usd} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs, HOUR_MS} from '../../../src/domain/time.ts';
import type {VirtualMachine} from '../../../src/domain/virtual-machine.ts';
import {costLines, eventLines, shortEventLines} from '../../../src/panes/machines/detail-lines.ts';
import {organizationFeed} from '../../../src/state/account.ts';
import {machineHistoriesFeed, machineHistoryFeed, usageFeed} from '../../../src/state/billing.ts';
import {eventsFeed, machinesFeed} from '../../../src/state/machines.ts';
import {lineWidth, textOf} from '../../../src/ui/text.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';
import {A_FLAVOR, aUsageRecord, NOW} from '../a-known-scene.ts';
import {aReadScene, listed, read, textsOf} from '../a-read-scene.ts';

/** The actions that the cost part lists. */
function actsOf(rest: Partial<VirtualMachine>, usage: readonly UsageRecord[] = [aUsageRecord(1, '1.00')]) {
  const machine = aVirtualMachine({flavor: A_FLAVOR, ...rest, id: 1});
  const scene = aReadScene([read(machinesFeed, aListing([machine])), listed(usageFeed, usage)]);
  const lines = textsOf(costLines(scene, machine)).split('\n');
  return lines.slice(lines.indexOf(' cost of each action') + 1).map(line => line.replace(/ {2,}.*/, '').trim());
}

describe('the actions in the cost of a machine', () => {
  it('are those that its state allows, mentioning the address only if there is one', () => {
    const floatingIp = safeText('198.51.100.7');
    expect(actsOf({status: 'ACTIVE', floatingIp})).toEqual(['stop', 'hibernate, keep IP', 'hibernate, drop IP']);
    expect(actsOf({status: 'ACTIVE', hasUnreadAddress: true})).toHaveLength(3);
    expect(actsOf({status: 'ACTIVE'})).toEqual(['stop', 'hibernate']);
    expect(actsOf({status: 'SHUTOFF'})).toEqual(['start', 'hibernate']);
    expect(actsOf({status: 'HIBERNATED', floatingIp})).toEqual(['restore']);
  });

  it('promise no savings of a hibernation that the service usually refuses', () => {
    const machine = aVirtualMachine({id: 1, flavor: {...A_FLAVOR, gpuCount: 0}});
    const scene = aReadScene([read(machinesFeed, aListing([machine])), listed(usageFeed, [aUsageRecord(1, '1.00')])]);
    const [, words] = /hibernate +\S+ to \S+ {2}(.*)/.exec(textsOf(costLines(scene, machine))) ?? [];
    expect(words).toBe('usually refused without a GPU');
  });
});

describe('the present cost of a machine', () => {
  it.each<[VirtualMachine['status'], string, string]>([
    ['ACTIVE', '1.00', '$1.00/h'],
    ['STOPPING', '0', '–  not billed while STOPPING'],
    ['HIBERNATING', '1.00', '–  not billed while HIBERNATING'],
    ['SHUTOFF', '0', '–  SHUTOFF not metered yet'],
    ['SHUTOFF', '1.00', '$1.00/h'],
    ['ERROR', '0', 'free  not billed in state ERROR'],
  ])('when it is %s and metered at %s is shown as: %s', (status, rate, expected) => {
    const machine = aVirtualMachine({flavor: A_FLAVOR, id: 1, status});
    const scene = aReadScene([read(machinesFeed, aListing([machine])), listed(usageFeed, [aUsageRecord(1, rate)])]);
    expect(textsOf(costLines(scene, machine)).match(/ now +(.*)/)?.[1]).toBe(expected);
  });
});

describe('the cost of a machine this month', () => {
  const machine = aVirtualMachine({flavor: A_FLAVOR, id: 1});
  const monthWith = (...more: ReturnType<typeof listed>[]) => {
    const scene = aReadScene([
      read(machinesFeed, aListing([machine])),
      listed(usageFeed, [aUsageRecord(1, '1.00')]),
      ...more,
    ]);
    return textsOf(costLines(scene, machine)).match(/this month +(.*)/)?.[1];
  };

  it('is what the provider billed, once that was read, since usage spreads a bill over idle time too', () => {
    // An hour at a dollar.
    expect(monthWith()).toBe('$1.00  estimated');
    const history = {name: machine.name, billedCost: usd(rational(40n, 1n)), usedByState: []};
    expect(monthWith(listed(machineHistoryFeed(machine.id, monthSoFar(NOW)), [history]))).toBe('$40.00  billed');
  });

  it('is unknown, not zero, if no record of it has a price', () => {
    const unpriced = aUsageRecord(1, undefined);
    const scene = aReadScene([read(machinesFeed, aListing([machine])), listed(usageFeed, [unpriced])]);
    expect(textsOf(costLines(scene, machine)).match(/this month +(.*)/)?.[1]).toMatch(/^unknown/);
  });

  it('counts the records of it that have no price', () => {
    const again = {...aUsageRecord(1, undefined), createdAt: epochMs(NOW - 2 * HOUR_MS)};
    expect(monthWith(listed(usageFeed, [aUsageRecord(1, '1.00'), again]))).toBe('$1.00  1 record without a price');
  });

  it('is the bill that the billing pane shows when that has read the bills of all machines', () => {
    const history = (machineId: number, dollars: bigint) => ({
      machineId,
      name: machine.name,
      billedCost: usd(rational(dollars, 1n)),
      usedByState: [],
    });
    // A machine that was created again has a record for each of its two lives: 30 + 10.
    const all = listed(machineHistoriesFeed(monthSoFar(NOW)), [history(1, 30n), history(2, 7n), history(1, 10n)]);
    expect(monthWith(all)).toBe('$40.00  billed');
    expect(monthWith(listed(machineHistoriesFeed(monthSoFar(NOW)), [history(2, 7n)]))).toBe('$1.00  estimated');
  });
});

describe('the events of a machine', () => {
  it.each([
    ['in the detail', eventLines, 78],
    ['beside the actions', shortEventLines, 40],
  ] as const)('are shown to the end of their messages %s', (_name, linesOf, width) => {
    const machine = aVirtualMachine({flavor: A_FLAVOR, id: 1});
    const message = safeText('No host of this flavor had enough memory: retried 3 times on 4 hosts, then given up.');
    const event = {type: safeText('error'), reason: safeText('HibernateInstanceFailed'), message};
    const lines = linesOf(aReadScene([listed(eventsFeed(machine.id), [event])]), machine, width);
    expect(textsOf(lines).replaceAll(/\s+/g, ' ')).toContain(message);
    expect(lines.filter(line => lineWidth(line) > width)).toEqual([]);
  });

  it.each([78, 118])('say who did it, as the timeline does, at a width of %i', width => {
    const machine = aVirtualMachine({flavor: A_FLAVOR, id: 1});
    const event = (userId: number | undefined) => ({
      reason: safeText('InstanceStopRequest'),
      message: safeText('Stop requested'),
      ...(userId === undefined ? {} : {userId}),
    });
    const users = [{id: 31, name: safeText('Ines Albrecht'), grantedRoles: []}];
    const scene = aReadScene([
      listed(eventsFeed(machine.id), [event(31), event(12), event(undefined)]),
      read(organizationFeed, {id: 1, name: safeText('acme'), users}),
    ]);
    expect(eventLines(scene, machine, width).map(line => textOf(line).split('Stop requested')[1])).toEqual([
      '  Ines Albrecht',
      '  user 12',
      '',
    ]);
  });

  it('give a name whole, on a line of its own where the message leaves no room', () => {
    const machine = aVirtualMachine({flavor: A_FLAVOR, id: 1});
    const event = {
      occurredAt: NOW,
      reason: safeText('HibernateInstanceRequest'),
      message: safeText('Instance is to be hibernated.'),
      userId: 31,
    };
    const users = [{id: 31, name: safeText('Ines Albrecht'), grantedRoles: []}];
    const scene = aReadScene([
      listed(eventsFeed(machine.id), [event]),
      read(organizationFeed, {id: 1, name: safeText('acme'), users}),
    ]);
    const lines = eventLines(scene, machine, 78).map(textOf);
    expect(lines).toHaveLength(2);
    expect(lines[1]?.trim()).toBe('Ines Albrecht');
  });
});
