import {Option} from 'commander';
import {ACTIONS, confirmationOf} from '../actions/actions.ts';
import type {CommandOption, Unplanned} from '../actions/command-line.ts';
import type {ActionRecord} from '../actions/define.ts';
import {listClusters} from '../api/clusters.ts';
import {listEnvironments} from '../api/environments.ts';
import {listFirewalls} from '../api/firewalls.ts';
import {listKeyPairs} from '../api/key-pairs.ts';
import {accessKeys as accessKeysEndpoint} from '../api/object-storage.ts';
import {listVirtualMachines} from '../api/virtual-machines.ts';
import {listVolumes} from '../api/volumes.ts';
import {type ActionParameters, typeOf} from '../domain/action.ts';
import {assert} from '../domain/assert.ts';
import type {CloudResource, ResourceType} from '../domain/cloud-resource.ts';
import {accessKeys} from '../resources/access-keys.ts';
import {clusters} from '../resources/clusters.ts';
import {environments} from '../resources/environments.ts';
import {firewalls} from '../resources/firewalls.ts';
import {keyPairs} from '../resources/key-pairs.ts';
import {machines} from '../resources/machines.ts';
import type {Reader} from '../resources/resource.ts';
import {volumes} from '../resources/volumes.ts';
import type {BuildCommand} from './command-io.ts';
import {type OperationCommand, operationCommand, operationGroup} from './operation.ts';
import {repeated} from './option-values.ts';
import {type FoundRecord, findRecord, planEach} from './plan.ts';

/** A group whose commands are the records of actions that name it. */
export function actionGroup(name: string, summary: string): BuildCommand {
  return operationGroup(name, summary, actionCommands(name));
}

/** The commands of a group that the records of actions give: `vm` has start, stop, delete and others. */
export function actionCommands(group: string): readonly BuildCommand[] {
  return [...ACTIONS.values()].flatMap(record => {
    const {command} = record;
    return command?.words[0] === group ? [operationCommand(commandOf(record, command))] : [];
  });
}

function commandOf(
  record: ActionRecord,
  {words, summary, options = [], parametersFor = idAlone}: NonNullable<ActionRecord['command']>,
): OperationCommand {
  const type = typeOf(record.kind);
  assert(type !== 'bucket', 'a bucket is not found by its name alone');
  return {
    name: words[1],
    summary,
    arguments: `<${type}...>`,
    options: command => options.reduce((built, option) => built.addOption(optionOf(option)), command),
    plan: context =>
      planEach(
        context.words,
        word => FINDERS[type](context.reader, word),
        subject => {
          const parameters = parametersFor(subject, context.flags);
          return isUnplanned(parameters) ? parameters : confirmationOf(record.with(parameters), {subject});
        },
      ),
  };
}

type Find = (reader: Reader, wanted: string) => Promise<FoundRecord<CloudResource>>;

/** How a subject is found by its id or its name. A bucket's name is not its own alone, so its command finds it. */
const FINDERS: Readonly<Record<Exclude<ResourceType, 'bucket'>, Find>> = {
  vm: (reader, wanted) => findRecord(reader, machines, listVirtualMachines.record, wanted),
  volume: (reader, wanted) => findRecord(reader, volumes, listVolumes.record, wanted),
  firewall: (reader, wanted) => findRecord(reader, firewalls, listFirewalls.record, wanted),
  cluster: (reader, wanted) => findRecord(reader, clusters, listClusters.record, wanted),
  'key-pair': (reader, wanted) => findRecord(reader, keyPairs, listKeyPairs.record, wanted),
  environment: (reader, wanted) => findRecord(reader, environments, listEnvironments.record, wanted),
  'access-key': (reader, wanted) => findRecord(reader, accessKeys, accessKeysEndpoint.record, wanted),
};

function idAlone(subject: CloudResource): ActionParameters {
  return 'id' in subject ? {id: subject.id} : {};
}

function isUnplanned(parameters: ActionParameters | Unplanned): parameters is Unplanned {
  return 'mistake' in parameters || 'failure' in parameters;
}

function optionOf({flags, summary, isRequired = false, isRepeated = false}: CommandOption): Option {
  const option = new Option(flags, summary).makeOptionMandatory(isRequired);
  return isRepeated ? option.argParser(repeated).default([]) : option;
}
