import fc from 'fast-check';
import {expect, it} from 'vitest';
import {HOUR_MS, SECOND_MS} from '../../src/domain/time.ts';
import {countingSleep} from '../../src/state/monotonic-clock.ts';

function aMachine() {
  let [wall, monotonic] = [1_700_000_000_000, 5000];
  const clock = countingSleep({wallNow: () => wall, monotonicNow: () => monotonic});
  return {
    now: clock.monotonicNow,
    sleptMs: clock.sleptMs,
    passes: (ms: number) => {
      wall += ms;
      monotonic += ms;
    },
    sleeps: (ms: number) => {
      wall += ms;
    },
  };
}

it('follows the system’s clock while the machine is awake', () => {
  const {now, passes} = aMachine();
  expect(now()).toBe(5000);
  passes(3 * HOUR_MS);
  expect(now()).toBe(5000 + 3 * HOUR_MS);
});

it('adds the time the machine slept, once each time', () => {
  const {now, sleptMs, passes, sleeps} = aMachine();
  expect(sleptMs()).toBe(0);
  for (let count = 1; count <= 3; count += 1) {
    passes(SECOND_MS);
    sleeps(8 * HOUR_MS);
    expect(sleptMs()).toBe(count * 8 * HOUR_MS);
    const awake = now();
    expect(awake).toBe(5000 + count * (SECOND_MS + 8 * HOUR_MS));
    expect(now()).toBe(awake);
  }
});

it('never goes back, and ignores small corrections of the host’s clock', () => {
  const {now, sleeps} = aMachine();
  sleeps(4000);
  expect(now()).toBe(5000);
  sleeps(-HOUR_MS);
  expect(now()).toBe(5000);
  fc.assert(
    fc.property(fc.array(fc.record({awakeMs: fc.nat(100_000), wallMs: fc.integer({min: -1e9, max: 1e9})})), steps => {
      const machine = aMachine();
      let before = machine.now();
      for (const {awakeMs, wallMs} of steps) {
        machine.passes(awakeMs);
        machine.sleeps(wallMs);
        const after = machine.now();
        expect(after - before).toBeGreaterThanOrEqual(awakeMs);
        before = after;
      }
    }),
  );
});
