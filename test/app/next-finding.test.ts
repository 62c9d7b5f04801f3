import {createElement} from 'react';
import {describe, expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import type {SecurityRule} from '../../src/domain/virtual-machine.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import type {Mute} from '../../src/domain/triage/mute.ts';
import {usageFeed} from '../../src/state/billing.ts';
import {volumesFeed} from '../../src/state/volumes.ts';
import {aRule, aUsageRecord} from '../panes/a-known-scene.ts';
import {shownLines} from '../support/shown-lines.ts';
import {openDeck} from './an-open-deck.ts';
import type {Deck} from '../../src/app/deck.ts';
import {keysLine} from '../../src/app/status-bar.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {textOf} from '../../src/ui/text.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';

/** A machine and a volume are billed but in no list, beside a machine that is. */
async function openWithGhosts(paneId: string) {
  const opened = openDeck(paneId);
  const {store, deck, time} = opened;
  const ghost = aRecord(793, 'train "x" 02', 'vm');
  const disk = aRecord(65, 'scratch', 'volume');
  store.writeValue(usageFeed, {records: [aRecord(7, 'train-02', 'vm'), ghost, disk], quarantined: []}, monotonicMs(0));
  store.writeValue(volumesFeed, {records: [], quarantined: []}, monotonicMs(0));
  // Readings within a second are judged together.
  await time.advance(1500);
  const shown = () => shownLines(createElement(deck.pane().Screen, {scene: deck.scene()}), 200);
  return {...opened, shown, cursorRow: () => shown().find(line => line.includes('▶')) ?? ''};
}

function aRecord(resourceId: number, name: string, resourceType: string) {
  const {createdAt: _, ...record} = aUsageRecord(resourceId, '2.5');
  return {...record, name: safeText(name), resourceType: safeText(resourceType)};
}

describe('a finding about a resource that is in no list', () => {
  it('is shown by the next-finding key in the billing pane, with the cursor on its resource', async () => {
    const {deck, press, told, cursorRow} = await openWithGhosts('machines');
    for (let count = 0; count < 5 && told()?.includes('train \\"x\\" 02') !== true; count += 1) await press('!');
    expect(deck.pane().id).toBe('billing');
    expect(told()).toMatch(/warning: billed, but not in any list \("train \\"x\\" 02"\)$/);
    expect(cursorRow()).toContain('train "x" 02');
    await press('!');
    expect(told()).toMatch(/billed, but not in any list \(scratch\)$/);
    expect(cursorRow()).toContain('scratch');
  });

  it('leads there from the overview too, and says that it is in no list', async () => {
    const {deck, press, told, cursorRow} = await openWithGhosts('overview');
    deck.pane().setFilterText('"train "');
    await press('enter');
    expect(deck.pane().id).toBe('billing');
    expect(told()).toBe('"train \\"x\\" 02" is not in the list of machines');
    expect(cursorRow()).toContain('train "x" 02');
    await press('enter');
    expect(deck.pane().id).toBe('billing');
    expect(told()).toBe('open: it is billed, but not in the list');
  });
});

it('the title of the overview counts how many findings match the filter, of all', async () => {
  const {deck, shown} = await openWithGhosts('overview');
  const all = Number(/needs attention (\d+)/.exec(shown().join('\n'))?.[1]);
  expect(all).toBeGreaterThan(1);
  // Most lists of this account have not answered.
  deck.pane().setFilterText('scratch');
  expect(shown().join('\n')).toContain(`needs attention 1 of ${all} so far /scratch`);
  deck.pane().setFilterText('nowhere');
  expect(shown().join('\n')).toContain(`needs attention 0 of ${all} so far /nowhere`);
});

it('an empty overview counts the same findings as its title, whatever their lines', async () => {
  const {deck} = await openWithErrors('overview', 6);
  const shown = () => shownLines(createElement(deck.pane().Screen, {scene: deck.scene()}), 200).join('\n');
  const all = Number(/needs attention (\d+)/.exec(shown())?.[1]);
  expect(all).toBeGreaterThan(6);
  deck.pane().setFilterText('nowhere');
  expect(shown()).toContain(`no matches for /nowhere (${all} findings)`);
});

function cursorLineOf(deck: Deck): string {
  const shown = shownLines(createElement(deck.pane().Screen, {scene: deck.scene()}), 200);
  return shown.find(line => line.includes('▶')) ?? '';
}

function inMemoryMutes() {
  let all: readonly Mute[] = [];
  return {
    all: () => all,
    add: (added: readonly Mute[]) => {
      all = [...all, ...added];
      return undefined;
    },
    remove: (removed: readonly Mute[]) => {
      all = all.filter(mute => !removed.includes(mute));
      return undefined;
    },
  };
}

/** Machines in ERROR, fixed by a hard reboot, named etl-03 and up, and one that is well. */
async function openWithErrors(paneId: string, count = 2) {
  const opened = openDeck(paneId, {operations: inMemoryOperations(), mutes: inMemoryMutes()});
  const {store, deck, time} = opened;
  const inError = (id: number, name: string) => aVirtualMachine({id, name: safeText(name), status: 'ERROR'});
  const broken = Array.from({length: count}, (_, index) => inError(7 + index, `etl-0${3 + index}`));
  const machines = [...broken, aVirtualMachine({id: 90, name: safeText('well')})];
  store.writeValue(machinesFeed, aListing(machines), monotonicMs(0));
  await time.advance(1500);
  const asked = () => {
    const overlay = deck.overlay();
    return overlay?.kind === 'question' ? overlay.question.title : undefined;
  };
  return {...opened, questionTitle: asked, keys: () => textOf(keysLine(deck.present(), 80))};
}

describe('the fix key', () => {
  it('asks about the finding that ! went to, names its action, and is listed among the keys', async () => {
    const {press, questionTitle, told, keys} = await openWithErrors('firewalls');
    await press('!');
    expect(told()).toMatch(/machine in ERROR \(etl-03\); f: hard reboot$/);
    expect(keys()).toContain('<f>fix');
    await press('f');
    expect(questionTitle()).toBe('hard reboot etl-03  #7');
    await press('esc', '!', 'f');
    expect(questionTitle()).toBe('hard reboot etl-04  #8');
  });

  it('asks about everything that a line of the overview led to', async () => {
    const {deck, press, questionTitle} = await openWithErrors('overview', 6);
    deck.pane().setFilterText('ERROR');
    await press('enter');
    expect(deck.pane().id).toBe('overview');
    await press('enter');
    expect(deck.pane().id).toBe('machines');
    await press('f');
    expect(questionTitle()).toBe('hard reboot 6 machines');
  });

  it('asks nothing about a resource without a finding, and says how to get to one', async () => {
    const {deck, press, questionTitle, told, keys} = await openWithErrors('machines');
    deck.pane().goTo({objectId: 90});
    await press('f');
    expect(questionTitle()).toBeUndefined();
    expect(told()).toBe('fix: no finding is about this; ! goes to the next one');
    expect(keys()).not.toContain('<f>');
  });

  it('asks about the finding of the resource under the cursor, however the person came there', async () => {
    const {deck, press, questionTitle} = await openWithErrors('machines');
    // The first key of all: the cursor is on the first row.
    await press('f');
    expect(questionTitle()).toBe('hard reboot etl-03  #7');
    await press('esc');
    deck.pane().goTo({objectId: 8});
    await press('f');
    expect(questionTitle()).toBe('hard reboot etl-04  #8');
    await press('esc', '!', 'j', 'f');
    expect(questionTitle()).toBe('hard reboot etl-04  #8');
    await press('esc', 'k', 'f');
    expect(questionTitle()).toBe('hard reboot etl-03  #7');
  });

  it('asks about the findings of the marked resources, as every other action', async () => {
    const {deck, press, questionTitle} = await openWithErrors('machines', 3);
    deck.pane().goTo({objectId: 7, markedIds: [7, 9]});
    await press('f');
    expect(questionTitle()).toBe('hard reboot 2 machines');
  });

  it('is about the finding even when the pane uses that key in another of its lists', async () => {
    const {deck, press, told} = await openWithGhosts('machines');
    for (let count = 0; count < 5 && told()?.includes('train \\"x\\" 02') !== true; count += 1) await press('!');
    expect(deck.pane().id).toBe('billing');
    await press('f');
    expect(told()).toMatch(/^fix: no action fixes this\. /);
  });

  it('asks about no others once those that a line led to are no longer marked', async () => {
    const {deck, press, questionTitle, keys} = await openWithErrors('overview', 3);
    deck.pane().setFilterText('ERROR');
    await press('enter', 'enter');
    expect(deck.pane().id).toBe('machines');
    expect(keys()).toContain('<f>fix');
    // Sending to them does the same.
    deck.pane().clearMarksOf([7]);
    expect(keys()).not.toContain('<f>');
    await press('f');
    expect(questionTitle()).toBe('hard reboot etl-03  #7');
  });

  describe('after the finding under the cursor of the overview has ended by itself', () => {
    /** etl-03 is hard rebooted from the lines below the one for all four, and is no longer in ERROR. */
    async function fixFirst() {
      const opened = await openWithErrors('overview', 4);
      const {press, store, time, deck} = opened;
      await press('enter', 'j', 'j', 'f');
      expect(opened.questionTitle()).toBe('hard reboot etl-03  #7');
      await press('y');
      const inError = (id: number) => aVirtualMachine({id, name: safeText(`etl-0${id - 4}`), status: 'ERROR'});
      const fixed = aVirtualMachine({id: 7, name: safeText('etl-03')});
      store.writeValue(machinesFeed, aListing([fixed, ...[8, 9, 10].map(inError)]), monotonicMs(9000));
      await time.advance(1500);
      return {...opened, cursorLine: () => cursorLineOf(deck)};
    }

    it('asks about the one that came there only when it is pressed again', async () => {
      const {press, questionTitle, told, cursorLine} = await fixFirst();
      expect(cursorLine()).toContain('etl-04');
      await press('f');
      expect(questionTitle()).toBeUndefined();
      expect(told()).toBe('the finding that was here is gone; f again asks about etl-04');
      await press('f');
      expect(questionTitle()).toBe('hard reboot etl-04  #8');
    });

    it('asks at once about one that the person has gone to, or has marked', async () => {
      const moved = await fixFirst();
      await moved.press('j', 'f');
      expect(moved.questionTitle()).toBe('hard reboot etl-05  #9');
      const marked = await fixFirst();
      await marked.press('space', 'f');
      expect(marked.questionTitle()).toBe('hard reboot etl-04  #8');
    });

    it('asks at once about one that the person has chosen by a filter, or has opened', async () => {
      const filtered = await fixFirst();
      filtered.deck.pane().setFilterText('etl');
      await filtered.press('f');
      expect(filtered.questionTitle()).toBe('hard reboot etl-04  #8');
      const opened = await fixFirst();
      await opened.press('d', 'f');
      expect(opened.questionTitle()).toBe('hard reboot etl-04  #8');
      const closed = await fixFirst();
      await closed.press('d', 'd', 'f');
      expect(closed.questionTitle()).toBe('hard reboot etl-04  #8');
    });

    it('acknowledges the one that came there only when that key is pressed again', async () => {
      const {deck, press, told} = await fixFirst();
      await press('A');
      expect(told()).toBe('the finding that was here is gone; A again acknowledges etl-04');
      expect(deck.muteSteps.undo()).toBeUndefined();
      await press('A');
      // The hard reboot of the first is still being checked, and z withdraws that.
      expect(told()).toBe('acknowledged: etl-04');
    });

    it('acknowledges one after the other at once: a muted finding has not ended', async () => {
      const {press, told, deck} = await openWithErrors('overview', 2);
      deck.pane().setFilterText('ERROR');
      await press('A');
      expect(told()).toBe('acknowledged: etl-03; z undoes it');
      await press('A');
      expect(told()).toBe('acknowledged: etl-04; z undoes it');
    });

    it('asks at once when only a filter hides the one that was there', async () => {
      const {deck, press} = await openWithErrors('overview', 3);
      await press('enter', 'j');
      deck.pane().setFilterText('bastion');
      await press('f');
      expect(deck.overlay()?.kind).toBe('form');
    });
  });

  it('says how many machines it asks about when not all of them are marked any more, or a filter hides some', async () => {
    const {deck, press, questionTitle} = await openWithErrors('overview', 6);
    deck.pane().setFilterText('ERROR');
    await press('enter', 'enter');
    expect(deck.pane().id).toBe('machines');
    expect(deck.pane().markedIds().size).toBe(6);
    await press('f');
    expect(questionTitle()).toBe('hard reboot 6 machines');
    deck.pane().setFilterText('/etl-0[3-6]/');
    await press('esc', 'f');
    expect(questionTitle()).toBe('hard reboot 6 machines, 2 of them hidden by the filter');
    await press('esc', 'esc', 'j', 'space', 'space', 'k', 'k', 'k', 'f');
    expect(questionTitle()).toBe('hard reboot 6 machines of these findings, 4 of them marked');
  });

  it('says so when the finding has ended meanwhile', async () => {
    const {press, questionTitle, told, store, time} = await openWithErrors('machines');
    await press('!');
    const well = aVirtualMachine({id: 7, name: safeText('etl-03')});
    store.writeValue(machinesFeed, aListing([well]), monotonicMs(2000));
    await time.advance(1500);
    await press('f');
    expect(questionTitle()).toBeUndefined();
    expect(told()).toBe('fix: the finding that led here has ended or is muted');
  });
});

describe('the key that acknowledges, outside the overview', () => {
  it('mutes the finding that ! went to, and is listed among the keys', async () => {
    const {deck, press, told, keys} = await openWithErrors('firewalls');
    await press('!');
    expect(keys()).toContain('<A>acknowledge');
    await press('A');
    expect(told()).toBe('acknowledged: etl-03; z undoes it');
    expect(deck.muteSteps.undo()?.says).toBe('undone: acknowledged: etl-03');
  });

  it('mutes nothing where no finding is, and says how to get to one', async () => {
    const {deck, press, told, keys} = await openWithErrors('machines');
    deck.pane().goTo({objectId: 90});
    await press('A');
    expect(told()).toBe('acknowledge: no finding is about this; ! goes to the next one');
    expect(deck.muteSteps.undo()).toBeUndefined();
    expect(keys()).not.toContain('<A>');
  });
});

describe('after the machine under the cursor is gone from the list of machines', () => {
  /** The cursor was on etl-03, which is deleted: it comes to etl-04, in its place. */
  async function openAfterDeletion() {
    const opened = await openWithErrors('machines', 3);
    const {deck, store, time} = opened;
    deck.pane().goTo({objectId: 7});
    const left = [8, 9].map(id => aVirtualMachine({id, name: safeText(`etl-0${id - 4}`), status: 'ERROR'}));
    // One that is missing from a single list may still be there.
    store.writeValue(machinesFeed, aListing(left), monotonicMs(9000));
    store.writeValue(machinesFeed, aListing(left), monotonicMs(9001));
    await time.advance(1500);
    return opened;
  }

  it('acknowledges a finding about the one that came there only when the key is pressed again', async () => {
    const {deck, press, told} = await openAfterDeletion();
    await press('A');
    expect(told()).toBe('the row that was here is gone; A again acknowledges etl-04');
    expect(deck.muteSteps.undo()).toBeUndefined();
    await press('A');
    expect(told()).toBe('acknowledged: etl-04; z undoes it');
  });

  it('asks about its fix only when the key is pressed again', async () => {
    const {press, told, questionTitle} = await openAfterDeletion();
    await press('f');
    expect(questionTitle()).toBeUndefined();
    expect(told()).toBe('the row that was here is gone; f again asks about etl-04');
    await press('f');
    expect(questionTitle()).toBe('hard reboot etl-04  #8');
  });

  it('acts at once on one that the person has gone to, or has marked', async () => {
    const moved = await openAfterDeletion();
    await moved.press('j', 'A');
    expect(moved.told()).toBe('acknowledged: etl-05; z undoes it');
    const marked = await openAfterDeletion();
    await marked.press('space', 'A');
    expect(marked.told()).toBe('acknowledged: etl-04; z undoes it');
  });
});

describe('the fix of a rule that is open to the world', () => {
  const open = (id: number, port: number) => aRule({id, portRangeMin: port, portRangeMax: port});

  async function openOnFinding(rules: readonly SecurityRule[]) {
    const operations = inMemoryOperations();
    const opened = openDeck('overview', {operations});
    const machine = aVirtualMachine({id: 7, name: safeText('labeling-01'), rules});
    opened.store.writeValue(machinesFeed, aListing([machine]), monotonicMs(0));
    await opened.time.advance(1500);
    opened.deck.pane().setFilterText('labeling-01');
    return {...opened, operations};
  }

  it('is a form for the narrower rule, which is added before the open one is removed', async () => {
    const {deck, press, operations} = await openOnFinding([open(501, 22)]);
    await press('f');
    expect(deck.overlay()).toMatchObject({
      kind: 'form',
      form: {title: 'edit rule on labeling-01  #7'},
      state: {inputs: {prefix: {text: ''}, ports: {text: '22'}}},
    });
    await press('enter');
    expect(deck.overlay()?.kind).toBe('form');
    // The cursor is in the field that is missing.
    await press(...'198.51.100.0/24', 'enter');
    expect(deck.overlay()).toMatchObject({kind: 'question', question: {title: 'edit rule on labeling-01  #7'}});
    await press('y');
    operations.reach('CONFIRMED');
    expect(operations.begun.map(({action}) => action)).toMatchObject([
      {kind: 'vm.add-rule', rule: {remoteIpPrefix: '198.51.100.0/24', portRangeMin: 22}},
      {kind: 'vm.remove-rule', ruleId: 501},
    ]);
  });

  it('is one form for all of them, which asks for the address alone', async () => {
    const {deck, operations, press} = await openOnFinding([open(501, 22), open(502, 8888)]);
    const screen = shownLines(createElement(deck.pane().Screen, {scene: deck.scene()}), 200).join('\n');
    expect(screen).toContain('f edit 2 rules');
    await press('f');
    await press(...'198.51.100.0/24', 'enter');
    expect(deck.overlay()).toMatchObject({kind: 'question', question: {title: 'edit 2 rules on labeling-01  #7'}});
    await press('y');
    const kinds = () => operations.begun.map(({action}) => action.kind);
    expect(kinds()).toEqual(['vm.add-rule']);
    operations.reach('CONFIRMED');
    operations.reach('CONFIRMED');
    expect(kinds()).toEqual(['vm.add-rule', 'vm.remove-rule', 'vm.add-rule']);
    // What is not known to hold is not built upon: the old rule stays, and so does access.
    operations.reach('unknown');
    expect(kinds()).toHaveLength(3);
  });

  it('leaves out a rule that the form cannot write, and says of how many it is', async () => {
    const tunnel = aRule({id: 502, protocol: safeText('gre'), portRangeMin: 8, portRangeMax: 8});
    const {deck} = await openOnFinding([open(501, 22), tunnel]);
    const screen = shownLines(createElement(deck.pane().Screen, {scene: deck.scene()}), 200).join('\n');
    expect(screen).toContain('f edit 1 of 2 rules');
  });

  it('is its removal if the form cannot say what it allows', async () => {
    const tunnel = aRule({id: 501, protocol: safeText('gre'), portRangeMin: 8, portRangeMax: 8});
    const {deck, press} = await openOnFinding([tunnel]);
    await press('f');
    expect(deck.overlay()).toMatchObject({kind: 'question', question: {title: 'remove rule on labeling-01  #7'}});
  });
});
