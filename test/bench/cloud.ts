import {type ChildProcess, fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import type {Connection} from '../support/launch.ts';

export type Cloud = {
  readonly connection: Connection;
  /** All requests so far, up to the simulator's memory of 10,000. */
  readonly requestCount: () => Promise<number>;
  readonly close: () => void;
};

const START_LIMIT_MS = 30_000;
const ANSWER_LIMIT_MS = 10_000;
const processPath = fileURLToPath(new URL('cloud-process.ts', import.meta.url));

/** A small cloud of so many machines in another process; the scenario's own 40 where nothing is said. */
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
