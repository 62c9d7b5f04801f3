import {choose, seedFor, unit} from '../world/random.ts';
import type {EnvironmentSpec, MachineSpec, PastStep} from '../world/scenario.ts';
import type {SteadyKind} from '../world/workload.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MACHINES_PER_ENVIRONMENT = 200;
const OLDEST_DAYS = 88;

type Purpose = {
  readonly name: string;
  readonly kind: SteadyKind;
  readonly flavors: readonly [string, ...string[]];
  readonly label: string;
};

const PURPOSES: readonly [Purpose, ...Purpose[]] = [
  {
    name: 'train',
    kind: 'training',
    flavors: ['n3-H100x8', 'n3-A100x8-NVLink', 'n3-A100x4', 'n3-H100x4'],
    label: 'team=ml',
  },
  {name: 'infer', kind: 'serving', flavors: ['n3-L40x1', 'n3-L40x2', 'n3-A100x1'], label: 'team=serving'},
  {name: 'etl', kind: 'batch', flavors: ['n1-cpu-large', 'n1-cpu-xlarge'], label: 'team=data'},
  {name: 'embed', kind: 'batch', flavors: ['n3-RTX-A6000x1', 'n3-RTX-A6000x2'], label: 'team=data'},
  {name: 'dev', kind: 'interactive', flavors: ['n3-RTX-A6000x1', 'n3-L40x1'], label: 'team=research'},
  {name: 'web', kind: 'serving', flavors: ['n1-cpu-medium', 'n1-cpu-large'], label: 'team=platform'},
];

/** One environment per two hundred machines: the service allows 250 in one. */
export function generatedEnvironments(count: number): EnvironmentSpec[] {
  return Array.from({length: Math.ceil(count / MACHINES_PER_ENVIRONMENT)}, (_, index) => ({
    name: `fleet-${String(index + 1).padStart(2, '0')}`,
    regionName: 'CANADA-1' as const,
  }));
}

/**
 * Any number of machines. `withTroubles` stops, hibernates or idles one in every few dozen, as in large accounts;
 * without it, every machine works.
 */
export function generatedMachines(options: {
  readonly count: number;
  readonly seed: number;
  readonly startedAt: number;
  readonly withTroubles: boolean;
}): MachineSpec[] {
  return Array.from({length: options.count}, (_, index) => generatedMachine(index, options));
}

function generatedMachine(
  index: number,
  {seed, startedAt, withTroubles}: {readonly seed: number; readonly startedAt: number; readonly withTroubles: boolean},
): MachineSpec {
  const chance = (draw: number) => unit(seedFor(seed, 'fleet'), index, draw);
  const purpose = choose(PURPOSES, chance(1));
  const ageMs = Math.floor((0.2 + chance(2) * OLDEST_DAYS) * DAY_MS);
  const fate = withTroubles ? chance(3) : 1;
  const sinceMs = Math.min(ageMs / 2, (1 + chance(4) * 60) * HOUR_MS);
  const past = pastFor(fate, startedAt - Math.floor(sinceMs), purpose);
  const isIdle = fate >= 0.06 && fate < 0.09;
  return {
    name: `${purpose.name}-${String(index + 1).padStart(5, '0')}`,
    flavorName: choose(purpose.flavors, chance(5)),
    environmentName: `fleet-${String(Math.floor(index / MACHINES_PER_ENVIRONMENT) + 1).padStart(2, '0')}`,
    workload: {kind: isIdle ? 'idle' : purpose.kind},
    createdAt: startedAt - ageMs,
    labels: chance(6) < 0.5 ? ['prod', purpose.label] : [purpose.label],
    hasPublicIp: chance(7) < 0.3,
    past,
  };
}

function pastFor(fate: number, at: number, purpose: Purpose): PastStep[] {
  const hasGpu = !purpose.flavors[0].startsWith('n1-');
  if (fate < 0.03) return [{at, verb: 'stop'}];
  if (fate < 0.055 && hasGpu) return [{at, verb: 'hibernate'}];
  if (fate < 0.06 && hasGpu) return [{at, verb: 'hibernate', fails: true}];
  return [];
}
