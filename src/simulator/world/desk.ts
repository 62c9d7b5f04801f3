import type {DeskVerb, ExecutionDetail} from './execution.ts';
import type {Pace} from './operations.ts';
import {between, unit} from './random.ts';

/** What an operation on something other than a machine's power needs of the world around it. */
export type Desk = {
  readonly now: () => number;
  readonly schedule: (at: number, run: () => void) => void;
  readonly seed: number;
  readonly pace: Pace;
  /** Writes down that an operation took effect. */
  readonly note: (verb: DeskVerb, id: number, detail?: ExecutionDetail) => void;
};

/** Runs something once the service has had its time, in seconds by the pace. */
export function after(
  {now, schedule, seed, pace}: Desk,
  seconds: Readonly<Record<Pace, readonly [low: number, high: number]>>,
  subjectId: number,
  run: () => void,
): void {
  const at = now();
  const [low, high] = seconds[pace];
  schedule(at + Math.round(between(low, high, unit(seed, subjectId, at | 0)) * 1000), run);
}
