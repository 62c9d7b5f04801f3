import * as z from 'zod';
import {createVirtualMachines} from '../../api/virtual-machines.ts';
import {elsewhere, type Evidence, TRANSITION} from '../../domain/action.ts';
import type {Flavor} from '../../domain/flavor.ts';
import {hasCuda, type Image} from '../../domain/image.ts';
import {redactedUrl} from '../../domain/redacted-url.ts';
import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import type {Secret} from '../../domain/secret.ts';
import {isOpenToWorld, ruleWords} from '../../domain/security-rule.ts';
import {MINUTE_MS} from '../../domain/time.ts';
import {isTransitional, type MachineSpec, type VirtualMachine} from '../../domain/virtual-machine.ts';
import {usageFeed} from '../../state/billing.ts';
import {flavorsFeed, imagesFeed, priceBookFeed, stocksFeed} from '../../state/catalogue.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {formatCounted} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';
import type {Assessment} from '../question/assessment.ts';
import {environmentNamed, flavorNamed} from '../creation/choices.ts';
import {ingredientFacts, ingredientFeeds} from '../creation/facts.ts';
import {
  addedCost,
  type CreationInput,
  creationCost,
  creationRate,
  flavorPrice,
  flavorWords,
  type NewMachines,
  stockLine,
} from '../creation/cost.ts';
import {actionMaking, stateProgress} from '../define.ts';
import {lacks, missingInPlace} from '../question/missing-names.ts';
import {newMachineForm} from '../forms/machine-form.ts';
import {machineSpec} from './machine-spec.ts';
import {quotaLine, quotaReads, quotaRefusal} from './quota.ts';

export const createMachines = actionMaking({
  kind: 'vm.create',
  creation: {
    isInEnvironment: true,
    form: newMachineForm,
  },
  parameters: z.object({spec: machineSpec}),
  endpoint: createVirtualMachines,
  reads: ([first], known) => [
    environmentsFeed,
    keyPairsFeed,
    flavorsFeed,
    priceBookFeed,
    stocksFeed,
    imagesFeed,
    ...(first?.action.spec.volumeName === undefined ? [] : [volumesFeed]),
    ...quotaReads(known, first?.action.spec.environmentName),
  ],
  missing: ({spec}, known) => missingInPlace(known, {...spec, flavorNames: [spec.flavorName]}),
  refusal: ({spec}, known) => quotaRefusal(known, spec),
  assess: assessCreate,
  costChange: ({spec}, known) => addedCost(creationRate(known, newMachinesOf(spec, known))),
  namedOthers: ({spec}, known) => ingredientFacts(known, {...spec, flavorNames: [spec.flavorName]}),
  quotes: ({spec}, known) => {
    const {flavor} = newMachinesOf(spec, known);
    const isMetered = flavor !== undefined && flavorPrice(known, flavor)?.source === 'metered';
    return [
      ...ingredientFeeds({...spec, flavorNames: [spec.flavorName]}),
      ...(isMetered ? [usageFeed, priceBookFeed] : [priceBookFeed]),
    ];
  },
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

/** The service adds a number to each name when it creates several machines at once. */
function isNumbered(name: SafeText, base: SafeText): boolean {
  return name.startsWith(base) && /^[-_ ]?\d+$/.test(name.slice(base.length));
}

function machineProgress(machine: VirtualMachine): Evidence {
  if (machine.status === 'DELETING') return elsewhere(say`it is ${machine.statusText}`);
  if (isTransitional(machine.status)) return TRANSITION;
  return stateProgress(machine, {going: [], made: ['ACTIVE', 'SHUTOFF']});
}

/** The new machines, what they cost once they run, and whether they are available. */
function assessCreate({spec}: {readonly spec: MachineSpec}, known: AssessmentInput): Assessment {
  const {count, name, flavorName} = spec;
  const {flavor} = newMachinesOf(spec, known);
  return {
    title: count === 1 ? say`create machine ${nameInWords(name)}` : say`create ${count} machines ${nameInWords(name)}`,
    happens: [
      [
        {text: `${count} × ${flavorName}`, tone: 'strong'},
        {text: flavor === undefined ? '' : `  ${flavorWords(flavor)}`},
      ],
      [{text: `${spec.imageName ?? 'no image'}, key ${spec.keyPairName}, in ${spec.environmentName}`}],
      [{text: extrasOf(spec)}],
    ],
    costs: creationCost(known, newMachinesOf(spec, known)),
    warnings: [
      flavor === undefined ? unreadFlavorLine(spec) : stockLine(known, flavor, count),
      quotaLine(known, spec.environmentName),
      ...unknownImageLines(spec, known),
      ...driverLines(spec, flavor),
      ...reachLines(spec),
      ...(count === 1 ? [] : [[{text: 'The service adds a number to each name.'}]]),
      ...(spec.rules ?? [])
        .filter(isOpenToWorld)
        .map((rule): Line => [{text: `Open to the internet: ${ruleWords(rule)}.`, tone: 'danger'}]),
      ...(spec.assignsFloatingIp === true && spec.randomizesPorts !== false && (spec.rules ?? []).length > 0
        ? [[{text: 'With a public IP the service may put ssh on another port than 22.', tone: 'dim' as const}]]
        : []),
    ],
    undo: {words: count === 1 ? 'delete it again' : 'delete them again', by: 'vm.delete'},
    answer: {kind: 'key'},
  };
}

function newMachinesOf(
  {count, environmentName, flavorName, assignsFloatingIp}: MachineSpec,
  known: CreationInput,
): NewMachines {
  const flavor = flavorNamed(known, environmentNamed(known, environmentName)?.regionName, flavorName);
  return {flavor, count, hasAddress: assignsFloatingIp === true};
}

function driverLines({imageName}: MachineSpec, flavor: Flavor | undefined): readonly Line[] {
  if (imageName === undefined || (flavor?.gpuCount ?? 0) === 0 || hasCuda({name: imageName})) return [];
  return [[{text: 'The image names no CUDA: the GPUs may need drivers first.', tone: 'warning'}]];
}

/** The service creates a machine with outbound rules only. */
function reachLines({assignsFloatingIp, rules = []}: MachineSpec): readonly Line[] {
  if (assignsFloatingIp === true || rules.some(({direction}) => direction === 'ingress')) return [];
  return [[{text: 'No public address and no rule: you reach it only from inside.', tone: 'warning'}]];
}

/** A flavor that is certainly not there is not asked about. */
function unreadFlavorLine({flavorName, environmentName}: MachineSpec): Line {
  const text = `Whether ${environmentName} has the flavor ${flavorName} is unknown, and so are its price and stock.`;
  return [{text, tone: 'danger'}];
}

/** The list of images may not include every usable image, so this is no reason not to send. */
function unknownImageLines({imageName, environmentName}: MachineSpec, known: AssessmentInput): readonly Line[] {
  const regionName = environmentNamed(known, environmentName)?.regionName;
  const isMeant = (image: Image) =>
    image.name === imageName && (image.regionName === undefined || image.regionName === regionName);
  if (imageName === undefined || !lacks(known, imagesFeed, isMeant)) return [];
  return [[{text: `${imageName} is not an image of ${environmentName}: the service may refuse it.`, tone: 'danger'}]];
}

function extrasOf(spec: MachineSpec): string {
  const {rules, labels, callbackUrl, volumeName, createsBootableVolume, userData} = spec;
  return [
    addressWords(spec),
    ...(rules ?? []).map(rule => ruleWords(rule)),
    ...(labels === undefined ? [] : [`labels ${labels.join(', ')}`]),
    ...(callbackUrl === undefined ? [] : [`callback ${callbackUrl}`]),
    ...(volumeName === undefined ? [] : [`volume ${volumeName}`]),
    ...(createsBootableVolume === true ? ['root disk on its own volume'] : []),
    ...(userData === undefined ? [] : [`${byteCountWords(userData)} of user data`]),
  ].join(';  ');
}

/** Ports are randomized unless that is switched off. */
function addressWords({assignsFloatingIp, randomizesPorts}: MachineSpec): string {
  if (assignsFloatingIp !== true) return 'no public IP';
  return `public IP ${randomizesPorts === false ? 'without' : 'with'} port randomization`;
}

/** The size tells an empty or wrong file; the script itself often contains passwords. */
function byteCountWords(script: Secret): string {
  return formatCounted(new TextEncoder().encode(script.reveal()).length, 'byte');
}
