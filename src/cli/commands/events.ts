import {Command} from 'commander';
import {type SafeText, safeText} from '../../domain/safe-text.ts';
import {isResourceType, RESOURCE_WORDS} from '../../domain/cloud-resource.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {type DurationMs, type EpochMs, epochMs, HOUR_MS, SECOND_MS} from '../../domain/time.ts';
import type {TimelineSubject} from '../../domain/timeline/entry.ts';
import {suspectsFor} from '../../domain/timeline/suspects.ts';
import {subjectWords} from '../../domain/timeline/timeline.ts';
import {sentFrom} from '../../actions/sent.ts';
import {rowEntry} from '../../resources/resource.ts';
import {TIMELINE_COLUMNS, type TimelineRow, timelineRecord, timelineRows} from '../../resources/timeline.ts';
import {meFeed, organizationFeed} from '../../state/account.ts';
import {creditFeed, deletedUsageFeed} from '../../state/billing.ts';
import {priceBookFeed} from '../../state/catalogue.ts';
import {clusterEventsFeed, clustersFeed} from '../../state/clusters.ts';
import {collectOnce} from '../../state/poller/collect.ts';
import type {Feed} from '../../state/feed.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {eventsFeed, observedMachines} from '../../state/machines.ts';
import {machinesByNews, presentBurn, presentGroups} from '../../state/timeline.ts';
import {costliestRunning, TRIAGE_LISTS} from '../../state/triage.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {formatCount, formatCounted, formatUtcFull} from '../../ui/format.ts';
import {type Account, openAccount} from '../account.ts';
import {type BuildCommand, type CommandIo, complain, failed} from '../command-io.ts';
import {EXIT, type ExitCode} from '../../domain/exit-codes.ts';
import {readMachineActivity} from '../machine-activity.ts';
import {NOT_PAST, sinceMoment} from '../option-values.ts';
import {printRecords} from '../print/print-records.ts';
import {openProgress} from '../print/progress.ts';
import {addCommonOptions, type CommonFlags, codeOfRead} from '../run-command.ts';
import {codeOfUnread, knownJournal, triageInput, unreadLines} from '../triage-reading.ts';

type EventsFlags = CommonFlags & {readonly since?: string};

/** A history takes one request: this many, and the lists, fit into a minute. */
const MAX_HISTORIES = 60;
const MAX_CLUSTERS = 20;
const LIMIT_MS: DurationMs = 10 * SECOND_MS;
/** Requests are sent at most at this rate. */
const REQUEST_MS: DurationMs = 0.75 * SECOND_MS;

/** `skydeck events`: everything that happened in the account, in one order. */
export const eventsCommand: BuildCommand = (io, end) => {
  const command = new Command('events')
    .description(
      'Print what happened in the account: events, billing steps, findings and own operations, newest first.',
    )
    .argument('[object]', 'a machine, cluster, firewall or volume by name or id; the whole account by default')
    .option('--since <moment>', 'only what happened since then: 22:00 (UTC), 2h, 3d or 2026-11-20T22:00:00Z', '1d');
  return addCommonOptions(command).action(async (object: string | undefined, flags: EventsFlags) =>
    end(await runEvents(io, object, flags)),
  );
};

async function runEvents(io: CommandIo, object: string | undefined, flags: EventsFlags): Promise<ExitCode> {
  const opened = await openAccount(io, flags);
  if (!opened.ok) return failed(io, opened.mistake, EXIT.usage);
  const {account} = opened;
  const now = account.clock.wallNow();
  const since = sinceMoment(flags.since ?? '', now);
  if (since === undefined) return failed(io, NOT_PAST, EXIT.usage);
  const progress = openProgress(io, account.clock, 'reading the account');
  let subjects: readonly TimelineSubject[] | undefined;
  try {
    await readLists(account);
    subjects = object === undefined ? undefined : subjectsNamed(account, object);
    await readHistories(account, subjects);
    const asked = askedMachines(account, subjects);
    await readMachineActivity(account, asked, {askedCount: asked.length, progress: progress.say});
  } finally {
    progress.end();
  }
  for (const line of unreadLines(account)) complain(io, account.redact(line));
  const missing = codeOfUnread(account);
  if (missing !== EXIT.done) return missing;
  if (object !== undefined && subjects?.length === 0) {
    return failed(
      io,
      account.redact(`no machine, cluster, firewall or volume is called ${safeText(object)}`),
      EXIT.notFound,
    );
  }
  const types = new Set(subjects?.map(({type}) => type));
  if (types.size > 1) {
    const words = [...types].map(type => (isResourceType(type) ? RESOURCE_WORDS[type].one : type));
    complain(
      io,
      account.redact(`${safeText(object ?? '')} is the name or id of a ${words.join(' and of a ')}; all are printed`),
    );
  }
  await printTimeline(io, account, {
    flags,
    since: sinceMoment(flags.since ?? '', account.clock.wallNow()) ?? since,
    subjects,
  });
  return codeOfRead(io);
}

const LISTS: readonly Feed<unknown>[] = [
  ...TRIAGE_LISTS.map(({feed}) => feed),
  deletedUsageFeed,
  creditFeed,
  meFeed,
  organizationFeed,
  priceBookFeed,
];

async function readLists({session, clock}: Account): Promise<void> {
  await collectOnce({feeds: LISTS, poller: session.poller, clock, limitMs: LIMIT_MS});
}

async function readHistories(account: Account, subjects: readonly TimelineSubject[] | undefined): Promise<void> {
  const {session, clock} = account;
  const wanted = (type: TimelineSubject['type'], id: number) =>
    subjects?.some(subject => subject.type === type && subject.id === id) ?? true;
  const feeds: readonly Feed<unknown>[] = [
    ...machinesByNews(triageInput(account), undefined)
      .filter(({id}) => wanted('vm', id))
      .slice(0, MAX_HISTORIES)
      .map(({id}) => eventsFeed(id)),
    ...(lastValue(session.store.get(clustersFeed))?.records ?? [])
      .filter(({id}) => wanted('cluster', id))
      .slice(0, MAX_CLUSTERS)
      .map(({id}) => clusterEventsFeed(id)),
  ];
  const limitMs = Math.max(LIMIT_MS, feeds.length * REQUEST_MS);
  if (feeds.length > 0) await collectOnce({feeds, poller: session.poller, clock, limitMs});
}

/** Metrics are read of machines that were named: one request each, or two. */
function askedMachines({session: {store}}: Account, subjects: readonly TimelineSubject[] | undefined) {
  return costliestRunning(store).filter(
    ({id}) => subjects?.some(subject => subject.type === 'vm' && subject.id === id) ?? false,
  );
}

/** Subjects with this name or id. Ids are counted by type, so there may be several. */
function subjectsNamed({session: {store}}: Account, object: string): readonly TimelineSubject[] {
  const ofType = (type: TimelineSubject['type'], records: readonly {readonly id: number; readonly name: SafeText}[]) =>
    records.map(({id, name}): TimelineSubject => ({type, id, name}));
  return [
    ...ofType('vm', observedMachines(store) ?? []),
    ...ofType('cluster', lastValue(store.get(clustersFeed))?.records ?? []),
    ...ofType('firewall', lastValue(store.get(firewallsFeed))?.records ?? []),
    ...ofType('volume', lastValue(store.get(volumesFeed))?.records ?? []),
    ...(lastValue(store.get(deletedUsageFeed))?.records ?? []).map(
      ({resourceType, resourceId: id, name}): TimelineSubject => ({
        type: resourceType.toLowerCase() === 'volume' ? 'volume' : 'vm',
        id,
        name,
      }),
    ),
  ].filter(({id, name}) => name === safeText(object) || String(id) === object.replace(/^#/, ''));
}

async function printTimeline(
  io: CommandIo,
  account: Account,
  {
    flags,
    since,
    subjects,
  }: {readonly flags: EventsFlags; readonly since: EpochMs; readonly subjects: readonly TimelineSubject[] | undefined},
): Promise<void> {
  const {session, redact} = account;
  const {store} = session;
  const known = triageInput(account);
  const journal = knownJournal(io, account, since);
  const sent = sentFrom({journal: () => journal, now: known.now, store});
  const asked = timelineRows(known, {since, sent, about: subjects}) ?? [];
  // What began at an unknown time is not known to have happened since then.
  const shown = asked.filter(({entry}) => entry.at !== undefined);
  const all = timelineRows(known, {since: epochMs(since - HOUR_MS), sent}) ?? [];
  const context = {groups: presentGroups(store), burn: presentBurn(store)};
  const entries = all.map(({entry}) => entry);
  const isRaw = flags.output !== 'table' && flags.output !== 'wide' && flags.output !== 'csv';
  const suspectsOf = (row: TimelineRow) =>
    row.step === undefined || !isRaw ? [] : suspectsFor(row.entry, entries, context);
  const printed = shown.map(row =>
    rowEntry(TIMELINE_COLUMNS, row, {raw: timelineRecord(row, suspectsOf(row)), name: subjectWords(row.entry)}),
  );
  const {isAscii} = account.options;
  const isOfOne = subjects !== undefined;
  await printRecords(io, PRINTED, printed, {format: flags.output, showsSecrets: false, isAscii, redact, isOfOne});
  if (shown.length === 0) complain(io, `no events known since ${formatUtcFull(since)}; --since reaches further back`);
  sayUndated(io, asked.length - shown.length);
  sayDeleted(io, account, {since, subjects});
  sayUnread(io, account, subjects);
  if (subjects === undefined && costliestRunning(store).length > 0) {
    complain(io, 'findings by metrics are not judged here; name a machine, or run skydeck triage');
  }
}

function sayUndated(io: CommandIo, count: number): void {
  if (count === 0) return;
  complain(
    io,
    `${formatCounted(count, 'finding')} not printed because their start is unknown; skydeck triage lists them`,
  );
}

/** A deleted machine has no events; what remains is when its billing began and ended. */
function sayDeleted(
  io: CommandIo,
  {session: {store}}: Account,
  {since, subjects}: {readonly since: EpochMs; readonly subjects: readonly TimelineSubject[] | undefined},
): void {
  const listed = new Set((observedMachines(store) ?? []).map(({id}) => Number(id)));
  const deleted = (lastValue(store.get(deletedUsageFeed))?.records ?? []).filter(
    ({resourceType, resourceId, terminatedAt}) =>
      resourceType.toLowerCase() === 'vm' && !listed.has(resourceId) && (terminatedAt ?? 0) >= since,
  );
  const asked = deleted.filter(({resourceId}) => subjects?.some(({id}) => id === resourceId) ?? true);
  const count = new Set(asked.map(({resourceId}) => resourceId)).size;
  if (count === 0) return;
  const whose = formatCounted(count, 'deleted machine');
  complain(io, `events of ${whose} are no longer reported by the service; the end of their billing is printed`);
}

const PRINTED = {names: ['events'] as const, columns: TIMELINE_COLUMNS};

/** In a large fleet not every history is read, and the output says which are missing. */
function sayUnread(io: CommandIo, {session: {store}}: Account, subjects: readonly TimelineSubject[] | undefined): void {
  const machines = (observedMachines(store) ?? []).filter(
    ({id}) => subjects?.some(subject => subject.type === 'vm' && subject.id === id) ?? true,
  );
  const readCount = machines.filter(({id}) => lastValue(store.get(eventsFeed(id))) !== undefined).length;
  if (readCount === machines.length) return;
  const advice = subjects === undefined ? '; name a machine to read its events' : '';
  complain(io, `read the events of ${formatCount(readCount)} of ${formatCount(machines.length)} machines${advice}`);
}
