import {expect, test} from 'vitest';
import {TRIAGE_RULES} from '../../src/domain/triage/rules.ts';
import {calmFleet, fleetOf} from './recall/fleets.ts';
import {calmDay, scoreOf} from './recall/score.ts';
import {TROUBLES} from './recall/troubles.ts';

// A sample of `npm run recall`, which prints the counts over many fleets.

test('every seeded trouble is found within two polls, and no near miss', {timeout: 60_000}, async () => {
  const fleet = fleetOf(7, 1);
  expect(fleet.truths).toHaveLength(TROUBLES.length);
  const {found, missed, wrong} = await scoreOf(fleet);
  expect({missed, wrong}).toEqual({missed: [], wrong: []});
  expect(found).toHaveLength(TROUBLES.length);
});

test('every rule has a trouble that it finds, and one like it that it must not', () => {
  // What GPUs do is told by a Prometheus beside the service, not by the service.
  const rules = TRIAGE_RULES.filter(({needs}) => needs !== 'gpus');
  expect(TROUBLES.map(({rule}) => rule).toSorted()).toEqual(rules.map(({id}) => id).toSorted());
});

test('what is not found is missed, and a finding about what is well is wrong', {timeout: 60_000}, async () => {
  const fleet = fleetOf(7, 0);
  const unfound = {rule: 'machine-in-error', name: 'train-01'};
  const firewalls = fleetOf(7, 1).scenario.firewalls.filter(({name}) => name === 'unattachedfirewall');
  const scenario = {...fleet.scenario, firewalls};
  expect(await scoreOf({...fleet, scenario, truths: [unfound]})).toMatchObject({
    found: [],
    missed: [unfound],
    wrong: expect.arrayContaining([{rule: 'unattached-firewall', name: 'unattachedfirewall'}]),
  });
});

test('nothing is found on a working fleet in a day of its time', {timeout: 60_000}, async () => {
  expect(await calmDay(calmFleet(3), 3)).toEqual([]);
});
