import type {Machine} from './machine.ts';
import {between, seedFor, unit} from './random.ts';
import {emptyLoad, loadDuring, SLOT_MS, type WorkloadPlan} from './workload.ts';
import type {World} from './world.ts';

/** One series of NVIDIA's DCGM exporter: its default fields, and the clocks' throttle reasons. */
type Family = {readonly name: string; readonly help: string; readonly value: (gpu: GpuState) => number};

/** The state of one GPU at a moment. */
type GpuState = {
  /** Percent of the last second in which it worked. */
  readonly utilization: number;
  readonly memoryUsedMib: number;
  readonly memoryFreeMib: number;
  readonly powerWatts: number;
  readonly celsius: number;
  /** The code of the driver's last XID error; 0 if there was none. */
  readonly xid: number;
  /** NVML's bits for why its clock is below its maximum. */
  readonly clockReasons: number;
};

const FAMILIES: readonly Family[] = [
  {
    name: 'DCGM_FI_DEV_GPU_TEMP',
    help: 'GPU temperature (in C).',
    value: ({celsius}) => celsius,
  },
  {name: 'DCGM_FI_DEV_POWER_USAGE', help: 'Power draw (in W).', value: ({powerWatts}) => powerWatts},
  {name: 'DCGM_FI_DEV_GPU_UTIL', help: 'GPU utilization (in %).', value: ({utilization}) => utilization},
  {
    name: 'DCGM_FI_DEV_FB_FREE',
    help: 'Framebuffer memory free (in MiB).',
    value: ({memoryFreeMib}) => memoryFreeMib,
  },
  {
    name: 'DCGM_FI_DEV_FB_USED',
    help: 'Framebuffer memory used (in MiB).',
    value: ({memoryUsedMib}) => memoryUsedMib,
  },
  {name: 'DCGM_FI_DEV_XID_ERRORS', help: 'Value of the last XID error encountered.', value: ({xid}) => xid},
  {
    name: 'DCGM_FI_DEV_CLOCK_THROTTLE_REASONS',
    help: 'Current clock throttle reasons (bitmask).',
    value: ({clockReasons}) => clockReasons,
  },
];

const MIB_PER_GIB = 1024;
const IDLE_WATTS = 62;
const FULL_WATTS = 690;
const REASON = {idle: 0x1, powerCap: 0x4, hardwareThermal: 0x40} as const;
/** The GPU has fallen off the bus: often how the crash of a whole machine begins. */
const FALLEN_OFF_THE_BUS = 79;

/** The GPUs of all running machines as DCGM's exporters would report them, one per machine: text format 0.0.4. */
export function gpuMetricsText(world: World): string {
  const gpus = world.machines
    .filter(({status, flavor}) => status === 'ACTIVE' && flavor.gpuCount > 0)
    .flatMap(machine =>
      Array.from({length: machine.flavor.gpuCount}, (_, index) => ({
        labels: labelsOf(machine, index),
        state: stateOf(machine, index, world),
      })),
    );
  return FAMILIES.map(({name, help, value}) =>
    [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} gauge`,
      ...gpus.map(({labels, state}) => `${name}{${labels}} ${value(state)}`),
      '',
    ].join('\n'),
  ).join('');
}

function labelsOf({id, name, flavor}: Machine, index: number): string {
  const labels = {
    gpu: String(index),
    UUID: `GPU-${String(id).padStart(8, '0')}-0000-0000-0000-${String(index).padStart(12, '0')}`,
    device: `nvidia${index}`,
    modelName: `NVIDIA ${flavor.gpu.replaceAll('-', ' ')}`,
    Hostname: name,
  };
  return Object.entries(labels)
    .map(([label, text]) => `${label}="${escaped(text)}"`)
    .join(',');
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function stateOf(machine: Machine, index: number, world: World): GpuState {
  const {workload: plan, flavor} = machine;
  const seed = seedFor(world.seed, machine.id);
  const slot = Math.floor(world.now() / SLOT_MS);
  const isCrashed =
    plan.kind === 'crashed' && world.now() >= plan.crashedAt && !hasBootedSince(machine, plan.crashedAt);
  const load = isCrashed ? 0 : gpuLoad(plan, {machine, seed, slot, now: world.now()});
  const noise = unit(seed, slot, index + 1);
  const utilization = load === 0 ? 0 : Math.min(100, Math.round(100 * load * between(0.94, 1.04, noise)));
  const totalMib = memoryGib(flavor.gpu) * MIB_PER_GIB;
  const isFull = plan.kind === 'holding' && plan.memoryRatio > 0.9;
  const usedMib = Math.round(totalMib * (isFull ? 0.99 : load === 0 ? 0.005 : between(0.58, 0.86, unit(seed, 3))));
  const isHot = plan.kind === 'holding';
  return {
    utilization,
    memoryUsedMib: usedMib,
    memoryFreeMib: totalMib - usedMib,
    powerWatts: Math.round(10 * between(IDLE_WATTS, FULL_WATTS, utilization / 100)) / 10,
    celsius: Math.round(isHot ? 88 : between(29, 71, utilization / 100) + 3 * noise),
    xid: isCrashed && index === 0 ? FALLEN_OFF_THE_BUS : 0,
    clockReasons: isHot
      ? REASON.hardwareThermal
      : utilization === 0
        ? REASON.idle
        : utilization > 95
          ? REASON.powerCap
          : 0,
  };
}

function hasBootedSince({boots}: Machine, moment: number): boolean {
  return (boots.at(-1)?.bootedAt ?? 0) >= moment;
}

/** 0 to 1. Training keeps the GPU busy, serving follows the users' day, and an idle host has an idle GPU. */
function gpuLoad(
  plan: WorkloadPlan,
  {
    machine,
    seed,
    slot,
    now,
  }: {readonly machine: Machine; readonly seed: number; readonly slot: number; readonly now: number},
): number {
  const load = emptyLoad();
  const {cpuCount, gpuCount} = machine.flavor;
  const bootedAt = machine.boots.at(-1)?.bootedAt ?? machine.createdAt;
  loadDuring(plan, {seed, cpuCount, gpuCount, hasPublicIp: false, bootedAt}, slot, load);
  const coresRatio = load.cores / cpuCount;
  switch (plan.kind) {
    case 'training':
    case 'batch':
      // A machine that writes a checkpoint or rests does not compute.
      return coresRatio > 0.4 ? 0.97 : 0;
    case 'ended':
      return now < plan.endedAt ? 0.97 : 0;
    case 'serving':
    case 'leaking':
    case 'crashed':
      return Math.min(0.9, 1.6 * coresRatio);
    case 'interactive':
      return coresRatio > 0.05 ? 0.45 : 0;
    case 'holding':
      return 0.99;
    default:
      return 0;
  }
}

/** The memory of one GPU, from its model's name if that says it. */
function memoryGib(model: string): number {
  const said = /-(\d+)G/.exec(model)?.[1];
  return said === undefined ? 48 : Number(said);
}
