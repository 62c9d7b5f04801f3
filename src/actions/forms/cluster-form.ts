import {
  type ClusterSpec,
  type DeploymentMode,
  MASTER_COUNTS,
  MAX_GROUP_NAME_LENGTH,
  MAX_WORKERS,
} from '../../domain/cluster.ts';
import type {Flavor} from '../../domain/flavor.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {permissionsFeed} from '../../state/account.ts';
import {flavorsFeed, priceBookFeed, stocksFeed} from '../../state/catalogue.ts';
import {clusterNameFeed, clustersFeed, clusterVersionsFeed, masterFlavorsFeed} from '../../state/clusters.ts';
import {environmentsFeed} from '../../state/environments.ts';
import type {Feed} from '../../state/feed.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import type {FormField, FormValues} from '../../ui/form-field.ts';
import {clusterNotes, clusterQuotaRefusal, type Workers} from '../creation/cluster-plan.ts';
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
  keyPairFacts,
  keyPairsIn,
  recordsOf,
} from '../creation/choices.ts';
import {flavorHint} from '../creation/cost.ts';
import type {Ask, Form, FormCheck} from './form.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';
import {quotaReads} from '../machines/quota.ts';
import {availabilityWants, checkName, clusterNameMistake, countIn, nameIn, takenMistake} from './form-values.ts';

const NO_GROUP = 'none';
/** From the documents: smaller masters do not come up reliably. */
const SMALLEST_MASTER = 'n1-cpu-medium';

/** The lists from which a new cluster is put together. */
export const CLUSTER_CHOICES: readonly Feed<unknown>[] = [
  environmentsFeed,
  keyPairsFeed,
  clusterVersionsFeed,
  masterFlavorsFeed,
  flavorsFeed,
  priceBookFeed,
  stocksFeed,
];

type AskCluster = Ask<{readonly spec: ClusterSpec}>;

export function newClusterForm(known: AssessmentInput, ask: AskCluster, environmentName?: string): Form {
  return {
    title: say`new cluster`,
    fields: fieldsFor({}, known, environmentName),
    fieldsFor: values => fieldsFor(values, known, environmentName),
    wants: (values, present) => [
      ...[...CLUSTER_CHOICES, clustersFeed, permissionsFeed].map(feed => ({feed, priority: 1})),
      ...quotaReads(known, values.environment).map(feed => ({feed, priority: 2})),
      ...clusterNameWants(values, present),
    ],
    check: values => checkCluster(values, known, ask),
  };
}

/** The environment decides the region, and the region which versions and flavors there are. */
function fieldsFor(values: FormValues, known: AssessmentInput, begins: string | undefined): readonly FormField[] {
  const environment = environmentNamed(known, values.environment) ?? firstEnvironment(known, begins);
  const regionName = environment?.regionName;
  const workers = flavorsIn(known, regionName);
  const flavors = workers.map(({name}) => name);
  const facts = flavorFacts(known, workers);
  const masters = masterFlavors(known, regionName);
  const hintOf = (name: string | undefined) => flavorHint(known, flavorNamed(known, regionName, name));
  return [
    {key: 'name', label: 'name', initial: '', hint: 'up to 20 characters'},
    {...environmentField(known, environment), ...(regionName === undefined ? {} : {hint: regionName})},
    {
      key: 'keyPair',
      label: 'key pair',
      initial: '',
      choices: keyPairsIn(known, environment?.name),
      facts: keyPairFacts(known, environment?.name),
    },
    {key: 'version', label: 'kubernetes', initial: '', choices: versionsIn(known, regionName)},
    {
      key: 'masterFlavor',
      label: 'masters',
      initial: masters.find(({name}) => name === SMALLEST_MASTER)?.name ?? '',
      choices: masters.map(({name}) => name),
      facts: flavorFacts(known, masters),
      hint: `${SMALLEST_MASTER} or larger`,
    },
    {
      key: 'masterCount',
      label: 'master count',
      initial: '3',
      choices: Object.values(MASTER_COUNTS).map(String),
      hint: '3 survive losing one',
    },
    {
      key: 'mode',
      label: 'mode',
      initial: 'full',
      choices: ['full', 'standard'],
      hint: 'full: bastion, balancer',
    },
    {key: 'group', label: 'node group', initial: 'workers', hint: `at most ${MAX_GROUP_NAME_LENGTH} characters`},
    {key: 'flavor', label: 'flavor', initial: '', choices: flavors, facts, hint: hintOf(values.flavor)},
    {key: 'count', label: 'node count', initial: '2', hint: `1 to ${MAX_WORKERS}`},
    {
      key: 'flavor2',
      label: '2nd flavor',
      initial: NO_GROUP,
      choices: [NO_GROUP, ...flavors],
      facts,
      hint: values.flavor2 === NO_GROUP ? 'a second group' : hintOf(values.flavor2),
    },
    ...(values.flavor2 === undefined || values.flavor2 === NO_GROUP || values.flavor2 === ''
      ? []
      : [
          {key: 'group2', label: '2nd group', initial: 'workers-2', hint: 'its name'},
          {key: 'count2', label: '2nd count', initial: '1', hint: `1 to ${MAX_WORKERS}`},
        ]),
  ];
}

function versionsIn(known: AssessmentInput, regionName: string | undefined): readonly string[] {
  const versions = recordsOf(known, clusterVersionsFeed).filter(
    each => each.regionName === undefined || each.regionName === regionName,
  );
  return [...new Set(versions.map(({version}) => version))].sort(newestFirst);
}

function newestFirst(left: string, right: string): number {
  return right.localeCompare(left, 'en', {numeric: true});
}

/** Masters have no GPUs. */
function masterFlavors(known: AssessmentInput, regionName: string | undefined): readonly Flavor[] {
  return recordsOf(known, masterFlavorsFeed).filter(
    ({regionName: its, gpuCount}) => (its === undefined || its === regionName) && (gpuCount ?? 0) === 0,
  );
}

function checkCluster(values: FormValues, known: AssessmentInput, ask: AskCluster): FormCheck {
  const environment = environmentNamed(known, values.environment);
  const {groups, mistakes: groupMistakes} = groupsOf(known, values);
  const mode: DeploymentMode = values.mode === 'standard' ? 'standard' : 'full';
  const masterCount = Number(values.masterCount);
  const plan = {workers: groups ?? [], mode};
  const found: Record<string, string | undefined> = {
    name:
      checkName(
        values.name ?? '',
        recordsOf(known, clustersFeed).map(({name}) => name),
      ) ??
      clusterNameMistake(nameIn(values)) ??
      takenMistake(known, clusterNameFeed(nameIn(values))),
    environment: environmentMistake(known, environment),
    keyPair: missing(values.keyPair, emptyIn(known, environment, keyPairsFeed, 'key pairs in this environment')),
    version: missing(values.version, emptyIn(known, environment, clusterVersionsFeed, 'versions in this region')),
    masterFlavor: missing(values.masterFlavor, emptyIn(known, environment, masterFlavorsFeed, 'master flavors here')),
    ...groupMistakes,
    ...(groups === undefined
      ? {}
      : {count: clusterQuotaRefusal(known, {environmentName: values.environment, masterCount, ...plan})}),
  };
  const mistakes = Object.fromEntries(
    Object.entries(found).flatMap(([key, text]) => (text === undefined ? [] : [[key, text]])),
  );
  const name = safeText((values.name ?? '').trim());
  const notes = [...firstSteps(known, environment, {needsKeyPair: true}), ...clusterNotes(known, {name, ...plan})];
  if (groups === undefined || Object.keys(mistakes).length > 0) return {mistakes, notes, question: undefined};
  const spec: ClusterSpec = {
    name,
    environmentName: safeText(values.environment ?? ''),
    keyPairName: safeText(values.keyPair ?? ''),
    kubernetesVersion: safeText(values.version ?? ''),
    masterFlavorName: safeText(values.masterFlavor ?? ''),
    masterCount,
    deploymentMode: mode,
    nodeGroups: groups.map(({groupName, flavorName, count}) => ({name: groupName, flavorName, count})),
  };
  return {mistakes, notes, question: ask({spec})};
}

function missing(value: string | undefined, reason: string): string | undefined {
  return value === undefined || value === '' ? reason : undefined;
}

type WorkerGroup = Workers & {readonly groupName: SafeText};
type GroupMistakes = Readonly<Record<string, string | undefined>>;

/** The groups of workers, and what is wrong with them; undefined as long as one is not complete. */
function groupsOf(
  known: AssessmentInput,
  values: FormValues,
): {readonly groups: readonly WorkerGroup[] | undefined; readonly mistakes: GroupMistakes} {
  const first = groupOf(known, values, {group: 'group', flavor: 'flavor', count: 'count'});
  const hasSecond = values.flavor2 !== undefined && values.flavor2 !== NO_GROUP && values.flavor2 !== '';
  const second = hasSecond ? groupOf(known, values, {group: 'group2', flavor: 'flavor2', count: 'count2'}) : undefined;
  const groups = [first.group, second?.group].filter(group => group !== undefined);
  const isSameName = hasSecond && values.group === values.group2;
  return {
    groups: groups.length === (hasSecond ? 2 : 1) ? groups : undefined,
    mistakes: {
      ...first.mistakes,
      ...second?.mistakes,
      ...(isSameName ? {group2: 'the first group has this name'} : {}),
    },
  };
}

type GroupKeys = {readonly group: string; readonly flavor: string; readonly count: string};

function groupOf(
  known: AssessmentInput,
  values: FormValues,
  keys: GroupKeys,
): {readonly group: WorkerGroup | undefined; readonly mistakes: GroupMistakes} {
  const environment = environmentNamed(known, values.environment);
  const name = (values[keys.group] ?? '').trim();
  const flavor = flavorNamed(known, environment?.regionName, values[keys.flavor]);
  const count = countIn(values[keys.count], 1, MAX_WORKERS);
  const {length} = [...name];
  const nameMistake =
    checkName(name, []) ??
    (length > MAX_GROUP_NAME_LENGTH ? `${length} characters, at most ${MAX_GROUP_NAME_LENGTH}` : undefined);
  const mistakes = {
    [keys.group]: nameMistake,
    [keys.flavor]:
      flavor === undefined ? emptyIn(known, environment, flavorsFeed, 'flavors in this region') : undefined,
    [keys.count]: count === undefined ? `a whole number from 1 to ${MAX_WORKERS}` : undefined,
  };
  if (flavor === undefined || count === undefined || nameMistake !== undefined) return {group: undefined, mistakes};
  return {group: {groupName: safeText(name), flavorName: flavor.name, flavor, count}, mistakes};
}

function clusterNameWants(values: FormValues, present: string | undefined): readonly Want[] {
  return availabilityWants(values, present, clusterNameFeed);
}
