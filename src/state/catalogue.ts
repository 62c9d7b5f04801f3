import {flavors} from '../api/flavors.ts';
import {gpus} from '../api/gpus.ts';
import {getImage, images} from '../api/images.ts';
import {priceBook} from '../api/price-book.ts';
import {regions} from '../api/regions.ts';
import {stocks} from '../api/stocks.ts';
import type {Gpu} from '../domain/gpu.ts';
import type {Region} from '../domain/region.ts';
import type {Flavor} from '../domain/flavor.ts';
import type {Image, ImageId} from '../domain/image.ts';
import {memoPer} from '../domain/memo.ts';
import {type Prices, withPriceBook} from '../domain/money/prices.ts';
import type {Preferences} from '../domain/preferences.ts';
import type {UnitPrice} from '../domain/price-book.ts';
import {lastValue} from '../domain/snapshot.ts';
import type {Stock} from '../domain/stock.ts';
import {HOUR_MS, MINUTE_MS} from '../domain/time.ts';
import {type Feed, type Listing, listFeed, recordFeed} from './feed.ts';
import type {Known} from './known.ts';

export const flavorsFeed: Feed<Listing<Flavor>> = listFeed('flavors', 5 * MINUTE_MS, flavors, {});
export const regionsFeed: Feed<Listing<Region>> = listFeed('regions', HOUR_MS, regions, {});
/** Stock changes by the minute, and decides what can be started or restored. */
export const stocksFeed: Feed<Listing<Stock>> = listFeed('stocks', MINUTE_MS, stocks, {});
export const gpusFeed: Feed<Listing<Gpu>> = listFeed('gpus', HOUR_MS, gpus, {});
export const priceBookFeed: Feed<Listing<UnitPrice>> = listFeed('price-book', HOUR_MS, priceBook, {});

/**
 * The preferences with the prices in force: the account's price list, as last read, laid over what a person prefers.
 * Whoever tells of money gets these. The same object until one of the prices changes.
 */
export function withPricesInForce(preferences: Preferences, {store, now}: Pick<Known, 'store' | 'now'>): Preferences {
  const book = lastValue(store.get(priceBookFeed));
  if (book === undefined) return preferences;
  const changes = book.records.flatMap(({startsAt, endsAt}) => [startsAt ?? 0, endsAt ?? 0]);
  const changedAt = changes.reduce((latest, at) => (at <= now ? Math.max(latest, at) : latest), 0);
  const prices = pricesOnce(book, [preferences.prices, changedAt], () =>
    withPriceBook(preferences.prices, book.records, now),
  );
  return preferencesOnce(preferences, [prices], () => ({...preferences, prices}));
}

const pricesOnce = memoPer<Listing<UnitPrice>, Prices>();
const preferencesOnce = memoPer<Preferences, Preferences>();

export const imagesFeed: Feed<Listing<Image>> = listFeed('images', 10 * MINUTE_MS, images, {});
export const imageRecordFeed = (id: ImageId) => recordFeed(['image', id], getImage, {id});
