import {type ChildProcess, fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import type {Connection} from '../support/launch.ts';

export type Cloud = {
  readonly connection: Connection;
  /** The number of requests so far. The simulator remembers at most 10,000. */
  readonly requestCount: () => Promise<number>;
  readonly close: () => void;
};

const START_LIMIT_MS = 30_000;
const ANSWER_LIMIT_MS = 10_000;
const processPath = fileURLToPath(new URL('cloud-process.ts', import.meta.url));

/** A simulator with this many machines in another process. By default it has the 40 of its scenario. */
export async function openCloud(vmCount?: number): Promise<Cloud> {
  const child = fork(processPath, vmCount === undefined ? [] : [String(vmCount)]);
  const {url, apiKey} = await messageOf(child, START_LIMIT_MS);
  return {
    connection: {url: String(url), apiKey: String(apiKey)},
    requestCount: async () => {
      const report = messageOf(child, ANSWER_LIMIT_MS);
      child.send('how many?');
      return Number((await report).requestCount);
    },
    close: () => {
      child.kill('SIGKILL');
    },
  };
}

async function messageOf(child: ChildProcess, withinMs: number): Promise<Readonly<Record<string, unknown>>> {
  const [message]: unknown[] = await once(child, 'message', {signal: AbortSignal.timeout(withinMs)});
  if (typeof message !== 'object' || message === null) throw new Error('The cloud said nothing that can be read.');
  return {...message};
}
