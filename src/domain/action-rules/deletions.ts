import type {Action, ActionKind} from '../action.ts';
import type {Firewall} from '../firewall.ts';
import {type SafeText, say} from '../safe-text.ts';
import {statusOf, THING_WORDS, type Thing, type ThingType} from '../thing.ts';
import {type DurationMs, MINUTE_MS} from '../time.ts';
import type {VirtualMachine} from '../virtual-machine.ts';
import {presentAttachments, type Volume} from '../volume.ts';
import {type ActionRule, type ActionRules, NOTHING, TARGET, TRANSITION, UNCHANGED} from './action-rule.ts';
import {attachmentState} from './attachment-state.ts';
import {isElsewhere, onOneThing} from './one-thing.ts';

type DeletionKind = Extract<ActionKind, `${string}.delete`>;

export const DELETION_RULES: Pick<ActionRules, DeletionKind> = {
  'vm.delete': deletion('vm', 10 * MINUTE_MS, ({status, clusterId}: VirtualMachine) => {
    if (clusterId !== undefined) return say`a node of cluster #${clusterId}: it goes with its cluster`;
    return status === 'CREATING' ? say`a machine that is CREATING cannot be deleted` : undefined;
  }),
  'cluster.delete': deletion('cluster', 30 * MINUTE_MS),
  'firewall.delete': deletion('firewall', 5 * MINUTE_MS, ({attachments}: Firewall) => {
    const {length} = attachments.filter(({status}) => attachmentState(status) !== 'gone');
    return length === 0 ? undefined : say`it is attached to ${machines(length)}`;
  }),
  'volume.delete': deletion('volume', 5 * MINUTE_MS, (volume: Volume) => {
    const {length} = presentAttachments(volume);
    return length === 0 ? undefined : say`it is attached to ${machines(length)}`;
  }),
  'key-pair.delete': deletion('key-pair', 2 * MINUTE_MS),
  'environment.delete': deletion('environment', 5 * MINUTE_MS),
  'access-key.delete': deletion('access-key', 2 * MINUTE_MS),
  'bucket.delete': deletion('bucket', 10 * MINUTE_MS),
};

/** What is to be gone may be seen going, where its type has states; one that is left out of a whole list is gone. */
function deletion<A extends Action, R extends Thing>(
  type: ThingType,
  overdueAfterMs: DurationMs,
  refusal: (thing: R) => SafeText | undefined = () => undefined,
): ActionRule<A, R> {
  return onOneThing<A, R>({
    verb: say`delete`,
    words: () => say`delete ${THING_WORDS[type]}`,
    overdueAfterMs,
    whenGone: TARGET,
    obstacle: (_act, thing) => {
      const state = statusOf(thing);
      const isGoing = state?.status === 'DELETING' || state?.status === 'DELETED';
      return state !== undefined && isGoing ? say`already ${state.statusText}` : refusal(thing);
    },
    evidence: (_act, thing, {hasSeenTransition}) => {
      const state = statusOf(thing);
      if (state?.status === 'DELETED') return TARGET;
      if (state?.status === 'DELETING') return TRANSITION;
      if (state?.status === 'UNKNOWN') return NOTHING;
      return state !== undefined && hasSeenTransition ? isElsewhere(state) : UNCHANGED;
    },
    undo: () => say`what is deleted cannot be brought back`,
  });
}

function machines(count: number): SafeText {
  return count === 1 ? say`1 machine` : say`${count} machines`;
}
