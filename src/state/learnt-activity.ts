import {type KeptActivity, activityIn, activityText} from '../config/activity-file.ts';
import {readKept, replaceKept, type StateFile} from '../config/own-files.ts';
import {type Activity, learntActivity} from '../domain/money/idle.ts';
import {type MachineMetrics, packedSeries, type Sample, type Series, SERIES_NAMES} from '../domain/series.ts';
import {DAY_MS, type DurationMs, type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS} from '../domain/time.ts';
import {sampleAge} from '../domain/utilization.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';

/** How far back a machine is read, so that there is no gap to what is already known. */
export type ActivityWindow = '1h' | '1d' | '15d';

const FOLDER = 'activity';
/** More machines than metrics are ever read for. */
const MAX_MACHINES = 1000;
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const DAY_KEPT_MS: DurationMs = 26 * HOUR_MS;
const RUNS_KEPT_MS: DurationMs = 15 * DAY_MS;
/** A reading of one hour must overlap what is known by a few samples. */
const HOUR_REACHES_MS: DurationMs = 50 * MINUTE_MS;
const DAY_REACHES_MS: DurationMs = 23 * HOUR_MS;
/** With this much known, every rule can be judged. */
const DAY_IS_WHOLE_MS: DurationMs = 20 * HOUR_MS;
/** The service documents five minutes between samples; closer ones would take a day's memory for one hour. */
const KEPT_STEP_MS: DurationMs = 4 * MINUTE_MS;

/** The state a machine was last seen in. */
type SeenState = {
  readonly status: VirtualMachine['status'];
  readonly firstAt: EpochMs;
  readonly at: EpochMs;
  /** When it was seen to start running, if that was observed. */
  readonly activeSince: EpochMs | undefined;
  /** When it was last seen in another state. */
  readonly changedAfter: EpochMs | undefined;
};

/**
 * Owns what was learnt about the past of machines: readings of an hour, a day or two weeks are joined into one record
 * per machine, so that later runs need only the last hour. Kept in a file between runs, if one is named.
 */
export class LearntActivity {
  readonly #file: StateFile | undefined;
  #activity: Map<number, KeptActivity> | undefined;
  /** The day that each learnt reading completed. */
  readonly #learntDays = new WeakMap<MachineMetrics, MachineMetrics>();

  #seen: ReadonlyMap<number, SeenState> = new Map();
  #learntStates: {readonly machines: readonly object[]; readonly at: EpochMs} | undefined;

  constructor(file: StateFile | undefined) {
    this.#file = file;
  }

  /** The window to read now, given what is known about the machine. */
  windowFor({id, createdAt}: Pick<VirtualMachine, 'id' | 'createdAt'>, now: EpochMs): ActivityWindow {
    if (createdAt !== undefined && now - createdAt < HOUR_MS) return '1h';
    const known = this.#known().get(id);
    const newest = known === undefined ? undefined : sampleAge(known.day, now);
    const oldest = known === undefined ? undefined : oldestOf(known.day);
    if (newest === undefined || oldest === undefined || newest.ageMs > DAY_REACHES_MS) return '1d';
    const isWholeDay = now - oldest >= DAY_IS_WHOLE_MS || (createdAt !== undefined && oldest - createdAt < HOUR_MS);
    return newest.ageMs <= HOUR_REACHES_MS && isWholeDay ? '1h' : '1d';
  }

  /** Notes the state of every machine in a list that was read at that time. */
  learnStates(machines: readonly Pick<VirtualMachine, 'id' | 'status'>[], at: EpochMs): void {
    // The same list once more: the two clocks from which its time is told may be read a moment apart.
    if (machines === this.#learntStates?.machines && at - this.#learntStates.at < SECOND_MS) return;
    this.#learntStates = {machines, at};
    this.#seen = new Map(
      machines.map(({id, status}) => {
        const before = this.#seen.get(id);
        const hasChanged = before !== undefined && before.status !== status;
        // After a status that nobody knows it may have run all the time.
        const hasStarted = hasChanged && status === 'ACTIVE' && before.status !== 'UNKNOWN';
        const activeSince = hasStarted ? at : before?.activeSince;
        const changedAfter = hasChanged ? before.at : before?.changedAfter;
        return [id, {status, firstAt: before?.firstAt ?? at, at, activeSince, changedAfter}];
      }),
    );
  }

  /** When it was seen to start running. */
  activeSince({id}: Pick<VirtualMachine, 'id'>): EpochMs | undefined {
    return this.#seen.get(id)?.activeSince;
  }

  /** When it was last seen in a state other than its present one. */
  changedAfter({id}: Pick<VirtualMachine, 'id'>): EpochMs | undefined {
    return this.#seen.get(id)?.changedAfter;
  }

  /** Whether it was seen in its present state only since that moment, first within a minute of it. */
  isSteadySince({id}: Pick<VirtualMachine, 'id'>, since: EpochMs): boolean {
    const seen = this.#seen.get(id);
    return seen !== undefined && seen.firstAt <= since + MINUTE_MS && (seen.changedAfter ?? 0) < since;
  }

  /** Whether two weeks of it are known. */
  isLong({id}: Pick<VirtualMachine, 'id'>): boolean {
    return this.#known().get(id)?.isLong === true;
  }

  /** Two weeks of activity and idleness, as far as they are known. */
  runsOf({id}: Pick<VirtualMachine, 'id'>): readonly Activity[] {
    return this.#known().get(id)?.runs ?? NO_RUNS;
  }

  /** A reading joined to what is known of the day before. */
  dayWith({id}: Pick<VirtualMachine, 'id'>, reading: MachineMetrics, now: EpochMs): MachineMetrics {
    return this.#learntDays.get(reading) ?? joinedDay(this.#known().get(id)?.day ?? {}, reading, now);
  }

  /** Adds a reading to what is known of its machine, once. */
  learnMetrics({id, flavor}: Pick<VirtualMachine, 'id' | 'flavor'>, reading: MachineMetrics, now: EpochMs): void {
    if (this.#learntDays.has(reading)) return;
    const known = this.#known();
    const before = known.get(id);
    const start = oldestOf(reading);
    const newest = before === undefined ? undefined : sampleAge(before.day, now)?.sampledAt;
    const isLongReading = start !== undefined && now - start > 2 * DAY_MS;
    // Nothing is known about an hour that was not read.
    const isWhole = start !== undefined && newest !== undefined && start <= newest + 2 * HOUR_MS;
    const joined: KeptActivity = {
      day: joinedDay(before?.day ?? {}, reading, now),
      runs: learntActivity(before?.runs ?? [], reading, flavor, now - RUNS_KEPT_MS),
      isLong: isLongReading || (before?.isLong === true && isWhole),
    };
    known.delete(id);
    known.set(id, joined);
    const [eldest] = known.keys();
    if (known.size > MAX_MACHINES && eldest !== undefined) known.delete(eldest);
    this.#learntDays.set(reading, joined.day);
  }

  /** A failure to write is ignored: the next run simply reads more. */
  save(): void {
    if (this.#file === undefined || this.#activity === undefined || this.#activity.size === 0) return;
    replaceKept(this.#file, FOLDER, activityText(this.#activity));
  }

  #known(): Map<number, KeptActivity> {
    this.#activity ??= new Map(this.#read());
    return this.#activity;
  }

  #read(): ReadonlyMap<number, KeptActivity> {
    if (this.#file === undefined) return new Map();
    return activityIn(readKept(this.#file, FOLDER, {maxBytes: MAX_FILE_BYTES}));
  }
}

const NO_RUNS: readonly Activity[] = [];

function joinedDay(before: MachineMetrics, reading: MachineMetrics, now: EpochMs): MachineMetrics {
  const day: Partial<Record<(typeof SERIES_NAMES)[number], Series>> = {};
  for (const name of SERIES_NAMES) {
    const [old = [], newer] = [before[name], reading[name]];
    if (newer === undefined) continue;
    const start = newer.at(0)?.sampledAt ?? Number.POSITIVE_INFINITY;
    const both = [...[...old].filter(({sampledAt}) => sampledAt < start), ...newer];
    const kept = thinned(both, now).filter(({sampledAt}) => now - sampledAt <= DAY_KEPT_MS);
    const isNewer = both.length === newer.length && kept.length === newer.length;
    day[name] = isNewer ? newer : packedSeries(kept);
  }
  // What was computed of a reading is known by it.
  return SERIES_NAMES.every(name => day[name] === reading[name]) ? reading : day;
}

/** The last hour as measured; before that, one sample every five minutes. */
function thinned(samples: readonly Sample[], now: EpochMs): readonly Sample[] {
  let keptAt = Number.NEGATIVE_INFINITY;
  return samples.filter(({sampledAt}) => {
    const isKept = now - sampledAt <= HOUR_MS || sampledAt - keptAt >= KEPT_STEP_MS;
    if (isKept) keptAt = sampledAt;
    return isKept;
  });
}

function oldestOf(metrics: MachineMetrics): EpochMs | undefined {
  const firsts = SERIES_NAMES.flatMap(name => metrics[name]?.at(0)?.sampledAt ?? []);
  return firsts.length === 0 ? undefined : firsts.reduce((oldest, each) => (each < oldest ? each : oldest));
}
