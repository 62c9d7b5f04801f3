import {describe, expect, it} from 'vitest';
import {firewallId} from '../../src/domain/firewall.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {RuleSpec} from '../../src/domain/security-rule.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import {lastValue} from '../../src/domain/snapshot.ts';
import {permissionsFeed} from '../../src/state/account.ts';
import {firewallsFeed} from '../../src/state/firewalls.ts';
import type {SecurityRule} from '../../src/domain/virtual-machine.ts';
import {textOf} from '../../src/ui/text.ts';
import {openDeck} from '../app/an-open-deck.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';

function open(paneId: string) {
  const operations = inMemoryOperations();
  const opened = openDeck(paneId, {operations});
  const title = () => {
    const overlay = opened.deck.overlay();
    if (overlay?.kind === 'question') return overlay.question.title;
    return overlay?.kind === 'form' ? overlay.form.title : overlay?.kind;
  };
  return {...opened, operations, title};
}

describe('the keys n, i and X', () => {
  it.each([
    ['firewalls', [], 'n', 'new firewall'],
    ['firewalls', [], 'i', undefined],
    ['firewalls', [], 'X', 'delete firewall bastion  #5'],
    ['firewalls', ['tab'], 'n', 'new rule on bastion  #5'],
    ['firewalls', ['tab'], 'i', 'edit rule on bastion  #5'],
    ['firewalls', ['tab'], 'X', 'remove rule on bastion  #5'],
    ['machines', [], 'n', 'new machine'],
    ['machines', [], 'i', 'menu'],
    ['machines', [], 'X', 'delete machine train-02  #7'],
    ['machines', ['enter'], 'X', 'delete machine train-02  #7'],
    ['machines', ['enter', 'tab', 'tab'], 'n', 'new rule on train-02  #7'],
    // The machine has no rules, so there is none to change, and nothing else happens instead.
    ['machines', ['enter', 'tab', 'tab'], 'i', undefined],
    ['machines', ['enter', 'tab', 'tab'], 'X', undefined],
  ])('in %s after %j: %s opens %s', async (paneId, before, key, expected) => {
    const {press, title, operations} = open(paneId);
    await press(...before, key);
    expect(title()).toBe(expected);
    expect(operations.begun).toEqual([]);
  });

  it('say why they do nothing', async () => {
    const {press, told} = open('firewalls');
    await press('i');
    expect(told()).toMatch(/^edit: its environment has no machines$/);
  });
});

describe('the keys of rules while a rule is being changed', () => {
  it.each([
    ['n', 'new'],
    ['X', 'delete'],
  ])('%s says that rules change one at a time, and which change is under way', async (key, title) => {
    const {press, told, operations} = open('firewalls');
    const rule: RuleSpec = {
      direction: 'ingress',
      protocol: safeText('tcp'),
      etherType: 'IPv4',
      remoteIpPrefix: safeText('192.0.2.0/24'),
      portRangeMin: 8080,
      portRangeMax: 8080,
    };
    operations.begin({
      action: {kind: 'firewall.add-rule', id: firewallId(5), rule},
      subjectName: safeText('bastion'),
    });
    operations.reach('in-progress');
    await press('tab', key);
    expect(told()).toBe(
      `${title}: one change at a time: add rule ingress tcp/8080 192.0.2.0/24 on bastion #5: under way`,
    );
  });
});

it.each([
  ['i', 'edit: it is being removed: n adds another'],
  ['X', 'delete: it is being removed already'],
])('%s says that a rule is being removed already', async (key, said) => {
  const {press, title, told, store} = open('firewalls');
  const bastion = lastValue(store.get(firewallsFeed))?.records[0];
  if (bastion === undefined) throw new Error('no firewall');
  const rules = bastion.rules.map(rule => ({...rule, status: safeText('DELETING')}));
  store.writeValue(firewallsFeed, {records: [{...bastion, rules}], quarantined: []}, monotonicMs(0));
  await press('tab', key);
  expect(title()).toBeUndefined();
  expect(told()).toBe(said);
});

it('X leaves out those of the marked rules that cannot be removed, and says which and why', async () => {
  const {press, deck, store} = open('firewalls');
  const bastion = lastValue(store.get(firewallsFeed))?.records[0];
  const [ssh] = bastion?.rules ?? [];
  if (bastion === undefined || ssh === undefined) throw new Error('no rule');
  const rules = [
    {...ssh, status: safeText('DELETING')},
    {...ssh, id: 502, portRangeMin: 23, portRangeMax: 23},
    withoutId({...ssh, portRangeMin: 24, portRangeMax: 24}),
  ];
  store.writeValue(firewallsFeed, {records: [{...bastion, rules}], quarantined: []}, monotonicMs(0));
  await press('tab', 'space', 'space', 'space', 'X');
  const overlay = deck.overlay();
  const {steps, facts} = overlay?.kind === 'question' ? overlay.question : {steps: [], facts: []};
  expect(steps.map(({action}) => action)).toEqual([expect.objectContaining({ruleId: 502})]);
  const lines = facts.flatMap(fact => fact.lines.map(textOf));
  expect(lines.filter(line => line.startsWith('skipped')).toSorted()).toEqual([
    'skipped: ingress tcp/22 0.0.0.0/0: it is being removed already',
    'skipped: ingress tcp/24 0.0.0.0/0: the service gave this rule no id',
  ]);
});

it('X on several asks about their removal, not about a change, and says what takes it back', async () => {
  const {press, deck, store} = open('firewalls');
  const bastion = lastValue(store.get(firewallsFeed))?.records[0];
  const [ssh] = bastion?.rules ?? [];
  if (bastion === undefined || ssh === undefined) throw new Error('no rule');
  const rules = [ssh, {...ssh, id: 502, portRangeMin: 23, portRangeMax: 23}];
  store.writeValue(firewallsFeed, {records: [{...bastion, rules}], quarantined: []}, monotonicMs(0));
  await press('tab', 'space', 'space', 'X');
  const overlay = deck.overlay();
  if (overlay?.kind !== 'question') throw new Error('no question');
  expect(overlay.question.title).toContain('remove 2 rules on bastion');
  const lines = overlay.question.facts.flatMap(fact => fact.lines.map(textOf));
  expect(lines).toContainEqual(expect.stringContaining('add them again'));
});

it('X says why none of the marked rules can be removed', async () => {
  const {press, deck, told, store} = open('firewalls');
  const bastion = lastValue(store.get(firewallsFeed))?.records[0];
  const [ssh] = bastion?.rules ?? [];
  if (bastion === undefined || ssh === undefined) throw new Error('no rule');
  const rules = [22, 23].map(port => withoutId({...ssh, portRangeMin: port, portRangeMax: port}));
  store.writeValue(firewallsFeed, {records: [{...bastion, rules}], quarantined: []}, monotonicMs(0));
  await press('tab', 'space', 'space', 'X');
  expect(deck.overlay()).toBeUndefined();
  expect(told()).toBe('delete: the service gave this rule no id');
});

function withoutId({id: _, ...rule}: SecurityRule): SecurityRule {
  return rule;
}

describe('the keys of rules for a role that may only create them', () => {
  it.each([
    ['n', 'new rule on bastion  #5', undefined],
    ['i', undefined, /^edit: .* does not allow DELETE \/core\/firewalls\/5\/firewall-rules\/501$/],
    ['X', undefined, /^delete: .* does not allow DELETE \/core\/firewalls\/5\/firewall-rules\/501$/],
  ])('%s opens %s', async (key, expected, said) => {
    const {press, title, told, store} = open('firewalls');
    const endpoint = safeText('/core/firewalls/{firewall_id}/firewall-rules');
    const records = [{resource: safeText('firewalls'), method: safeText('POST'), endpoint}];
    store.writeValue(permissionsFeed, {records, quarantined: []}, monotonicMs(0));
    await press('tab', key);
    expect(title()).toBe(expected);
    if (said !== undefined) expect(told()).toMatch(said);
  });
});

describe('deleting by keys', () => {
  it('requires the full name and nothing else', async () => {
    const {press, operations} = open('machines');
    await press('X', 'y', 'enter');
    expect(operations.begun).toEqual([]);
    await press('backspace', ...'train-02', 'enter');
    expect(operations.begun).toEqual([
      {
        action: {kind: 'vm.delete', id: 7},
        subjectName: 'train-02',
        status: 'ACTIVE',
        facts: {
          flavorName: 'n3-H100x8',
          isUnderContract: false,
          named: new Map([
            ['its address', '192.0.2.7'],
            ['its root disk', undefined],
            ['its ephemeral disk', undefined],
            ['the full list of its volumes', 'read'],
          ]),
          cost: {words: '$0.00/h afterwards, savings unknown', rates: expect.any(Array)},
        },
      },
    ]);
  });

  it('is also in the menu of all actions, with every other action', async () => {
    const {deck, press, title} = open('machines');
    await press('a');
    expect(deck.overlay()).toMatchObject({kind: 'menu', menuId: 'actions'});
    await press('X');
    expect(title()).toBe('delete machine train-02  #7');
    await press('esc', 'a', 'l');
    expect(title()).toBe('labels of train-02  #7');
    await press('esc', 'a', 'R');
    expect(deck.overlay()).toBeUndefined();
    await press('n');
    expect(title()).toBe('new rule on train-02  #7');
  });
});

describe('labels by keys', () => {
  it('lead from the form through the question to the action', async () => {
    const {press, operations} = open('machines');
    await press('i', 'l', ...'prod,gpu', 'enter');
    expect(operations.begun).toEqual([]);
    await press('y');
    expect(operations.begun).toMatchObject([{action: {kind: 'vm.set-labels', id: 7, labels: ['prod', 'gpu']}}]);
  });
});
