import type {Act} from './act.ts';
import {ruleOf} from './act-rules/act-rules.ts';
import type {Firewall} from './firewall.ts';
import type {Confirmed} from './operation.ts';
import type {SafeText} from './safe-text.ts';
import type {Sighting} from './sighting.ts';
import {nameOf, statusOf, type Thing} from './thing.ts';
import {monotonicMs} from './time.ts';

/** What a screen shows when an act is asked about: its thing, and the firewalls where the act replaces those. */
export type Shown = {readonly thing?: Thing | undefined; readonly firewalls?: readonly Firewall[] | undefined};

/** What a yes to the act says yes to: all that must still be so when it is sent. */
export function confirmationOf(act: Act, shown: Shown = {}): Confirmed {
  const {thing} = shown;
  const status = thing === undefined ? undefined : statusOf(thing)?.status;
  const replaced = ruleOf(act).replaced?.(act, asSighting(shown));
  return {
    act,
    subjectName: thing === undefined ? ownName(act) : nameOf(thing),
    ...(status === undefined ? {} : {status}),
    ...(replaced === undefined ? {} : {replaced}),
  };
}

/** What is only being made is called as it will be; an access key, which has no name, by where it will hold. */
function ownName(act: Act): SafeText {
  if (act.kind === 'access-key.create') return act.spec.regionName;
  if ('spec' in act) return act.spec.name;
  return 'name' in act ? act.name : ruleOf(act).verb;
}

function asSighting({thing, firewalls}: Shown): Sighting<Thing> {
  return {
    startedAt: monotonicMs(0),
    records: thing === undefined ? [] : [thing],
    isWhole: true,
    ...(firewalls === undefined ? {} : {firewalls}),
  };
}
