import {candidate, questionFor} from '../../actions/question-for.ts';
import {
  emptyIn,
  environmentMistake,
  environmentNamed,
  firstSteps,
  flavorNamed,
  recordsOf,
} from '../../actions/creation-choices.ts';
import {stockLine} from '../../actions/creation-cost.ts';
import type {FormCheck} from '../../actions/form.ts';
import {ownAddress} from '../../actions/assessment-input.ts';
import {createMachines, creationCost} from '../../actions/machines/creation.ts';
import {nameIn, takenMistake} from '../../actions/name-availability.ts';
import {checkCallback, checkName, countIn, labelsIn, MAX_NAME_LENGTH} from '../../actions/form-values.ts';
import {checkRule} from '../../domain/check-rule.ts';
import type {Environment, MachineQuota} from '../../domain/environment.ts';
import type {Flavor} from '../../domain/flavor.ts';
import {type SafeText, safeText} from '../../domain/safe-text.ts';
import {DOCUMENTED_PROTOCOLS, type RuleSpec} from '../../domain/security-rule.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {MAX_MACHINE_COUNT, type MachineSpec} from '../../domain/virtual-machine.ts';
import {flavorsFeed, imagesFeed} from '../../state/catalogue.ts';
import {quotaFeed} from '../../state/environments.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import {machineNameFeed, machinesFeed} from '../../state/machines.ts';
import type {FormValues} from '../../ui/form-field.ts';
import type {Line} from '../../ui/text.ts';
import type {Scene} from '../pane.ts';

export const NO_VOLUME = 'none';
const SSH_PORT = '22';

export function checkMachine(values: FormValues, scene: Scene): FormCheck {
  const environment = environmentNamed(scene, values.environment);
  const flavor = flavorNamed(scene, environment?.regionName, values.flavor);
  const count = countIn(values.count, 1, MAX_MACHINE_COUNT);
  const quota = environment === undefined ? undefined : lastValue(scene.store.get(quotaFeed(environment.id)));
  const rule = ruleIn(values.sshFrom ?? '', ownAddress(scene));
  const mistakes = {
    ...mistakesIn(values, scene, {environment, flavor, count, quota}),
    ...('mistake' in rule ? {sshFrom: rule.mistake} : {}),
  };
  const known = [
    ...firstSteps(scene, environment, {needsKeyPair: true}),
    ...(flavor === undefined || count === undefined ? [] : knownLines(values, scene, {flavor, count, quota})),
  ];
  if (Object.keys(mistakes).length > 0 || flavor === undefined || count === undefined || 'mistake' in rule) {
    return {mistakes, notes: known, question: undefined};
  }
  const action = createMachines.with({spec: specOf(values, count, rule.rule)});
  return {mistakes, notes: known, question: questionFor([candidate(action, undefined, scene)], scene)};
}

type ResolvedFields = {
  readonly environment: Environment | undefined;
  readonly flavor: Flavor | undefined;
  readonly count: number | undefined;
  readonly quota: MachineQuota | undefined;
};

function mistakesIn(values: FormValues, scene: Scene, {environment, flavor, count, quota}: ResolvedFields) {
  const found: Record<string, string | undefined> = {
    name:
      checkName(
        values.name ?? '',
        recordsOf(scene, machinesFeed).map(({name}) => name),
      ) ??
      numberedMistake(values) ??
      (count === undefined ? undefined : takenMistake(scene, machineNameFeed(nameIn(values), count))),
    count: count === undefined ? `a whole number from 1 to ${MAX_MACHINE_COUNT}` : quotaMistake(count, quota),
    environment: environmentMistake(scene, environment),
    flavor: flavor === undefined ? emptyIn(scene, environment, flavorsFeed, 'flavors in this region') : undefined,
    image: values.image === '' ? emptyIn(scene, environment, imagesFeed, 'images for this flavor') : undefined,
    keyPair:
      values.keyPair === '' ? emptyIn(scene, environment, keyPairsFeed, 'key pairs in this environment') : undefined,
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

function quotaMistake(count: number, quota: MachineQuota | undefined): string | undefined {
  const left = quota?.availableCount;
  return left !== undefined && count > left ? `the environment has room for ${left} more` : undefined;
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
  const labels = labelsIn(values.labels ?? '').map(word => safeText(word));
  const callback = (values.callback ?? '').trim();
  return {
    name: safeText((values.name ?? '').trim()),
    environmentName: safeText(values.environment ?? ''),
    flavorName: safeText(values.flavor ?? ''),
    imageName: safeText(values.image ?? ''),
    keyPairName: safeText(values.keyPair ?? ''),
    count,
    assignsFloatingIp: values.publicIp === 'yes',
    ...(labels.length === 0 ? {} : {labels}),
    ...(callback === '' ? {} : {callbackUrl: safeText(callback)}),
    ...(values.volume === NO_VOLUME ? {} : {volumeName: safeText(values.volume ?? '')}),
    ...(rule === undefined ? {} : {rules: [rule]}),
  };
}

type WantedMachines = {readonly flavor: Flavor; readonly count: number; readonly quota: MachineQuota | undefined};

/** Below the form while it is filled in: price, stock and quota. */
function knownLines(values: FormValues, scene: Scene, {flavor, count, quota}: WantedMachines): readonly Line[] {
  const costs = creationCost(scene, flavor, count, values.publicIp === 'yes');
  return [...costs, stockLine(scene, flavor, count), quotaLine(quota)];
}

function quotaLine(quota: MachineQuota | undefined): Line {
  if (quota?.availableCount === undefined) return [{text: 'The quota of the environment is unknown.', tone: 'dim'}];
  const most = quota.maxCount === undefined ? '' : ` of ${quota.maxCount}`;
  return [{text: `Quota: room for ${quota.availableCount}${most} machines in the environment.`, tone: 'dim'}];
}
