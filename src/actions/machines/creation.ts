import * as z from 'zod';
import {present} from '../../api/fields.ts';
import {createVirtualMachines, deleteVirtualMachine} from '../../api/virtual-machines.ts';
import {type Evidence, elsewhere, TRANSITION} from '../../domain/action.ts';
import {redactedUrl} from '../../domain/redacted-url.ts';
import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import {MINUTE_MS} from '../../domain/time.ts';
import {
  isTransitional,
  type MachineSpec,
  TRANSITION_LIMITS_MS,
  type VirtualMachine,
} from '../../domain/virtual-machine.ts';
import {flavorsFeed, imagesFeed, stocksFeed} from '../../state/catalogue.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {placeRefusal} from '../creation-choices.ts';
import {actionMaking, actionOn, deletion, stateProgress} from '../define.ts';
import {assessCreate} from './assess-create.ts';
import {assessDelete} from './assess-delete.ts';
import {assessManyMachines} from './assess-many.ts';
import {machineReads} from './subject.ts';
import {flag, machine, number, ruleSpec, text} from '../parameters.ts';

const machineSpec: z.ZodType<MachineSpec> = z
  .object({
    name: text,
    environmentName: text,
    flavorName: text,
    keyPairName: text,
    count: number,
    imageName: text.optional(),
    volumeName: text.optional(),
    createsBootableVolume: flag.optional(),
    assignsFloatingIp: flag.optional(),
    randomizesPorts: flag.optional(),
    labels: z.array(text).optional(),
    callbackUrl: text.optional(),
    rules: z.array(ruleSpec).optional(),
  })
  .transform(present);

export const createMachines = actionMaking({
  kind: 'vm.create',
  parameters: z.object({spec: machineSpec}),
  endpoint: createVirtualMachines,
  reads: ([first]) => [
    environmentsFeed,
    keyPairsFeed,
    flavorsFeed,
    stocksFeed,
    imagesFeed,
    ...(first?.action.spec.volumeName === undefined ? [] : [volumesFeed]),
  ],
  refusal: ({spec}, known) => placeRefusal(known, spec),
  assess: assessCreate,
  withoutSecrets: action => {
    const {callbackUrl, userData} = action.spec;
    if (callbackUrl === undefined && userData === undefined) return action;
    return {
      ...action,
      spec: {
        ...action.spec,
        ...(callbackUrl === undefined ? {} : {callbackUrl: redactedUrl(callbackUrl)}),
        ...(userData === undefined ? {} : {userData: KEPT_OUT}),
      },
    };
  },
  verb: say`create`,
  words: ({spec}) => (spec.count > 1 ? say`create ${spec.count} machines` : say`create machine`),
  overdueAfterMs: 15 * MINUTE_MS,
  count: ({spec}) => spec.count,
  isMade: ({spec}, {name}) => name === spec.name || (spec.count > 1 && isNumbered(name, spec.name)),
  progress: machineProgress,
});

/** Start-up scripts often contain passwords, so the journal only says that there was one. */
const KEPT_OUT = '[not recorded]';

export const deleteMachine = actionOn({
  kind: 'vm.delete',
  parameters: z.object({id: machine}),
  endpoint: deleteVirtualMachine,
  reads: machineReads,
  assess: assessDelete,
  assessMany: (sent, known, wording) => assessManyMachines({sent, transition: undefined}, known, wording),
  keys: [
    {
      menu: 'delete',
      key: 'X',
      title: say`delete`,
      help: 'Deletes the machine, or all marked machines, permanently; asks for the full name.',
      consequence: () => 'permanently; its volumes stay',
    },
  ],
  command: {
    words: ['vm', 'delete'],
    summary: 'delete machines and the contents of their disks, permanently',
    parametersFor: ({id, name, clusterId}) =>
      clusterId === undefined
        ? {id}
        : {mistake: say`${nameInWords(name)} #${id} is a node of cluster #${clusterId}: see skydeck api`},
  },
  ...deletion('vm', TRANSITION_LIMITS_MS.DELETING, ({status, clusterId, isLocked}: VirtualMachine) => {
    if (clusterId !== undefined) return say`a node of cluster #${clusterId}: it is deleted with its cluster`;
    if (isLocked === true) return say`it is locked against deletion`;
    return status === 'CREATING' ? say`it is CREATING; it cannot be deleted until it is created` : undefined;
  }),
});

export const MACHINES = [createMachines, deleteMachine] as const;

/** The service adds a number to each name when it creates several machines at once. */
function isNumbered(name: SafeText, base: SafeText): boolean {
  return name.startsWith(base) && /^[-_ ]?\d+$/.test(name.slice(base.length));
}

function machineProgress(machine: VirtualMachine): Evidence {
  if (machine.status === 'DELETING') return elsewhere(say`it is ${machine.statusText}`);
  if (isTransitional(machine.status)) return TRANSITION;
  return stateProgress(machine, {going: [], made: ['ACTIVE', 'SHUTOFF']});
}
