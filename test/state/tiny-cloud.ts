import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {ACTIONS} from '../../src/actions/actions.ts';
import type {OperationClient, ReadClient} from '../../src/api/client.ts';
import type {CloudResource, ResourceType} from '../../src/domain/cloud-resource.ts';
import type {Failure, Result} from '../../src/domain/failure.ts';
import {isEnded, type Operation, type OperationPhase} from '../../src/domain/operation.ts';
import type {OperationResult} from '../../src/domain/operation-result.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {SECOND_MS} from '../../src/domain/time.ts';
import {type Journal, type JournalEntry, openJournal} from '../../src/state/operations/journal.ts';
import {createOperations, type Operations} from '../../src/state/operations/operation.ts';
import {createPoller, type Poller} from '../../src/state/poller/poller.ts';
import {createRequestBudget, type RequestBudget} from '../../src/state/poller/request-budget.ts';
import {createStore, type Store} from '../../src/state/store.ts';
import type {World} from '../actions/every-action.ts';
import {createVirtualClock, type VirtualClock} from '../support/clock.ts';
import {aFolder} from './open-session.ts';

/** What a request does to the cloud: the world it becomes, and a result or a failure. */
export type Handling = (request: {readonly id: string; readonly params: unknown; readonly count: number}) => {
  readonly becomes?: World | undefined;
  readonly failure?: Failure | undefined;
  readonly result?: OperationResult | undefined;
};

/** A cloud that is only lists, and the skydecks that use it. */
export type TinyCloud = {
  readonly time: VirtualClock;
  /** Everything there is now. */
  readonly world: () => World;
  readonly become: (world: World) => void;
  /** Requests that were sent, oldest first, by the id of their endpoint. */
  readonly fired: readonly string[];
  /** What was read, oldest first, by the id of its endpoint. */
  readonly reads: readonly string[];
  readonly journalPath: string;
  /** Another process on the same account, with the same journal. */
  readonly open: (options?: {
    /** Undefined when the key may not read it. */
    readonly organizationId?: number | undefined;
    /** Of the key it uses; the same for all unless given. */
    readonly keyDigest?: string;
    readonly journal?: Journal;
    /** Whether the processes opened before are still running; unknown when undefined. */
    readonly hasOthers?: boolean;
    /** Whether it watches its own operations until they have ended. */
    readonly watchesOwn?: boolean;
  }) => Visitor;
  /** From now on the process opened with this number counts as gone. */
  readonly kill: (visitor: number) => void;
};

export type Visitor = {
  readonly operations: Operations;
  readonly store: Store;
  readonly poller: Poller;
  readonly budget: RequestBudget;
  readonly told: readonly {readonly id: string; readonly phase: OperationPhase}[];
  readonly newest: () => Operation;
  readonly hasEnded: () => boolean;
};

/** Nothing is read back from it after a start, and everything written is news. */
function journalInMemory(): Journal {
  const unread: JournalEntry[] = [];
  return {
    append: (...lines) => unread.push(...lines.filter(line => 'action' in line)),
    latest: () => ({entries: [], raws: [], unreadableCount: 0}),
    news: () => unread.splice(0),
  };
}

const LISTS: Readonly<Record<string, ResourceType>> = {
  'virtual-machines': 'vm',
  firewalls: 'firewall',
  clusters: 'cluster',
  volumes: 'volume',
  'key-pairs': 'key-pair',
  environments: 'environment',
};

export function createTinyCloud({
  handle = () => ({}),
  failureOf = () => undefined,
  start = {},
  keepsJournal = true,
}: {
  handle?: Handling;
  /** The failure of a reading, if any. */
  failureOf?: (read: {readonly endpointId: string; readonly subjectId: unknown}) => Failure | undefined;
  start?: World;
  /** When thousands of requests are sent, the disk would take most of the time. */
  keepsJournal?: boolean;
} = {}): TinyCloud {
  const time = createVirtualClock();
  const journalPath = join(aFolder(), 'journal', 'here.jsonl');
  const fired: string[] = [];
  const reads: string[] = [];
  let world = start;
  let visitorCount = 0;
  const killed = new Set<number>();
  const isGone = (pid: number) => killed.has(pid);

  function recordsOf(endpointId: string, organizationId: number | undefined): readonly unknown[] {
    if (endpointId === 'object-storage.access-keys') return world['access-key'] ?? [];
    if (endpointId === 'object-storage.buckets') return world.bucket ?? [];
    if (endpointId === 'account.me') return [{email: safeText('me@example')}];
    if (endpointId === 'account.organization') return [{id: organizationId, name: safeText('org'), users: []}];
    const type = LISTS[endpointId.split('.')[0] ?? ''];
    return type === undefined || endpointId.endsWith('.events') ? [] : (world[type] ?? []);
  }

  const readsOf = (organizationId: number | undefined, admit: RequestBudget['admit']): ReadClient => ({
    read: async <Params, R>(endpoint: {id: string; record: (raw: unknown) => unknown}, params: Params) => {
      await admit('operation');
      reads.push(endpoint.id);
      const all = recordsOf(endpoint.id, organizationId);
      const id = typeof params === 'object' && params !== null && 'id' in params ? params.id : undefined;
      const found = endpoint.id.endsWith('.get') && id !== undefined ? all.filter(each => hasId(each, id)) : all;
      if (endpoint.id === 'account.organization' && organizationId === undefined) {
        return {ok: false, failure: {kind: 'not-authorised', httpStatus: 403, message: safeText('not for you')}};
      }
      const failure = failureOf({endpointId: endpoint.id, subjectId: id});
      if (failure !== undefined) return {ok: false, failure};
      const isMissing = endpoint.id.endsWith('.get') && id !== undefined && found.length === 0;
      const answer: Result<{records: readonly R[]; quarantined: []}> = isMissing
        ? {ok: false, failure: {kind: 'not-found', message: safeText('does not exist')}}
        : {ok: true, value: {records: found as readonly R[], quarantined: []}};
      return answer;
    },
    readRaw: () => Promise.reject(new Error('Nobody prints records here.')),
  });

  const sending = (admit: RequestBudget['admit']): OperationClient => ({
    sendOnce: async ({id}, params) => {
      await admit('operation');
      fired.push(id);
      const {becomes = world, failure, result} = handle({id, params, count: fired.length});
      world = becomes;
      if (failure !== undefined) return {ok: false, failure};
      return {ok: true, value: {httpStatus: 200, message: safeText(''), ...(result === undefined ? {} : {result})}};
    },
  });

  const open: TinyCloud['open'] = (own = {organizationId: 1}) => {
    visitorCount += 1;
    const [visitor, {clock}] = [visitorCount, time];
    const store = createStore();
    const budget = createRequestBudget(clock);
    const poller = createPoller({
      client: readsOf('organizationId' in own ? own.organizationId : 1, budget.admit),
      store,
      clock,
      budget,
      random: () => 0.5,
    });
    onTestFinished(poller.stop);
    let idCount = 0;
    const newId = () => {
      idCount += 1;
      return `op-${visitor}-${idCount}`;
    };
    const journal = own.journal ?? (keepsJournal ? openJournal(journalPath, ACTIONS) : journalInMemory());
    const random = () => 0.5;
    const client = sending(budget.admit);
    const shared = {client, poller, store, clock, journal, budget, newId, random, watchesOwn: own.watchesOwn};
    const operations = createOperations({
      actions: ACTIONS,
      ...shared,
      journalIntervalMs: 3 * SECOND_MS,
      writer: {host: 'here', pid: visitor, keyDigest: own.keyDigest ?? 'a0b1c2d3'},
      isRunning: ({pid}) => (pid === visitor ? false : isGone(pid) ? false : own.hasOthers),
    });
    onTestFinished(operations.stop);
    const told: {id: string; phase: OperationPhase}[] = [];
    operations.subscribe(({id, phase}) => told.push({id, phase}));
    const newest = () => {
      const [operation] = operations.all();
      if (operation === undefined) throw new Error('Expected an operation.');
      return operation;
    };
    return {operations, store, poller, budget, told, newest, hasEnded: () => isEnded(newest().phase)};
  };

  return {
    time,
    world: () => world,
    become: next => {
      world = next;
    },
    fired,
    reads,
    journalPath,
    open,
    kill: visitor => killed.add(visitor),
  };
}

function hasId(subject: unknown, id: unknown): subject is CloudResource {
  return typeof subject === 'object' && subject !== null && 'id' in subject && subject.id === id;
}
