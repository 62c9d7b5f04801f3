import * as z from 'zod';
import {deleteVirtualMachine} from '../../api/virtual-machines.ts';
import type {Action} from '../../domain/action.ts';
import {isFreeMeanwhile} from '../../domain/cost.ts';
import {billingInStatus} from '../../domain/money/state-billing.ts';
import {ZERO_RATE} from '../../domain/money.ts';
import {say} from '../../domain/safe-text.ts';
import {
  clusterWords,
  hasAddress,
  mayBeUnderContract,
  TRANSITION_LIMITS_MS,
  type VirtualMachine,
} from '../../domain/virtual-machine.ts';
import {formatGigabytes, formatRate, formatSavings} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {type AssessmentInput, costNow} from '../question/assessment-input.ts';
import type {Assessment} from '../question/assessment.ts';
import {contractSpan, endedCost} from '../creation/cost.ts';
import {actionOn, deletion} from '../define.ts';
import {machine} from '../parameters.ts';
import {typedAnswer} from '../question/question.ts';
import {addressFact} from './address.ts';
import {ownSessionLines, workLines} from './activity.ts';
import {assessManyMachines} from './assess-many.ts';
import {unmeteredLine} from './assess-power.ts';
import {contractLines} from './contract-lines.ts';
import {diskFact, priceSource} from './power-transition.ts';
import {attachedVolumes, remainingVolumeLines} from './remaining-volumes.ts';
import {machineReads} from './subject.ts';
import {volumeFacts} from './volumes.ts';

export const deleteMachine = actionOn({
  kind: 'vm.delete',
  parameters: z.object({id: machine}),
  endpoint: deleteVirtualMachine,
  reads: machineReads,
  assess: assessDelete,
  costChange: (_action, machine, known) => {
    const {rate, isListPrice} = costNow(machine, known);
    return endedCost(rate, mayBeUnderContract(machine), isListPrice);
  },
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
  },
  ...deletion('vm', TRANSITION_LIMITS_MS.DELETING, (machine: VirtualMachine) => {
    const {status, isLocked} = machine;
    const cluster = clusterWords(machine);
    if (cluster !== undefined) return say`a node of ${cluster}: it is deleted with its cluster`;
    if (isLocked === true) return say`it is locked against deletion`;
    return status === 'CREATING' ? say`it is CREATING; it cannot be deleted until it is created` : undefined;
  }),
  namedFacts: (_action, machine) => {
    const volumeIds = attachedVolumes(machine).flatMap(({volumeId}) => volumeId ?? []);
    return new Map([
      ...addressFact(machine),
      ...diskFact('root', machine.flavor?.rootDiskGb),
      ...diskFact('ephemeral', machine.flavor?.ephemeralDiskGb),
      ...volumeFacts(machine, volumeIds),
      [say`the full list of its volumes`, machine.hasUnreadVolumes === true ? undefined : say`read`],
    ]);
  },
});

function releasedLines({floatingIp, hasUnreadAddress}: VirtualMachine): readonly Line[] {
  const text =
    hasUnreadAddress === true
      ? 'Its public address, which could not be read, is released permanently if it has one.'
      : `Its address ${floatingIp} is released permanently.`;
  return floatingIp === undefined && hasUnreadAddress !== true ? [] : [[{text, tone: 'danger'}]];
}

/** What deleting a machine means: what is lost, and what stays and is billed. */
function assessDelete(_action: Action, machine: VirtualMachine, known: AssessmentInput): Assessment {
  const {id, name} = machine;
  return {
    happens: [
      [{text: `It is deleted permanently, and with it ${disksOf(machine)}.`, tone: 'danger'}],
      ...releasedLines(machine),
    ],
    costs: [...costLines(machine, known), ...remainingVolumeLines(machine, known)],
    warnings: [...ownSessionLines(machine, known), ...workLines(known, machine), ...contractLines(machine, known)],
    undo: 'none: there is no copy of it',
    answer: typedAnswer(name, id),
  };
}

function disksOf({flavor}: VirtualMachine): string {
  const root =
    flavor?.rootDiskGb === undefined ? 'its root disk' : `its root disk of ${formatGigabytes(flavor.rootDiskGb)}`;
  const ephemeralGb = flavor?.ephemeralDiskGb ?? 0;
  return ephemeralGb === 0 ? root : `${root} and ${formatGigabytes(ephemeralGb)} of ephemeral disk`;
}

/** A deleted machine costs nothing; its cost before is shown as for every other action. */
function costLines(machine: VirtualMachine, known: AssessmentInput): readonly Line[] {
  const {rate, isListPrice} = costNow(machine, known);
  if (rate === undefined) return [[{text: `The savings are unknown: ${whyUnpriced(machine, known)}.`, tone: 'money'}]];
  return [
    [
      {text: `now ${formatRate(rate)}  after ${formatRate(ZERO_RATE)}`, tone: 'money'},
      {text: `  (${formatSavings(rate, mayBeUnderContract(machine))})`, tone: 'dim'},
      contractSpan(rate, mayBeUnderContract(machine)),
    ],
    ...(isListPrice ? [unmeteredLine(priceSource(machine, known))] : []),
  ];
}

function whyUnpriced(machine: VirtualMachine, {preferences: {prices}}: AssessmentInput): string {
  const {flavor, status, statusText} = machine;
  if (isFreeMeanwhile(machine, prices)) return `nothing is billed while it is in ${statusText}`;
  if (flavor === undefined) return 'its flavor is not known';
  if (hasAddress(machine) === undefined) return 'its public address could not be read';
  return billingInStatus(status, prices) === 'storage'
    ? 'the size of its root disk is not known'
    : `no price is known for its flavor ${flavor.name}`;
}
