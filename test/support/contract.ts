import {type Answer, createClient, createOperationClient, type OperationReply} from '../../src/api/client.ts';
import type {OperationEndpoint, ReadEndpoint} from '../../src/api/endpoint.ts';
import type {Result} from '../../src/domain/failure.ts';
import {secret} from '../../src/domain/secret.ts';
import {createVirtualClock} from './clock.ts';

/** The program's own client of a service. It also records every body that its endpoints received or sent. */
export type Contract = {
  /** Rejects if the client reports a failure. */
  readonly read: <P, R>(endpoint: ReadEndpoint<P, R>, params: P) => Promise<Answer<R>>;
  /** Rejects if the client reports a failure. */
  readonly sendOnce: <P>(endpoint: OperationEndpoint<P>, params: P) => Promise<OperationReply>;
  /** The bodies of successful answers, by the id of the endpoint. */
  readonly bodies: ReadonlyMap<string, readonly unknown[]>;
  /** The bodies that were sent, undefined for requests without one, by the id of the operation. */
  readonly sent: ReadonlyMap<string, readonly unknown[]>;
};

export function contractWith({url, apiKey}: {readonly url: string; readonly apiKey: string}): Contract {
  const {clock} = createVirtualClock();
  const options = {baseUrl: url, key: secret(apiKey), clock, admit: async () => {}};
  const reads = createClient(options);
  const operations = createOperationClient({...options, isTlsUnchecked: false});
  const bodies = new Map<string, unknown[]>();
  const sent = new Map<string, unknown[]>();
  const keep = (id: string, body: unknown, among = bodies) => among.set(id, [...(among.get(id) ?? []), body]);
  return {
    read: async (endpoint, params) => {
      const collect = (body: unknown) => {
        keep(endpoint.id, body);
        return endpoint.collect(body);
      };
      return sure(endpoint.id, await reads.read({...endpoint, collect}, params));
    },
    sendOnce: async (endpoint, params) => {
      const isAccepted = (body: unknown) => {
        keep(endpoint.id, body);
        return endpoint.isAccepted(body);
      };
      keep(endpoint.id, endpoint.body(params), sent);
      return sure(endpoint.id, await operations.sendOnce({...endpoint, isAccepted}, params));
    },
    bodies,
    sent,
  };
}

/** The path of every key in a value, such as `instances[].flavor.name`. Sorted, without duplicates. */
export function keyPathsOf(value: unknown): string[] {
  const paths = new Set<string>();
  walk(value, '', paths);
  return [...paths].toSorted();
}

function walk(value: unknown, way: string, paths: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, `${way}[]`, paths);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, held] of Object.entries(value)) {
      const path = way === '' ? key : `${way}.${key}`;
      paths.add(path);
      walk(held, path, paths);
    }
  }
}

function sure<T>(id: string, result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Error(`${id}: ${JSON.stringify(result.failure)}`);
}
