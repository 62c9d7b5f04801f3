import {flavors} from '../api/flavors.ts';
import {type Gpu, gpus} from '../api/gpus.ts';
import {getImage, images} from '../api/images.ts';
import {priceBook} from '../api/price-book.ts';
import {type Region, regions} from '../api/regions.ts';
import {stocks} from '../api/stocks.ts';
import type {Flavor} from '../domain/flavor.ts';
import type {Image, ImageId} from '../domain/image.ts';
import type {UnitPrice} from '../domain/price-book.ts';
import type {Stock} from '../domain/stock.ts';
import {HOUR_MS, MINUTE_MS} from '../domain/time.ts';
import {type Feed, type Listing, listFeed, recordFeed} from './feed.ts';

export const flavorsFeed: Feed<Listing<Flavor>> = listFeed('flavors', 5 * MINUTE_MS, flavors, {});
export const regionsFeed: Feed<Listing<Region>> = listFeed('regions', HOUR_MS, regions, {});
/** Stock changes by the minute, and decides what can be started or restored. */
export const stocksFeed: Feed<Listing<Stock>> = listFeed('stocks', MINUTE_MS, stocks, {});
export const gpusFeed: Feed<Listing<Gpu>> = listFeed('gpus', HOUR_MS, gpus, {});
export const priceBookFeed: Feed<Listing<UnitPrice>> = listFeed('price-book', HOUR_MS, priceBook, {});

export const imagesFeed: Feed<Listing<Image>> = listFeed('images', 10 * MINUTE_MS, images, {});
export const imageRecordFeed = (id: ImageId) => recordFeed(['image', id], getImage, {id});
