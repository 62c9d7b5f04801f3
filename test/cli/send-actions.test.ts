import {existsSync, mkdirSync, renameSync} from 'node:fs';
import {hostname} from 'node:os';
import {describe, expect, test} from 'vitest';
import {ACTIONS, confirmationOf, recordOf} from '../../src/actions/actions.ts';
import {journalPath} from '../../src/cli/account.ts';
import {actionGroup} from '../../src/cli/operations/action-commands.ts';
import {runCommand} from '../../src/cli/run-command.ts';
import {vmCommand} from '../../src/cli/commands/vm.ts';
import {noticeSent, type SentAction, sendActions, untilAllFree} from '../../src/cli/operations/send-actions.ts';
import {afterSending, newOperation} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {
  type Clock,
  type DurationMs,
  epochMs,
  HOUR_MS,
  MINUTE_MS,
  monotonicMs,
  SECOND_MS,
} from '../../src/domain/time.ts';
import {type VirtualMachine, virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {flavorsFeed, priceBookFeed} from '../../src/state/catalogue.ts';
import {openJournal} from '../../src/state/operations/journal.ts';
import {OperationBook} from '../../src/state/operations/operation-book.ts';
import type {RequestBudget} from '../../src/state/poller/request-budget.ts';
import {aMachine} from '../actions/some-things.ts';
import {createTinyCloud, type TinyCloud} from '../state/tiny-cloud.ts';
import {openHome} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {isDeep, sweepOf} from '../support/tier.ts';
import {commandIo, ONLY_ASSESSMENT, rawAnswer, run, withoutAssessment} from './a-command.ts';

const callbackCommand = actionGroup('callback');

type Place = {readonly url: string; readonly apiKey: string};
type Machine = {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly cluster_id: number | null;
};

describe('the reported outcome of an action', () => {
  test('is confirmed when the effect was seen after a redirect', async () => {
    const simulator = await openSimulator({scenario: 'calm', speed: 60});
    const [machine] = await active(simulator);
    simulator.setFaults(['kind=redirect:https://elsewhere.example/,match=GET *stop,when=after']);
    const given = await run(vmCommand, `stop ${machine?.id} --yes --wait=1m`, {simulator, speed: 20});
    expect(given).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(': confirmed\n'),
      stderr: ONLY_ASSESSMENT,
    });
  });

  test('stays unknown when the answer failed and the action is seen under way', async () => {
    const simulator = await openSimulator({scenario: 'calm', isFaithful: true});
    simulator.setFaults(['status=500,match=POST */core/virtual-machines,when=after']);
    const given = await run(vmCommand, [...(await createLine(simulator)), '--wait=15s'], {simulator, speed: 10});
    expect(given).toMatchObject({exitCode: 7, stdout: ''});
    expect(given.stderr).toMatch(
      /: outcome unknown: the service failed \(500\).*; a change was seen since, which is no proof yet; sent once; check its state before you repeat it/,
    );
    expect(given.stderr).not.toContain('accepted');
  });

  test('is its own answer, and not that of the action before it', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const [first, second] = await active(simulator);
    simulator.setFaults([`status=404,match=GET */core/virtual-machines/${second?.id},every=2`]);
    const line = `set ${first?.id} ${second?.id} --url https://h.example/cb --yes -o json`;
    const {stdout} = await run(callbackCommand, line, {simulator});
    const [set, unsent] = JSON.parse(stdout);
    expect(set).toMatchObject({exitCode: 0, result: {url: 'https://h.example/cb'}});
    expect(unsent).toMatchObject({exitCode: 4, phase: 'NOT_SENT'});
    expect(unsent).not.toHaveProperty('result');
  });

  const failed: readonly (readonly [fault: string, exitCode: number])[] = [
    ['status=403', 3],
    ['status=429', 5],
    ['status=500', 6],
    ['status=401', 3],
  ];
  test.each(
    failed.slice(0, sweepOf({sample: 3, deep: failed.length})),
  )('has the exit code of the check that failed with %s', async (fault, exitCode) => {
    const simulator = await openSimulator({scenario: 'calm'});
    const [machine] = await active(simulator);
    simulator.setFaults([`${fault},match=GET */core/virtual-machines/${machine?.id}`]);
    const given = await run(vmCommand, ['stop', machine?.name ?? '', '--yes'], {simulator});
    expect(given).toMatchObject({exitCode, stdout: ''});
    expect(given.stderr).toContain('not sent: the check before sending failed');
    expect(simulator.executions()).toEqual([]);
  });

  test('has the exit code of a key without permission to read', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const none = {url: simulator.url, apiKey: simulator.keys.none};
    expect(await run(vmCommand, await createLine(simulator), {simulator: none})).toMatchObject({
      exitCode: 3,
      stdout: '',
    });
  });
});

describe('a series of actions', () => {
  test('waits for its own budget, and does not spend it on what nobody waits for', async () => {
    const simulator = await openSimulator({scenario: 'big', vmCount: 80, rateLimitPerMinute: 'off'});
    const machines = (await active(simulator)).slice(0, 25);
    expect(machines).toHaveLength(25);
    const {io, stdout, stderr} = commandIo({simulator});
    const words = ['hard-reboot', ...machines.map(({id}) => String(id)), '--yes'];
    const exitCode = await runCommand(vmCommand, words, {...io, clockFor: () => tenfoldClock});
    expect({exitCode, stderr: withoutAssessment(stderr())}).toEqual({exitCode: 0, stderr: ''});
    expect(stdout().match(/: accepted\n/g)).toHaveLength(25);
    // The machine is read when it is looked up and when it is checked, and not again after that.
    const path = `/core/virtual-machines/${machines[0]?.id}`;
    expect(simulator.requests().filter(request => request.path === path)).toHaveLength(2);
  });

  test.each([
    ['status=429', 5, 'the service asked to wait'],
    ['status=401', 3, 'the key or its role was refused'],
    ['status=403', 3, 'the key or its role was refused'],
  ])('stops at %s', async (fault, exitCode, why) => {
    const simulator = await openSimulator({scenario: 'calm'});
    const machines = (await active(simulator)).slice(0, 3);
    const [first, second, third] = machines;
    simulator.setFaults([`${fault},match=GET *${second?.id}/stop`]);
    const ids = machines.map(({id}) => id).join(' ');
    const given = await run(vmCommand, `stop ${ids} --yes`, {simulator});
    expect(given).toMatchObject({
      exitCode,
      stdout: `stop ${first?.name} #${first?.id}: accepted\n`,
    });
    expect(given.stderr).toContain(`stop ${third?.name} #${third?.id}: not sent: ${why}\n`);
    expect(simulator.requests().filter(({path}) => path.endsWith(`${third?.id}/stop`))).toEqual([]);
  });
});

describe('a batch of more actions than the session remembers', () => {
  test('is reported as it was seen to end, the first as well as the last', async () => {
    const {sent, fired} = await sendStops({count: 520, waitMs: 2 * HOUR_MS});
    expect(fired).toHaveLength(520);
    expect(sent).toHaveLength(520);
    expect(sent.filter(({phase, exitCode}) => phase !== 'CONFIRMED' || exitCode !== 0)).toEqual([]);
  });

  test.runIf(isDeep)('says of each that was not sent why it was not, and ends', async () => {
    const isRenamed = (number: number) => number > 500;
    const {sent, fired} = await sendStops({count: 510, isRenamed});
    expect(fired).toHaveLength(500);
    const unsent = sent.slice(500).map(({text}) => text);
    expect(unsent).toEqual(
      Array.from(
        {length: 10},
        (_, index) => `stop gpu-${501 + index} #${501 + index}: not sent: the name is now other`,
      ),
    );
  });
});

test('a series over an hour of sleep ends with what was sent, and says why the rest was not', async () => {
  const {sent, fired} = await sendStops({count: 4, sleepsDuring: 2});
  expect(fired).toHaveLength(2);
  expect(sent.map(({phase, exitCode}) => [phase, exitCode])).toEqual([
    ['accepted', 0],
    ['accepted', 0],
    ['NOT_BEGUN', 6],
    ['NOT_BEGUN', 6],
  ]);
  expect(sent[3]?.text).toBe(
    'stop gpu-4 #4: not sent: the computer slept for 60 min since it was confirmed, or its clock was set forward',
  );
});

test('a series that skips what another skydeck holds journals the reason that it gives', async () => {
  const vm = [1, 2, 3].map(number => aMachine({id: virtualMachineId(number), name: safeText(`gpu-${number}`)}));
  const cloud = createTinyCloud({start: {vm}});
  const [theirs, ours] = [cloud.open(), cloud.open()];
  const planned = vm.map(subject => confirmationOf({kind: 'vm.stop', id: subject.id}, {subject}));
  theirs.operations.begin(
    confirmationOf({kind: 'vm.hard-reboot', id: virtualMachineId(2)}, {subject: vm[1] ?? expect.fail()}),
  );
  await cloud.time.advance(SECOND_MS);
  const sending = sendActions({session: ours, clock: cloud.time.clock}, planned, {
    ...UNWATCHED,
    waitMs: undefined,
    isAsked: false,
  });
  await cloud.time.advance(5 * SECOND_MS);
  const sent = await sending;
  expect(sent.map(({phase}) => phase)).toEqual(['accepted', 'NOT_BEGUN', 'accepted']);
  const unsent = openJournal(cloud.journalPath, ACTIONS)
    .latest()
    .entries.filter(({phase}) => phase === 'NOT_SENT');
  expect(unsent).toMatchObject([{subjectName: 'gpu-2', action: {kind: 'vm.stop'}}]);
  expect(unsent[0]?.detail).toMatch(/^hard reboot gpu-2 #2, sent by another skydeck \d\d:\d\d:\d\dZ: /);
  expect(sent[1]?.text).toBe(`stop gpu-2 #2: not sent: ${unsent[0]?.detail}`);
});

test('a series waits until there is room for all that the check of the next one reads', async () => {
  const vm = [1, 2].map(id => aMachine({id: virtualMachineId(id)}));
  const cloud = createTinyCloud({start: {vm}, keepsJournal: false});
  const {clock} = cloud.time;
  const {operations, budget, poller} = cloud.open({watchesOwn: false});
  // What its question quotes was read a while ago: the check reads the machine, the flavors and the prices.
  for (const feed of [flavorsFeed, priceBookFeed]) await poller.readNow<unknown>(feed);
  for (let count = 0; count < 95; count += 1) {
    await budget.admit('operation');
    await cloud.time.advance(500);
  }
  expect(budget.usedLastMinute()).toBe(97);
  const planned = vm.map(subject =>
    confirmationOf({kind: 'vm.resize', id: subject.id, flavorName: safeText('n3-L40x2')}, {subject}),
  );
  const options = {...UNWATCHED, waitMs: undefined, isAsked: false};
  const sending = sendActions({session: {operations, budget}, clock}, planned, options);
  await cloud.time.advance(2 * MINUTE_MS);
  expect((await sending).map(({phase, text}) => [phase, text])).toEqual([
    ['accepted', expect.stringContaining('accepted')],
    ['accepted', expect.stringContaining('accepted')],
  ]);
});

test('operations of another skydeck are all reported once they have ended, also more than are remembered', async () => {
  const vm = Array.from({length: 510}, (_, index) => aMachine({id: virtualMachineId(index + 1)}));
  const cloud = createTinyCloud({start: {vm}});
  const planned = vm.map(subject => confirmationOf({kind: 'vm.stop', id: subject.id}, {subject}));
  const at = cloud.time.clock.wallNow();
  const inPhase = (phase: 'accepted' | 'NO_EFFECT_SEEN') =>
    planned.map((each, index) => ({...each, operationId: `theirs-${index}`, at, phase}));
  let news: ReturnType<typeof inPhase> = [];
  const session = cloud.open({
    journal: {
      append: () => {},
      latest: () => ({entries: inPhase('accepted'), raws: [], unreadableCount: 0}),
      news: () => news,
    },
  });
  const unsettled = untilAllFree({session, clock: cloud.time.clock}, planned, {tell: () => {}});
  news = inPhase('NO_EFFECT_SEEN');
  await cloud.time.advance(5 * SECOND_MS);
  expect((await unsettled).map(({phase}) => phase)).toEqual(planned.map(() => 'NO_EFFECT_SEEN'));
});

describe('whether anything was sent', () => {
  const stop = (number: number) => {
    const subject = aMachine({id: virtualMachineId(number)});
    const confirmed = confirmationOf({kind: 'vm.stop', id: subject.id}, {subject});
    return newOperation({id: `op-${number}`, confirmedAt: epochMs(0)}, confirmed, recordOf(confirmed.action));
  };
  const own = {kind: 'own'} as const;

  test('is still known once the session has forgotten what was sent', () => {
    const book = new OperationBook();
    const sent = noticeSent(book);
    expect(sent()).toEqual([]);
    book.add(stop(1), own);
    book.update(afterSending(stop(1), monotonicMs(1)), true);
    book.update({...afterSending(stop(1), monotonicMs(1)), phase: 'CONFIRMED'}, true);
    for (let number = 2; number <= 600; number += 1) {
      book.add(stop(number), own);
      book.update({...stop(number), phase: 'STALE'}, true);
    }
    expect(book.get('op-1')).toBeUndefined();
    expect(sent()).toEqual([expect.stringMatching(/^stop .* #1$/)]);
  });

  test('is not so for what was sent before, sent by another skydeck, or turned out not to be sent', () => {
    const book = new OperationBook();
    book.add(afterSending(stop(1), monotonicMs(1)), own);
    const sent = noticeSent(book);
    book.update({...afterSending(stop(1), monotonicMs(1)), phase: 'CONFIRMED'}, true);
    book.add({...afterSending(stop(2), monotonicMs(1)), sentElsewhereAt: epochMs(0)}, own);
    book.add(stop(3), own);
    book.update(afterSending(stop(3), monotonicMs(1)), true);
    book.update({...afterSending(stop(3), monotonicMs(1)), phase: 'NOT_SENT'}, true);
    expect(sent()).toEqual([]);
  });
});

test('a batch goes on for as long as each of its actions gets room in the request budget', async () => {
  const {sent, fired, minutes} = await sendStops({count: 300});
  expect(fired).toHaveLength(300);
  expect(sent.filter(({phase}) => phase !== 'accepted')).toEqual([]);
  // Two requests each, and a hundred a minute.
  expect(minutes).toBeGreaterThan(5);
});

test('a batch gets room for each of its actions, however short the wait for their effects is', async () => {
  const {fired} = await sendStops({count: 100, waitMs: SECOND_MS});
  expect(fired).toHaveLength(100);
});

test('a batch stops at the first action for which the request budget never has room', async () => {
  const {sent, fired, minutes} = await sendStops({count: 3, hasRoom: () => false});
  expect(fired).toEqual([]);
  const reason = 'not sent: the request budget had no room for 5 minutes; try again later';
  expect(sent.map(({text, exitCode}) => [text, exitCode])).toEqual(
    [1, 2, 3].map(number => [`stop gpu-${number} #${number}: ${reason}`, 6]),
  );
  expect(minutes).toBeLessThan(10);
});

describe('an action on a machine with an operation of another skydeck', () => {
  test('is sent as soon as the journal says that the operation has ended', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const home = openHome();
    const [machine] = await active(simulator);
    const journal = openJournal(journalPath({environment: home.environment}, simulator.url), ACTIONS);
    const action = {kind: 'vm.stop', id: virtualMachineId(machine?.id ?? 0)} as const;
    const at = epochMs(Date.now());
    const writer = {host: hostname(), pid: process.ppid};
    const entry = {
      operationId: 'theirs',
      at,
      action,
      subjectName: safeText(machine?.name ?? ''),
      confirmedAt: at,
      writer,
    };
    journal.append({...entry, phase: 'sent'});
    const {io, stderr} = commandIo({simulator, home});
    const interrupts = new Set<() => void>();
    const beforeSignal = (act: () => void) => {
      interrupts.add(act);
      return () => interrupts.delete(act);
    };
    const ran = runCommand(vmCommand, ['stop', String(machine?.id), '--yes'], {...io, beforeSignal});
    await until(() => stderr() !== '');
    const wait = new RegExp(
      `^skydeck: waiting for stop ${machine?.name} #${machine?.id}, sent \\d+s ago by another skydeck\n$`,
    );
    expect(stderr()).toMatch(wait);
    for (const interrupt of interrupts) interrupt();
    const [line = '', said] = stderr().split('\n');
    expect(said).toBe('skydeck: nothing was sent');
    journal.append({...entry, phase: 'REFUSED'});
    const endedAt = performance.now();
    expect(await ran).toBe(0);
    expect(stderr().replace(`${line}\nskydeck: nothing was sent\n`, '')).toEqual(ONLY_ASSESSMENT);
    expect(performance.now() - endedAt).toBeLessThan(10_000);
  });
});

describe('an action on a machine with an open operation in the journal', () => {
  test.each(['--yes', ''])('shows what was sent before and what is known of it, with "%s"', async flags => {
    const simulator = await openSimulator({scenario: 'calm'});
    const home = openHome();
    const [machine] = await active(simulator);
    simulator.setFaults(['status=500,match=GET *stop,when=before']);
    const first = await run(vmCommand, `stop ${machine?.id} --yes`, {simulator, home});
    expect(first).toMatchObject({exitCode: 7, stderr: expect.not.stringContaining(' ago: ')});
    simulator.setFaults([]);
    const answers = flags === '' ? {answers: [machine?.name ?? '']} : {};
    const again = {simulator, home, speed: 20, env: {TERM: 'dumb'}, ...answers};
    const second = await run(vmCommand, `stop ${machine?.id} ${flags}`, again);
    expect(second.exitCode).toBe(0);
    const words = `stop ${machine?.name} #${machine?.id}`;
    const [wait, warning] = second.stderr.split('\n');
    expect(wait).toMatch(new RegExp(`^skydeck: waiting for ${words}, sent \\d+s ago by another skydeck$`));
    expect(warning).toMatch(
      new RegExp(`^skydeck: warning: ${words} was sent \\d+s ago: no effect seen: the service failed \\(500\\)`),
    );
    expect(simulator.executions()).toHaveLength(1);
  });

  test('does not mention an operation that was seen to take effect', async () => {
    const simulator = await openSimulator({scenario: 'calm', speed: 60});
    const home = openHome();
    const [machine] = await active(simulator);
    simulator.setFaults(['status=500,match=GET *stop,when=after']);
    await run(vmCommand, `stop ${machine?.id} --yes`, {simulator, home});
    const {stderr} = await run(vmCommand, `start ${machine?.id} --yes`, {simulator, home, speed: 20});
    expect(stderr).not.toContain(' ago: ');
    expect(simulator.executions()).toHaveLength(2);
  });
});

describe('a journal that can no longer be written', () => {
  test('is reported for an action that was sent, which keeps its exit code', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const home = openHome();
    const [machine] = await active(simulator);
    simulator.setFaults(['kind=latency:500ms,match=GET *stop']);
    const ran = run(vmCommand, `stop ${machine?.id} --yes`, {simulator, home});
    const path = journalPath({environment: home.environment}, simulator.url);
    await until(() => existsSync(path));
    renameSync(path, `${path}.away`);
    mkdirSync(path);
    const words = `stop ${machine?.name} #${machine?.id}`;
    const {exitCode, stdout, stderr} = await ran;
    expect({exitCode, stdout}).toEqual({exitCode: 0, stdout: `${words}: accepted\n`});
    expect(withoutAssessment(stderr)).toMatch(
      /^skydeck: .*: its outcome is not in the journal \(.* is not a plain file\)\n$/,
    );
  });
});

/** Nobody follows the progress, and no signal comes. */
const UNWATCHED = {
  progress: {say: () => {}, end: () => {}},
  io: {stderr: {write: () => {}}, beforeSignal: () => () => {}},
};

/** Stops that many machines of a cloud whose time passes at once; some of them may have been renamed meanwhile. */
async function sendStops({
  count,
  waitMs,
  isRenamed = () => false,
  hasRoom,
  sleepsDuring,
}: {
  readonly count: number;
  readonly waitMs?: DurationMs;
  readonly isRenamed?: (number: number) => boolean;
  readonly hasRoom?: RequestBudget['hasRoom'];
  /** The request during which the computer sleeps for an hour. */
  readonly sleepsDuring?: number;
}) {
  const shown = Array.from({length: count}, (_, index) =>
    aMachine({id: virtualMachineId(index + 1), name: safeText(`gpu-${index + 1}`)}),
  );
  const vm = shown.map(each => (isRenamed(each.id) ? {...each, name: safeText('other')} : each));
  const cloud: TinyCloud = createTinyCloud({
    start: {vm},
    keepsJournal: false,
    handle: ({params, count: requestCount}) => {
      if (requestCount === sleepsDuring) cloud.time.sleep(HOUR_MS);
      const {vm: machines = []} = cloud.world();
      return {becomes: {vm: machines.map(each => (isOf(params, each) ? stopped(each) : each))}};
    },
  });
  const {operations, budget} = cloud.open({watchesOwn: waitMs !== undefined});
  const session = {operations, budget: hasRoom === undefined ? budget : {...budget, hasRoom}};
  const planned = shown.map(subject => confirmationOf({kind: 'vm.stop', id: subject.id}, {subject}));
  let sent: readonly SentAction[] | undefined;
  void sendActions({session, clock: cloud.time.clock}, planned, {...UNWATCHED, waitMs, isAsked: true}).then(
    outcomes => {
      sent = outcomes;
    },
  );
  let minutes = 0;
  for (; sent === undefined && minutes < 60; minutes += 1) await cloud.time.advance(MINUTE_MS);
  if (sent === undefined) throw new Error('The batch has not ended within an hour.');
  return {sent, fired: cloud.fired, minutes};
}

function isOf(params: unknown, {id}: VirtualMachine): boolean {
  return typeof params === 'object' && params !== null && 'id' in params && params.id === id;
}

function stopped(machine: VirtualMachine): VirtualMachine {
  return {...machine, status: 'SHUTOFF', statusText: safeText('SHUTOFF')};
}

/** Ten seconds of the program pass in one of the test. */
const tenfoldClock: Clock = {
  wallNow: () => epochMs(Date.now()),
  monotonicNow: () => monotonicMs(10 * performance.now()),
  after: (delayMs, then) => {
    const timer = setTimeout(then, delayMs / 10);
    return () => clearTimeout(timer);
  },
};

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(resolve => setTimeout(resolve, 10));
}

async function createLine(simulator: Place): Promise<readonly string[]> {
  const {instances} = JSON.parse((await rawAnswer(simulator, '/core/virtual-machines')).text);
  const {environment, flavor, keypair, image} = instances[0];
  const place = ['--environment', environment.name, '--flavor', flavor.name, '--key-pair', keypair.name];
  return ['create', 'new-1', ...place, '--image', image.name, '--yes'];
}

async function active(simulator: Place): Promise<readonly Machine[]> {
  const {instances} = JSON.parse((await rawAnswer(simulator, '/core/virtual-machines')).text);
  const machines: readonly Machine[] = instances;
  return machines.filter(({status, cluster_id}) => status === 'ACTIVE' && cluster_id === null);
}
