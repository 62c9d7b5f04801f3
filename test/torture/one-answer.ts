import {createClient, type ReadClient} from '../../src/api/client.ts';
import type {ReadEndpoint} from '../../src/api/endpoint.ts';
import {ENDPOINTS} from '../../src/api/endpoints.ts';
import type {OpenReply} from '../../src/api/exchange.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {secret} from '../../src/domain/secret.ts';
import {createVirtualClock} from '../support/clock.ts';

/** Any read endpoint, with parameters that fit all of them. */
export type AnyRead = ReadEndpoint<typeof PARAMETERS, unknown>;

export const PARAMETERS = {
  id: 1,
  name: safeText('a'),
  regionName: safeText('a'),
  resourceType: 'virtual-machine',
  period: {startsAt: 0, endsAt: 1},
  duration: '1h',
  count: 1,
  isDeleted: false,
  jobId: 'a',
  requestId: '1',
};

export const READS = ENDPOINTS.flatMap(endpoint =>
  endpoint.effect === 'read' ? [endpoint as unknown as AnyRead] : [],
);

/** A client of a service that gives the same answer to every request. */
export function clientOf({httpStatus = 200, body}: {readonly httpStatus?: number; readonly body: string}): ReadClient {
  const open = (): OpenReply => {
    const chunks = [Buffer.from(body)];
    return {
      httpStatus,
      header: () => undefined,
      next: async () => ({ok: true, value: chunks.shift()}),
      close: () => {},
    };
  };
  return createClient({
    baseUrl: 'https://cloud.example/v1',
    key: secret('CANARY-0123456789'),
    clock: createVirtualClock().clock,
    admit: () => Promise.resolve(),
    proxyEnvironment: {},
    exchange: {
      read: async () => ({ok: true, value: open()}),
      operation: () => Promise.reject(new Error('Nothing is sent here.')),
    },
  });
}
