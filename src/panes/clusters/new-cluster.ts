import {candidate, questionFor} from '../../actions/ask.ts';
import {clusterNotes, createCluster, type Workers} from '../../actions/clusters.ts';
import {
  emptyReason,
  environmentFacts,
  environmentNamed,
  environmentsOf,
  flavorFacts,
  flavorNamed,
  flavorsIn,
  keyPairFacts,
  keyPairsIn,
  recordsOf,
} from '../../actions/creation-choices.ts';
import {flavorHint} from '../../actions/creation-cost.ts';
import type {Form, FormCheck} from '../../actions/form.ts';
import {availabilityWants, nameIn, takenMistake} from '../../actions/name-availability.ts';
import {checkName, countIn} from '../../actions/name-check.ts';
import type {ClusterSpec, DeploymentMode} from '../../domain/cluster.ts';
import type {Flavor} from '../../domain/flavor.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {permissionsFeed} from '../../state/account.ts';
import {flavorsFeed, stocksFeed} from '../../state/catalogue.ts';
import {clusterNameFeed, clustersFeed, clusterVersionsFeed, masterFlavorsFeed} from '../../state/clusters.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import type {Want} from '../../state/poll-schedule.ts';
import type {FormField, FormValues} from '../../ui/form-field.ts';
import type {Scene} from '../pane.ts';

const MAX_WORKERS = 20;
const MAX_GROUP_NAME_LENGTH = 20;
const NO_GROUP = 'none';
/** Of the documents: smaller masters do not come up reliably. */
const SMALLEST_MASTER = 'n1-cpu-medium';

export function newClusterForm(scene: Scene): Form {
  return {
    title: say`new cluster`,
    fields: fieldsFor({}, scene),
    fieldsFor: values => fieldsFor(values, scene),
    wants: (values, present) => [
      ...[
        environmentsFeed,
        keyPairsFeed,
        clusterVersionsFeed,
        masterFlavorsFeed,
        flavorsFeed,
        stocksFeed,
        clustersFeed,
        permissionsFeed,
      ].map(feed => ({feed, priority: 1})),
      ...clusterNameWants(values, present),
    ],
    check: values => checkCluster(values, scene),
  };
}

/** The environment fixes the region, and the region what versions and flavors there are. */
function fieldsFor(values: FormValues, scene: Scene): readonly FormField[] {
  const environment = environmentNamed(scene, values.environment) ?? environmentsOf(scene)[0];
  const regionName = environment?.regionName;
  const workers = flavorsIn(scene, regionName);
  const flavors = workers.map(({name}) => name);
  const facts = flavorFacts(scene, workers);
  const masters = masterFlavors(scene, regionName);
  const hintOf = (name: string | undefined) => flavorHint(scene, flavorNamed(scene, regionName, name));
  return [
    {key: 'name', label: 'name', initial: '', hint: 'at most 20 characters are safe'},
    {
      key: 'environment',
      label: 'environment',
      initial: environment?.name ?? '',
      choices: environmentsOf(scene).map(({name}) => name),
      facts: environmentFacts(scene),
      hint: regionName ?? emptyReason(scene, environmentsFeed, 'environments'),
    },
    {
      key: 'keyPair',
      label: 'key pair',
      initial: '',
      choices: keyPairsIn(scene, environment?.name),
      facts: keyPairFacts(scene, environment?.name),
    },
    {key: 'version', label: 'kubernetes', initial: '', choices: versionsIn(scene, regionName)},
    {
      key: 'masterFlavor',
      label: 'masters',
      initial: masters.find(({name}) => name === SMALLEST_MASTER)?.name ?? '',
      choices: masters.map(({name}) => name),
      facts: flavorFacts(scene, masters),
      hint: `free; ${SMALLEST_MASTER} or larger`,
    },
    {key: 'masterCount', label: 'master count', initial: '3', choices: ['2', '3'], hint: '3 keep a majority'},
    {
      key: 'mode',
      label: 'mode',
      initial: 'full',
      choices: ['full', 'standard'],
      hint: 'full adds bastion and load balancer',
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

function versionsIn(scene: Scene, regionName: string | undefined): readonly string[] {
  const versions = recordsOf(scene, clusterVersionsFeed).filter(
    each => each.regionName === undefined || each.regionName === regionName,
  );
  return [...new Set(versions.map(({version}) => version))].sort(newestFirst);
}

function newestFirst(left: string, right: string): number {
  return right.localeCompare(left, 'en', {numeric: true});
}

/** Masters run on processors alone. */
function masterFlavors(scene: Scene, regionName: string | undefined): readonly Flavor[] {
  return recordsOf(scene, masterFlavorsFeed).filter(
    ({regionName: its, gpuCount}) => (its === undefined || its === regionName) && (gpuCount ?? 0) === 0,
  );
}

function checkCluster(values: FormValues, scene: Scene): FormCheck {
  const first = groupOf(scene, values, {group: 'group', flavor: 'flavor', count: 'count'});
  const hasSecond = values.flavor2 !== undefined && values.flavor2 !== NO_GROUP && values.flavor2 !== '';
  const second = hasSecond ? groupOf(scene, values, {group: 'group2', flavor: 'flavor2', count: 'count2'}) : undefined;
  const told: Record<string, string | undefined> = {
    name:
      checkName(
        values.name ?? '',
        recordsOf(scene, clustersFeed).map(({name}) => name),
      ) ?? takenMistake(scene, clusterNameFeed(nameIn(values))),
    environment: environmentNamed(scene, values.environment) === undefined ? 'choose an environment' : undefined,
    keyPair: missing(values.keyPair, emptyReason(scene, keyPairsFeed, 'key pairs in this environment')),
    version: missing(values.version, emptyReason(scene, clusterVersionsFeed, 'versions in this region')),
    masterFlavor: missing(values.masterFlavor, emptyReason(scene, masterFlavorsFeed, 'master flavors here')),
    ...first.mistakes,
    ...second?.mistakes,
    ...(hasSecond && values.group === values.group2 ? {group2: 'the first group is called that'} : {}),
  };
  const mistakes = Object.fromEntries(
    Object.entries(told).flatMap(([key, text]) => (text === undefined ? [] : [[key, text]])),
  );
  const groups = [first.group, second?.group].filter(group => group !== undefined);
  const hasAll = first.group !== undefined && (!hasSecond || second?.group !== undefined);
  const mode: DeploymentMode = values.mode === 'standard' ? 'standard' : 'full';
  const name = safeText((values.name ?? '').trim());
  const notes = clusterNotes(scene, {name, mode, workers: hasAll ? groups : []});
  if (!hasAll || Object.keys(mistakes).length > 0) return {mistakes, notes, question: undefined};
  const spec: ClusterSpec = {
    name,
    environmentName: safeText(values.environment ?? ''),
    keyPairName: safeText(values.keyPair ?? ''),
    kubernetesVersion: safeText(values.version ?? ''),
    masterFlavorName: safeText(values.masterFlavor ?? ''),
    masterCount: Number(values.masterCount),
    deploymentMode: mode,
    nodeGroups: groups.map(({groupName, flavorName, count}) => ({name: groupName, flavorName, count})),
  };
  const question = questionFor([candidate(createCluster.with({spec}), undefined, scene)], scene);
  return {mistakes, notes, question};
}

function missing(value: string | undefined, reason: string): string | undefined {
  return value === undefined || value === '' ? reason : undefined;
}

type WorkerGroup = Workers & {readonly groupName: SafeText};
type GroupKeys = {readonly group: string; readonly flavor: string; readonly count: string};

function groupOf(
  scene: Scene,
  values: FormValues,
  keys: GroupKeys,
): {readonly group: WorkerGroup | undefined; readonly mistakes: Readonly<Record<string, string | undefined>>} {
  const environment = environmentNamed(scene, values.environment);
  const name = (values[keys.group] ?? '').trim();
  const flavor = flavorNamed(scene, environment?.regionName, values[keys.flavor]);
  const count = countIn(values[keys.count], 1, MAX_WORKERS);
  const {length} = [...name];
  const nameMistake =
    checkName(name, []) ??
    (length > MAX_GROUP_NAME_LENGTH ? `${length} characters, at most ${MAX_GROUP_NAME_LENGTH}` : undefined);
  const mistakes = {
    [keys.group]: nameMistake,
    [keys.flavor]: flavor === undefined ? emptyReason(scene, flavorsFeed, 'flavors in this region') : undefined,
    [keys.count]: count === undefined ? `a whole number from 1 to ${MAX_WORKERS}` : undefined,
  };
  if (flavor === undefined || count === undefined || nameMistake !== undefined) return {group: undefined, mistakes};
  return {group: {groupName: safeText(name), flavorName: flavor.name, flavor, count}, mistakes};
}

function clusterNameWants(values: FormValues, present: string | undefined): readonly Want[] {
  return availabilityWants(values, present, clusterNameFeed);
}
