import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import type {Failure} from '../../../src/domain/failure.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {type MonotonicMs, monotonicMs} from '../../../src/domain/time.ts';
import {
  afterReading,
  type BreakerState,
  isHostFailure,
  nextAttemptDelay,
  UP,
} from '../../../src/state/poller/circuit-breaker.ts';

const text = safeText('why');
const cut: Failure = {kind: 'cut', detail: text};
const limited: Failure = {kind: 'rate-limited'};
const unauthorised: Failure = {kind: 'not-authorised', httpStatus: 401, message: text};
const HOST_FAILURES: readonly Failure[] = [
  cut,
  {kind: 'not-sent', detail: text},
  {kind: 'timed-out', afterMs: 15_000},
  {kind: 'service-error', httpStatus: 503, message: text},
  {kind: 'odd-answer', detail: text},
  {kind: 'redirected', host: text},
];
const ANSWERS: readonly Failure[] = [
  {kind: 'refused', httpStatus: 400, reason: text, message: text},
  {kind: 'not-found', message: text},
  {kind: 'not-authorised', httpStatus: 403, message: text},
];

const half = () => 0.5;

/** The health after readings at these seconds; undefined is a good answer. */
function healthAfter(
  readings: readonly (readonly [seconds: number, failure: Failure | undefined])[],
  random: () => number = half,
): BreakerState {
  return readings.reduce<BreakerState>(
    (health, [seconds, failure]) => afterReading(health, failure, {now: at(seconds), random}),
    UP,
  );
}

function at(seconds: number): MonotonicMs {
  return monotonicMs(seconds * 1000);
}

describe('nextAttemptDelay', () => {
  it.each([
    [1, 2000],
    [2, 4000],
    [3, 8000],
    [4, 16_000],
    [5, 32_000],
  ])('draws the delay of attempt %i from all of [0, %i) ms', (attemptCount, ceiling) => {
    expect(nextAttemptDelay(attemptCount, () => 0)).toBe(0);
    expect(nextAttemptDelay(attemptCount, half)).toBe(ceiling / 2);
    expect(nextAttemptDelay(attemptCount, () => 1 - Number.EPSILON)).toBeCloseTo(ceiling, 5);
  });

  it.each([6, 7, 20, 1e9])('stays between 30 s and 60 s at attempt %i', attemptCount => {
    expect(nextAttemptDelay(attemptCount, () => 0)).toBe(30_000);
    expect(nextAttemptDelay(attemptCount, () => 1)).toBe(60_000);
  });
});

describe('isHostFailure', () => {
  it.each(HOST_FAILURES)('blames the host for $kind', failure => {
    expect(isHostFailure(failure)).toBe(true);
  });

  it.each([...ANSWERS, unauthorised, limited])('does not blame the host for $kind', failure => {
    expect(isHostFailure(failure)).toBe(false);
  });
});

describe('afterReading', () => {
  it.each(HOST_FAILURES)('is down after three $kind failures in a row', failure => {
    expect(
      healthAfter([
        [0, failure],
        [1, failure],
      ]).status,
    ).toBe('up');
    expect(
      healthAfter([
        [0, failure],
        [1, failure],
        [2, failure],
      ]),
    ).toEqual({
      status: 'down',
      failure,
      since: 2000,
      retryAt: 3000,
      attemptCount: 1,
      goodAnswerCount: 0,
      failedRequestKinds: new Map([['', '']]),
    });
  });

  it.each(ANSWERS)('counts $kind as an answer from a host that is up', answer => {
    expect(
      healthAfter([
        [0, cut],
        [1, cut],
        [2, answer],
        [3, cut],
        [4, cut],
      ]).status,
    ).toBe('up');
  });

  it('does not report the host down while another request was answered a moment ago', () => {
    expect(
      healthAfter([
        [100, undefined],
        [101, cut],
        [102, cut],
        [103, cut],
        [109, cut],
      ]).status,
    ).toBe('up');
    expect(
      healthAfter([
        [0, undefined],
        [14, cut],
        [15, cut],
        [16, cut],
      ]).status,
    ).toBe('down');
  });

  it('reports a host down that accepts no connection, however recent the last answer', () => {
    const notSent: Failure = {kind: 'not-sent', detail: text};
    expect(
      healthAfter([
        [100, undefined],
        [101, notSent],
        [102, notSent],
        [103, notSent],
      ]).status,
    ).toBe('down');
  });

  it('retries soon in the first minute of an outage, whenever it began', () => {
    const down = healthAfter([
      [1000, cut],
      [1001, cut],
      [1002, cut],
      [1010, cut],
    ]);
    expect(down).toMatchObject({status: 'down', attemptCount: 2});
    expect(down.status === 'down' && down.retryAt).toBeLessThan(at(1014));
  });

  it('is down at once when many different requests fail, however recent the last answer', () => {
    const away = ['machines', 'usage', 'credit', 'metrics'].reduce<BreakerState>(
      (health, requestKind, index) =>
        afterReading(health, cut, {now: monotonicMs(1000 + index), random: () => 0.5, requestKind}),
      afterReading(UP, undefined, {now: monotonicMs(0), random: () => 0.5}),
    );
    expect(away.status).toBe('down');
  });

  it('is up while all of one part of the service fails and another was answered a moment ago', () => {
    const health = ['usage', 'credit', 'history', 'day', 'prices', 'usage-deleted'].reduce<BreakerState>(
      (before, requestKind, index) =>
        afterReading(before, cut, {now: at(1 + index), random: half, requestKind, part: 'billing'}),
      afterReading(UP, undefined, {now: at(0), random: half}),
    );
    expect(health.status).toBe('up');
  });

  it('is up again after two good answers, not after one, and asks for the second at once', () => {
    const down: readonly (readonly [number, Failure])[] = [
      [0, cut],
      [1, cut],
      [2, cut],
    ];
    expect(healthAfter([...down, [5, undefined]])).toMatchObject({status: 'down', goodAnswerCount: 1, retryAt: 5000});
    expect(healthAfter([...down, [5, undefined], [6, undefined]]).status).toBe('up');
    expect(healthAfter([...down, [5, undefined], [6, cut], [7, undefined]])).toMatchObject({
      status: 'down',
      goodAnswerCount: 1,
      attemptCount: 2,
    });
  });

  it.each([
    ['up while only the endpoint that failed before fails again', ['machine', 'usage!', 'machine', 'usage!'], 'up'],
    ['up while only two that failed before fail again', ['usage', 'credit!', 'machine', 'usage', 'credit!'], 'up'],
    [
      'down while so many endpoints fail that it must be the host',
      ['usage', 'list', 'stocks', 'credit!', 'machine', 'usage', 'list', 'stocks', 'credit!'],
      'down',
    ],
    ['down while what was answered fails as well', ['machine', 'usage!', 'usage', 'usage!'], 'down'],
    ['down while one endpoint fails now and then', ['machine', 'machine!', 'machine', 'machine!'], 'down'],
  ] as const)('is %s', (_name, answers, status) => {
    const failure: Failure = {kind: 'service-error', httpStatus: 503, message: text};
    const down = ['machine', 'machine', ...answers].reduce<BreakerState>(
      (health, answer, index) =>
        afterReading(health, answer.endsWith('!') ? undefined : failure, {
          now: monotonicMs(20_000 * index),
          random: () => 0.5,
          requestKind: answer.replace('!', ''),
        }),
      UP,
    );
    expect(down.status).toBe(status);
  });

  it('waits as long as a 503 asks, and up to 5 s more, once the service is down', () => {
    const unavailable = (retryAfterMs: number): Failure => ({
      kind: 'service-error',
      httpStatus: 503,
      message: text,
      retryAfterMs,
    });
    const readings = (failure: Failure) => [0, 1, 2].map(second => [second, failure] as const);
    expect(healthAfter(readings(unavailable(40_000)))).toMatchObject({status: 'down', retryAt: at(2 + 40 + 2.5)});
    // A minute at most: data is to be fresh 65 s after an outage.
    expect(healthAfter(readings(unavailable(600_000)))).toMatchObject({status: 'down', retryAt: at(2 + 60 + 2.5)});
    // The own pause of the first attempt, from 0 to 2 s, is longer.
    expect(healthAfter(readings(unavailable(0)), () => 0)).toMatchObject({status: 'down', retryAt: at(2)});
  });

  it('asks at most twice a minute once an outage is a minute old, whatever the random draws and the latency', () => {
    const chance = fc.array(fc.double({min: 0, max: 0.999, noNaN: true}), {minLength: 60, maxLength: 60});
    fc.assert(
      fc.property(chance, fc.integer({min: 0, max: 15_000}), (draws, latencyMs) => {
        let index = 0;
        const random = () => draws[index++ % draws.length] ?? 0;
        const asked: number[] = [];
        let now = 0;
        let health: BreakerState = UP;
        while (now < 15 * 60_000) {
          asked.push(now);
          now += latencyMs;
          health = afterReading(health, cut, {now: monotonicMs(now), random});
          if (health.status === 'down') now = Math.max(now, health.retryAt);
          else now += 1000;
        }
        const since = health.status === 'down' ? health.since : now;
        const late = asked.filter(moment => moment >= since + 60_000);
        for (const start of late) {
          expect(late.filter(moment => moment >= start && moment < start + 60_000).length).toBeLessThanOrEqual(2);
        }
      }),
      {numRuns: 200},
    );
  });

  it('spreads the retries of a hundred decks so that at most ten fall in any second', () => {
    let state = 7;
    const random = () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state / 2_147_483_648;
    };
    const retries = Array.from({length: 100}, () => {
      let health = healthAfter(
        [
          [0, cut],
          [0, cut],
          [0, cut],
        ],
        random,
      );
      while (health.status === 'down' && health.retryAt < 600_000) {
        health = afterReading(health, cut, {now: health.retryAt, random});
      }
      return health.status === 'down' ? health.retryAt : 0;
    });
    const busiest = Math.max(
      ...retries.map(start => retries.filter(retry => retry >= start && retry < start + 1000).length),
    );
    expect(busiest).toBeLessThanOrEqual(10);
  });

  describe('rate-limited', () => {
    it.each<[string, Failure, number]>([
      ['for a minute and up to five seconds more', limited, 60_000 + 2500],
      [
        'for as long as the service says and up to five seconds more',
        {kind: 'rate-limited', retryAfterMs: 7000},
        7000 + 2500,
      ],
    ])('pauses %s', (_name, failure, pauseMs) => {
      expect(healthAfter([[10, failure]])).toEqual({
        status: 'rate-limited',
        since: 10_000,
        retryAt: 10_000 + pauseMs,
      });
    });

    it.each<[string, Failure | undefined]>([
      ['a good answer', undefined],
      ['a host failure', cut],
      ['a refusal', {kind: 'not-found', message: text}],
    ])('keeps its pause when %s arrives late', (_name, late) => {
      const paused = healthAfter([[0, limited]]);
      expect(
        healthAfter([
          [0, limited],
          [1, late],
          [2, late],
          [3, late],
        ]),
      ).toEqual(paused);
    });

    it('is not shortened by a second 429', () => {
      expect(
        healthAfter([
          [0, limited],
          [1, {kind: 'rate-limited', retryAfterMs: 1000}],
        ]),
      ).toMatchObject({since: 0, retryAt: 62_500});
    });

    it('is lengthened by a second 429 with a longer Retry-After', () => {
      expect(
        healthAfter([
          [0, limited],
          [1, {kind: 'rate-limited', retryAfterMs: 120_000}],
        ]),
      ).toMatchObject({since: 0, retryAt: 1000 + 120_000 + 2500});
    });

    it('ends with one good answer after the pause', () => {
      expect(
        healthAfter([
          [0, limited],
          [63, undefined],
        ]).status,
      ).toBe('up');
    });
  });

  it.each<[string, Failure | undefined]>([
    ['a good answer', undefined],
    ['a failure', cut],
    ['a 429', limited],
  ])('stays not authorised when %s from before arrives late', (_name, late) => {
    expect(
      healthAfter([
        [0, unauthorised],
        [1, late],
        [2, late],
        [3, late],
      ]),
    ).toEqual({status: 'not-authorised', failure: unauthorised, since: 0});
  });

  it('never sets a retry in the past, pauses on a 429 and stays refused after a 401, whatever is answered', () => {
    const reading = fc.option(fc.constantFrom(...HOST_FAILURES, ...ANSWERS, limited, unauthorised), {nil: undefined});
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({min: 0, max: 100_000}), reading)), readings => {
        let now = 0;
        let health: BreakerState = UP;
        let isRefused = false;
        for (const [passedMs, failure] of readings) {
          now += passedMs;
          isRefused ||= failure === unauthorised;
          health = afterReading(health, failure, {now: monotonicMs(now), random: half});
          if (health.status === 'down') expect(health.retryAt).toBeGreaterThanOrEqual(now);
          if (isRefused) expect(health.status).toBe('not-authorised');
          else if (failure?.kind === 'rate-limited') expect(health.status).toBe('rate-limited');
        }
      }),
    );
  });
});
