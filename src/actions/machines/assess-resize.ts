import type {CostChange} from '../../domain/cost.ts';
import type {Flavor} from '../../domain/flavor.ts';
import {subtractRates} from '../../domain/money.ts';
import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {formatGigabytes, formatRate, formatSavings} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {Assessment} from '../assessment.ts';
import {flavorNamed} from '../creation-choices.ts';
import {flavorPrice, machinesRate, stockLine} from '../creation-cost.ts';
import {type AssessmentInput, costNow} from '../assessment-input.ts';
import {typedAnswer} from '../question.ts';
import {LIST_PRICE} from './assess-power.ts';
import {ownSessionLines, workLines} from './activity.ts';
import {contractLines} from './contract-lines.ts';
import {remainingVolumeLines} from './remaining-volumes.ts';

/** What another flavor means for a machine: both prices, what is lost of its disks, and its availability. */
export function assessResize(
  {flavorName}: {readonly flavorName: SafeText},
  machine: VirtualMachine,
  known: AssessmentInput,
): Assessment {
  const {id, name} = machine;
  const flavor = flavorNamed(known, machine.regionName, flavorName);
  const change = changeOf(machine, flavor, known);
  const losses = flavor === undefined ? [] : diskLines(machine, flavor);
  return {
    title: say`resize ${nameInWords(name)}  #${id}`,
    happens: [[{text: `${machine.flavor?.name ?? '?'} becomes ${flavorName}; a running machine is rebooted.`}]],
    costs: costLines(change, machine, known),
    savings: {rate: change.savings, isUncertain: change.savingIsUncertain},
    warnings: [
      ...ownSessionLines(machine, known),
      ...workLines(known, machine),
      ...losses,
      ...contractLines(machine, known),
      [{text: SWITCHED_OFF, tone: 'warning'}],
      flavor === undefined ? unknownFlavorLine(flavorName, machine) : stockLine(known, flavor, 1),
    ],
    undo: 'resize it back, while its flavor is in stock',
    // It reboots on the way, and its previous flavor may no longer be available for going back.
    answer: typedAnswer(name, id),
  };
}

function unknownFlavorLine(flavorName: SafeText, {regionName}: VirtualMachine): Line {
  const text = `${flavorName} is not a flavor of ${regionName ?? 'its region'}: its price, disks and stock are unknown.`;
  return [{text, tone: 'danger'}];
}

/** Both sides with the machine's address and without its volumes, as in every list. */
function changeOf(machine: VirtualMachine, flavor: Flavor | undefined, known: AssessmentInput): CostChange {
  const {rate: before, isListPrice} = costNow(machine, known);
  const price = flavor && flavorPrice(known, flavor);
  const after =
    price === undefined
      ? undefined
      : machinesRate(price.rate, 1, machine.floatingIp && known.preferences.prices.publicIp);
  const savings = before === undefined || after === undefined ? undefined : subtractRates(before, after);
  return {before, after, savings, savingIsUncertain: machine.contractId !== undefined, isListPrice};
}

function costLines(
  {before, after, savings, savingIsUncertain, isListPrice}: CostChange,
  machine: VirtualMachine,
  known: AssessmentInput,
): readonly Line[] {
  const hasAddress = machine.floatingIp !== undefined;
  return [
    [
      {text: `now ${formatRate(before)}  after ${formatRate(after)}`, tone: 'money'},
      {text: `  (${formatSavings(savings, savingIsUncertain)})`, tone: 'dim'},
      {text: hasAddress ? '  with its address' : '', tone: 'dim'},
    ],
    ...remainingVolumeLines(machine, known),
    ...(isListPrice ? [LIST_PRICE] : []),
  ];
}

/** A smaller disk cannot hold the content of a larger one. */
function diskLines({flavor: present}: VirtualMachine, next: Flavor): readonly Line[] {
  return [
    ...lossLine('ephemeral disk', present?.ephemeralDiskGb, next.ephemeralDiskGb ?? 0),
    ...lossLine('root disk', present?.rootDiskGb, next.rootDiskGb),
  ];
}

function lossLine(what: string, presentGb: number | undefined, nextGb: number | undefined): readonly Line[] {
  if (presentGb === undefined || nextGb === undefined || nextGb >= presentGb) return [];
  const next = nextGb === 0 ? 'none: what is on it is lost.' : `${formatGigabytes(nextGb)}: what is on it may be lost.`;
  const text = `Its ${what} of ${formatGigabytes(presentGb)} becomes ${next}`;
  return [[{text, tone: 'danger'}]];
}

const SWITCHED_OFF = 'Resizing is disabled for most accounts; the service may refuse it, and then nothing changes.';
