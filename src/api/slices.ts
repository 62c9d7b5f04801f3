import {setImmediate as nextTurn} from 'node:timers/promises';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import type {Clock, DurationMs} from '../domain/time.ts';
import type {Quarantined, ReadEndpoint} from './endpoint.ts';
import {isObject} from './fields.ts';
import {numberText} from './json.ts';

/** Half a frame: a key pressed meanwhile still paints in time. */
const SLICE_MS: DurationMs = 8;
/** A bound for clocks that stand still. */
const MAX_SLICE_RECORDS = 500;

export type Parsed<R> = {readonly records: readonly R[]; readonly quarantined: readonly Quarantined[]};

/** Parses each record by itself, and lets the event loop turn between slices: one bad record hides only itself. */
export async function parseInSlices<R>(
  raw: readonly unknown[],
  record: ReadEndpoint<never, R>['record'],
  clock: Clock,
): Promise<Parsed<R>> {
  const records: R[] = [];
  const quarantined: Quarantined[] = [];
  let startedAt = clock.monotonicNow();
  let sliceCount = 0;
  for (const each of raw) {
    if (sliceCount >= MAX_SLICE_RECORDS || clock.monotonicNow() - startedAt >= SLICE_MS) {
      await nextTurn();
      startedAt = clock.monotonicNow();
      sliceCount = 0;
    }
    sliceCount += 1;
    const reading = record(each);
    if (reading.ok) {
      records.push(reading.value);
      for (const lost of reading.lost ?? []) quarantined.push(lost);
    } else {
      quarantined.push(quarantine(each, reading.fields));
    }
  }
  return {records, quarantined};
}

function quarantine(raw: unknown, fields: readonly SafeText[]): Quarantined {
  const id = isObject(raw) ? idText(raw.id ?? raw.resource_id) : undefined;
  return id === undefined ? {fields} : {id: safeText(id), fields};
}

/** An unusable id is still the best name for what could not be read. */
function idText(id: unknown): string | undefined {
  return typeof id === 'string' ? id : numberText(id);
}
