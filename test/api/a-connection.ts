import {pinTo} from '../../src/api/base-url.ts';
import type {ServiceConnection} from '../../src/api/exchange.ts';
import {secret} from '../../src/domain/secret.ts';
import {createVirtualClock} from '../support/clock.ts';
import {KEY} from './loopback.ts';

/** For what sends nothing: the service at `https://api.example/v1`, with a clock that stands still. */
export const connection: ServiceConnection = {
  pin: pinTo('https://api.example/v1'),
  key: secret(KEY),
  secrets: [secret(KEY)],
  clock: createVirtualClock().clock,
  route: {kind: 'direct'},
};
