import {contracts, getContract} from '../api/contracts.ts';
import type {Contract} from '../domain/contract.ts';
import {MINUTE_MS} from '../domain/time.ts';
import {type Feed, type Listing, listFeed, oneFeed} from './feed.ts';

export const contractsFeed: Feed<Listing<Contract>> = listFeed('contracts', 5 * MINUTE_MS, contracts, {});

export function contractFeed(id: number): Feed<Contract> {
  return oneFeed(`contract:${id}`, 5 * MINUTE_MS, getContract, {id});
}
