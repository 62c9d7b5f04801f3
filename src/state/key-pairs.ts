import {listKeyPairs, supportedKeyTypes} from '../api/key-pairs.ts';
import type {KeyPair} from '../domain/key-pair.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {HOUR_MS, MINUTE_MS} from '../domain/time.ts';
import {type Feed, type Listing, listFeed} from './feed.ts';

export const keyPairsFeed: Feed<Listing<KeyPair>> = listFeed('key-pairs', MINUTE_MS, listKeyPairs, {});
export const supportedKeyTypesFeed: Feed<Listing<SafeText>> = listFeed('key-types', HOUR_MS, supportedKeyTypes, {});
