import {clusterEvents} from '../api/clusters.ts';
import {virtualMachineEvents} from '../api/virtual-machines.ts';
import {type ClusterEvent, clusterId} from '../domain/cluster.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {virtualMachineId} from '../domain/virtual-machine.ts';
import {clusters} from './clusters.ts';
import {find} from './find.ts';
import {machines} from './machines.ts';
import {moment, number, text} from './column.ts';
import {type Listed, type Reader, withOwner} from './listing.ts';
import {defineResource} from './resource.ts';

/** Histories cost one request per object; this many still fit into a minute beside the lists. */
const MAX_HISTORIES = 70;

/** An event does not say itself whose it is. */
type EventRow = ClusterEvent & {readonly owner: SafeText | undefined};

export const events = defineResource<ClusterEvent, EventRow>({
  names: ['events', 'event', 'history'],
  summary: 'events of machines and clusters, newest first; --vm or --cluster for one',
  narrowedBy: ['vm', 'cluster'],
  columns: [
    {key: 'time', title: 'TIME', value: ({occurredAt}) => moment(occurredAt)},
    {key: 'subject', title: 'SUBJECT', isSubject: true, value: ({owner}) => text(owner)},
    {key: 'type', title: 'TYPE', value: ({type}) => text(type)},
    {key: 'reason', title: 'REASON', value: ({reason}) => text(reason)},
    {key: 'message', title: 'MESSAGE', isProse: true, value: ({message}) => text(message)},
    {key: 'user', title: 'USER', printed: 'wide', align: 'right', value: ({userId}) => number(userId)},
  ],
  list: listEvents,
  parse: virtualMachineEvents.record,
  row:
    ({owners}) =>
    (event, raw) => ({...event, owner: owners?.get(raw)}),
  idOf: ({id}) => id,
  nameOf: ({reason}) => reason,
});

type EventSubject = {
  readonly type: 'vm' | 'cluster';
  readonly id: number;
  readonly words: SafeText;
  readonly raw: unknown;
};

async function listEvents(reader: Reader): Promise<Listed> {
  const subjects = await eventSubjects(reader);
  if (!subjects.ok) return subjects;
  if (subjects.value.length > MAX_HISTORIES) {
    const count = subjects.value.length;
    return {ok: false, mistake: say`this would need ${count} requests: choose one with --vm or --cluster`};
  }
  const raw: unknown[] = [];
  const owners = new Map<unknown, SafeText>();
  for (const [index, {type, id, words, raw: subject}] of subjects.value.entries()) {
    reader.progress(`history ${index + 1} of ${subjects.value.length}`);
    const answer =
      type === 'vm'
        ? await reader.client.readRaw(virtualMachineEvents, {id: virtualMachineId(id)}, reader)
        : await reader.client.readRaw(clusterEvents, {id: clusterId(id)}, reader);
    if (!answer.ok) return answer;
    for (const each of answer.value.raw) {
      const event = withOwner(each, type, subject);
      raw.push(event);
      owners.set(event, words);
    }
  }
  return {ok: true, value: {raw: newestFirst(raw), owners}};
}

/** As in the deck and in skydeck events; the service lists the events of each object oldest first. */
function newestFirst(raw: readonly unknown[]): readonly unknown[] {
  const timed = raw.toReversed().map(each => {
    const parsed = virtualMachineEvents.record(each);
    return {each, at: (parsed.ok ? parsed.value.occurredAt : undefined) ?? 0};
  });
  return timed.sort((left, right) => right.at - left.at).map(({each}) => each);
}

async function eventSubjects(
  reader: Reader,
): Promise<{readonly ok: true; readonly value: readonly EventSubject[]} | Extract<Listed, {ok: false}>> {
  const {vm, cluster} = reader.narrowing;
  const wanted = [
    {type: 'vm', resource: machines, named: vm, isWanted: vm !== undefined || cluster === undefined},
    {type: 'cluster', resource: clusters, named: cluster, isWanted: cluster !== undefined || vm === undefined},
  ] as const;
  const subjects: EventSubject[] = [];
  for (const {type, resource, named, isWanted} of wanted) {
    if (!isWanted) continue;
    if (named !== undefined) {
      const found = await find(reader, resource, named);
      if (!found.ok) return found;
      const {id, name, raw} = found.value;
      subjects.push({type, id, raw, words: subjectWords(type, id, name)});
      continue;
    }
    const listed = await resource.list({...reader, onPage: undefined});
    if (!listed.ok) return listed;
    for (const raw of listed.value.raw) {
      const entry = resource.parseRaw(raw);
      const id = Number(entry.id);
      if (entry.isReadable) subjects.push({type, id, raw, words: subjectWords(type, id, entry.name ?? safeText(''))});
    }
  }
  return {ok: true, value: subjects};
}

function subjectWords(type: EventSubject['type'], id: number, name: SafeText): SafeText {
  return say`${safeText(type)} ${name} #${id}`;
}
