import {safeText} from '../../../src/domain/safe-text.ts';
import type {MachineMetrics} from '../../../src/domain/series.ts';
import {epochMs} from '../../../src/domain/time.ts';
import type {MachineFlavor} from '../../../src/domain/virtual-machine.ts';
import type {Chance} from './chance.ts';
import {DAY, HOUR} from './fleets.ts';

// Synthetic machines of which it is known whether they work. Written apart from the rule that is judged on them.

const MINUTE = 60_000;
const STEP = 5 * MINUTE;
const DAYS = 15;
export const NOW = Date.UTC(2026, 10, 18, 14);

/** What a machine did in one step: cores in use, bytes a second. */
type Moment = {
  readonly cores: number;
  readonly sent: number;
  readonly read: number;
  readonly written: number;
  readonly memory: number;
};
type Kind = {
  readonly name: string;
  readonly isIdle: boolean;
  readonly hasGpu: boolean;
  readonly does: (at: number, self: Traits, chance: Chance) => Moment;
};
/** What is the machine's own and stays: when its jobs run, when it went quiet. */
type Traits = {
  readonly hour: number;
  readonly quietAt: number;
  readonly phase: number;
  /** Work grows with the GPUs; an agent or a daemon does not. */
  readonly units: number;
};

export type SampleMachine = {
  readonly kind: string;
  readonly isIdle: boolean;
  readonly perHour: number;
  readonly flavor: MachineFlavor;
  readonly metrics: MachineMetrics;
};

const noise = (chance: Chance) => Math.abs(chance.normal());
const resting = (chance: Chance, cores = 0.05): Moment => ({
  cores: cores + 0.02 * noise(chance),
  // Addresses are scanned all the time, and the answers go out.
  sent: 400 + 300 * noise(chance),
  read: 2000 * noise(chance),
  written: 20_000 * noise(chance),
  memory: 0.04,
});
const busy = (chance: Chance, {units}: Traits, cores: number, sent = 1e6): Moment => ({
  cores: cores * units * (0.8 + 0.2 * noise(chance)),
  sent: sent * (0.5 + noise(chance)),
  read: 5e6 * noise(chance),
  written: 2e6 * noise(chance),
  memory: 0.6,
});
const hourOf = (at: number) => new Date(at).getUTCHours() + new Date(at).getUTCMinutes() / 60;
const isWeekend = (at: number) => [0, 6].includes(new Date(at).getUTCDay());

/** Machines as one meets them. */
export const USUAL: readonly Kind[] = [
  {name: 'training', isIdle: false, hasGpu: true, does: (_, self, chance) => busy(chance, self, 9)},
  {
    name: 'one spinning host thread',
    isIdle: false,
    hasGpu: true,
    does: (_, self, chance) => ({...resting(chance), cores: 1.02 * self.units, memory: 0.5}),
  },
  {name: 'serving all day', isIdle: false, hasGpu: true, does: (_, self, chance) => busy(chance, self, 1.2, 4e6)},
  {
    name: 'office hours',
    isIdle: false,
    hasGpu: true,
    does: (at, self, chance) =>
      !isWeekend(at) && Math.abs(hourOf(at) - self.hour) < 4 ? busy(chance, self, 3) : resting(chance),
  },
  {
    name: 'nightly job of an hour',
    isIdle: false,
    hasGpu: false,
    does: (at, self, chance) => ((hourOf(at) - self.hour + 24) % 24 < 1 ? busy(chance, self, 3, 5e5) : resting(chance)),
  },
  {name: 'web server', isIdle: false, hasGpu: false, does: (_, self, chance) => busy(chance, self, 0.6, 2e5)},
  {name: 'never used', isIdle: true, hasGpu: true, does: (_, __, chance) => resting(chance)},
  {
    name: 'job ended days ago',
    isIdle: true,
    hasGpu: true,
    does: (at, self, chance) => (at < self.quietAt ? busy(chance, self, 9) : {...resting(chance), memory: 0.05}),
  },
  {
    name: 'ended, memory still full',
    isIdle: true,
    hasGpu: true,
    does: (at, self, chance) => (at < self.quietAt ? busy(chance, self, 6) : {...resting(chance), memory: 0.6}),
  },
  {
    name: 'idle but for updates',
    isIdle: true,
    hasGpu: false,
    does: (at, self, chance) =>
      (hourOf(at) - self.hour + 24) % 24 < 0.2 ? busy(chance, self, 1, 1e5) : resting(chance, 0.03),
  },
  {
    name: 'idle, short job each hour',
    isIdle: true,
    hasGpu: true,
    does: (at, self, chance) => (Math.floor(at / STEP) % 24 === self.phase ? busy(chance, self, 1) : resting(chance)),
  },
  {name: 'idle CPU machine', isIdle: true, hasGpu: false, does: (_, __, chance) => resting(chance, 0.02)},
];

/** Machines that are there to mislead. */
export const ADVERSARIAL: readonly Kind[] = [
  ...USUAL.filter(({name}) =>
    ['training', 'never used', 'job ended days ago', 'office hours', 'idle CPU machine'].includes(name),
  ),
  // Kept for a disaster: nothing but replication, and needed.
  {
    name: 'standby with replication',
    isIdle: false,
    hasGpu: false,
    does: (_, __, chance) => ({...resting(chance), sent: 30_000, written: 12e6}),
  },
  {
    name: 'GPU job that blocks',
    isIdle: false,
    hasGpu: true,
    does: (_, __, chance) => ({
      ...resting(chance),
      cores: 0.06 + 0.04 * noise(chance),
      read: 3e6 * chance.unit() * 2,
      memory: 0.7,
    }),
  },
  {
    name: 'desktop',
    isIdle: false,
    hasGpu: false,
    does: (at, self, chance) =>
      !isWeekend(at) && Math.abs(hourOf(at) - self.hour) < 5 && chance.is(0.5)
        ? busy(chance, self, 1, 4e4)
        : resting(chance, 0.15),
  },
  {
    name: 'file server',
    isIdle: false,
    hasGpu: false,
    does: (_, self, chance) => ({...busy(chance, self, 0.1, 3e6), memory: 0.3}),
  },
  {
    name: 'rare inference',
    isIdle: false,
    hasGpu: true,
    does: (_, self, chance) =>
      chance.is(0.02 + self.phase / 2000) ? busy(chance, self, 1, 5e5) : {...resting(chance), memory: 0.7},
  },
  {
    name: 'idle with a heavy agent',
    isIdle: true,
    hasGpu: true,
    does: (_, __, chance) => ({...resting(chance), cores: 0.3 + 0.05 * noise(chance), sent: 20_000}),
  },
];

/** Machines of these kinds; sampled as the service does it, and for `isRough` with gaps, restarts and other intervals. */
export function sampleMachines(
  kinds: readonly Kind[],
  count: number,
  chance: Chance,
  {isRough}: {readonly isRough: boolean},
): readonly SampleMachine[] {
  return Array.from({length: count}, (_, index) => {
    const kind = kinds[index % kinds.length];
    if (kind === undefined) throw new Error('no kinds');
    return sampleMachine(kind, chance, isRough);
  });
}

type Row = readonly [at: number, value: number];

function sampleMachine(kind: Kind, chance: Chance, isRough: boolean): SampleMachine {
  const gpuCount = kind.hasGpu ? chance.pick([1, 2, 4, 8]) : 0;
  const cpuCount = kind.hasGpu ? 28 * gpuCount : chance.pick([4, 8, 16]);
  const units = Math.max(1, gpuCount);
  const self = {
    units,
    hour: chance.integer(0, 23),
    quietAt: NOW - chance.between(1.2, 6) * DAY,
    phase: chance.integer(0, 23),
  };
  const flavor = {
    name: safeText(kind.name),
    cpuCount,
    ramGb: 8 * cpuCount,
    gpuCount,
    ...(kind.hasGpu ? {gpuModel: safeText('H100')} : {}),
  };
  const step = isRough && chance.is(0.1) ? MINUTE : STEP;
  const cpu: Row[] = [];
  const sent: Row[] = [];
  const read: Row[] = [];
  const written: Row[] = [];
  const memory: Row[] = [];
  const totals = {cpu: chance.between(1e12, 1e15), sent: 0, read: 0, written: 0};
  let gapUntil = 0;
  for (let at = NOW - DAYS * DAY; at <= NOW; at += step) {
    const moment = kind.does(at, self, chance);
    const seconds = step / 1000;
    totals.cpu += moment.cores * seconds * 1e9;
    totals.sent += moment.sent * seconds;
    totals.read += moment.read * seconds;
    totals.written += moment.written * seconds;
    if (isRough && chance.is(step / DAY / 8)) Object.assign(totals, {cpu: 0, sent: 0, read: 0, written: 0});
    if (isRough && chance.is(step / DAY / 4)) gapUntil = at + chance.between(0.5, 3) * HOUR;
    if (at < gapUntil) continue;
    cpu.push([at, Math.round(totals.cpu)]);
    sent.push([at, Math.round(totals.sent)]);
    read.push([at, Math.round(totals.read)]);
    written.push([at, Math.round(totals.written)]);
    memory.push([at, moment.memory * 8 * cpuCount * 1024 ** 3]);
  }
  const series = (rows: readonly Row[]) => rows.map(([at, value]) => ({sampledAt: epochMs(at), value}));
  const metrics = {
    cpu: series(cpu),
    memory: series(memory),
    networkOut: series(sent),
    diskRead: series(read),
    diskWrite: series(written),
  };
  return {
    kind: kind.name,
    isIdle: kind.isIdle,
    perHour: kind.hasGpu ? 3.2 * gpuCount : 0.05 * cpuCount,
    flavor,
    metrics,
  };
}
