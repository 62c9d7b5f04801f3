import type {Action} from '../../domain/action.ts';
import {ZERO_RATE} from '../../domain/money.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {formatGigabytes, formatRate, formatSavings} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {Assessment} from '../assessment.ts';
import {type AssessmentInput, costNow} from '../assessment-input.ts';
import {typedAnswer} from '../question.ts';
import {LIST_PRICE} from './assess-power.ts';
import {ownSessionLines, workLines} from './activity.ts';
import {contractLines} from './contract-lines.ts';

import {remainingVolumeLines} from './remaining-volumes.ts';

/** What deleting a machine means: what is lost, and what stays and is billed. */
export function assessDelete(_action: Action, machine: VirtualMachine, known: AssessmentInput): Assessment {
  const {id, name, floatingIp} = machine;
  return {
    happens: [
      [{text: `It is deleted permanently, and with it ${disksOf(machine)}.`, tone: 'danger'}],
      ...(floatingIp === undefined
        ? []
        : [[{text: `Its address ${floatingIp} is released permanently.`, tone: 'danger' as const}]]),
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
  if (rate === undefined) return [[{text: 'The savings are unknown.', tone: 'money'}]];
  return [
    [
      {text: `now ${formatRate(rate)}  after ${formatRate(ZERO_RATE)}`, tone: 'money'},
      {text: `  (${formatSavings(rate, machine.contractId !== undefined)})`, tone: 'dim'},
    ],
    ...(isListPrice ? [LIST_PRICE] : []),
  ];
}
