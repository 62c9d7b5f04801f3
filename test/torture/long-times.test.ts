import {describe, expect, it} from 'vitest';
import {headerLine} from '../../src/app/header.ts';
import {lastValue, readAt} from '../../src/domain/snapshot.ts';
import {type DurationMs, HOUR_MS, MINUTE_MS, SECOND_MS} from '../../src/domain/time.ts';
import {feedFrame} from '../../src/panes/feed-state.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {textOf} from '../../src/ui/text.ts';
import {aConnection, OPEN_MODE} from '../app/a-scene.ts';
import {mostWithin} from '../state/polling.ts';
import {atEnd, shared} from '../support/lifetime.ts';
import {reportCounted, reportMeasured} from '../support/measured.ts';
import {sweepOf} from '../support/tier.ts';
import {type IdleDeck, openIdleDeck} from './idle-deck.ts';

// A deck without a screen, over a cloud in this process, through hours of virtual time.

const PATIENT = {timeout: 60 * 60_000};
const WATCHED_MS = sweepOf({sample: 1, deep: 15, whole: 60}) * MINUTE_MS;
const OUTAGE_MS = sweepOf({sample: 1 / 12, deep: 1, whole: 24}) * HOUR_MS;
const LOADING_MS = 3 * MINUTE_MS;
const SLEPT_MS = 8 * HOUR_MS;
/** Keys that lead from any pane to any other and refresh everything. */
const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '0', 'ctrl-r', 'tab', 'enter', 'esc', 'j', 'w', 'ctrl-r', 'G'];

async function aDeck(vmCount?: number): Promise<IdleDeck> {
  const idle = openIdleDeck(vmCount === undefined ? {} : {vmCount});
  atEnd(idle.close);
  idle.press('2');
  await idle.pass(LOADING_MS);
  return idle;
}

function requestsPerMinute({cloud}: IdleDeck, fromMs: number): number {
  return mostWithin(
    MINUTE_MS,
    cloud.sent.map(({atMs}) => atMs).filter(atMs => atMs >= fromMs),
  );
}

describe('with two hundred machines', PATIENT, () => {
  const deck = shared(() => aDeck(200));

  it('sends at most thirty requests a minute at rest', async () => {
    const idle = deck();
    const fromMs = idle.cloud.time.clock.monotonicNow();
    await idle.pass(WATCHED_MS);
    const most = requestsPerMinute(idle, fromMs);
    reportCounted('minutes at rest', WATCHED_MS / MINUTE_MS);
    reportMeasured(`${most} requests in the busiest minute of ${WATCHED_MS / MINUTE_MS} at rest`);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(30);
  });

  it('sends at most a hundred requests a minute, whatever keys are pressed', async () => {
    const idle = deck();
    for (let passedMs = 0; passedMs < WATCHED_MS; passedMs += SECOND_MS) {
      for (let count = 0; count < 5; count += 1)
        idle.press(KEYS[Math.floor(idle.cloud.chance() * KEYS.length)] ?? 'ctrl-r');
      await idle.pass(SECOND_MS);
    }
    const most = requestsPerMinute(idle, 0);
    reportMeasured(`${most} requests in the busiest minute of ${WATCHED_MS / MINUTE_MS} with 300 keys a minute`);
    reportCounted('minutes of keys', WATCHED_MS / MINUTE_MS);
    // Keys that ask for nothing would prove nothing.
    expect(most).toBeGreaterThan(30);
    expect(most).toBeLessThanOrEqual(100);
  });
});

it(
  'shows the last data through an outage with its age and the reason, and is fresh again within 65 s',
  PATIENT,
  async () => {
    const idle = await aDeck();
    const {cloud, deck} = idle;
    const rowsBefore = rowsOf(idle);
    expect(rowsBefore).toBeGreaterThan(10);
    cloud.setMishaps(() => ({kind: 'unconnected'}));
    const awayAt = cloud.time.clock.monotonicNow();
    const checks = 12;
    for (let count = 0; count < checks; count += 1) {
      await idle.pass(OUTAGE_MS / checks);
      expect(rowsOf(idle)).toBe(rowsBefore);
      expectHonestAge(idle, awayAt);
      expect(header(idle)).toMatch(/link down/);
    }
    const late = cloud.sent.filter(({atMs}) => atMs > awayAt + 2 * MINUTE_MS).map(({atMs}) => atMs);
    expect(mostWithin(MINUTE_MS, late)).toBeLessThanOrEqual(2);
    cloud.setMishaps(() => undefined);
    await idle.pass(65 * SECOND_MS);
    expect(deck.scene().health.status).toBe('up');
    expect(ageMs(idle)).toBeLessThanOrEqual(65 * SECOND_MS);
    expect(header(idle)).not.toMatch(/link down/);
    reportCounted('hours of outage', OUTAGE_MS / HOUR_MS);
    reportMeasured(`${rowsBefore} rows on the screen through ${OUTAGE_MS / HOUR_MS} h without the service`);
  },
);

it('stops sending requests after a 401', PATIENT, async () => {
  const idle = await aDeck();
  idle.cloud.setMishaps(() => ({
    kind: 'instead',
    isExecuted: false,
    reply: () => ({httpStatus: 401, body: '{"status":false,"message":"no"}'}),
  }));
  const before = idle.cloud.sent.length;
  await idle.pass(OUTAGE_MS);
  const [first, ...others] = idle.cloud.sent.slice(before);
  // What was sent with it, before its answer, is all that follows.
  expect(others.length).toBeLessThan(4);
  expect(others.filter(({atMs}) => atMs > (first?.atMs ?? 0) + SECOND_MS)).toEqual([]);
  expect(header(idle)).toContain('not authorised');
});

it('calls nothing fresh after eight hours of sleep, whether the service can be reached or not', PATIENT, async () => {
  const idle = await aDeck();
  idle.cloud.setMishaps(() => ({kind: 'unconnected'}));
  idle.sleep(SLEPT_MS);
  expect(header(idle)).toContain('data 8h');
  expect(feedFrame(idle.deck.scene(), machinesFeed).isStale).toBe(true);
  await idle.pass(MINUTE_MS);
  expect(header(idle)).toContain('data 8h');
  idle.cloud.setMishaps(() => undefined);
  await idle.pass(65 * SECOND_MS);
  expect(ageMs(idle)).toBeLessThan(MINUTE_MS);
  idle.sleep(SLEPT_MS);
  reportCounted('hours of sleep', SLEPT_MS / HOUR_MS);
  await idle.pass(2 * SECOND_MS);
  // All that is on the screen is read anew at once, not only when a timer from before the sleep expires.
  expect(ageMs(idle)).toBeLessThan(3 * SECOND_MS);
});

it('withdraws a question when the computer falls asleep while it is open', PATIENT, async () => {
  const idle = await aDeck();
  idle.press('p', 'x');
  expect(idle.deck.overlay()?.kind).toBe('question');
  await idle.pass(2 * SECOND_MS);
  idle.sleep(MINUTE_MS);
  await idle.pass(2 * SECOND_MS);
  idle.press('y');
  await idle.pass(5 * SECOND_MS);
  expect(idle.deck.overlay()?.kind).not.toBe('question');
  expect(idle.cloud.sent.filter(({isOperation}) => isOperation)).toEqual([]);
});

it('never has a negative age after a step of the clock of the host', PATIENT, async () => {
  const idle = await aDeck();
  for (const shiftMs of [-HOUR_MS, -SLEPT_MS, HOUR_MS]) {
    idle.sleep(shiftMs);
    expect(ageMs(idle)).toBeGreaterThanOrEqual(0);
    await idle.pass(20 * SECOND_MS);
    expect(ageMs(idle)).toBeLessThan(20 * SECOND_MS);
  }
});

function rowsOf({deck}: IdleDeck): number {
  return deck.pane().table(deck.scene()).rows.length;
}

function header({deck}: IdleDeck): string {
  return textOf(headerLine(deck.scene(), aConnection(), OPEN_MODE, 200));
}

function ageMs({deck, cloud}: IdleDeck): DurationMs {
  const snapshot = deck.scene().store.get(machinesFeed);
  expect(lastValue(snapshot)).toBeDefined();
  return cloud.time.clock.monotonicNow() - (readAt(snapshot) ?? Number.NaN);
}

/** Expects the age shown to be that of the last list that was requested and answered, by the record of requests. */
function expectHonestAge(idle: IdleDeck, awayAt: number): void {
  const {sent, time} = idle.cloud;
  const answered = sent.filter(({path, atMs}) => path === '/core/virtual-machines' && atMs < awayAt).at(-1);
  const trueMs = time.clock.monotonicNow() - (answered?.atMs ?? Number.NaN);
  const [, value = '', unit = ''] = / data (\d+)(s|m|h|d)/.exec(header(idle)) ?? [];
  const unitMs = {s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: 24 * HOUR_MS}[unit] ?? Number.NaN;
  // Longer ages are shown in larger units, rounded down.
  expect(Number(value) * unitMs).toBeLessThanOrEqual(trueMs + SECOND_MS);
  expect(Number(value) * unitMs).toBeGreaterThan(trueMs - unitMs - SECOND_MS);
}
