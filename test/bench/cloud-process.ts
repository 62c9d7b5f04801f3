// A cloud in a process of its own, so that its work is not counted as the deck's. cloud.ts starts it with fork.
import {startSimulator} from '../../src/simulator/http/server.ts';

/** The answer to any message: the number of requests so far. */
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
// Without its parent it would run forever.
process.on('disconnect', () => process.exit(0));
