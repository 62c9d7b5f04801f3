import {describe, expect, it} from 'vitest';
import {soFar} from '../../src/domain/billing-history.ts';
import {rational, usd} from '../../src/domain/money.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs, HOUR_MS, MINUTE_MS, monotonicMs, SECOND_MS} from '../../src/domain/time.ts';
import {creditFeed, historyFeed, usageFeed} from '../../src/state/billing.ts';
import {priceBookFeed} from '../../src/state/catalogue.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {handoverPane} from '../../src/panes/handover/pane.tsx';
import {textOf} from '../../src/ui/text.ts';
import {openDeck} from '../app/an-open-deck.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';
import {aUsageRecord} from './a-known-scene.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';

async function openHandover() {
  const opened = openDeck('overview', {operations: inMemoryOperations()});
  const {deck, store, press} = opened;
  await press(':', ...'handover', 'enter');
  const broken = aVirtualMachine({id: 7, name: safeText('etl_03'), status: 'ERROR'});
  store.writeValue(machinesFeed, aListing([broken]), monotonicMs(1));
  deck.changed();
  const table = () => deck.pane().table(deck.scene());
  return {...opened, lines: () => table().rows.map(([line]) => String(line)), markdown: () => table().markdown ?? ''};
}

describe('the handover on the screen', () => {
  it('begins at the minute that was asked for', async () => {
    const {lines, time} = await openHandover();
    for (const passedMs of [0, 3 * MINUTE_MS, 4 * MINUTE_MS]) {
      await time.advance(passedMs);
      const since = new Date(time.clock.wallNow() - 8 * HOUR_MS).toISOString();
      expect(lines()).toContain(`Since ${since.slice(0, 16).replace('T', ' ')}Z.`);
    }
  });

  it('reads the bill of the next minute ahead, so that its cost is not an estimate until then', async () => {
    const {wanted, time} = await openHandover();
    const period = (since: number) => soFar(epochMs(since), time.clock.wallNow());
    const since = () => Math.floor((time.clock.wallNow() - 8 * HOUR_MS) / MINUTE_MS) * MINUTE_MS;
    await time.advance(SECOND_MS);
    for (let minute = 0; minute < 3; minute += 1) {
      const next = historyFeed(period(since() + MINUTE_MS)).key;
      expect(wanted('pane')).toEqual(expect.arrayContaining([historyFeed(period(since())).key, next]));
      await time.advance(MINUTE_MS);
      expect(historyFeed(period(since())).key).toBe(next);
    }
  });

  it('reads the price list of the account, which says what hibernated machines save', async () => {
    const {wanted, time} = await openHandover();
    await time.advance(SECOND_MS);
    expect(wanted('pane')).toContain(priceBookFeed.key);
  });

  it('draws headings as titles, and critical findings in the colour of danger', async () => {
    const {deck, store} = await openHandover();
    // One dollar is left, and a machine costs three an hour.
    store.writeValue(usageFeed, {records: [aUsageRecord(7, '3')], quarantined: []}, monotonicMs(1));
    store.writeValue(creditFeed, {balance: usd(rational(1n, 1n))}, monotonicMs(1));
    deck.changed();
    const {page} = handoverPane.openDetail?.({scene: deck.scene(), view: handoverPane.initialView}) ?? {};
    const begins = (start: string) =>
      page?.lines.find(line => textOf(line).trimStart().startsWith(start))?.at(-1)?.tone;
    expect(begins('## Cost')).toBe('title');
    expect(begins('- **critical** ')).toBe('danger');
    expect(begins('- $3.00/h now')).toBe('text');
  });

  it('is not copied if it is too long for a clipboard, and says what takes it', async () => {
    const {deck, press, asked, told, store} = await openHandover();
    // A clipboard takes 4096 bytes, and other lines come with the name.
    const broken = aVirtualMachine({id: 1, name: safeText('n'.repeat(4090)), status: 'ERROR'});
    store.writeValue(machinesFeed, aListing([broken]), monotonicMs(2));
    deck.changed();
    await press('c');
    expect(asked).toEqual([]);
    expect(told()).toBe('too long for a clipboard: nothing was copied; ctrl-s saves it as a file');
  });

  it('shows names as they are; only the copy and the file are escaped for Markdown', async () => {
    const {lines, markdown} = await openHandover();
    expect(lines().join('\n')).toContain('etl_03');
    expect(lines().join('\n')).not.toContain('\\');
    expect(markdown()).toContain('etl\\_03');
  });
});
