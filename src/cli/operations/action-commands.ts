import {Option} from 'commander';
import {ACTIONS, confirmationOf} from '../../actions/actions.ts';
import type {ActionRecord, CommandOption} from '../../actions/define.ts';
import {typeOf} from '../../domain/action.ts';
import {assert} from '../../domain/assert.ts';
import {subjectResource} from '../../resources/resources.ts';
import type {BuildCommand} from '../command-io.ts';
import {type OperationCommand, operationCommand, operationGroup} from './operation.ts';
import {repeatable} from '../option-values.ts';
import {findRecord, planEach} from './plan.ts';

/** A command group made from the action records that name it. */
export function actionGroup(name: string): BuildCommand {
  return operationGroup(name, actionCommands(name));
}

/** The subcommands that action records add to a group: `vm` gets start, stop, delete and others. */
export function actionCommands(group: string): readonly BuildCommand[] {
  return [...ACTIONS.values()].flatMap(action => {
    const {command} = action;
    return command?.words[0] === group ? [operationCommand(commandOf(action, command))] : [];
  });
}

function commandOf(
  action: ActionRecord,
  {words, summary, options = [], actionOn}: NonNullable<ActionRecord['command']>,
): OperationCommand {
  const type = typeOf(action.kind);
  const resource = subjectResource(type);
  const {record: parse} = resource.subjects;
  assert(parse !== undefined, `a ${type} is not found by its name alone`);
  return {
    name: words[1],
    summary,
    arguments: `<${type}...>`,
    options: command => options.reduce((built, option) => built.addOption(optionOf(option)), command),
    plan: context =>
      planEach(
        context.words,
        word => findRecord(context.reader, {...resource, parse}, word),
        subject => {
          const asked = actionOn(subject, context.flags);
          return 'kind' in asked ? confirmationOf(asked, {subject}) : asked;
        },
      ),
  };
}

function optionOf({flags, summary, isRequired = false, isRepeated = false}: CommandOption): Option {
  const option = isRepeated ? repeatable(flags, summary) : new Option(flags, summary);
  return option.makeOptionMandatory(isRequired);
}
