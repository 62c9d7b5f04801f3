import {describe, expect, test} from 'vitest';
import {rational, usd} from '../../../src/domain/money.ts';
import {DEFAULT_PREFERENCES, type Preferences} from '../../../src/domain/preferences.ts';
import {TRIAGE_RULES} from '../../../src/domain/triage/rules.ts';
import {type ScenarioName, scenarioNamed} from '../../../src/simulator/scenarios/scenarios.ts';
import type {SimulatorOptions} from '../../../src/simulator/http/server.ts';
import {triageCommand} from '../../../src/cli/commands/triage.ts';
import {run} from '../../cli/a-command.ts';
import {openSimulator} from '../../support/simulator.ts';
import {watch} from '../../tools/recall/polls.ts';

// Noon on a Monday, with ten working days before it to compare the burn rate with.
const STARTED_AT = Date.UTC(2026, 10, 16, 12);
const POLL_MS = 60_000;

/** These rules are not about the account but the connection to it. Only a deck counts the requests it sent. */
const OF_THE_LINE = ['key-refused', 'missing-permission', 'clock-skew', 'request-ceiling', 'stale-readings'];
/** The subjects of findings that do not have the name of their rule. */
const SUBJECTS: Readonly<Record<string, string>> = {
  'credit-runway': 'account',
  'burn-anomaly': 'account',
  'budget-crossing': 'account',
};

describe('the triage of a whole account', {timeout: 120_000}, () => {
  test('finds each seeded trouble by its rule, and no others', async () => {
    // The simulator cannot show what the service does not report.
    const expected = TRIAGE_RULES.filter(({needs}) => needs === undefined)
      .map(({id}) => id)
      .filter(id => !OF_THE_LINE.includes(id))
      .map(id => `${id}: ${SUBJECTS[id] ?? id}`);
    const advice =
      'each rule of triage needs a trouble named after it, and a near miss, in src/simulator/scenarios/seeded.ts';
    expect(await findingsIn('troubles', withBudget(1n)), advice).toEqual(expected.toSorted());
  });

  test('finds no trouble in near misses', async () => {
    expect(await findingsIn('near-misses', withBudget(10_000_000n))).toEqual([]);
  });
});

function withBudget(dollars: bigint): Preferences {
  return {...DEFAULT_PREFERENCES, budget: usd(rational(dollars, 1n))};
}

/** The findings of two polls one minute apart, as `rule: subject`. */
async function findingsIn(name: ScenarioName, preferences: Preferences): Promise<readonly string[]> {
  const scenario = scenarioNamed(name, {startedAt: STARTED_AT, seed: 1});
  const watched = watch({
    scenario,
    seed: 1,
    startedAt: STARTED_AT,
    watching: {preferences, link: {}, failing: []},
  });
  const told = new Set<string>();
  for (let poll = 0; poll < 2; poll += 1) {
    for (const {rule, subject} of (await watched.pollAfter(POLL_MS)).findings) told.add(`${rule}: ${subject.name}`);
  }
  return [...told].toSorted();
}

describe('the triage of the connection to an account', {timeout: 60_000}, () => {
  test.each<[string, SimulatorOptions, readonly string[]]>([
    ['a list that always fails', {faults: ['status=500,match=GET /core/firewalls']}, ['stale-readings: firewalls']],
    ['a list that is only slow', {faults: ['kind=latency:200ms,match=GET /core/firewalls']}, []],
    ['a key that is not accepted', {faults: ['status=401']}, ['key-refused: the service']],
    ['a clock three minutes off', {wallClock: () => Date.now() + 180_000}, ['clock-skew: the service']],
    ['a clock a minute and a half off', {wallClock: () => Date.now() + 90_000}, []],
  ])('reports the right findings for %s', async (_, options, expected) => {
    const {url, apiKey} = await openSimulator({scenario: 'near-misses', ...options});
    expect(await toldOf({url, apiKey})).toEqual(expected);
  });

  test('reports the missing permissions of a member, who may not see billing', async () => {
    const {url, keys} = await openSimulator({scenario: 'near-misses'});
    expect(await toldOf({url, apiKey: keys.member})).toEqual([
      'missing-permission: contracts',
      'missing-permission: usage',
    ]);
  });
});

/** The findings that `skydeck triage` prints, as `rule: subject`. */
async function toldOf(simulator: {readonly url: string; readonly apiKey: string}): Promise<readonly string[]> {
  const {stdout} = await run(triageCommand, '-o json --metrics none', {simulator, speed: 5});
  const {findings}: {readonly findings: readonly {readonly rule: string; readonly subject: {readonly name: string}}[]} =
    JSON.parse(stdout);
  return findings.map(({rule, subject}) => `${rule}: ${subject.name}`).toSorted();
}
