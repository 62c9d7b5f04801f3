import {verbOf} from '../actions/actions.ts';
import type {Known} from '../actions/known.ts';
import {attachAddress, detachAddress} from '../actions/machine-attachments.ts';
import {isPowerAction} from '../actions/machine-power.ts';
import {attachAddressQuestion, detachAddressQuestion} from '../actions/machines/address-questions.ts';
import {batchQuestion} from '../actions/machines/batch-question.ts';
import {deleteQuestion} from '../actions/machines/delete-question.ts';
import {powerQuestion} from '../actions/machines/power-question.ts';
import {deleteMachine} from '../actions/machines.ts';
import type {Question} from '../actions/question.ts';
import {preferencesOf} from '../config/settings.ts';
import type {Action} from '../domain/action.ts';
import {parseSshConnection} from '../domain/own-connection.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';
import {usageFeed} from '../state/billing.ts';
import {flavorsFeed} from '../state/catalogue.ts';
import {contractsFeed} from '../state/contracts.ts';
import type {Feed} from '../state/feed.ts';
import {metricsFeed} from '../state/machines.ts';
import type {Account} from './account.ts';
import type {CommandIo} from './command-io.ts';
import type {TextQuestion} from './confirm-actions.ts';
import type {PlannedAction, Sorted} from './operation.ts';

/** Of so many machines the metrics are read before a question; of the others it says that they are not known. */
const MAX_METRICS = 20;

type MachineItem = {readonly action: Action; readonly machine: VirtualMachine; readonly reason: SafeText | undefined};

/**
 * The question that the deck asks before machines are switched or deleted, from what is read for it now. Undefined for
 * every other action.
 */
export async function machineQuestion(
  io: CommandIo,
  account: Account,
  {possible, impossible}: Sorted,
): Promise<TextQuestion | undefined> {
  const items = [
    ...possible.flatMap(planned => itemsOf(planned, undefined)),
    ...impossible.flatMap(({planned, reason}) => itemsOf(planned, reason)),
  ];
  if (items.length < possible.length + impossible.length) return undefined;
  const question = questionOf(items, await knownFor(io, account, items));
  return question === undefined ? undefined : textOf(question);
}

function itemsOf({action, thing}: PlannedAction, reason: SafeText | undefined): readonly MachineItem[] {
  const isAssessed =
    isPowerAction(action) || deleteMachine.is(action) || attachAddress.is(action) || detachAddress.is(action);
  return isAssessed && thing !== undefined && isMachine(thing) ? [{action, machine: thing, reason}] : [];
}

function isMachine(thing: NonNullable<PlannedAction['thing']>): thing is VirtualMachine {
  return 'powerState' in thing || ('volumes' in thing && 'labels' in thing);
}

function questionOf(items: readonly MachineItem[], known: Known): Question | undefined {
  const [first, ...others] = items;
  if (first === undefined) return undefined;
  const {action, machine} = first;
  const isOfAddress = attachAddress.is(action) || detachAddress.is(action);
  if (others.length > 0) return isOfAddress ? undefined : batchQuestion(verbOf(action.kind), items, known);
  if (isPowerAction(action)) return powerQuestion(action, machine, known);
  if (!isOfAddress) return deleteQuestion(machine, known);
  if (attachAddress.is(action)) return attachAddressQuestion(machine);
  return machine.floatingIp === undefined ? undefined : detachAddressQuestion(machine, machine.floatingIp);
}

/** Reads what the question is made of. What cannot be read is told as not known. */
async function knownFor(
  io: CommandIo,
  {session, clock, settings}: Account,
  items: readonly MachineItem[],
): Promise<Known> {
  const {poller, store, operations} = session;
  const running = items.filter(({machine}) => machine.status === 'ACTIVE').slice(0, MAX_METRICS);
  const feeds: readonly Feed<unknown>[] = [
    usageFeed,
    flavorsFeed,
    ...(items.some(({machine}) => machine.contractId !== undefined) ? [contractsFeed] : []),
    ...running.map(({machine}) => metricsFeed(machine.id, '1h')),
  ];
  await Promise.all(feeds.map(feed => poller.readNow(feed)));
  return {
    store,
    operations,
    health: poller.health(),
    now: clock.wallNow(),
    monotonicNow: clock.monotonicNow(),
    preferences: preferencesOf(settings),
    ownConnection: parseSshConnection(io.environment.SSH_CONNECTION),
  };
}

function textOf({title, facts, answer}: Question): TextQuestion {
  const lines = facts.flatMap(({label, lines: told}) => [
    `  ${label}`,
    ...told.map(line => `    ${withoutKeys(line.map(({text}) => text).join(''))}`),
  ]);
  return {lines: [title, ...lines], expected: answer.kind === 'key' ? say`y` : answer.expected};
}

/** What the deck says of its own keys is of no use here. */
function withoutKeys(text: string): string {
  return text.replace(/ \([a-zA-Z] [a-zA-Z]\)/g, '').replace('D, then this action, lists', '--dry-run lists');
}
