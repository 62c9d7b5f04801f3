import {type Simulator, type SimulatorOptions, startSimulator} from '../../src/simulator/http/server.ts';
import {atEnd} from './lifetime.ts';
import {deckTier} from './tier.ts';
import {testTime} from './virtual-time.ts';

/** A simulator for the current test, on the same clock as its deck, closed when the test ends. */
export async function openSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator(deckTier === 'real' ? options : {...virtualClocks(), ...options});
  atEnd(simulator.close);
  return simulator;
}

/** The troubled machines of the scenario `on-call` come first; after these come three in which nothing is wrong. */
const FEW_MACHINES = 16;

/** The same with few machines: reading what forty did takes most of the time of a start. */
export function openSmallCloud(options: SimulatorOptions = {}): Promise<Simulator> {
  return openSimulator({vmCount: FEW_MACHINES, ...options});
}

function virtualClocks(): SimulatorOptions {
  const {clock, hold} = testTime();
  return {wallClock: clock.wallNow, wait: hold};
}
