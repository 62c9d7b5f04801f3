import type {ActionKind} from '../action.ts';
import {CREATION_LIMIT_MS} from '../cluster.ts';
import {type SafeText, say} from '../safe-text.ts';
import type {Thing} from '../thing.ts';
import {MINUTE_MS} from '../time.ts';
import {isTransitional, type VirtualMachine} from '../virtual-machine.ts';
import {type ActionRules, type Evidence, elsewhere, NOTHING, TARGET, TRANSITION} from './action-rule.ts';
import {creation} from './creation.ts';

type CreationKind = Extract<ActionKind, `${string}.create` | 'key-pair.import'>;

export const CREATION_RULES: Pick<ActionRules, CreationKind> = {
  'vm.create': creation({
    verb: say`create`,
    words: ({spec}) => (spec.count > 1 ? say`create ${spec.count} machines` : say`create machine`),
    overdueAfterMs: 15 * MINUTE_MS,
    count: ({spec}) => spec.count,
    isMade: ({spec}, {name}) => name === spec.name || (spec.count > 1 && isNumbered(name, spec.name)),
    progress: machineProgress,
  }),
  'cluster.create': creation({
    verb: say`create`,
    words: () => say`create cluster`,
    overdueAfterMs: CREATION_LIMIT_MS,
    isMade: ({spec}, {name}) => name === spec.name,
    progress: cluster => stateProgress(cluster, {going: ['CREATING', 'RECONCILING'], made: ['ACTIVE']}),
  }),
  'firewall.create': creation({
    verb: say`create`,
    words: () => say`create firewall`,
    overdueAfterMs: 5 * MINUTE_MS,
    isMade: ({spec}, {name}) => name === spec.name,
    progress: firewall => stateProgress(firewall, {going: ['CREATING'], made: ['SUCCESS']}),
  }),
  'volume.create': creation({
    verb: say`create`,
    words: ({spec}) => say`create volume of ${spec.sizeGb} GB`,
    overdueAfterMs: 10 * MINUTE_MS,
    isMade: ({spec}, {name}) => name === spec.name,
    progress: volume =>
      stateProgress(volume, {going: ['CREATING', 'ATTACHING', 'DETACHING'], made: ['AVAILABLE', 'IN_USE']}),
  }),
  'key-pair.import': creation({
    verb: say`import`,
    words: () => say`import key pair`,
    overdueAfterMs: 2 * MINUTE_MS,
    isMade: ({spec}, {name}) => name === spec.name,
    progress: () => TARGET,
  }),
  'environment.create': creation({
    verb: say`create`,
    words: ({spec}) => say`create environment in ${spec.regionName}:`,
    overdueAfterMs: 2 * MINUTE_MS,
    isMade: ({spec}, {name}) => name === spec.name,
    progress: () => TARGET,
  }),
  'access-key.create': creation({
    verb: say`create`,
    words: () => say`create access key in`,
    overdueAfterMs: 2 * MINUTE_MS,
    isNameless: true,
    isMade: ({spec}, key) => key.regionName === spec.regionName && key.description === spec.description,
    progress: () => TARGET,
    remark: (_act, {result}) =>
      result?.kind === 'access-key' ? undefined : say`its secret half did not arrive; delete it and create another`,
  }),
};

/** The service adds a number to each name when it makes several machines at once. */
function isNumbered(name: SafeText, base: SafeText): boolean {
  return name.startsWith(base) && /^[-_ ]?\d+$/.test(name.slice(base.length));
}

function machineProgress(machine: VirtualMachine): Evidence {
  if (machine.status === 'DELETING') return elsewhere(say`it is ${machine.statusText}`);
  if (isTransitional(machine.status)) return TRANSITION;
  return stateProgress(machine, {going: [], made: ['ACTIVE', 'SHUTOFF']});
}

function stateProgress(
  thing: Thing & {readonly status: string; readonly statusText: SafeText},
  {going, made}: {readonly going: readonly string[]; readonly made: readonly string[]},
): Evidence {
  const {status, statusText} = thing;
  if (going.includes(status)) return TRANSITION;
  if (made.includes(status)) return TARGET;
  return FAILED.has(status) ? elsewhere(say`it is ${statusText}`) : NOTHING;
}

const FAILED: ReadonlySet<string> = new Set(['ERROR', 'FAILED', 'DELETING', 'DELETED']);
