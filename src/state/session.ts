import {hostname} from 'node:os';
import {AnswerMemory} from '../api/answer-memory.ts';
import {
  type ClientOptions,
  createClient,
  createOperationClient,
  type Exchange,
  type OperationClient,
  type ReadClient,
} from '../api/client.ts';
import {exportedReads} from '../api/exported-series.ts';
import {gpuReads} from '../api/gpu-load.ts';
import {type PrometheusConnection, readExportedMachines} from '../api/prometheus.ts';
import type {StateFile} from '../config/own-files.ts';
import type {MachineField} from '../domain/gpu-load.ts';
import type {Preferences} from '../domain/preferences.ts';
import {createRedactor, type Secret} from '../domain/secret.ts';
import type {Clock, DurationMs} from '../domain/time.ts';
import type {Actions} from './operations/action.ts';
import {type Journal, type JournalWriter, keyDigestOf, openJournal} from './operations/journal.ts';
import {keepingBills} from './kept-bills.ts';
import type {Link} from './poller/link.ts';
import {createOperations, type Operations, type OperationsOptions} from './operations/operation.ts';
import {PrometheusMetrics} from './prometheus-metrics.ts';
import {createPoller, type Poller} from './poller/poller.ts';
import {createRequestBudget, type RequestBudget} from './poller/request-budget.ts';
import {loggedOperations, loggedReads, type RequestLog} from './poller/request-log.ts';
import {createStore, type Store} from './store.ts';
import {samplingUsage} from './usage-samples.ts';

/** The address of a Prometheus with the exporter's series, and how its GPU series are matched to machines. */
export type PrometheusAccess = Omit<PrometheusConnection, 'secrets' | 'clock'> & {
  readonly gpus: {readonly label: string; readonly field: MachineField};
};

/** Everything between one account and what is shown of it. */
export type Session = {
  /** Only the poller and the readings of Prometheus write to it. */
  readonly store: Store;
  readonly poller: Poller;
  readonly budget: RequestBudget;
  readonly link: Link;
  /** Supplies the machines' last hour, if a Prometheus is configured that has it. */
  readonly prometheus: PrometheusMetrics | undefined;
  /** Reads once, bypassing the store: for commands that print and exit. */
  readonly client: ReadClient;
  /** Operations sent from here, including earlier sessions. Whoever sends a raw request journals it here. */
  readonly journal: Pick<Journal, 'latest' | 'append'>;
  /** Absent in read-only mode: the client that could send operations is not created. */
  readonly operations: Operations | undefined;
  /** In read-only mode only: creates that client after all, because a person asked for it. */
  readonly unlock: (() => Operations) | undefined;
};

type SessionOptions = {
  readonly actions: Actions;
  readonly baseUrl: string;
  readonly key: Secret;
  /** The key, and all other secrets of the process. */
  readonly secrets: readonly Secret[];
  readonly clock: Clock;
  readonly link: Link;
  readonly random: () => number;
  readonly newId: () => string;
  readonly journalPath: string;
  readonly isReadOnly: boolean;
  readonly isTlsUnchecked: boolean;
  readonly readTimeoutMs: DurationMs | undefined;
  /** Maximum bytes of all pages of one list; the client's own limit if absent. */
  readonly maxListBytes?: number | undefined;
  /** Maximum records of one list. */
  readonly maxListRecords?: number | undefined;
  /** Where every request is logged; absent unless asked for. */
  readonly log?: RequestLog | undefined;
  /** Where bills of closed days and samples of bills are kept; not kept if absent. */
  readonly keptFile?: StateFile | undefined;
  /** Whether operations sent from here are watched until they end; true if absent. */
  readonly watchesOwn?: boolean | undefined;
  readonly onUnwritten?: OperationsOptions['onUnwritten'];
  /** How often to look in the journal for what another skydeck does; never if absent. */
  readonly journalIntervalMs?: DurationMs | undefined;
  /** Whose prices questions show; the defaults if absent. */
  readonly preferences?: Preferences | undefined;
  /** How requests are sent; over the network if absent. */
  readonly exchange?: Exchange | undefined;
  readonly prometheus?: PrometheusAccess | undefined;
};

export function createSession(options: SessionOptions): Session {
  const {actions, clock, link, random} = options;
  const store = createStore();
  const budget = createRequestBudget(clock);
  const wire = wireOf(options, budget);
  const connection = options.prometheus && {...options.prometheus, secrets: options.secrets, clock};
  const prometheus = connection && new PrometheusMetrics({connection, store, read: readExportedMachines});
  const {client, checkClient} = readClients(options, wire, budget);
  const poller = createPoller({
    client,
    checkClient,
    store,
    clock,
    budget,
    random,
    // Without Prometheus there is no other source for what only it knows.
    isGiven: feed => prometheus?.isGiven(feed) ?? feed.source === 'prometheus',
  });
  const keyDigest = keyDigestOf(options.key);
  const journal = openJournal(options.journalPath, actions, createRedactor(options.secrets), keyDigest);
  const makeOperations = () =>
    createOperations({
      actions,
      client: operationClient(options, wire),
      poller,
      store,
      clock,
      journal,
      budget,
      preferences: options.preferences,
      newId: options.newId,
      random,
      journalIntervalMs: options.journalIntervalMs,
      watchesOwn: options.watchesOwn,
      onUnwritten: options.onUnwritten,
      writer: {host: hostname(), pid: process.pid, keyDigest},
      isRunning: isOtherProcess,
    });
  const shared = {store, poller, budget, link, prometheus, client, journal};
  return options.isReadOnly
    ? {...shared, operations: undefined, unlock: makeOperations}
    : {...shared, operations: makeOperations(), unlock: undefined};
}

/** How all requests of the session are sent. */
function wireOf(options: SessionOptions, budget: RequestBudget): ClientOptions {
  return {
    baseUrl: options.baseUrl,
    key: options.key,
    secrets: options.secrets,
    clock: options.clock,
    admit: budget.admit,
    onAnswer: options.link.saw,
    onRequest: options.link.asked,
    memory: new AnswerMemory(),
    maxListBytes: options.maxListBytes,
    maxListRecords: options.maxListRecords,
    ...(options.readTimeoutMs === undefined ? {} : {readTimeoutMs: options.readTimeoutMs}),
    ...(options.exchange === undefined ? {} : {exchange: options.exchange}),
  };
}

/** The reader for lists and for checks before sending: both go into the log and can use Prometheus. */
function readClients(
  {log, clock, link, prometheus, secrets, keptFile}: SessionOptions,
  wire: ClientOptions,
  budget: RequestBudget,
): {readonly client: ReadClient; readonly checkClient: ReadClient} {
  const connection = prometheus && {...prometheus, secrets, clock};
  const beside = connection && {gpus: gpuReads(connection, connection.gpus), exported: exportedReads(connection)};
  const logged = (reads: ReadClient) => (log === undefined ? reads : loggedReads(reads, log, clock));
  const both = (reads: ReadClient): ReadClient => (beside === undefined ? reads : {...reads, prometheus: beside});
  const asking = samplingUsage(logged(createClient(wire)), keptFile, clock);
  return {
    client: both(keptFile === undefined ? asking : keepingBills(asking, keptFile, link)),
    checkClient: both(logged(createClient({...wire, admit: () => budget.admit('operation')}))),
  };
}

function operationClient({log, clock, isTlsUnchecked}: SessionOptions, wire: ClientOptions): OperationClient {
  const sending = createOperationClient({...wire, isTlsUnchecked});
  return log === undefined ? sending : loggedOperations(sending, log, clock);
}

/**
 * A process on another computer cannot be checked. One with our own process id was an earlier process that has ended.
 */
function isOtherProcess({host, pid}: JournalWriter): boolean | undefined {
  if (host !== hostname()) return undefined;
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
