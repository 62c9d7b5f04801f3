import {type SafeText, safeText} from './safe-text.ts';

/** One GPU as reported by its own driver; what it does not report is absent. */
export type GpuReading = {
  readonly index: number;
  readonly name: SafeText;
  /** 0 to 1. */
  readonly utilization?: number;
  readonly memoryUsedMib?: number;
  readonly memoryTotalMib?: number;
  readonly powerWatts?: number;
  readonly powerLimitWatts?: number;
  readonly celsius?: number;
};

const FIELDS = [
  'index',
  'name',
  'utilization.gpu',
  'memory.used',
  'memory.total',
  'power.draw',
  'power.limit',
  'temperature.gpu',
] as const;
const INTERVAL_SECONDS = 5;

/** The program that comes with the GPU driver, called so that it prints a line for each GPU again and again. */
export const GPU_QUERY: readonly string[] = [
  'nvidia-smi',
  `--query-gpu=${FIELDS.join(',')}`,
  '--format=csv,noheader,nounits',
  `--loop=${INTERVAL_SECONDS}`,
];

/** A line printed by `GPU_QUERY`; undefined for anything else, such as a message. */
export function parseGpuReading(line: string): GpuReading | undefined {
  const fields = line.split(',').map(field => field.trim());
  const [index = '', name = '', ...figures] = fields;
  if (fields.length !== FIELDS.length || !/^\d{1,3}$/.test(index)) return undefined;
  const [utilization, memoryUsed, memoryTotal, power, powerLimit, celsius] = figures.map(figure);
  return {
    index: Number(index),
    name: safeText(name, {maxLength: 60}),
    ...(utilization === undefined ? {} : {utilization: Math.min(1, utilization / 100)}),
    ...(memoryUsed === undefined ? {} : {memoryUsedMib: memoryUsed}),
    ...(memoryTotal === undefined ? {} : {memoryTotalMib: memoryTotal}),
    ...(power === undefined ? {} : {powerWatts: power}),
    ...(powerLimit === undefined ? {} : {powerLimitWatts: powerLimit}),
    ...(celsius === undefined ? {} : {celsius}),
  };
}

/** The output is `[N/A]` or `[Not Supported]` if a GPU does not report a value. */
function figure(text: string): number | undefined {
  return /^\d{1,9}(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}
