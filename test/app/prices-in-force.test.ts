import {expect, test} from 'vitest';
import {restoreMachine} from '../../src/actions/machines/power.ts';
import {hourlyUsd, parseDecimal, type Rate, rational, usd} from '../../src/domain/money.ts';
import type {UnitPrice} from '../../src/domain/price-book.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, HOUR_MS} from '../../src/domain/time.ts';
import {volumeId} from '../../src/domain/volume.ts';
import type {Scene} from '../../src/panes/pane.ts';
import {flavors} from '../../src/resources/flavors.ts';
import {wasteRows} from '../../src/resources/waste.ts';
import {billingFigures, creditFeed, presentRunway, usageFeed} from '../../src/state/billing.ts';
import {flavorsFeed, priceBookFeed} from '../../src/state/catalogue.ts';
import {contractsFeed} from '../../src/state/contracts.ts';
import {machinesFeed, observedMachines} from '../../src/state/machines.ts';
import {presentTriage} from '../../src/state/triage.ts';
import {volumesFeed} from '../../src/state/volumes.ts';
import {aContract, aUsageRecord, dollarsPerHour} from '../panes/a-known-scene.ts';
import {listed, read} from '../panes/a-read-scene.ts';
import {rowsOf} from '../resources/a-resource.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {openDeck} from './an-open-deck.ts';

/** Eight GPUs of a model that has no published price, and a root disk of 100 GB. */
const FLAVOR = {name: safeText('n3-B900x8'), gpuModel: safeText('B900'), gpuCount: 8, rootDiskGb: 100};

const price = (name: string, perHour: string): UnitPrice => ({
  name: safeText(name),
  rate: dollarsPerHour(perHour),
  listRate: dollarsPerHour(perHour),
});

/** A GPU at $4, a GB at $0.01 and an address at $0.50 an hour: none of it is published like that. */
const BOOK = [price('B900', '4'), price('Cloud-SSD', '0.01'), price('Public IP', '0.5')];

/** The deck's scene after these were read. */
function sceneAfter(book: readonly UnitPrice[]): Scene {
  const {deck, store} = openDeck('overview');
  const machine = (id: number, fields: object) => aVirtualMachine({id, flavor: FLAVOR, ...fields});
  const volume = {id: volumeId(8), name: safeText('scratch'), statusText: safeText('available')};
  const flat = {kind: 'flat', price: rational(25n, 1n)} as const;
  const discount = {resourceName: FLAVOR.name, statusText: safeText('active'), terms: flat};
  const readings = [
    listed(priceBookFeed, book),
    listed(flavorsFeed, [{id: 11, labels: [], ...FLAVOR}]),
    read(
      machinesFeed,
      aListing([
        machine(1, {status: 'HIBERNATED', floatingIp: safeText('192.0.2.1')}),
        machine(2, {status: 'SHUTOFF'}),
        machine(3, {status: 'CREATING'}),
        machine(4, {contractId: 118}),
      ]),
    ),
    listed(usageFeed, [
      aUsageRecord(1, '1.5'),
      aUsageRecord(2, '32'),
      aUsageRecord(3, '0'),
      aUsageRecord(4, '25'),
      // The machines of the deck before.
      ...[7, 8].map(id => ({...aUsageRecord(id, undefined), isExcludedFromBilling: true})),
    ]),
    listed(volumesFeed, [
      {...volume, status: 'AVAILABLE' as const, sizeGb: 100, attachments: [], createdAt: epochMs(0)},
    ]),
    listed(contractsFeed, [
      aContract(undefined, {
        endsAt: epochMs(deck.scene().now + 5 * DAY_MS),
        expirationPolicy: {kind: 'market', code: 1},
        discounts: [discount],
      }),
    ]),
    read(creditFeed, {balance: usd(parseDecimal('905') ?? rational(0n, 1n))}),
  ];
  for (const reading of readings) reading(store);
  return deck.scene();
}

const perHour = (rate: Rate | undefined) => rate && hourlyUsd(rate);

test('the price list of the account gives the prices of the catalogue, waste, runway, contracts and questions', () => {
  const scene = sceneAfter(BOOK);
  // Eight GPUs at $4.
  expect(rowsOf(flavors, scene)?.map(({listRate}) => perHour(listRate))).toEqual([32]);
  const waste = new Map(wasteRows(scene)?.map(row => [row.waste.kind, row]));
  expect(perHour(waste.get('kept-address')?.waste.rate)).toBe(0.5);
  // 100 GB at $0.01.
  expect(perHour(waste.get('unattached-volume')?.waste.rate)).toBe(1);
  // $32, less a root disk of 100 GB at $0.01.
  expect(perHour(waste.get('stopped-but-billed')?.fix.savings)).toBe(31);
  expect(perHour(presentTriage(scene).findings.find(({rule}) => rule === 'unattached-volume')?.rate)).toBe(1);
  // $905 at the $58.50 that are metered, and $32 once the new machine is billed: ten hours.
  const burn = dollarsPerHour('58.5');
  expect(presentRunway(scene, burn, scene.preferences)).toMatchObject({leftMs: 10 * HOUR_MS, isAtMost: false});
  // $32 instead of $25.
  expect(perHour(billingFigures(scene)?.commitments?.[0]?.cliff)).toBe(7);
  // Eight GPUs at $4 and an address at $0.50.
  const [hibernated] = observedMachines(scene.store) ?? [];
  const restoring = hibernated && restoreMachine.costChange?.(restoreMachine.with(hibernated), hibernated, scene);
  expect(perHour(restoring?.after)).toBe(32.5);
});

test('a price that is over, or of zero, leaves the published one', () => {
  const over = {...price('Public IP', '0.5'), endsAt: epochMs(1)};
  const scene = sceneAfter([over, price('Public IP', '0')]);
  const address = wasteRows(scene)?.find(({waste}) => waste.kind === 'kept-address')?.waste.rate;
  expect(perHour(address)).toBe(0.00672043);
  expect(rowsOf(flavors, scene)?.map(({listRate}) => listRate)).toEqual([undefined]);
});

test.each([
  'overview',
  'billing',
  'catalogue',
  'timeline',
])('the price list is read, hourly at most, where the pane shows what follows from it: %s', async paneId => {
  const {time, wanted} = openDeck(paneId);
  await time.advance(0);
  expect(wanted('pane')).toContain(priceBookFeed.key);
  expect(priceBookFeed.intervalMs).toBe(HOUR_MS);
});
