import {describe, expect, it} from 'vitest';
import {carryOut} from '../../src/app/run-pane-command.ts';
import {messageLine} from '../../src/app/status-bar.ts';
import {safeText, say} from '../../src/domain/safe-text.ts';
import {lastValue} from '../../src/domain/snapshot.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import type {MachineStatus} from '../../src/domain/virtual-machine.ts';
import {journalLines, journalRows} from '../../src/panes/journal/pane.tsx';
import {JOURNAL_COLUMNS} from '../../src/resources/journal.ts';
import {usageFeed} from '../../src/state/billing.ts';
import {firewallsFeed} from '../../src/state/firewalls.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {textOf} from '../../src/ui/text.ts';
import {A_FLAVOR, aUsageRecord} from '../panes/a-known-scene.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';
import {openDeck} from './an-open-deck.ts';

const ADDRESS = safeText('192.0.2.7');
const own = {clientAddress: safeText('203.0.113.9'), serverPort: 22, serverAddress: ADDRESS};

function seen(status: MachineStatus, startedAt: number) {
  const record = aVirtualMachine({
    id: 7,
    name: safeText('train-02'),
    floatingIp: ADDRESS,
    status,
    statusText: safeText(status),
  });
  return {startedAt: monotonicMs(startedAt), records: [record], isWhole: true};
}

/** A deck in which train-02 was started from here, and that was confirmed. */
async function started(ownConnection: typeof own | undefined) {
  const operations = inMemoryOperations();
  const open = openDeck('machines', {operations, ...(ownConnection === undefined ? {} : {ownConnection})});
  const before = seen('SHUTOFF', 1);
  open.store.writeValue(machinesFeed, aListing(before.records), monotonicMs(1));
  await open.press('p', 's', 'y');
  const after = seen('ACTIVE', 2000);
  open.store.writeValue(machinesFeed, aListing(after.records), monotonicMs(2000));
  operations.reach('CONFIRMED', undefined, {before, after});
  const said = textOf(messageLine(open.deck.present(), 120));
  const rows = journalRows(open.deck.scene());
  await open.press('z');
  const overlay = open.deck.overlay();
  if (overlay?.kind !== 'question') throw new Error('Expected a question.');
  return {...open, operations, said, rows, question: overlay.question};
}

const isUndo = (line: string) => line.startsWith('undo ');

describe('an action that can be undone', () => {
  it('says so when it is confirmed, and in the journal', async () => {
    const {said, rows} = await started(undefined);
    expect(said).toContain('start train-02 #7: confirmed; z to undo');
    expect(rows.map(({undoable}) => undoable)).toEqual(['next']);
    const [row] = rows;
    if (row === undefined) throw new Error('Expected a row.');
    const undo = JOURNAL_COLUMNS.find(({key}) => key === 'undo');
    expect(undo?.value(row)?.text).toBe('z');
    expect(journalLines(row, 80).map(textOf)).toContainEqual(expect.stringMatching(/^undo +press z to undo it$/));
  });

  it('no longer says so once it is undone, nor does one that cannot be undone', async () => {
    const {operations, press, deck} = await started(undefined);
    const said = () => textOf(messageLine(deck.present(), 120));
    await press('y');
    operations.reach('CONFIRMED', undefined, {before: seen('ACTIVE', 3000), after: seen('SHUTOFF', 4000)});
    expect(said()).toMatch(/stop train-02 #7: confirmed +machines/);
    const undoLines = () => journalRows(deck.scene()).map(row => journalLines(row, 120).map(textOf).find(isUndo));
    expect(undoLines().toSorted()).toEqual([
      expect.stringMatching(/^undo +not possible: it undid an earlier one, which can be redone$/),
      expect.stringMatching(/^undo +not possible: it was undone already$/),
    ]);
    await press('i', 'c');
    operations.reach('CONFIRMED');
    expect(said()).not.toContain('z to undo');
    expect(undoLines()).toContainEqual(expect.stringMatching(/^undo +not possible: (?!not by this session)/));
    expect(undoLines().join()).not.toContain('did not send it');
  });

  it('comes up in the journal at once when a later one that cannot be undone is dropped', async () => {
    const {operations, press, told, deck} = await started(undefined);
    await press('esc', 'i', 'c');
    operations.reach('CONFIRMED');
    await press(':', ...'journal', 'enter');
    const sentVersion = operations.version();
    const {facts} = deck.shown().scene;
    const undoable = () => journalRows(deck.shown().scene).map(row => row.undoable);
    expect(undoable()).toContain('later');
    await press('z');
    expect(told()).toMatch(/^undo: /);
    expect(undoable()).toContain('next');
    // No operation changed, and still the rows are rendered again.
    expect(operations.version()).toBe(sentVersion);
    expect(deck.shown().scene.facts).not.toBe(facts);
  });
});

/** A deck in which the start of train-02 is under way, and then a finding was muted. */
async function mutedMeanwhile() {
  const operations = inMemoryOperations();
  const open = openDeck('machines', {operations});
  const before = seen('SHUTOFF', 1);
  open.store.writeValue(machinesFeed, aListing(before.records), monotonicMs(1));
  await open.press('p', 's', 'y');
  const mute = () => carryOut(open.deck, {kind: 'mute', add: [], remove: [], says: say`acknowledged: account`});
  const confirmed = () => operations.reach('CONFIRMED', undefined, {before, after: seen('ACTIVE', 2000)});
  return {...open, operations, mute, confirmed};
}

describe('a finding muted while an operation is under way', () => {
  it('is what z undoes next, so the outcome of the operation does not offer z until then', async () => {
    const {deck, operations, press, told, mute, confirmed} = await mutedMeanwhile();
    operations.reach('in-progress');
    mute();
    expect(told()).toBe('acknowledged: account; z undoes it');
    confirmed();
    const undoable = () => journalRows(deck.shown().scene).map(row => row.undoable);
    expect(textOf(messageLine(deck.present(), 120))).toMatch(/start train-02 #7: confirmed +machines/);
    expect(undoable()).toEqual(['later']);
    await press('z');
    expect(told()).toBe('undone: acknowledged: account');
    expect(undoable()).toEqual(['next']);
    await press('Z');
    expect(told()).toBe('acknowledged: account');
    expect(undoable()).toEqual(['later']);
  });

  it('does not offer z while z withdraws an operation that is being checked', async () => {
    const {operations, press, told, mute} = await mutedMeanwhile();
    operations.reach('preflight');
    mute();
    expect(told()).toBe('acknowledged: account');
    await press('z');
    expect(told()).toMatch(/^start train-02 #7: not sent: withdrawn$/);
  });
});

describe('redo', () => {
  it('is offered when nothing is left to undo', async () => {
    const {operations, press, told} = await started(undefined);
    await press('y');
    operations.reach('CONFIRMED', undefined, {before: seen('ACTIVE', 3000), after: seen('SHUTOFF', 4000)});
    await press('z');
    expect(told()).toBe('nothing more to undo; Z redoes what was undone');
  });

  it('is about what was undone last, not about a mute that was undone before it', async () => {
    const {deck, operations, press, told} = await started(undefined);
    await press('esc');
    carryOut(deck, {kind: 'mute', add: [], remove: [], says: say`acknowledged: account`});
    await press('z');
    expect(told()).toBe('undone: acknowledged: account');
    await press('z', 'y');
    operations.reach('CONFIRMED', undefined, {before: seen('ACTIVE', 3000), after: seen('SHUTOFF', 4000)});
    await press('Z');
    expect(deck.overlay()).toMatchObject({kind: 'question', question: {title: 'redo: start train-02  #7'}});
  });
});

it('names the state that undoing an un-mute leads to', async () => {
  const {deck, press, told} = openDeck('overview');
  const findings = say`train-03`;
  carryOut(deck, {
    kind: 'mute',
    add: [],
    remove: [],
    says: say`listed again: ${findings}`,
    undone: say`muted again: ${findings}`,
  });
  await press('z');
  expect(told()).toBe('muted again: train-03');
  await press('Z');
  expect(told()).toBe('listed again: train-03');
});

describe('the question of an undo', () => {
  it('has the cost, the calls and the required answer of the action itself', async () => {
    const {question} = await started(undefined);
    expect(question).toMatchObject({
      title: 'undo: stop train-02  #7',
      answer: {kind: 'key'},
      purpose: {kind: 'reverse', way: 'undo'},
    });
    const labels = question.facts.map(({label}) => label);
    expect(labels).toEqual(expect.arrayContaining(['What happens', 'What it costs', 'Calls', 'Undo']));
    const happens = question.facts.find(({label}) => label === 'What happens')?.lines.map(textOf);
    expect(happens).toEqual(['Shuts it down again; it is still billed in full.']);
    const calls = question.facts.find(({label}) => label === 'Calls')?.lines.map(textOf) ?? [];
    expect(calls[0]).toBe('1: GET /core/virtual-machines/7/stop');
  });

  it('of a stop says nothing of what else would save money, as the question of a start does', async () => {
    const operations = inMemoryOperations();
    const {deck, press, store} = openDeck('machines', {operations});
    const [machine] = seen('ACTIVE', 1).records;
    if (machine === undefined) throw new Error('Expected a machine.');
    const observed = (status: MachineStatus, at: number) => {
      const records = [{...machine, flavor: A_FLAVOR, status, statusText: safeText(status)}];
      store.writeValue(machinesFeed, aListing(records), monotonicMs(at));
      return {startedAt: monotonicMs(at), records, isWhole: true};
    };
    const asked = () => {
      const overlay = deck.overlay();
      if (overlay?.kind !== 'question') throw new Error('Expected a question.');
      const {title, facts, shorterFacts = []} = overlay.question;
      return [title, ...[facts, ...shorterFacts].flat().flatMap(({lines}) => lines.map(textOf))].join('\n');
    };
    store.writeValue(usageFeed, {records: [aUsageRecord(7, '1')], quarantined: []}, monotonicMs(1));
    const before = observed('ACTIVE', 1);
    await press('p', 'x', 'y');
    const after = observed('SHUTOFF', 2000);
    operations.reach('CONFIRMED', undefined, {before, after});
    await press('z');
    expect(asked()).toContain('undo: start train-02');
    expect(asked()).not.toContain('Starting alone saves nothing');
    await press('esc', 'p', 's');
    expect(asked()).toContain('Starting alone saves nothing; hibernating next saves');
  });

  it('names the key that redoes it, since the key of the undo takes back what was done before', async () => {
    const operations = inMemoryOperations();
    const {deck, press, store} = openDeck('firewalls', {operations});
    const undoText = () => {
      const overlay = deck.overlay();
      const facts = overlay?.kind === 'question' ? overlay.question.facts : [];
      return facts.find(({label}) => label === 'Undo')?.lines.map(textOf);
    };
    const records = lastValue(store.get(firewallsFeed))?.records ?? [];
    await press('tab', 'X');
    expect(undoText()).toEqual(['add it again (z)']);
    await press('y');
    const gone = records.map(firewall => ({...firewall, rules: []}));
    store.writeValue(firewallsFeed, {records: gone, quarantined: []}, monotonicMs(2000));
    const before = {startedAt: monotonicMs(1), records, isWhole: true};
    operations.reach('CONFIRMED', undefined, {before, after: {...before, startedAt: monotonicMs(2000), records: gone}});
    await press('z');
    expect(undoText()).toEqual(['remove it again (Z)']);
  });

  it('requires the full name when the action itself would', async () => {
    const {question, press, operations} = await started(own);
    expect(question.answer).toEqual({kind: 'text', what: 'name', expected: 'train-02'});
    expect(question.facts.flatMap(({lines}) => lines.map(textOf)).join(' ')).toContain('Your own SSH session');
    await press('y', 'enter');
    expect(operations.begun).toHaveLength(1);
  });
});

describe('the undo of a batch', () => {
  const NAMES = new Map([
    [7, 'train-02'],
    [8, 'dev-1'],
    [9, 'dev-2'],
  ]);
  const machine = (id: number, status: MachineStatus) =>
    aVirtualMachine({id, name: safeText(NAMES.get(id) ?? ''), status, statusText: safeText(status)});

  /** Three machines were stopped from here, and these have been deleted by somebody since. */
  async function stopped(...goneIds: readonly number[]) {
    const operations = inMemoryOperations();
    const open = openDeck('machines', {operations, columns: 120, rows: 40});
    const ids = [...NAMES.keys()];
    const listed = (status: MachineStatus, some: readonly number[], at: number) =>
      open.store.writeValue(machinesFeed, aListing(some.map(id => machine(id, status))), monotonicMs(at));
    listed('ACTIVE', ids, 1);
    await open.press('*', 'p', 'x', ...'stop 3', 'enter');
    for (let count = 1; count <= ids.length; count += 1) {
      const {action} = operations.begun.at(-1) ?? {};
      const id = Number(action?.id);
      const reading = (status: MachineStatus, startedAt: number) => ({
        startedAt: monotonicMs(startedAt),
        records: [machine(id, status)],
        isWhole: true,
      });
      operations.reach('CONFIRMED', undefined, {before: reading('ACTIVE', 1), after: reading('SHUTOFF', 2000)});
    }
    listed('SHUTOFF', ids, 3000);
    // What is missing once may only have been left out.
    const present = ids.filter(id => !goneIds.includes(id));
    listed('SHUTOFF', present, 4000);
    listed('SHUTOFF', present, 5000);
    const said = textOf(messageLine(open.deck.present(), 120));
    await open.press('esc', 'z');
    const overlay = open.deck.overlay();
    const question = overlay?.kind === 'question' ? overlay.question : undefined;
    const unchanged = question?.facts.find(({kind}) => kind === 'unchanged')?.lines.map(textOf) ?? [];
    const started = () => operations.begun.slice(3).map(({action}) => action.id);
    return {...open, operations, question, unchanged, started, said};
  }

  it('asks for as many as it starts, and names the one that is gone', async () => {
    const {question, unchanged, press, operations, started, told} = await stopped(8);
    expect(question).toMatchObject({
      title: 'undo: start 2 machines',
      answer: {kind: 'text', expected: 'start 2'},
    });
    expect(unchanged).toEqual([expect.stringMatching(/^dev-1 {2}#8: /)]);
    await press(...'start 2', 'enter');
    for (let count = 1; count <= 2; count += 1) operations.reach('CONFIRMED');
    expect(new Set(started())).toEqual(new Set([7, 9]));
    // What is gone does not stand in the way of what was done before.
    await press('esc', 'z');
    expect(told()).toMatch(/^undo: dev-1/);
    await press('z');
    expect(told()).toBe('nothing more to undo; Z redoes what was undone');
  });

  it('asks for one as a single action is asked for, when the others are gone', async () => {
    const {question, unchanged} = await stopped(8, 9);
    expect(question).toMatchObject({title: 'undo: start train-02  #7', answer: {kind: 'key'}, steps: [{}]});
    expect(unchanged).toHaveLength(2);
  });

  it('names one that somebody else has started, and says so when all were', async () => {
    const {deck, press, store, told} = await stopped();
    const asked = () => {
      const overlay = deck.overlay();
      return overlay?.kind === 'question' ? overlay.question : undefined;
    };
    const started = async (...ids: readonly number[]) => {
      const machines = [...NAMES.keys()].map(id => machine(id, ids.includes(id) ? 'ACTIVE' : 'SHUTOFF'));
      store.writeValue(machinesFeed, aListing(machines), monotonicMs(6000 + ids.length));
      await press('esc', 'z');
    };
    await started(8);
    expect(asked()).toMatchObject({title: 'undo: start 2 machines', answer: {expected: 'start 2'}});
    const unchanged = asked()?.facts.find(({kind}) => kind === 'unchanged');
    expect(unchanged?.lines.map(textOf)).toEqual(['dev-1  #8: already ACTIVE']);
    await started(7, 8, 9);
    expect(asked()).toBeUndefined();
    expect(told()).toMatch(/^undo: .*: already ACTIVE$/);
  });

  it('asks about all of them when none is gone, as the message about the last one says', async () => {
    const {question, unchanged, said} = await stopped();
    expect(said).toMatch(/: confirmed; z to undo: stop 3 machines /);
    expect(question).toMatchObject({title: 'undo: start 3 machines', answer: {expected: 'start 3'}});
    expect(unchanged).toEqual([]);
  });

  it('says that there is nothing to start when all are gone', async () => {
    const {question, told} = await stopped(7, 8, 9);
    expect(question).toBeUndefined();
    expect(told()).toMatch(/^undo: /);
  });
});
