import {beforeAll, expect, test} from 'vitest';
import {actionOfFix, recordOf} from '../../src/actions/actions.ts';
import type {Fix} from '../../src/domain/fix.ts';
import {scenarioNamed} from '../../src/simulator/scenarios/scenarios.ts';
import {TRIAGE_RULES} from '../../src/domain/triage/rules.ts';
import {calmFleet, fleetOf} from './recall/fleets.ts';
import {isDeep, sweepOf} from '../support/tier.ts';
import {calmDay, scoreAfter, scoreOf, twoPolls} from './recall/score.ts';
import {TROUBLES} from './recall/troubles.ts';

// A sample of `npm run recall`, which prints the counts over many fleets.

/** A fleet with all troubles and all near misses. */
const TROUBLED = fleetOf(7, 1);
let troubledPolls: Awaited<ReturnType<typeof twoPolls>>;
beforeAll(async () => {
  troubledPolls = await twoPolls(TROUBLED);
}, 60_000);

test('every seeded trouble is found within two polls, and no near miss', () => {
  expect(TROUBLED.truths).toHaveLength(TROUBLES.length);
  const {found, missed, wrong} = scoreAfter(troubledPolls, TROUBLED);
  expect({missed, wrong}).toEqual({missed: [], wrong: []});
  expect(found).toHaveLength(TROUBLES.length);
});

test('every rule has a trouble that it finds, and one like it that it must not', () => {
  // What GPUs do is told by a Prometheus beside the service, not by the service.
  const rules = TRIAGE_RULES.filter(({needs}) => needs !== 'gpus');
  const advice = 'each rule of triage needs a trouble and a near miss in test/tools/recall/troubles.ts';
  expect(TROUBLES.map(({rule}) => rule).toSorted(), advice).toEqual(rules.map(({id}) => id).toSorted());
});

test('every finding says what proves it, what to do and by which command', () => {
  const [, {findings, unknown}] = troubledPolls;
  expect(new Set(findings.map(({rule}) => rule)).size).toBe(TROUBLES.length);
  for (const {rule, summary, subject, evidence, advice, commands} of findings) {
    const told = `${rule}: ${summary}`;
    expect(summary.length, told).toBeLessThanOrEqual(48);
    expect(subject.name, told).not.toBe('');
    expect(evidence.length, told).toBeGreaterThan(0);
    expect(advice, told).toMatch(/^[A-Z].*\.$/);
    expect(commands.length, told).toBeGreaterThan(0);
    for (const command of commands) expect(command, told).toMatch(/^skydeck [a-z]/);
  }
  for (const {reason} of unknown) expect(reason).toMatch(/ (not|younger|too little|no) /);
});

test('every fix of a finding is an action with all its parameters', {timeout: 60_000}, async () => {
  const calm = calmFleet(7);
  const names = sweepOf<readonly ('on-call' | 'troubles')[]>({sample: ['on-call'], deep: ['on-call', 'troubles']});
  const named = names.map(name => ({...calm, scenario: scenarioNamed(name, calm)}));
  const fixes: Fix[] = [];
  for (const polls of [troubledPolls, ...(await Promise.all(named.map(twoPolls)))]) {
    const [, {findings}] = polls;
    fixes.push(...findings.flatMap(finding => finding.fixes ?? []));
    for (const {rule, commands, fixes: own = []} of findings) {
      if (own.length === 1) expect(commands[0], `${rule}: the deck and the shell`).toMatch(commandOf(own[0]));
    }
  }
  for (const fix of fixes) expect(actionOfFix(fix), JSON.stringify(fix)).toMatchObject({kind: fix.kind, id: fix.id});
  expect([...new Set(fixes.map(({kind}) => kind))].toSorted()).toEqual([
    'cluster.delete',
    'cluster.reconcile',
    'firewall.delete',
    'firewall.remove-rule',
    'vm.hard-reboot',
    'vm.hibernate',
    'vm.remove-rule',
    'vm.start',
    'volume.delete',
  ]);
});

/** What the shell has to recommend first where the deck has a key for it. */
function commandOf(fix: Fix | undefined): RegExp {
  const action = fix && actionOfFix(fix);
  if (fix === undefined || action === undefined) return /^never$/;
  const ofRule = 'needsNarrowerRule' in fix ? 'rule add' : 'rule remove';
  const words = recordOf(action).command?.words.join(' ') ?? ofRule;
  return new RegExp(`^skydeck ${words} .*\\b${fix.id}\\b`);
}

test.runIf(isDeep)(
  'what is not found is missed, and a finding about what is well is wrong',
  {timeout: 60_000},
  async () => {
    const fleet = fleetOf(7, 0);
    const unfound = {rule: 'machine-in-error', name: 'train-01'};
    const firewalls = fleetOf(7, 1).scenario.firewalls.filter(({name}) => name === 'unattachedfirewall');
    const scenario = {...fleet.scenario, firewalls};
    expect(await scoreOf({...fleet, scenario, truths: [unfound]})).toMatchObject({
      found: [],
      missed: [unfound],
      wrong: expect.arrayContaining([{rule: 'unattached-firewall', name: 'unattachedfirewall'}]),
    });
  },
);

test('nothing is found on a working fleet in a day of its time', {timeout: 60_000}, async () => {
  expect(await calmDay(calmFleet(3), sweepOf({sample: 1, deep: 3}))).toEqual([]);
});
