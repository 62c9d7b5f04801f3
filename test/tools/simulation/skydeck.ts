import {appendFileSync, mkdirSync} from 'node:fs';
import {dirname} from 'node:path';
import {ACTIONS} from '../../../src/actions/actions.ts';
import {createClient, createOperationClient} from '../../../src/api/client.ts';
import type {Operation, OperationPhase} from '../../../src/domain/operation.ts';
import {secret} from '../../../src/domain/secret.ts';
import {SECOND_MS} from '../../../src/domain/time.ts';
import {type Journal, openJournal} from '../../../src/state/operations/journal.ts';
import {createOperations, type Operations} from '../../../src/state/operations/operation.ts';
import {createPoller, type Poller} from '../../../src/state/poller/poller.ts';
import {createRequestBudget} from '../../../src/state/poller/request-budget.ts';
import {createStore, type Store} from '../../../src/state/store.ts';
import type {Cloud} from './cloud.ts';
import type {Death, Fault} from './faults.ts';

/** One process: the real operation core over the real client, scheduler, store and journal. */
export type Skydeck = {
  readonly name: string;
  readonly operations: Operations;
  readonly store: Store;
  readonly poller: Poller;
  readonly isAlive: () => boolean;
  /** As kill -9 does it: nothing is sent, heard or written after. */
  readonly die: () => void;
};

export type Told = {readonly by: string; readonly id: string; readonly phase: OperationPhase};

let processCount = 0;

const JOURNAL_INTERVAL_MS = 3 * SECOND_MS;

export function openSkydeck(
  cloud: Cloud,
  options: {
    readonly name: string;
    readonly journalPath: string;
    /** The processes of this machine that are there. */
    readonly running: Set<number>;
    readonly fault?: Pick<Fault, 'death' | 'isJournalBroken'>;
    readonly tell: (told: Told, operation: Operation) => void;
  },
): Skydeck {
  const {name, journalPath, running, fault = {}} = options;
  processCount += 1;
  const pid = processCount;
  running.add(pid);
  const {clock} = cloud.time;
  let isAlive = true;
  const wire = {
    baseUrl: cloud.baseUrl,
    key: secret(cloud.apiKey),
    clock,
    exchange: cloud.wireOf(name, () => isAlive),
    proxyEnvironment: {},
  };
  const store = createStore();
  const budget = createRequestBudget(clock);
  const client = createClient({...wire, admit: budget.admit});
  const checkClient = createClient({...wire, admit: () => budget.admit('operation')});
  const poller = createPoller({client, checkClient, store, clock, budget, random: cloud.chance});
  const die = () => {
    if (!isAlive) return;
    isAlive = false;
    running.delete(pid);
    poller.stop();
    cloud.note(`${name} is killed`);
  };
  const journal = mortal(openJournal(journalPath, ACTIONS), {journalPath, isAlive: () => isAlive, die, ...fault});
  let idCount = 0;
  const operations = createOperations({
    actions: ACTIONS,
    client: createOperationClient({...wire, admit: budget.admit, isTlsUnchecked: false}),
    poller,
    store,
    clock,
    journal,
    budget,
    random: cloud.chance,
    newId: () => {
      idCount += 1;
      return `${name}-${idCount}`;
    },
    journalIntervalMs: JOURNAL_INTERVAL_MS,
    writer: {host: 'here', pid, keyDigest: 'a0b1c2d3'},
    isRunning: writer => running.has(writer.pid),
  });
  operations.subscribe(operation => {
    if (!isAlive) return;
    cloud.note(`${name} ${operation.id} ${operation.phase} ${operation.detail ?? ''}`);
    options.tell({by: name, id: operation.id, phase: operation.phase}, operation);
  });
  return {name, operations, store, poller, isAlive: () => isAlive, die};
}

/** The journal of a process that may die while it writes. */
function mortal(
  journal: Journal,
  {
    journalPath,
    isAlive,
    die,
    death,
    isJournalBroken = false,
  }: {
    readonly journalPath: string;
    readonly isAlive: () => boolean;
    readonly die: () => void;
    readonly death?: Death | undefined;
    readonly isJournalBroken?: boolean | undefined;
  },
): Journal {
  let lineCount = 0;
  return {
    ...journal,
    news: () => (isAlive() ? journal.news() : []),
    append: entry => {
      // Whoever died has no next line of code; being thrown out of this one is as near as a test comes to it.
      if (!isAlive()) throw new Error('killed');
      if (isJournalBroken) throw new Error('no space left on the device');
      lineCount += 1;
      const isLast = death !== undefined && 'atLine' in death && death.atLine === lineCount;
      if (!isLast) return journal.append(entry);
      if (death.moment === 'torn') tear(journalPath);
      if (death.moment === 'after') journal.append(entry);
      die();
      throw new Error('killed');
    },
  };
}

/** A line of which the disk has only the start. */
function tear(journalPath: string): void {
  mkdirSync(dirname(journalPath), {recursive: true});
  appendFileSync(journalPath, '{"operationId":"torn","at":17');
}
