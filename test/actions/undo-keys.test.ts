import {expect, it} from 'vitest';
import {ACTIONS} from '../../src/actions/actions.ts';
import {candidate, questionFor} from '../../src/actions/question/question-for.ts';
import {paneBindings} from '../../src/app/keymap.ts';
import {typeOf} from '../../src/domain/action.ts';
import {isResourceType} from '../../src/domain/cloud-resource.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import {KEYS} from '../../src/actions/keys.ts';
import {openPanes} from '../../src/panes/panes.ts';
import {subjectResource} from '../../src/resources/resources.ts';
import {createStore} from '../../src/state/store.ts';
import {textOf} from '../../src/ui/text.ts';
import {aScene} from '../app/a-scene.ts';
import {IDLE} from '../panes/a-known-scene.ts';
import {type ActionCase, EVERY_CASE} from './every-action.ts';

const BINDINGS = openPanes().flatMap(paneBindings);

/** What the question about an action says about its undo, when the world it starts in was read. */
function undoText({confirmed: {action}, start}: ActionCase): string {
  const store = createStore();
  for (const [type, records] of Object.entries(start)) {
    if (!isResourceType(type)) continue;
    store.writeValue(subjectResource(type).subjects.list, {records, quarantined: []}, monotonicMs(100_000));
  }
  const scene = aScene({store, operations: IDLE});
  const record = ACTIONS.get(action.kind);
  const [subject] = action.spec === undefined ? (record?.among(action, start[typeOf(action.kind)] ?? []) ?? []) : [];
  const question = questionFor([candidate(action, subject, scene)], scene);
  const lines = question?.facts.find(({label}) => label === 'Undo')?.lines ?? [];
  return lines.map(textOf).join(' ');
}

/** The keys of the action, including the key of its menu. */
function keysOf(kind: string): readonly string[] {
  return (ACTIONS.get(kind)?.keys ?? []).flatMap(({key, menu, title}) =>
    menu === undefined ? [key] : BINDINGS.filter(each => each.title === title).map(({keysText}) => keysText),
  );
}

/** The cases whose undo text names a key: a creation is undone by deleting, others by the inverse action. */
const UNDONE = EVERY_CASE.filter(
  ([, {confirmed, undo}]) => confirmed.action.spec !== undefined || typeof undo === 'string',
).flatMap(([kind, each]) => {
  const text = undoText(each);
  const inverse = typeof each.undo === 'string' ? each.undo : `${typeOf(kind)}.delete`;
  return text.startsWith('none') || kind === 'vm.resize' ? [] : [[kind, text, inverse] as const];
});

it.each(UNDONE)('%s says "%s", with the key of %s', (_kind, text, inverse) => {
  const [, key] = /\(((?:[a-z] )?[a-zA-Z])\)/.exec(text) ?? [];
  // Rules are removed where they are listed, and added by a form.
  const own = inverse.endsWith('-rule') ? [KEYS.remove, KEYS.undo] : keysOf(inverse);
  expect(own).toContain(key);
});

it.each([
  ['vm.set-labels', 'restore the previous labels'],
  ['vm.set-firewalls', 'restore the previous firewalls'],
  ['firewall.set-attachments', 'restore the previous attachments'],
])('%s is undone in words that are right for one and for many', (kind, words) => {
  const text = UNDONE.find(([each]) => each === kind)?.[1];
  expect(text?.startsWith(words), text).toBe(true);
});

it.each(['firewall.remove-rule', 'vm.remove-rule'])('%s has no undo where the rule is not fully known', kind => {
  const each = EVERY_CASE.find(([other]) => other === kind)?.[1];
  const {action} = each?.confirmed ?? {};
  if (each === undefined || action?.rule === undefined) throw new Error(`no case of ${kind}`);
  const unread = {...action, rule: {...action.rule, hasUnreadPorts: true as const}};
  const text = undoText({...each, confirmed: {...each.confirmed, action: unread}});
  expect(text).toBe('none: the old rule is not fully known');
});

it('covers most actions', () => {
  expect(UNDONE.length).toBeGreaterThanOrEqual(24);
});
