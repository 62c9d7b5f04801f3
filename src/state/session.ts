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
import {pastReads} from '../api/exported-past.ts';
import {gpuReads} from '../api/gpu-load.ts';
import {type PrometheusConnection, readExportedMachines} from '../api/prometheus.ts';
import type {StateFile} from '../config/own-files.ts';
import type {MachineField} from '../domain/gpu-load.ts';
import {createRedactor, type Secret} from '../domain/secret.ts';
import type {Clock, DurationMs} from '../domain/time.ts';
import type {Actions} from './action.ts';
import {type Journal, type JournalWriter, openJournal} from './journal.ts';
import {keepingBills} from './kept-bills.ts';
import type {Link} from './link.ts';
import {createOperations, type Operations, type OperationsOptions} from './operation.ts';
import {PrometheusMetrics} from './prometheus-metrics.ts';
import {createPoller, type Poller} from './poller.ts';
import {createRequestBudget, type RequestBudget} from './request-budget.ts';
import {loggedOperations, loggedReads, type RequestLog} from './request-log.ts';
import {createStore, type Store} from './store.ts';
import {samplingUsage} from './usage-samples.ts';

/** Where a Prometheus with the exporter's series is, and how the GPUs that it may know are joined to machines. */
export type PrometheusAccess = Omit<PrometheusConnection, 'clock'> & {
  readonly gpus: {readonly label: string; readonly field: MachineField};
};

/** Everything that stands between one account and what is shown of it. */
export type Session = {
  readonly store: Store;
  readonly poller: Poller;
  readonly budget: RequestBudget;
  readonly link: Link;
  /** Gives the machines' last hour, where a Prometheus was named that holds it. */
  readonly prometheus: PrometheusMetrics | undefined;
  /** Reads once, past the store: for commands that print and end. */
  readonly client: ReadClient;
  /** What was sent from here, also in earlier sessions; what goes out raw is written down by whoever sends it. */
  readonly journal: Pick<Journal, 'latest' | 'append'>;
  /** Absent in read-only mode: the client that could send them is not made. */
  readonly operations: Operations | undefined;
  /** Read-only mode only: makes that client after all, for a person who asked for it. */
  readonly unlock: (() => Operations) | undefined;
};

type SessionOptions = {
  readonly actions: Actions;
  readonly baseUrl: string;
  readonly key: Secret;
  readonly clock: Clock;
  readonly link: Link;
  readonly random: () => number;
  readonly newId: () => string;
  readonly journalPath: string;
  readonly isReadOnly: boolean;
  readonly isTlsUnchecked: boolean;
  readonly readTimeoutMs: DurationMs | undefined;
  /** The most bytes of all pages of one list; the client's own bound where nothing is said. */
  readonly maxListBytes?: number | undefined;
  /** The most records of one list. */
  readonly maxListRecords?: number | undefined;
  /** Where every request is written down; absent unless asked for. */
  readonly log?: RequestLog | undefined;
  /** Where the bills of closed days are kept, and samples of bills; nowhere where nothing is said. */
  readonly keptFile?: StateFile | undefined;
  /** Whether what is sent from here is watched to its end; it is where nothing is said. */
  readonly watchesOwn?: boolean | undefined;
  readonly onUnwritten?: OperationsOptions['onUnwritten'];
  /** How often the journal is looked at for what another skydeck does meanwhile; never where nothing is said. */
  readonly journalIntervalMs?: DurationMs | undefined;
  /** How a request travels; over the network where nothing is said. */
  readonly exchange?: Exchange | undefined;
  readonly prometheus?: PrometheusAccess | undefined;
};

export function createSession(options: SessionOptions): Session {
  const {actions, clock, link, random} = options;
  const store = createStore();
  const budget = createRequestBudget(clock);
  const wire = wireOf(options, budget);
  const connection = options.prometheus && {...options.prometheus, clock};
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
  const journal = openJournal(options.journalPath, actions, createRedactor([options.key]));
  const makeOperations = () =>
    createOperations({
      actions,
      client: operationClient(options, wire),
      poller,
      store,
      clock,
      journal,
      budget,
      newId: options.newId,
      random,
      journalIntervalMs: options.journalIntervalMs,
      watchesOwn: options.watchesOwn,
      onUnwritten: options.onUnwritten,
      writer: {host: hostname(), pid: process.pid},
      isRunning: isOtherProcess,
    });
  const shared = {store, poller, budget, link, prometheus, client, journal};
  return options.isReadOnly
    ? {...shared, operations: undefined, unlock: makeOperations}
    : {...shared, operations: makeOperations(), unlock: undefined};
}

/** How all requests of the session travel. */
function wireOf(options: SessionOptions, budget: RequestBudget): ClientOptions {
  return {
    baseUrl: options.baseUrl,
    key: options.key,
    clock: options.clock,
    admit: budget.admit,
    onAnswer: options.link.saw,
    memory: new AnswerMemory(),
    maxListBytes: options.maxListBytes,
    maxListRecords: options.maxListRecords,
    ...(options.readTimeoutMs === undefined ? {} : {readTimeoutMs: options.readTimeoutMs}),
    ...(options.exchange === undefined ? {} : {exchange: options.exchange}),
  };
}

/** What reads for lists, and for checks before sending: both write into the log, and know the Prometheus beside. */
function readClients(
  {log, clock, prometheus, keptFile}: SessionOptions,
  wire: ClientOptions,
  budget: RequestBudget,
): {readonly client: ReadClient; readonly checkClient: ReadClient} {
  const connection = prometheus && {...prometheus, clock};
  const beside = connection && {gpus: gpuReads(connection, connection.gpus), past: pastReads(connection)};
  const logged = (reads: ReadClient) => (log === undefined ? reads : loggedReads(reads, log, clock));
  const both = (reads: ReadClient): ReadClient => (beside === undefined ? reads : {...reads, prometheus: beside});
  const asking = samplingUsage(logged(createClient(wire)), keptFile, clock);
  return {
    client: both(keptFile === undefined ? asking : keepingBills(asking, keptFile, clock)),
    checkClient: both(logged(createClient({...wire, admit: () => budget.admit('operation')}))),
  };
}

function operationClient({log, clock, isTlsUnchecked}: SessionOptions, wire: ClientOptions): OperationClient {
  const sending = createOperationClient({...wire, isTlsUnchecked});
  return log === undefined ? sending : loggedOperations(sending, log, clock);
}

/** A process on another computer cannot be checked; one with our own process id was an earlier one, which has ended. */
function isOtherProcess({host, pid}: JournalWriter): boolean | undefined {
  if (host !== hostname()) return undefined;
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists, and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
