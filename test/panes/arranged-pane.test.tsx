import {describe, expect, it} from 'vitest';
import {firewallId} from '../../src/domain/firewall.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {firewallsFeed} from '../../src/state/firewalls.ts';
import {openDeck} from '../app/an-open-deck.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';
import {shownLines} from '../support/shown-lines.ts';
import {aFirewall} from './a-catalogue.ts';
import {aRule} from './a-known-scene.ts';

/** Two firewalls, the first with two rules and one machine. */
function openFirewalls(size: {columns?: number; rows?: number} = {}) {
  const operations = inMemoryOperations();
  const opened = openDeck('firewalls', {operations, ...size});
  const records = [
    aFirewall({
      id: firewallId(5),
      name: safeText('bastion'),
      rules: [aRule(), aRule({id: 502, portRangeMin: 80, portRangeMax: 80})],
      attachments: [
        {machineId: virtualMachineId(7), machineName: safeText('train-02')},
        {machineId: virtualMachineId(8), machineName: safeText('train-03'), status: safeText('DETACHED')},
      ],
    }),
    aFirewall({id: firewallId(6), name: safeText('edge')}),
  ];
  opened.store.writeValue(firewallsFeed, {records, quarantined: []}, monotonicMs(1));
  opened.deck.changed();
  const lines = () => {
    const {Screen} = opened.deck.pane();
    const scene = opened.deck.scene();
    return shownLines(<Screen scene={scene} />, scene.size.columns);
  };
  const question = () => {
    const overlay = opened.deck.overlay();
    return overlay?.kind === 'question' ? overlay.question : undefined;
  };
  return {...opened, operations, lines, question};
}

describe('a pane of two lists, one of which depends on the other', () => {
  it('shows where the keys act by the shape of the cursor, in one list only', async () => {
    const {press, lines} = openFirewalls();
    const cursors = () => lines().flatMap(line => [...line.matchAll(/[▶›](?= {2}\S)/g)].map(([sign]) => sign));
    expect(cursors()).toEqual(['▶', '›']);
    await press('enter');
    expect(cursors()).toEqual(['›', '▶']);
  });

  it('keeps an open detail when tab would leave it for another list', async () => {
    const {press, told, lines: shown} = openFirewalls();
    // On the right are events, whose ages keep counting.
    const lines = () => shown().map(line => line.slice(0, 60));
    await press('d');
    const open = lines();
    await press('tab');
    expect(lines()).toEqual(open);
    expect(told()).toBe('next part: details are open; esc closes them');
    await press('esc', 'tab');
    expect(lines()).not.toEqual(open);
  });

  it('begins with the first row when the row it depends on changes, and without its marks', async () => {
    const {press, deck} = openFirewalls();
    await press('enter', '*', 'G', 'esc', 'j', 'k', 'enter');
    expect(deck.pane().trail(deck.scene())).toEqual(['firewalls', 'bastion  #5', 'ingress tcp/22 0.0.0.0/0']);
    await press('X');
    expect(deck.overlay()).toMatchObject({kind: 'question', question: {steps: [{action: {ruleId: 501}}]}});
  });

  it('returns to the first list when the row that the second one depends on is gone', async () => {
    const {press, deck, store} = openFirewalls();
    await press('enter');
    expect(deck.pane().trail(deck.scene())).toEqual(['firewalls', 'bastion  #5', 'ingress tcp/22 0.0.0.0/0']);
    const left = aFirewall({id: firewallId(6), name: safeText('edge'), rules: [aRule({id: 601})]});
    store.writeValue(firewallsFeed, {records: [left], quarantined: []}, monotonicMs(2));
    deck.changed();
    expect(deck.pane().trail(deck.scene())).toEqual(['firewalls', 'edge  #6']);
    await press('X');
    // The question is about the firewall, with its full name, and not about one of its rules.
    expect(deck.overlay()).toMatchObject({kind: 'question', question: {answer: {expected: 'edge'}}});
  });

  it('filters, sorts and saves the list that has the keys', async () => {
    const {deck, press} = openFirewalls();
    expect(deck.pane().table(deck.scene()).columns).toContain('name');
    await press('enter', '/', ...'ports:80', 'enter');
    expect(deck.pane().table(deck.scene())).toMatchObject({rows: [expect.arrayContaining([502])]});
    expect(deck.pane().table(deck.scene()).columns).toContain('ports');
    await press('esc', 'esc');
    expect(deck.pane().table(deck.scene()).rows).toHaveLength(2);
    expect(deck.pane().table(deck.scene()).columns).toContain('name');
  });

  it('goes back from the filter of its list first, then to the first list', async () => {
    const {deck, press} = openFirewalls();
    await press('enter', '/', '8', 'enter', 'esc');
    expect(deck.pane().filterText()).toBe('');
    expect(deck.pane().goBack()).toBe(true);
    expect(deck.pane().goBack()).toBe(false);
  });
});

describe('marked rows', () => {
  it('are removed by one question about all of them', async () => {
    const {press, question, operations} = openFirewalls();
    await press('enter', '*', 'X');
    expect(question()?.steps.map(({action}) => action)).toMatchObject([
      {kind: 'firewall.remove-rule', id: 5, ruleId: 501},
      {kind: 'firewall.remove-rule', id: 5, ruleId: 502},
    ]);
    expect(operations.begun).toEqual([]);
  });

  it('skip those that an action does not apply to, and say so', async () => {
    const {press, question} = openFirewalls();
    await press('*', 'X');
    expect(question()).toMatchObject({steps: [{action: {kind: 'firewall.delete', id: 6}}], answer: {kind: 'text'}});
  });

  it('are not edited by form, which is for one at a time', async () => {
    const {press, told, deck} = openFirewalls();
    await press('*', 'i');
    expect(told()).toBe('edit: only for one at a time; M clears the marks');
    expect(deck.overlay()).toBeUndefined();
  });
});

it('a row of an attached machine fits in 80×24, and one that was detached has none', () => {
  const {lines} = openFirewalls({columns: 80, rows: 24});
  const shown = lines();
  expect(shown.join('\n')).toContain('attached machines 1');
  const box = shown.slice(shown.findIndex(line => line.includes('attached machines 1')) + 1);
  expect(box.join('\n')).toMatch(/train-02 .*ACTIVE/);
});
