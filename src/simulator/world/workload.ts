import {between, unit} from './random.ts';

/**
 * The work of a machine. A plan says what kind of work it is; `loadDuring` computes its load in one five-minute slot of
 * absolute time, so that any moment can be answered without simulating the time before it.
 */
export type WorkloadPlan =
  | {readonly kind: SteadyKind}
  /** Trained until its job ended; a reboot does not bring the job back. */
  | {readonly kind: 'ended'; readonly endedAt: number}
  /** Served until the service crashed; a reboot starts it again. */
  | {readonly kind: 'crashed'; readonly crashedAt: number}
  /** Serves while its memory fills, from boot to full in this time; a reboot empties it. */
  | {readonly kind: 'leaking'; readonly fullAfterMs: number}
  /** Uses these shares of its cores and memory at every hour. */
  | {readonly kind: 'holding'; readonly coresRatio: number; readonly memoryRatio: number};

/** Kinds that depend on the hour of the day only. */
export type SteadyKind = 'training' | 'serving' | 'batch' | 'cron' | 'interactive' | 'gateway' | 'idle';

/** The machine the work runs on, and its boot. */
export type Host = {
  readonly seed: number;
  readonly cpuCount: number;
  readonly gpuCount: number;
  readonly hasPublicIp: boolean;
  readonly bootedAt: number;
};

/** Mean load over one slot: cores busy, bytes per second, and the share of memory in use at the slot's start. */
export type Load = {
  cores: number;
  networkIn: number;
  networkOut: number;
  diskRead: number;
  diskWrite: number;
  memoryRatio: number;
  /** How much the load varies inside the slot, as a share of itself. */
  sway: number;
};

export const SLOT_MS = 300_000;
const SLOTS_PER_HOUR = 12;
const SLOTS_PER_DAY = 288;
const KILO = 1000;
const MEGA = 1_000_000;
const STEADY_SWAY = 0.06;
const LIVELY_SWAY = 0.45;
/** Memory of an operating system with its agents, as a share of the total. */
const BASE_MEMORY_RATIO = 0.03;
const LEAK_START_RATIO = 0.34;
const LEAK_CEILING_RATIO = 0.992;

/** Channels of the noise, so that two values of one slot differ. */
const NOISE = {
  cores: 1,
  networkIn: 2,
  networkOut: 3,
  diskRead: 4,
  diskWrite: 5,
  memory: 6,
  level: 7,
  phase: 8,
} as const;

export function emptyLoad(): Load {
  return {cores: 0, networkIn: 0, networkOut: 0, diskRead: 0, diskWrite: 0, memoryRatio: 0, sway: LIVELY_SWAY};
}

/** Writes the slot's load into `load`, which is reused: a month has thousands of slots. */
export function loadDuring(plan: WorkloadPlan, host: Host, slot: number, load: Load): void {
  switch (plan.kind) {
    case 'crashed':
      if (hasCrashed(plan.crashedAt, host, slot)) dead(host, slot, load);
      else serving(host, slot, load);
      break;
    case 'ended':
      PATTERNS[slot * SLOT_MS < plan.endedAt ? 'training' : 'idle'](host, slot, load);
      break;
    case 'leaking':
      leaking(plan.fullAfterMs, host, slot, load);
      break;
    case 'holding':
      gateway(host, slot, load);
      load.cores = host.cpuCount * plan.coresRatio;
      load.memoryRatio = plan.memoryRatio;
      load.sway = 0;
      break;
    default:
      PATTERNS[plan.kind](host, slot, load);
  }
}

type Pattern = (host: Host, slot: number, load: Load) => void;

/** Work that depends on hour and machine only. */
const PATTERNS: Readonly<Record<SteadyKind, Pattern>> = {
  training,
  serving,
  batch: (host, slot, load) => PATTERNS[isBatchRunning(host, slot) ? 'training' : 'idle'](host, slot, load),
  cron,
  interactive,
  gateway,
  idle: resting,
};

// Cores and disk reads stay high; about every three hours a checkpoint is written to disk for ten minutes.
function training(host: Host, slot: number, load: Load): void {
  const level = unit(host.seed, NOISE.level);
  const periodSlots = 30 + Math.floor(level * 12);
  const isCheckpoint = (slot + Math.floor(unit(host.seed, NOISE.phase) * periodSlots)) % periodSlots >= periodSlots - 2;
  const units = Math.max(1, host.gpuCount);
  const fabric = host.gpuCount >= 8 ? 45 * MEGA : 1.5 * MEGA;
  load.cores =
    host.cpuCount * (isCheckpoint ? 0.22 : 0.55 + 0.25 * level + 0.05 * (noise(host, slot, NOISE.cores) - 0.5));
  load.networkIn = fabric * between(0.8, 1.2, noise(host, slot, NOISE.networkIn));
  load.networkOut = fabric * between(0.7, 1.1, noise(host, slot, NOISE.networkOut));
  load.diskRead = isCheckpoint ? 2 * MEGA : units * 12 * MEGA * between(0.8, 1.2, noise(host, slot, NOISE.diskRead));
  load.diskWrite = isCheckpoint
    ? units * 60 * MEGA
    : 0.4 * MEGA * between(0.7, 1.3, noise(host, slot, NOISE.diskWrite));
  load.memoryRatio = 0.6 + 0.12 * level + 0.02 * noise(host, slot, NOISE.memory);
  load.sway = STEADY_SWAY;
}

// Follows the users' day: most in the early afternoon, least at night, less at the weekend.
function serving(host: Host, slot: number, load: Load): void {
  const demand = 0.15 + 0.8 * daylight(slot) * (isWeekend(slot) ? 0.65 : 1);
  const units = Math.max(1, host.gpuCount);
  load.cores = host.cpuCount * (0.07 + 0.42 * demand * between(0.85, 1.15, noise(host, slot, NOISE.cores)));
  load.networkIn = units * 260 * KILO * demand * between(0.8, 1.2, noise(host, slot, NOISE.networkIn));
  load.networkOut = units * 1.1 * MEGA * demand * between(0.8, 1.2, noise(host, slot, NOISE.networkOut));
  load.diskRead = 90 * KILO * between(0.5, 1.5, noise(host, slot, NOISE.diskRead));
  load.diskWrite = 160 * KILO * between(0.5, 1.5, noise(host, slot, NOISE.diskWrite));
  load.memoryRatio = 0.46 + 0.14 * unit(host.seed, NOISE.level) + 0.06 * demand;
  load.sway = LIVELY_SWAY;
}

// A quarter of an hour of work every six hours, and a stream of logs and metrics in between.
function cron(host: Host, slot: number, load: Load): void {
  gateway(host, slot, load);
  const isRunning = (slot + Math.floor(unit(host.seed, NOISE.phase) * 72)) % 72 < 3;
  load.networkOut = 9 * KILO * between(0.8, 1.2, noise(host, slot, NOISE.networkOut));
  if (!isRunning) return;
  load.cores = host.cpuCount * between(0.7, 0.85, noise(host, slot, NOISE.cores));
  load.diskRead = 35 * MEGA;
  load.diskWrite = 18 * MEGA;
  load.memoryRatio += 0.2;
  load.sway = STEADY_SWAY;
}

// Experiments: on and off by the hour through the working day, something small at night.
function interactive(host: Host, slot: number, load: Load): void {
  const hour = Math.floor(slot / SLOTS_PER_HOUR);
  const isAtWork = daylight(slot) > 0.35 && unit(host.seed, hour, NOISE.phase) < 0.6;
  resting(host, slot, load);
  load.memoryRatio = 0.24 + 0.2 * unit(host.seed, Math.floor(hour / 24), NOISE.level);
  if (!isAtWork && slot % SLOTS_PER_HOUR > 1) return;
  const units = Math.max(1, host.gpuCount);
  load.cores = Math.min(host.cpuCount * 0.6, units * between(1.2, 5, noise(host, slot, NOISE.cores)));
  load.networkOut = 320 * KILO * noise(host, slot, NOISE.networkOut);
  load.networkIn = 900 * KILO * noise(host, slot, NOISE.networkIn);
  load.diskRead = 3 * MEGA * noise(host, slot, NOISE.diskRead);
  load.memoryRatio += 0.1;
}

// A bastion, load balancer or control plane: little work, all day, much of it on the network.
function gateway(host: Host, slot: number, load: Load): void {
  load.cores = host.cpuCount * between(0.07, 0.14, noise(host, slot, NOISE.cores));
  load.networkIn = 70 * KILO * between(0.6, 1.4, noise(host, slot, NOISE.networkIn)) * (0.5 + daylight(slot));
  load.networkOut = 95 * KILO * between(0.6, 1.4, noise(host, slot, NOISE.networkOut)) * (0.5 + daylight(slot));
  load.diskRead = 4 * KILO;
  load.diskWrite = 55 * KILO * between(0.6, 1.4, noise(host, slot, NOISE.diskWrite));
  load.memoryRatio = 0.28 + 0.2 * unit(host.seed, NOISE.level) + 0.01 * noise(host, slot, NOISE.memory);
  load.sway = LIVELY_SWAY;
}

// No work: a monitoring agent, and on a public address the internet's scanners.
function resting(host: Host, slot: number, load: Load): void {
  load.cores = between(0.05, 0.16, noise(host, slot, NOISE.cores));
  load.networkIn = scanNoise(host, slot);
  load.networkOut = between(500, 1900, noise(host, slot, NOISE.networkOut));
  load.diskRead = 600 * noise(host, slot, NOISE.diskRead);
  load.diskWrite = between(12, 38, noise(host, slot, NOISE.diskWrite)) * KILO;
  load.memoryRatio = BASE_MEMORY_RATIO + 0.01 * noise(host, slot, NOISE.memory);
  load.sway = LIVELY_SWAY;
}

// The system hangs: even its agent reports nothing; only the network card still counts what arrives.
function dead(host: Host, slot: number, load: Load): void {
  load.cores = 0;
  load.networkIn = scanNoise(host, slot);
  load.networkOut = 0;
  load.diskRead = 0;
  load.diskWrite = 0;
  load.memoryRatio = BASE_MEMORY_RATIO;
  load.sway = LIVELY_SWAY;
}

function leaking(fullAfterMs: number, host: Host, slot: number, load: Load): void {
  serving(host, slot, load);
  const upMs = Math.max(0, slot * SLOT_MS - host.bootedAt);
  load.memoryRatio = Math.min(LEAK_CEILING_RATIO, LEAK_START_RATIO + (1 - LEAK_START_RATIO) * (upMs / fullAfterMs));
}

/** How long a leak takes to fill the memory if it is at `ratioNow` after `upMs`. */
export function leakFullAfterMs(upMs: number, ratioNow: number): number {
  return (upMs * (1 - LEAK_START_RATIO)) / (ratioNow - LEAK_START_RATIO);
}

function hasCrashed(crashedAt: number, host: Host, slot: number): boolean {
  return host.bootedAt < crashedAt && slot * SLOT_MS >= crashedAt;
}

// Three and a half hours out of every six.
function isBatchRunning(host: Host, slot: number): boolean {
  return (slot + Math.floor(unit(host.seed, NOISE.phase) * 72)) % 72 < 42;
}

function scanNoise(host: Host, slot: number): number {
  const at = noise(host, slot, NOISE.networkIn);
  return host.hasPublicIp ? between(450, 2600, at) : between(120, 420, at);
}

/** 1 at 14:00 UTC, 0 at 02:00. */
function daylight(slot: number): number {
  return DAYLIGHT[slot % SLOTS_PER_DAY] ?? 0;
}

const DAYLIGHT = Float64Array.from({length: SLOTS_PER_DAY}, (_, slot) => {
  const hourOfDay = slot / SLOTS_PER_HOUR;
  return 0.5 + 0.5 * Math.cos(((hourOfDay - 14) / 24) * 2 * Math.PI);
});

// Day 0 of the epoch was a Thursday.
function isWeekend(slot: number): boolean {
  const weekday = (Math.floor(slot / SLOTS_PER_DAY) + 4) % 7;
  return weekday === 0 || weekday === 6;
}

function noise(host: Host, slot: number, channel: number): number {
  return unit(host.seed, slot, channel);
}
