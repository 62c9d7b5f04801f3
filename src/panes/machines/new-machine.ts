import {
  environmentFacts,
  environmentNamed,
  environmentsOf,
  firstEnvironment,
  flavorFacts,
  flavorsIn,
  imageFacts,
  imagesFor,
  keyPairFacts,
  keyPairsIn,
  usualImage,
} from '../../actions/creation-choices.ts';
import {flavorHint} from '../../actions/creation-cost.ts';
import type {Form} from '../../actions/form.ts';
import {ownAddressHint} from '../../actions/assessment-input.ts';
import {availabilityWants} from '../../actions/name-availability.ts';
import {countIn} from '../../actions/form-values.ts';
import type {Environment} from '../../domain/environment.ts';
import {say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {MAX_MACHINE_COUNT} from '../../domain/virtual-machine.ts';
import {isUnattached} from '../../domain/volume.ts';
import {permissionsFeed} from '../../state/account.ts';
import {flavorsFeed, imagesFeed, stocksFeed} from '../../state/catalogue.ts';
import {environmentsFeed, quotaFeed} from '../../state/environments.ts';
import {protocolsFeed} from '../../state/firewalls.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import {machineNameFeed, machinesFeed} from '../../state/machines.ts';
import type {Want} from '../../state/poll-schedule.ts';
import {volumesFeed} from '../../state/volumes.ts';
import type {FormField, FormValues} from '../../ui/form-field.ts';
import type {Scene} from '../pane.ts';
import {checkMachine, NO_VOLUME} from './new-machine-check.ts';

/**
 * The form for new machines. User data is left out: it is a file of many lines, which a one-line field would break.
 * `environmentName` is the initial environment.
 */
export function newMachineForm(scene: Scene, environmentName: string | undefined): Form {
  // Environments may be read only while the form is open, so the initial value is kept until then.
  const fields = (values: FormValues) => fieldsFor(values, scene, environmentName);
  return {
    title: say`new machine`,
    fields: fields({}),
    fieldsFor: fields,
    wants: (values, present) => wantsFor(values, scene, present),
    check: values => checkMachine(values, scene),
  };
}

function sshHint(scene: Scene): string {
  const own = ownAddressHint(scene);
  return own === undefined ? 'a CIDR; empty: none' : `${own}; empty: none`;
}

/** The environment decides the region, the region the flavors and images, the flavor which images can run. */
function fieldsFor(values: FormValues, scene: Scene, begins: string | undefined): readonly FormField[] {
  const environments = environmentsOf(scene).map(({name}) => name);
  const environment = environmentNamed(scene, values.environment) ?? firstEnvironment(scene, begins);
  const regionName = environment?.regionName;
  const flavors = flavorsIn(scene, regionName);
  const flavor = flavors.find(({name}) => name === values.flavor);
  return [
    {key: 'name', label: 'name', initial: '', hint: 'at most 50 characters'},
    {key: 'count', label: 'count', initial: '1', hint: 'identical copies'},
    {
      key: 'environment',
      label: 'environment',
      initial: environment?.name ?? '',
      choices: environments,
      facts: environmentFacts(scene),
      ...(regionName === undefined ? {} : {hint: regionName}),
    },
    {
      key: 'flavor',
      label: 'flavor',
      initial: '',
      choices: flavors.map(({name}) => name),
      facts: flavorFacts(scene, flavors),
      hint: flavorHint(scene, flavor),
    },
    {
      key: 'image',
      label: 'image',
      initial: usualImage(scene, regionName, flavor) ?? '',
      followsOthers: true,
      choices: imagesFor(scene, regionName, values.flavor),
      facts: imageFacts(scene),
      hint: 'runs on the flavor',
    },
    {
      key: 'keyPair',
      label: 'key pair',
      initial: '',
      choices: keyPairsIn(scene, environment?.name),
      facts: keyPairFacts(scene, environment?.name),
      hint: 'for the first login',
    },
    {key: 'publicIp', label: 'public IP', initial: 'no', choices: ['no', 'yes'], hint: 'billed by the hour'},
    {key: 'sshFrom', label: 'ssh from', initial: '', hint: sshHint(scene)},
    {key: 'labels', label: 'labels', initial: '', hint: 'comma-separated; may be empty'},
    {key: 'callback', label: 'callback URL', initial: '', hint: 'may be empty'},
    {
      key: 'volume',
      label: 'volume',
      initial: NO_VOLUME,
      choices: [NO_VOLUME, ...freeVolumes(scene, environment)],
      hint: 'attached to it',
    },
  ];
}

/** Volumes are chosen by name here, so only unambiguous names are offered. */
function freeVolumes({store}: Scene, environment: Environment | undefined): readonly string[] {
  const volumes = lastValue(store.get(volumesFeed))?.records ?? [];
  const here = volumes.filter(({environmentName}) => environmentName === environment?.name);
  return here
    .filter(isUnattached)
    .map(({name}) => name)
    .filter(name => name !== NO_VOLUME && here.filter(volume => volume.name === name).length === 1);
}

function wantsFor(values: FormValues, scene: Scene, present: string | undefined): readonly Want[] {
  const environment = environmentNamed(scene, values.environment);
  return [
    {feed: environmentsFeed, priority: 1},
    {feed: keyPairsFeed, priority: 1},
    {feed: flavorsFeed, priority: 1},
    {feed: imagesFeed, priority: 1},
    {feed: machinesFeed, priority: 2},
    ...(environment === undefined ? [] : [{feed: quotaFeed(environment.id), priority: 2}]),
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
