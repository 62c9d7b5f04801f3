import {mkdirSync, mkdtempSync, rmSync, readdirSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {describe, expect, it, onTestFinished} from 'vitest';
import {idleVerdict} from '../../src/domain/money/idle.ts';
import type {MachineMetrics} from '../../src/domain/series.ts';
import {DAY_MS, type EpochMs, epochMs, HOUR_MS, MINUTE_MS} from '../../src/domain/time.ts';
import {LearntActivity} from '../../src/state/learnt-activity.ts';
import {A_FLAVOR} from '../panes/a-known-scene.ts';
import {aVirtualMachine} from './a-machine.ts';

const START = epochMs(Date.UTC(2026, 10, 1));
const NOW = epochMs(START + 15 * DAY_MS);
const WINDOWS = {idleMs: 7 * DAY_MS, quietMs: DAY_MS};
const MACHINE = aVirtualMachine({id: 7, flavor: A_FLAVOR});

/** The service's metrics for a window that ends at `now`, of a machine that uses four cores when it is busy. */
function reading(now: EpochMs, windowMs: number, isBusyAt: (at: number) => boolean, stepMs = 5 * MINUTE_MS) {
  // The counter counts from the first day, whatever window is read.
  let total = 0;
  for (let at: number = START; at < now - windowMs; at += stepMs) total += (isBusyAt(at) ? 4 : 0.1) * stepMs * 1e6;
  const cpu = [];
  const memory = [];
  for (let at = now - windowMs; at <= now; at += stepMs) {
    total += (isBusyAt(at) ? 4 : 0.1) * stepMs * 1e6;
    cpu.push({sampledAt: epochMs(at), value: total});
    memory.push({sampledAt: epochMs(at), value: 2 * 1024 ** 3});
  }
  return {cpu, memory} satisfies MachineMetrics;
}

describe('the stored activity of a machine', () => {
  const silentAfter = (at: number) => (moment: number) => moment <= at;

  it('needs a day at first, then the last hour, and a day again after more than 50 minutes without readings', () => {
    const activity = new LearntActivity(undefined);
    expect(activity.windowFor(MACHINE, NOW)).toBe('1d');
    activity.learnMetrics(
      MACHINE,
      reading(NOW, DAY_MS, () => true),
      NOW,
    );
    expect(activity.windowFor(MACHINE, epochMs(NOW + 50 * MINUTE_MS))).toBe('1h');
    expect(activity.windowFor(MACHINE, epochMs(NOW + 51 * MINUTE_MS))).toBe('1d');
  });

  it('keeps the two-week verdict from hourly readings alone, once two weeks were read', () => {
    const isBusyAt = silentAfter(NOW - 8 * DAY_MS);
    const activity = new LearntActivity(undefined);
    activity.learnMetrics(MACHINE, reading(NOW, 15 * DAY_MS, isBusyAt), NOW);
    expect(activity.isLong(MACHINE)).toBe(true);
    let [now, metrics]: [EpochMs, MachineMetrics] = [NOW, {}];
    for (let hour = 0; hour < 30; hour += 1) {
      now = epochMs(now + 55 * MINUTE_MS);
      const hourly = reading(now, HOUR_MS, isBusyAt);
      activity.learnMetrics(MACHINE, hourly, now);
      metrics = activity.dayWith(MACHINE, hourly, now);
    }
    expect(idleVerdict(metrics, A_FLAVOR, {now, ...WINDOWS, runs: activity.runsOf(MACHINE)})).toMatchObject({
      verdict: 'idle',
      rule: 'long',
      since: NOW - 8 * DAY_MS,
    });
    expect(activity.isLong(MACHINE)).toBe(true);
    // The same hours without the stored activity give no idle verdict.
    expect(idleVerdict(metrics, A_FLAVOR, {now, ...WINDOWS})).toMatchObject({verdict: 'quiet'});
  });

  it('is no longer complete after hours were missed', () => {
    const activity = new LearntActivity(undefined);
    const isBusyAt = () => false;
    activity.learnMetrics(MACHINE, reading(NOW, 15 * DAY_MS, isBusyAt), NOW);
    const later = epochMs(NOW + 3 * DAY_MS);
    activity.learnMetrics(MACHINE, reading(later, DAY_MS, isBusyAt), later);
    expect(activity.isLong(MACHINE)).toBe(false);
  });

  it('thins samples older than an hour to one every few minutes, however finely they were read', () => {
    const activity = new LearntActivity(undefined);
    const day = activity.dayWith(
      MACHINE,
      reading(NOW, 3 * HOUR_MS, () => true, 5000),
      NOW,
    );
    // One hour at five seconds, and two at four minutes or a little more.
    expect(day.cpu?.length).toBeLessThanOrEqual(721 + 31);
    expect(day.cpu?.length).toBeGreaterThan(720);
  });

  it('survives a restart in a file of mode 0600, and is read again when the file is broken', () => {
    const folder = mkdtempSync(join(tmpdir(), 'activity-'));
    onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
    const file = {environment: {XDG_STATE_HOME: folder}, name: 'here.json'};
    const path = join(folder, 'skydeck', 'activity', file.name);
    const first = new LearntActivity(file);
    const read = reading(NOW, 15 * DAY_MS, () => false);
    first.learnMetrics(MACHINE, read, NOW);
    const metrics = first.dayWith(MACHINE, read, NOW);
    first.save();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    const second = new LearntActivity(file);
    expect(second.windowFor(MACHINE, NOW)).toBe('1h');
    expect(second.isLong(MACHINE)).toBe(true);
    expect(second.runsOf(MACHINE)).toEqual(first.runsOf(MACHINE));
    const lastHour = reading(NOW, HOUR_MS, () => false);
    expect(second.dayWith(MACHINE, lastHour, NOW).memory).toEqual(metrics.memory);
    writeFileSync(path, '{"machines":{"7":{"day":');
    expect(new LearntActivity(file).windowFor(MACHINE, NOW)).toBe('1d');
  });

  it.each([
    ['two numbers', '[1,2]'],
    ['four numbers', '[1,2,1,0]'],
    ['marked as neither active nor idle', `[${NOW - DAY_MS},${NOW},2]`],
    ['dated with text', `["${NOW - DAY_MS}",${NOW},1]`],
    ['dated out of range', `[${NOW - DAY_MS},1e300,1]`],
    ['not a list', '7'],
  ])('is dropped when a stored run is %s', (_what, run) => {
    const folder = mkdtempSync(join(tmpdir(), 'activity-'));
    onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
    const file = {environment: {XDG_STATE_HOME: folder}, name: 'here.json'};
    const path = join(folder, 'skydeck', 'activity', file.name);
    const good = `[${NOW - DAY_MS},${NOW},1]`;
    const keep = (runs: string) =>
      writeFileSync(path, `{"machines":{"7":{"day":{},"runs":[${runs}],"isLong":true}}}`, {mode: 0o600});
    mkdirSync(dirname(path), {recursive: true, mode: 0o700});
    keep(good);
    expect(new LearntActivity(file).runsOf({id: MACHINE.id})).toEqual([
      {startedAt: NOW - DAY_MS, endedAt: NOW, isActive: true},
    ]);
    keep(`${good},${run}`);
    expect(new LearntActivity(file).runsOf({id: MACHINE.id})).toEqual([]);
  });

  it('is not written through a state folder that is a link', () => {
    const [folder, elsewhere] = [mkdtempSync(join(tmpdir(), 'activity-')), mkdtempSync(join(tmpdir(), 'activity-'))];
    onTestFinished(() => {
      for (const each of [folder, elsewhere]) rmSync(each, {recursive: true, force: true});
    });
    symlinkSync(elsewhere, join(folder, 'skydeck'));
    const activity = new LearntActivity({environment: {XDG_STATE_HOME: folder}, name: 'here.json'});
    activity.learnMetrics(
      MACHINE,
      reading(NOW, HOUR_MS, () => false),
      NOW,
    );
    activity.save();
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('sees no start after a status that nobody knows, in which it may have run', () => {
    const seen = (...statuses: readonly ('ACTIVE' | 'UNKNOWN' | 'SHUTOFF')[]) => {
      const activity = new LearntActivity(undefined);
      for (const [minute, status] of statuses.entries())
        activity.learnStates([{id: MACHINE.id, status}], epochMs(NOW + minute * MINUTE_MS));
      return activity.activeSince(MACHINE);
    };
    expect(seen('ACTIVE', 'UNKNOWN', 'ACTIVE')).toBeUndefined();
    expect(seen('SHUTOFF', 'ACTIVE')).toBe(NOW + MINUTE_MS);
  });
});
