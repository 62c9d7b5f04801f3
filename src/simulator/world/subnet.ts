import type {Environment} from './machine.ts';

export const FIRST_ENVIRONMENT_ID = 84_011;
export const ENVIRONMENT_ID_STEP = 31;

/** The third number of the addresses in an environment: each has a network of its own, 10.0.x.0/24. */
export function networkNumber(environment: Pick<Environment, 'id'>): number {
  return ((environment.id - FIRST_ENVIRONMENT_ID) / ENVIRONMENT_ID_STEP + 5) % 250;
}
