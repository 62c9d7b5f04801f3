import {onTestFinished} from 'vitest';
import {type Simulator, type SimulatorOptions, startSimulator} from '../../src/simulator/http/server.ts';

/** A small cloud of its own for the running test, closed when the test ends. */
export async function openSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator(options);
  onTestFinished(simulator.close);
  return simulator;
}
