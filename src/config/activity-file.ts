import * as z from 'zod';
import type {Activity} from '../domain/money/idle.ts';
import {type MachineMetrics, packedSeries, type Series, SERIES_NAMES} from '../domain/series.ts';
import {epochMs, momentOf} from '../domain/time.ts';

/** What was learnt about a machine's past: its last day as measured, and two weeks of activity and idleness. */
export type KeptActivity = {
  readonly day: MachineMetrics;
  readonly runs: readonly Activity[];
  /** Two weeks were read once, and no hour was missed since. */
  readonly isLong: boolean;
};

/**
 * Moments and values alternate. Checked by hand rather than by schema: a file of 40 machines contains 70,000 numbers.
 */
const seriesSchema = z.custom<readonly number[]>(isNumbers).transform((numbers): Series => {
  const samples = [];
  for (let index = 0; index + 1 < numbers.length; index += 2) {
    const at = momentOf(numbers[index] ?? Number.NaN);
    if (at !== undefined) samples.push({sampledAt: at, value: numbers[index + 1] ?? 0});
  }
  return packedSeries(samples);
});
/** Start, end, and 1 for active or 0 for idle; checked by hand too. */
const runsSchema = z
  .custom<readonly KeptRun[]>(value => Array.isArray(value) && value.every(isRun))
  .transform(runs =>
    runs.map(
      ([startedAt, endedAt, active]): Activity => ({
        startedAt: epochMs(startedAt),
        endedAt: epochMs(endedAt),
        isActive: active === 1,
      }),
    ),
  );
type KeptRun = readonly [startedAt: number, endedAt: number, active: 0 | 1];
const machineSchema = z
  .object({day: z.partialRecord(z.enum(SERIES_NAMES), seriesSchema), runs: runsSchema, isLong: z.boolean()})
  .transform((kept): KeptActivity => kept);
const fileSchema = z.object({machines: z.record(z.string(), z.unknown())});

function isNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.every(Number.isFinite);
}

function isRun(value: unknown): value is KeptRun {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [startedAt, endedAt, active]: readonly unknown[] = value;
  return isMoment(startedAt) && isMoment(endedAt) && (active === 0 || active === 1);
}

function isMoment(value: unknown): boolean {
  return typeof value === 'number' && momentOf(value) !== undefined;
}

/** The content of the file, by machine id; empty if it is not such a file. */
export function activityIn(content: unknown): ReadonlyMap<number, KeptActivity> {
  return new Map(
    Object.entries(fileSchema.safeParse(content).data?.machines ?? {}).flatMap(
      ([id, written]): [number, KeptActivity][] => {
        const parsed = machineSchema.safeParse(written);
        return parsed.success && /^\d{1,15}$/.test(id) ? [[Number(id), parsed.data]] : [];
      },
    ),
  );
}

export function activityText(activity: ReadonlyMap<number, KeptActivity>): string {
  const machines = Object.fromEntries(
    [...activity].map(([id, {day, runs, isLong}]) => [
      id,
      {
        day: Object.fromEntries(
          SERIES_NAMES.flatMap(name => {
            const series = day[name];
            return series === undefined
              ? []
              : [[name, [...series].flatMap(({sampledAt, value}) => [sampledAt, value])]];
          }),
        ),
        runs: runs.map(({startedAt, endedAt, isActive}) => [startedAt, endedAt, isActive ? 1 : 0]),
        isLong,
      },
    ]),
  );
  return `${JSON.stringify({machines})}\n`;
}
