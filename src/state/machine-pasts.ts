import {join} from 'node:path';
import {type MachinePast, parsePasts, pastsText} from '../config/activity-file.ts';
import {openStateFolder, readOwnFile, replaceOwnFile, type StateFile, stateFolder} from '../config/own-files.ts';
import {type Activity, learntActivity} from '../domain/money/idle.ts';
import {type MachineMetrics, packedSeries, type Sample, type Series} from '../domain/series.ts';
import {DAY_MS, type DurationMs, type EpochMs, HOUR_MS, MINUTE_MS} from '../domain/time.ts';
import {sampleAge} from '../domain/utilization.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';

/** What is read of a machine, so that nothing is missing between it and what was learnt before. */
export type PastWindow = '1h' | '1d' | '15d';

const FOLDER = 'activity';
/** More machines than metrics are ever read for. */
const MAX_MACHINES = 1000;
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const DAY_KEPT_MS: DurationMs = 26 * HOUR_MS;
const RUNS_KEPT_MS: DurationMs = 15 * DAY_MS;
/** An hour's reading must reach what is known, with some samples in both. */
const HOUR_REACHES_MS: DurationMs = 50 * MINUTE_MS;
const DAY_REACHES_MS: DurationMs = 23 * HOUR_MS;
/** With so much known, every rule can be judged. */
const DAY_IS_WHOLE_MS: DurationMs = 20 * HOUR_MS;
/** The service documents five minutes between samples; closer ones are a day's worth of memory for an hour. */
const KEPT_STEP_MS: DurationMs = 4 * MINUTE_MS;

/** The state that a machine was last seen in. */
type SeenState = {
  readonly status: VirtualMachine['status'];
  readonly at: EpochMs;
  /** Since when it runs, where it was seen to begin. */
  readonly activeSince: EpochMs | undefined;
  /** When it was last seen in another state. */
  readonly changedAfter: EpochMs | undefined;
};

/**
 * Owns what was learnt of the machines' past: readings of an hour, a day or two weeks become one record of each machine,
 * so that later ones need the last hour alone. Kept in a file between runs, where one is named.
 */
export class MachinePasts {
  readonly #file: StateFile | undefined;
  #pasts: Map<number, MachinePast> | undefined;
  /** What each reading was joined to: judging asks for the same one again and again. */
  readonly #joined = new WeakMap<MachineMetrics, MachineMetrics>();

  #seen: ReadonlyMap<number, SeenState> = new Map();

  constructor(file: StateFile | undefined) {
    this.#file = file;
  }

  /** The window that has to be read now, from what is known of the machine. */
  windowFor({id, createdAt}: Pick<VirtualMachine, 'id' | 'createdAt'>, now: EpochMs): PastWindow {
    if (createdAt !== undefined && now - createdAt < HOUR_MS) return '1h';
    const known = this.#known().get(id);
    const newest = known === undefined ? undefined : sampleAge(known.day, now);
    const oldest = known === undefined ? undefined : oldestOf(known.day);
    if (newest === undefined || oldest === undefined || newest.ageMs > DAY_REACHES_MS) return '1d';
    const isWholeDay = now - oldest >= DAY_IS_WHOLE_MS || (createdAt !== undefined && oldest - createdAt < HOUR_MS);
    return newest.ageMs <= HOUR_REACHES_MS && isWholeDay ? '1h' : '1d';
  }

  /** Sees the states of all machines, as they were listed. */
  learn(machines: readonly Pick<VirtualMachine, 'id' | 'status'>[], now: EpochMs): void {
    this.#seen = new Map(
      machines.map(({id, status}) => {
        const before = this.#seen.get(id);
        const hasChanged = before !== undefined && before.status !== status;
        const activeSince = hasChanged && status === 'ACTIVE' ? now : before?.activeSince;
        return [id, {status, at: now, activeSince, changedAfter: hasChanged ? before.at : before?.changedAfter}];
      }),
    );
  }

  /** When it was seen to begin to run. */
  activeSince({id}: Pick<VirtualMachine, 'id'>): EpochMs | undefined {
    return this.#seen.get(id)?.activeSince;
  }

  /** When it was last seen in another state than its present one. */
  changedAfter({id}: Pick<VirtualMachine, 'id'>): EpochMs | undefined {
    return this.#seen.get(id)?.changedAfter;
  }

  /** Whether two weeks of it are known. */
  isLong({id}: Pick<VirtualMachine, 'id'>): boolean {
    return this.#known().get(id)?.isLong === true;
  }

  /** Two weeks of work and silence, as far as they are known. */
  runsOf({id}: Pick<VirtualMachine, 'id'>): readonly Activity[] {
    return this.#known().get(id)?.runs ?? NO_RUNS;
  }

  /** A reading with what was known of the day before it. What it adds is known from now on. */
  joined({id, flavor}: Pick<VirtualMachine, 'id' | 'flavor'>, reading: MachineMetrics, now: EpochMs): MachineMetrics {
    const made = this.#joined.get(reading);
    if (made !== undefined) return made;
    const known = this.#known();
    const before = known.get(id);
    const start = oldestOf(reading);
    const newest = before === undefined ? undefined : sampleAge(before.day, now)?.sampledAt;
    const isLongReading = start !== undefined && now - start > 2 * DAY_MS;
    // What happened in an hour that was not read is not known.
    const isWhole = start !== undefined && newest !== undefined && start <= newest + 2 * HOUR_MS;
    const past: MachinePast = {
      day: joinedDay(before?.day ?? {}, reading, now),
      runs: learntActivity(before?.runs ?? [], reading, flavor, now - RUNS_KEPT_MS),
      isLong: isLongReading || (before?.isLong === true && isWhole),
    };
    known.delete(id);
    known.set(id, past);
    const [eldest] = known.keys();
    if (known.size > MAX_MACHINES && eldest !== undefined) known.delete(eldest);
    this.#joined.set(reading, past.day);
    return past.day;
  }

  /** A failure to write it is ignored: the next run reads more. */
  save(): void {
    if (this.#file === undefined || this.#pasts === undefined || this.#pasts.size === 0) return;
    try {
      const folder = openStateFolder(this.#file.environment, FOLDER);
      replaceOwnFile(join(folder, this.#file.name), pastsText(this.#pasts));
    } catch {
      // The next run reads a day of each machine again.
    }
  }

  #known(): Map<number, MachinePast> {
    this.#pasts ??= new Map(this.#read());
    return this.#pasts;
  }

  #read(): ReadonlyMap<number, MachinePast> {
    if (this.#file === undefined) return new Map();
    try {
      const path = join(stateFolder(this.#file.environment), FOLDER, this.#file.name);
      return parsePasts(readOwnFile(path, {maxBytes: MAX_FILE_BYTES}));
    } catch {
      return new Map();
    }
  }
}

const NO_RUNS: readonly Activity[] = [];

const NAMES = ['cpu', 'memory', 'networkIn', 'networkOut', 'diskRead', 'diskWrite'] as const;

function joinedDay(before: MachineMetrics, reading: MachineMetrics, now: EpochMs): MachineMetrics {
  const day: Partial<Record<(typeof NAMES)[number], Series>> = {};
  for (const name of NAMES) {
    const [old = [], newer] = [before[name], reading[name]];
    if (newer === undefined) continue;
    const start = newer.at(0)?.sampledAt ?? Number.POSITIVE_INFINITY;
    const both = [...[...old].filter(({sampledAt}) => sampledAt < start), ...newer];
    day[name] = packedSeries(thinned(both, now).filter(({sampledAt}) => now - sampledAt <= DAY_KEPT_MS));
  }
  return day;
}

/** The last hour as it was measured, and before it a sample every five minutes. */
function thinned(samples: readonly Sample[], now: EpochMs): readonly Sample[] {
  let keptAt = Number.NEGATIVE_INFINITY;
  return samples.filter(({sampledAt}) => {
    const isKept = now - sampledAt <= HOUR_MS || sampledAt - keptAt >= KEPT_STEP_MS;
    if (isKept) keptAt = sampledAt;
    return isKept;
  });
}

function oldestOf(metrics: MachineMetrics): EpochMs | undefined {
  const firsts = NAMES.flatMap(name => metrics[name]?.at(0)?.sampledAt ?? []);
  return firsts.length === 0 ? undefined : firsts.reduce((oldest, each) => (each < oldest ? each : oldest));
}
