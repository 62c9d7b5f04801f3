import * as z from 'zod';
import {resizeVirtualMachine} from '../../api/virtual-machines.ts';
import {type Inverse, NOTHING, TARGET, TRANSITION, UNCHANGED} from '../../domain/action.ts';
import {type CostChange, withAddress} from '../../domain/cost.ts';
import type {Flavor} from '../../domain/flavor.ts';
import {subtractRates} from '../../domain/money.ts';
import {nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {MINUTE_MS} from '../../domain/time.ts';
import {
  hasAddress,
  mayHaveAddress,
  isTransitional,
  mayBeUnderContract,
  type VirtualMachine,
  type VirtualMachineId,
} from '../../domain/virtual-machine.ts';
import {flavorsFeed, priceBookFeed, stocksFeed} from '../../state/catalogue.ts';
import type {Known} from '../../state/known.ts';
import type {FormValues} from '../../ui/form-field.ts';
import {formatAfter, formatGigabytes, formatRate, formatSavings} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {Ask, Form} from '../forms/form.ts';
import {type AssessmentInput, costNow} from '../question/assessment-input.ts';
import type {Assessment} from '../question/assessment.ts';
import {flavorFacts, flavorNamed, flavorsIn} from '../creation/choices.ts';
import {contractSpan, flavorHint, flavorPrice, stockLine} from '../creation/cost.ts';
import {actionOn, isElsewhere} from '../define.ts';
import {missingFlavor} from '../question/missing-names.ts';
import {machine, text} from '../parameters.ts';
import {typedAnswer} from '../question/question.ts';
import {ownSessionLines, workLines} from './activity.ts';
import {unmeteredLine, unreadAddressLines} from './assess-power.ts';
import {contractLines} from './contract-lines.ts';
import {priceSource} from './power-transition.ts';
import {remainingVolumeLines} from './remaining-volumes.ts';
import {machineReads, unreadyReason} from './subject.ts';

export const resizeMachine = actionOn({
  kind: 'vm.resize',
  comparesNames: true,
  parameters: z.object({id: machine, flavorName: text}),
  endpoint: resizeVirtualMachine,
  keys: [
    {
      menu: 'resize',
      key: 'z',
      title: say`resize`,
      help: 'Changes the flavor; not enabled for most accounts.',
      consequence: ([{flavor}]) => `now ${flavor?.name ?? 'unknown'}; not enabled for most accounts`,
      reason: unreadyReason,
      form: resizeForm,
    },
  ],
  command: {
    words: ['vm', 'resize'],
    summary: 'change the flavor of machines',
    options: [{flags: '--flavor <flavor>', summary: 'the new flavor', isRequired: true}],
    parametersFor: ({id}, {flavor}: {readonly flavor: string}) => ({id, flavorName: safeText(flavor)}),
  },
  reads: candidates => [...machineReads(candidates), stocksFeed],
  quotes: () => [flavorsFeed, priceBookFeed],
  missing: ({regionName}, known, {flavorName}) => missingFlavor(known, regionName, flavorName),
  assess: assessResize,
  costChange: ({flavorName}, machine, known) =>
    changeOf(machine, flavorNamed(known, machine.regionName, flavorName), known),
  verb: say`resize`,
  change: 'resized',
  wordsAfter: ({flavorName}) => say`to ${flavorName}`,
  overdueAfterMs: 20 * MINUTE_MS,
  precondition: ({flavorName}, machine) =>
    machine.flavor?.name === flavorName ? say`it already has the flavor ${flavorName}` : unreadyReason(machine),
  evidence: ({flavorName}, machine, history) => {
    if (machine.status === 'UNKNOWN') return NOTHING;
    if (isTransitional(machine.status)) return TRANSITION;
    if (machine.status === 'ERROR' && history.initialStatus !== 'ERROR') return isElsewhere(machine);
    if (machine.flavor?.name === flavorName) return TARGET;
    return history.hasSeenTransition ? isElsewhere(machine) : UNCHANGED;
  },
  undo: ({id}, {flavor}): Inverse | SafeText =>
    flavor === undefined
      ? say`its previous flavor is unknown`
      : {
          action: resizeMachine.with({id, flavorName: flavor.name}),
          words: say`resizes it back to ${flavor.name} if the hardware is in stock`,
        },
  commandWords: ({id, flavorName}) => ['vm', 'resize', `${id}`, '--flavor', flavorName],
});

type ResizeParameters = {readonly id: VirtualMachineId; readonly flavorName: SafeText};

/** Another flavor of the machine's region. */
function resizeForm(machine: VirtualMachine, known: AssessmentInput, ask: Ask<ResizeParameters>): Form {
  const {id, name, regionName} = machine;
  const others = () =>
    flavorsIn(known, regionName)
      .map(flavor => flavor.name)
      .filter(flavor => flavor !== machine.flavor?.name);
  const fieldsFor = (values: FormValues) => [
    {
      key: 'flavor',
      label: 'flavor',
      initial: '',
      choices: others(),
      facts: flavorFacts(known, flavorsIn(known, regionName)),
      hint: flavorHint(known, flavorNamed(known, regionName, values.flavor)),
    },
  ];
  return {
    title: say`resize ${nameInWords(name)}  #${id}, now ${machine.flavor?.name ?? say`of unknown flavor`}`,
    fields: fieldsFor({}),
    fieldsFor,
    wants: () => [
      {feed: flavorsFeed, priority: 1},
      {feed: priceBookFeed, priority: 2},
      {feed: stocksFeed, priority: 2},
    ],
    check: values => {
      const flavor = flavorNamed(known, regionName, values.flavor);
      if (flavor === undefined) return {mistakes: {flavor: 'choose a flavor'}, notes: [], question: undefined};
      const parameters = {id, flavorName: flavor.name};
      const {costs = [], warnings = []} = assessResize(parameters, machine, known);
      return {mistakes: {}, notes: [...costs, ...warnings], question: ask(parameters)};
    },
  };
}

/** What another flavor means for a machine: both prices, what is lost of its disks, and its availability. */
function assessResize(
  {flavorName}: {readonly flavorName: SafeText},
  machine: VirtualMachine,
  known: AssessmentInput,
): Assessment {
  const {id, name} = machine;
  const flavor = flavorNamed(known, machine.regionName, flavorName);
  const change = changeOf(machine, flavor, known);
  const losses = flavor === undefined ? [] : diskLines(machine, flavor);
  return {
    happens: [[{text: `${machine.flavor?.name ?? '?'} becomes ${flavorName}; a running machine is rebooted.`}]],
    costs: costLines(change, machine, known),
    warnings: [
      ...ownSessionLines(machine, known),
      ...workLines(known, machine),
      ...losses,
      ...contractLines(machine, known),
      [{text: SWITCHED_OFF, tone: 'warning'}],
      flavor === undefined ? unreadFlavorLine(flavorName, machine) : stockLine(known, flavor, 1),
    ],
    undo: 'resize it back, while its flavor is in stock',
    // It reboots on the way, and its previous flavor may no longer be available for going back.
    answer: typedAnswer(name, id),
  };
}

/** A flavor that is certainly not there is not asked about. */
function unreadFlavorLine(flavorName: SafeText, {regionName}: VirtualMachine): Line {
  const place = regionName ?? 'its region';
  const text = `Whether ${place} has the flavor ${flavorName} is unknown, and so are its price, disks and stock.`;
  return [{text, tone: 'danger'}];
}

/** Both sides with the machine's address and without its volumes, as in every list. */
function changeOf(machine: VirtualMachine, flavor: Flavor | undefined, known: Known): CostChange {
  const {rate: before, isListPrice} = costNow(machine, known);
  const price = flavor && flavorPrice(known, flavor);
  const {prices} = known.preferences;
  const after = withAddress(price?.rate, mayHaveAddress(machine), prices);
  const savings = before === undefined || after === undefined ? undefined : subtractRates(before, after);
  const furtherSavings = hasAddress(machine) === undefined && after !== undefined ? prices.publicIp : undefined;
  return {before, after, savings, furtherSavings, savingIsUncertain: mayBeUnderContract(machine), isListPrice};
}

function costLines(change: CostChange, machine: VirtualMachine, known: AssessmentInput): readonly Line[] {
  const {before, after, savings, furtherSavings, savingIsUncertain, isListPrice} = change;
  return [
    [
      {text: `now ${formatRate(before)}  after ${formatAfter(after, furtherSavings)}`, tone: 'money'},
      {text: `  (${formatSavings(savings, savingIsUncertain, furtherSavings)})`, tone: 'dim'},
      contractSpan(savings, savingIsUncertain),
      {text: hasAddress(machine) === true ? '  with its address' : '', tone: 'dim'},
    ],
    ...unreadAddressLines([machine], [change], known),
    ...remainingVolumeLines(machine, known),
    ...(isListPrice ? [unmeteredLine(priceSource(machine, known))] : []),
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

const SWITCHED_OFF = 'Resizing is not enabled for most accounts; the service may refuse it, and then nothing changes.';
