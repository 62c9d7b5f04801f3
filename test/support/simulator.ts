import {type Simulator, type SimulatorOptions, startSimulator} from '../../src/simulator/http/server.ts';
import {atEnd} from './lifetime.ts';
import {deckTier, testTime} from './virtual-time.ts';

/** A simulator for the current test, on the same clock as its deck, closed when the test ends. */
export async function openSimulator(options: SimulatorOptions = {}): Promise<OpenSimulator> {
  const given = deckTier() === 'real' ? options : {...virtualClocks(), ...options};
  const simulator = await startSimulator(given);
  atEnd(simulator.close);
  const wallClock = given.wallClock ?? Date.now;
  const aheadMs = given.startedAt === undefined ? 0 : given.startedAt - wallClock();
  return {...simulator, localNow: () => wallClock() + aheadMs};
}

/** `localNow`: the clock of a computer whose clock is right. */
type OpenSimulator = Simulator & {readonly localNow: () => number};

/** The troubled machines of the scenario `on-call` come first; after these come three in which nothing is wrong. */
const FEW_MACHINES = 16;

/** The same with few machines: reading what forty did takes most of the time of a start. */
export function openSmallCloud(options: SimulatorOptions = {}): Promise<OpenSimulator> {
  return openSimulator({vmCount: FEW_MACHINES, ...options});
}

function virtualClocks(): SimulatorOptions {
  const {clock, hold} = testTime();
  return {wallClock: clock.wallNow, wait: hold};
}
