// A cloud in a process of its own, so that its work is not counted as the deck's. Started by cloud.ts with fork.
import {startSimulator} from '../../src/simulator/http/server.ts';

/** What the process answers to any message: how many requests it has had so far. */
export type CloudReport = {readonly requestCount: number};
export type CloudOpened = {readonly url: string; readonly apiKey: string};

const vmCount = process.argv[2] === undefined ? undefined : Number(process.argv[2]);
const simulator = await startSimulator({vmCount, seed: 1, scenario: vmCount === undefined ? 'on-call' : 'big'});
const opened: CloudOpened = {url: simulator.url, apiKey: simulator.apiKey};
process.send?.(opened);
process.on('message', () => {
  const report: CloudReport = {requestCount: simulator.requests().length};
  process.send?.(report);
});
// An orphan would serve for ever.
process.on('disconnect', () => process.exit(0));
