import {checkRule} from '../../domain/check-rule.ts';
import type {Environment} from '../../domain/environment.ts';
import type {Flavor} from '../../domain/flavor.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {DOCUMENTED_PROTOCOLS, type RuleSpec} from '../../domain/security-rule.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {type MachineSpec, MAX_MACHINE_COUNT} from '../../domain/virtual-machine.ts';
import {isUnattached} from '../../domain/volume.ts';
import {permissionsFeed} from '../../state/account.ts';
import {flavorsFeed, imagesFeed, priceBookFeed, stocksFeed} from '../../state/catalogue.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {protocolsFeed} from '../../state/firewalls.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import {machineNameFeed, machinesFeed} from '../../state/machines.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import {volumesFeed} from '../../state/volumes.ts';
import type {FormField, FormValues} from '../../ui/form-field.ts';
import type {Line} from '../../ui/text.ts';
import type {Ask, Form, FormCheck} from './form.ts';
import {type AssessmentInput, ownAddress, ownAddressHint} from '../question/assessment-input.ts';
import {
  emptyIn,
  environmentField,
  environmentMistake,
  environmentNamed,
  firstEnvironment,
  firstSteps,
  flavorFacts,
  flavorNamed,
  flavorsIn,
  imageFacts,
  imagesFor,
  keyPairFacts,
  keyPairsIn,
  recordsOf,
  usualImage,
} from '../creation/choices.ts';
import {creationCost, flavorHint, stockLine} from '../creation/cost.ts';
import {
  availabilityWants,
  checkCallback,
  checkName,
  countIn,
  labelsIn,
  MAX_NAME_LENGTH,
  NAME_FIELD,
  nameIn,
  takenMistake,
} from './form-values.ts';
import {machineSpecOf} from '../machines/machine-spec.ts';
import {quotaLine, quotaReads, quotaRefusal} from '../machines/quota.ts';

const NO_VOLUME = 'none';
const SSH_PORT = '22';

type AskMachines = Ask<{readonly spec: MachineSpec}>;

/**
 * The form for new machines. User data is left out: it is a file of many lines, which a one-line field would break.
 * `environmentName` is the initial environment.
 */
export function newMachineForm(known: AssessmentInput, ask: AskMachines, environmentName?: string): Form {
  // Environments may be read only while the form is open, so the initial value is kept until then.
  const fields = (values: FormValues) => fieldsFor(values, known, environmentName);
  return {
    title: say`new machine`,
    fields: fields({}),
    fieldsFor: fields,
    wants: (values, present) => wantsFor(values, known, present),
    check: values => checkMachine(values, known, ask),
  };
}

function sshHint(known: AssessmentInput): string {
  const own = ownAddressHint(known);
  return own ?? 'a CIDR; empty: none';
}

/** The environment decides the region, the region the flavors and images, the flavor which images can run. */
function fieldsFor(values: FormValues, known: AssessmentInput, begins: string | undefined): readonly FormField[] {
  const environment = environmentNamed(known, values.environment) ?? firstEnvironment(known, begins);
  const regionName = environment?.regionName;
  const flavors = flavorsIn(known, regionName);
  const flavor = flavors.find(({name}) => name === values.flavor);
  return [
    NAME_FIELD,
    {key: 'count', label: 'count', initial: '1', hint: 'identical copies'},
    {...environmentField(known, environment), ...(regionName === undefined ? {} : {hint: regionName})},
    {
      key: 'flavor',
      label: 'flavor',
      initial: '',
      choices: flavors.map(({name}) => name),
      facts: flavorFacts(known, flavors),
      hint: flavorHint(known, flavor),
    },
    {
      key: 'image',
      label: 'image',
      initial: usualImage(known, regionName, flavor) ?? '',
      followsOthers: true,
      choices: imagesFor(known, regionName, values.flavor),
      facts: imageFacts(known),
      hint: 'runs on the flavor',
    },
    {
      key: 'keyPair',
      label: 'key pair',
      initial: '',
      choices: keyPairsIn(known, environment?.name),
      facts: keyPairFacts(known, environment?.name),
      hint: 'for the first login',
    },
    {key: 'publicIp', label: 'public IP', initial: 'no', choices: ['no', 'yes'], hint: 'billed by the hour'},
    {key: 'sshFrom', label: 'ssh from', initial: '', hint: sshHint(known)},
    {key: 'labels', label: 'labels', initial: '', hint: 'comma-separated or none'},
    {key: 'callback', label: 'callback URL', initial: '', hint: 'may be empty'},
    {
      key: 'volume',
      label: 'volume',
      initial: NO_VOLUME,
      choices: [NO_VOLUME, ...freeVolumes(known, environment)],
      hint: 'attached to it',
    },
  ];
}

/** Volumes are chosen by name here, so only unambiguous names are offered. */
function freeVolumes({store}: AssessmentInput, environment: Environment | undefined): readonly string[] {
  const volumes = lastValue(store.get(volumesFeed))?.records ?? [];
  const here = volumes.filter(({environmentName}) => environmentName === environment?.name);
  return here
    .filter(isUnattached)
    .map(({name}) => name)
    .filter(name => name !== NO_VOLUME && here.filter(volume => volume.name === name).length === 1);
}

function wantsFor(values: FormValues, known: AssessmentInput, present: string | undefined): readonly Want[] {
  return [
    {feed: environmentsFeed, priority: 1},
    {feed: keyPairsFeed, priority: 1},
    {feed: flavorsFeed, priority: 1},
    {feed: imagesFeed, priority: 1},
    {feed: machinesFeed, priority: 2},
    ...quotaReads(known, values.environment).map(feed => ({feed, priority: 2})),
    {feed: priceBookFeed, priority: 2},
    {feed: stocksFeed, priority: 2},
    {feed: volumesFeed, priority: 2},
    ...nameWants(values, present),
    {feed: protocolsFeed, priority: 3},
    {feed: permissionsFeed, priority: 3},
  ];
}

function nameWants(values: FormValues, present: string | undefined): readonly Want[] {
  const count = countIn(values.count, 1, MAX_MACHINE_COUNT);
  return availabilityWants(values, present, name => (count === undefined ? undefined : machineNameFeed(name, count)));
}

function checkMachine(values: FormValues, known: AssessmentInput, ask: AskMachines): FormCheck {
  const environment = environmentNamed(known, values.environment);
  const flavor = flavorNamed(known, environment?.regionName, values.flavor);
  const count = countIn(values.count, 1, MAX_MACHINE_COUNT);
  const rule = ruleIn(values.sshFrom ?? '', ownAddress(known));
  const mistakes = {
    ...mistakesIn(values, known, {environment, flavor, count}),
    ...('mistake' in rule ? {sshFrom: rule.mistake} : {}),
  };
  const notes = [
    ...firstSteps(known, environment, {needsKeyPair: true}),
    ...(flavor === undefined || count === undefined ? [] : knownLines(values, known, {flavor, count})),
  ];
  if (Object.keys(mistakes).length > 0 || flavor === undefined || count === undefined || 'mistake' in rule) {
    return {mistakes, notes, question: undefined};
  }
  return {mistakes, notes, question: ask({spec: specOf(values, count, rule.rule)})};
}

type ResolvedFields = {
  readonly environment: Environment | undefined;
  readonly flavor: Flavor | undefined;
  readonly count: number | undefined;
};

function mistakesIn(values: FormValues, known: AssessmentInput, {environment, flavor, count}: ResolvedFields) {
  const found: Record<string, string | undefined> = {
    name:
      checkName(
        values.name ?? '',
        recordsOf(known, machinesFeed).map(({name}) => name),
      ) ??
      numberedMistake(values) ??
      (count === undefined ? undefined : takenMistake(known, machineNameFeed(nameIn(values), count))),
    count:
      count === undefined
        ? `a whole number from 1 to ${MAX_MACHINE_COUNT}`
        : quotaRefusal(known, {environmentName: values.environment, count}),
    environment: environmentMistake(known, environment),
    flavor: flavor === undefined ? emptyIn(known, environment, flavorsFeed, 'flavors in this region') : undefined,
    image: values.image === '' ? emptyIn(known, environment, imagesFeed, 'images for this flavor') : undefined,
    keyPair:
      values.keyPair === '' ? emptyIn(known, environment, keyPairsFeed, 'key pairs in this environment') : undefined,
    callback: checkCallback(values.callback ?? ''),
    volume: values.volume !== NO_VOLUME && count !== 1 ? 'a volume can be attached to one machine only' : undefined,
  };
  return Object.fromEntries(
    Object.entries(found).flatMap(([key, mistake]) => (mistake === undefined ? [] : [[key, mistake]])),
  );
}

/** The service adds a number to each name when it creates several. */
function numberedMistake({name = '', count = ''}: FormValues): string | undefined {
  if (count.trim() === '1') return undefined;
  const {length} = [...name.trim()];
  const room = MAX_NAME_LENGTH - 1 - count.trim().length;
  return length > room ? `${length} characters; at most ${room} where a number is added` : undefined;
}

type CheckedField = {readonly rule: RuleSpec | undefined} | {readonly mistake: string};

/** The one rule this form offers for a new machine: ssh from a network. */
function ruleIn(text: string, own: SafeText | undefined): CheckedField {
  const prefix = text.trim();
  if (prefix === '') return {rule: undefined};
  const checked = checkRule(
    {
      direction: 'ingress',
      protocol: 'tcp',
      remoteIpPrefix: prefix,
      portRangeMin: SSH_PORT,
      portRangeMax: SSH_PORT,
    },
    {protocols: DOCUMENTED_PROTOCOLS, ownAddress: own},
  );
  return checked.ok ? {rule: checked.spec} : {mistake: checked.mistakes[0]?.mistake ?? 'not a network'};
}

function specOf(values: FormValues, count: number, rule: RuleSpec | undefined): MachineSpec {
  const {
    name = '',
    environment = '',
    flavor = '',
    image,
    keyPair = '',
    publicIp,
    labels = '',
    callback,
    volume,
  } = values;
  return machineSpecOf({
    name: name.trim(),
    environment,
    flavor,
    image,
    keyPair,
    count,
    assignsFloatingIp: publicIp === 'yes',
    labels: labelsIn(labels),
    callbackUrl: callback?.trim(),
    volume: volume === NO_VOLUME ? undefined : volume,
    rules: rule === undefined ? [] : [rule],
  });
}

type WantedMachines = {readonly flavor: Flavor; readonly count: number};

/** Below the form while it is filled in: price, stock and quota. */
function knownLines(values: FormValues, known: AssessmentInput, {flavor, count}: WantedMachines): readonly Line[] {
  const costs = creationCost(known, {flavor, count, hasAddress: values.publicIp === 'yes'});
  return [...costs, stockLine(known, flavor, count), quotaLine(known, values.environment)];
}
