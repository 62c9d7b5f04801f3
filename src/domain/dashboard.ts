import type {Rate} from './money.ts';

/** The service's own totals for the account. A part it leaves out is absent, never zero. */
export type Dashboard = {
  readonly machines?: ComputeTotals;
  readonly clusters?: ComputeTotals;
  /** Of a service that skydeck has no lists of. */
  readonly containers?: ComputeTotals;
  readonly volumes?: VolumeTotals;
};

export type ComputeTotals = {
  readonly count?: number;
  readonly cpuCount?: number;
  readonly gpuCount?: number;
  readonly ramGb?: number;
  readonly rate?: Rate;
};

export type VolumeTotals = {
  readonly count?: number;
  readonly usedGb?: number;
  readonly rate?: Rate;
};
