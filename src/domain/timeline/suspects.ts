import type {Cluster} from '../cluster.ts';
import type {Firewall} from '../firewall.ts';
import type {Rate} from '../money.ts';
import {type SafeText, say} from '../safe-text.ts';
import {type DurationMs, MINUTE_MS} from '../time.ts';
import type {VirtualMachine} from '../virtual-machine.ts';
import {presentAttachments, type Volume} from '../volume.ts';
import {subjectKeyOf, type TimelineEntry, type TimelineSubject} from './entry.ts';
import {stemOf} from '../cloud-resource.ts';
import {stepOfEntry, subjectWords} from './timeline.ts';

/** What happened this long before a step may have caused it; clocks differ by that much. */
const BEFORE_MS: DurationMs = 60 * MINUTE_MS;
const AFTER_MS: DurationMs = 2 * MINUTE_MS;
const MAX_SUSPECTS = 5;

/** The rule by which suspects are found, in words. */
export const SUSPECT_RULE = say`A suspect is what happened in the ${BEFORE_MS / MINUTE_MS} min before and touches it or its group (numbered names, the same cluster, firewall, volume or contract): close in time, which is no proof.`;

/** What may have caused a step: an entry, or several similar ones as one. */
export type Suspect = {
  readonly entry: TimelineEntry;
  readonly count: number;
  /** `same object`, `same group`, or `changes the burn rate` if the step is that of the whole account. */
  readonly touches: SafeText;
};

/** The groups a subject is in: two subjects that share one belong together. */
export type Groups = (subject: TimelineSubject) => ReadonlySet<string>;

/** Groups derived from the lists. A list that was not read only means fewer groups. */
export function groupsOf({
  machines = [],
  clusters = [],
  firewalls = [],
  volumes = [],
}: {
  readonly machines?: readonly VirtualMachine[] | undefined;
  readonly clusters?: readonly Cluster[] | undefined;
  readonly firewalls?: readonly Firewall[] | undefined;
  readonly volumes?: readonly Volume[] | undefined;
}): Groups {
  const groups = new Map<number, Set<string>>();
  const add = (machineId: number | undefined, group: string) => {
    if (machineId === undefined) return;
    const own = groups.get(machineId) ?? new Set();
    groups.set(machineId, own.add(group));
  };
  for (const {id, clusterId, contractId} of machines) {
    if (clusterId !== undefined) add(id, `cluster ${clusterId}`);
    if (contractId !== undefined) add(id, `contract ${contractId}`);
  }
  for (const {id, nodes} of clusters) for (const {machineId} of nodes) add(machineId, `cluster ${id}`);
  for (const {id, attachments} of firewalls) for (const {machineId} of attachments) add(machineId, `firewall ${id}`);
  for (const volume of volumes)
    for (const {machineId} of presentAttachments(volume)) add(machineId, `volume ${volume.id}`);
  return subject => {
    const stem = stemOf(subject.name);
    // A name without a number at its end belongs to no series.
    const row = subject.type === 'vm' && stem !== subject.name && stem !== '' ? [`row ${stem}`] : [];
    const own = subject.type === 'vm' && subject.id !== undefined ? (groups.get(subject.id) ?? []) : [];
    return new Set([...row, ...own, subjectKeyOf(subject)]);
  };
}

/**
 * Entries close to a step in time that concern its object or its group, the most closely related first, then the
 * latest.
 */
export function suspectsFor(
  step: TimelineEntry,
  entries: readonly TimelineEntry[],
  {groups, burn}: {readonly groups: Groups; readonly burn: Rate | undefined},
): readonly Suspect[] {
  if (step.at === undefined) return [];
  const from = (step.after ?? step.at) - BEFORE_MS;
  const to = (step.until ?? step.at) + AFTER_MS;
  const own = new Set(step.subjects.map(subjectKeyOf));
  const ofGroup = new Set(step.subjects.flatMap(subject => [...groups(subject)]));
  const isWhole = step.subjects[0].type === 'account';
  const near = entries.flatMap((entry): readonly Close[] => {
    const {at, source, key} = entry;
    if (at === undefined || at < from || at > to || key === step.key || source === 'finding') return [];
    if (entry.isWithoutEffect) return [];
    if (entry.subjects.some(subject => own.has(subjectKeyOf(subject))))
      return isEndOf(entry, step) ? [] : [{entry, closeness: 0}];
    if (entry.subjects.some(subject => [...groups(subject)].some(group => ofGroup.has(group))))
      return [{entry, closeness: 1}];
    return isWhole && stepOfEntry(entry, burn) === 'burn' ? [{entry, closeness: 2}] : [];
  });
  return folded(near.sort(closestFirst)).slice(0, MAX_SUSPECTS);
}

type Close = {readonly entry: TimelineEntry; readonly closeness: 0 | 1 | 2};

/** Something requested before a step that ends after it is the step itself. */
function isEndOf(entry: TimelineEntry, step: TimelineEntry): boolean {
  return (entry.at ?? 0) >= (step.at ?? 0) && entry.changes.some(change => step.changes.includes(change));
}

const TOUCHES = [say`same object`, say`same group`, say`changes the burn rate`] as const;

function closestFirst(left: Close, right: Close): number {
  return left.closeness - right.closeness || (right.entry.at ?? 0) - (left.entry.at ?? 0);
}

/** The same action by the same user on numbered names is one suspect. */
function folded(near: readonly Close[]): readonly Suspect[] {
  const alike = Map.groupBy(near, ({entry, closeness}) => {
    const {who, what, subjects, source} = entry;
    const row = stemOf(subjects[0].name);
    return `${closeness} ${source} ${what.replaceAll(subjects[0].name, row)} ${row} ${who?.kind} ${who?.kind === 'user' ? who.id : ''}`;
  });
  return [...alike.values()].flatMap(members => {
    const [first] = members;
    if (first === undefined) return [];
    return [{entry: first.entry, count: members.length, touches: TOUCHES[first.closeness]}];
  });
}

/** A suspect on one line, without its time. */
export function suspectWords({entry, count}: Suspect): SafeText {
  const times = count === 1 ? say`` : say` (and ${count - 1} similar)`;
  return say`${entry.what} \u00b7 ${subjectWords(entry)}${times}`;
}
