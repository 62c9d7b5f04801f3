import {type Evidence, elsewhere, TARGET, TRANSITION, UNCHANGED} from './action.ts';
import type {Firewall} from './firewall.ts';
import {type SafeText, say} from './safe-text.ts';
import type {VirtualMachineId} from './virtual-machine.ts';

/** The progress of attaching a volume, firewall or address. Unknown words are taken for attached. */
export type AttachmentState = 'attached' | 'changing' | 'gone' | 'failed';

export function attachmentState(status: SafeText | undefined): AttachmentState {
  const word = status?.toUpperCase().replaceAll(/[\s_-]+/g, '_') ?? '';
  if (/^(?:DETACHED|DELETED|NO_FLOATING_IP)$/.test(word)) return 'gone';
  if (/^(?:ERROR|FAILED)/.test(word)) return 'failed';
  // ATTACHING, DETACHING, CREATING, DELETING and the like.
  return /ING$/.test(word) ? 'changing' : 'attached';
}

/** The present attachments of a firewall, without past ones. */
export function presentIn({attachments}: Pick<Firewall, 'attachments'>): Firewall['attachments'] {
  return attachments.filter(({status}) => attachmentState(status) !== 'gone');
}

/** It is attached to no machine, so its rules open nothing now. */
export function isUnattached(firewall: Pick<Firewall, 'attachments' | 'hasUnreadAttachments'>): boolean {
  return presentIn(firewall).length === 0 && firewall.hasUnreadAttachments !== true;
}

/** Of this machine at the firewall; one that was attached before may be in the list more than once. */
export function stateAt(firewall: Pick<Firewall, 'attachments'>, machine: VirtualMachineId): AttachmentState {
  const present = presentIn(firewall).find(({machineId}) => machineId === machine);
  return present === undefined ? 'gone' : attachmentState(present.status);
}

export function isAttached(firewall: Pick<Firewall, 'attachments'>, machine: VirtualMachineId): boolean {
  return presentIn(firewall).some(({machineId}) => machineId === machine);
}

/** Why the set of machines cannot be replaced: machines that were not read would be detached. */
export function unreadAttachmentsReason({attachments, hasUnreadAttachments}: Firewall): SafeText | undefined {
  const isWhole = attachments.every(
    ({machineId, status}) => machineId !== undefined || attachmentState(status) === 'gone',
  );
  return hasUnreadAttachments === true || !isWhole
    ? say`its machines could not be read completely, so changing them could detach some`
    : undefined;
}

export function isSameSet(left: readonly (string | number)[], right: readonly (string | number)[]): boolean {
  const [some, others] = [new Set(left), new Set(right)];
  return some.size === others.size && [...some].every(each => others.has(each));
}

/** The wanted state of each member of a set, its present state, and its earlier state if known. */
export type Membership<Id> = {
  readonly goals: ReadonlyMap<Id, 'attached' | 'gone'>;
  readonly now: (id: Id) => AttachmentState;
  readonly before: ((id: Id) => AttachmentState) | undefined;
  readonly hasSeenTransition: boolean;
};

/** Members change one after the other: while only some have, the change is under way, up to a limit. */
export function membershipEvidence<Id>({goals, now, before, hasSeenTransition}: Membership<Id>): Evidence {
  const members = [...goals].map(([id, goal]) => ({state: now(id), goal, wasThere: before?.(id) === goal}));
  const reachedCount = members.filter(({state, goal}) => state === goal).length;
  const words = say`${reachedCount} of ${members.length} are done`;
  if (reachedCount === members.length) return TARGET;
  if (members.some(({state, goal}) => state === 'failed' && goal === 'attached')) return elsewhere(words);
  if (members.some(({state}) => state === 'changing')) return TRANSITION;
  if (members.some(({state, goal, wasThere}) => state === goal && !wasThere))
    return {kind: 'transition', unlessLate: words};
  return hasSeenTransition ? elsewhere(words) : UNCHANGED;
}

export function goalsOf<Id>(attached: readonly Id[], gone: readonly Id[] = []): ReadonlyMap<Id, 'attached' | 'gone'> {
  const goals = new Map<Id, 'attached' | 'gone'>(gone.map(id => [id, 'gone']));
  for (const id of attached) goals.set(id, 'attached');
  return goals;
}
