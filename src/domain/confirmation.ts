import type {Action} from './action.ts';
import {ruleOf} from './action-rules/action-rules.ts';
import type {Firewall} from './firewall.ts';
import type {Confirmed} from './operation.ts';
import type {SafeText} from './safe-text.ts';
import type {Sighting} from './sighting.ts';
import {nameOf, statusOf, type Thing} from './thing.ts';
import {monotonicMs} from './time.ts';

/** What a screen shows when an action is asked about: its thing, and the firewalls where the action replaces those. */
export type Shown = {readonly thing?: Thing | undefined; readonly firewalls?: readonly Firewall[] | undefined};

/** What a yes to the action says yes to: all that must still be so when it is sent. */
export function confirmationOf(action: Action, shown: Shown = {}): Confirmed {
  const {thing} = shown;
  const status = thing === undefined ? undefined : statusOf(thing)?.status;
  const replaced = ruleOf(action).replaced?.(action, asSighting(shown));
  return {
    action,
    subjectName: thing === undefined ? ownName(action) : nameOf(thing),
    ...(status === undefined ? {} : {status}),
    ...(replaced === undefined ? {} : {replaced}),
  };
}

/** What is only being made is called as it will be; an access key, which has no name, by where it will hold. */
function ownName(action: Action): SafeText {
  if (action.kind === 'access-key.create') return action.spec.regionName;
  if ('spec' in action) return action.spec.name;
  return 'name' in action ? action.name : ruleOf(action).verb;
}

function asSighting({thing, firewalls}: Shown): Sighting<Thing> {
  return {
    startedAt: monotonicMs(0),
    records: thing === undefined ? [] : [thing],
    isWhole: true,
    ...(firewalls === undefined ? {} : {firewalls}),
  };
}
