import {InvalidArgumentError} from 'commander';
import {readLog} from '../actions/machine-changes.ts';
import type {PowerAction} from '../actions/machines/power-ways.ts';
import {machineLogs} from '../api/virtual-machine-operations.ts';
import type {Action} from '../domain/action.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {labelsObstacle, type VirtualMachine} from '../domain/virtual-machine.ts';
import {type OperationCommand, operationCommand, operationGroup, type PlannedAction} from './operation.ts';
import {repeated} from './option-values.ts';
import {findMachine, mistaken, odd, planEach, planned} from './plan.ts';
import {nothingSaid, readUntilReady} from './read-until-ready.ts';
import {vmCreate} from './vm-create.ts';

/** `skydeck vm`: what can be done to machines. */
const POWER: readonly OperationCommand<never>[] = [
  power('start', 'starts machines that are shut off', 'vm.start'),
  power('stop', 'shuts machines down; they stay billed in full', 'vm.stop'),
  power('hard-reboot', 'cuts the power and boots again', 'vm.hard-reboot'),
  power('restore', 'brings hibernated machines back', 'vm.restore'),
];

function power(
  name: string,
  summary: string,
  kind: Exclude<PowerAction['kind'], 'vm.hibernate'>,
): OperationCommand<never> {
  return {
    name,
    summary,
    arguments: '<vm...>',
    plan: ({reader, words}) =>
      planEach(
        words,
        word => findMachine(reader, word),
        machine => onMachine({kind, id: machine.id}, machine),
      ),
  };
}

const hibernate: OperationCommand<{readonly retainIp?: boolean}> = {
  name: 'hibernate',
  summary: 'releases the hardware; without --retain-ip the public address too, permanently',
  arguments: '<vm...>',
  options: command => command.option('--retain-ip', 'keeps the public address'),
  plan: ({reader, words, flags}) =>
    planEach(
      words,
      word => findMachine(reader, word),
      machine => onMachine({kind: 'vm.hibernate', id: machine.id, retainsIp: flags.retainIp ?? false}, machine),
    ),
};

function onMachine(action: Action, {name, status}: VirtualMachine): PlannedAction {
  return {action, subjectName: name, status};
}

function nodeMistake({id, name, clusterId}: VirtualMachine, advice: SafeText): {readonly mistake: SafeText} {
  return {mistake: say`${name} #${id} is a node of cluster #${clusterId ?? say`?`}: ${advice}`};
}

const resize: OperationCommand<{readonly flavor: string}> = {
  name: 'resize',
  summary: 'gives machines another flavor',
  arguments: '<vm...>',
  options: command => command.requiredOption('--flavor <flavor>', 'the flavor they are to have'),
  plan: ({reader, words, flags}) =>
    planEach(
      words,
      word => findMachine(reader, word),
      machine => {
        if (machine.clusterId !== undefined) return nodeMistake(machine, say`its size belongs to its node group`);
        return onMachine({kind: 'vm.resize', id: machine.id, flavorName: safeText(flags.flavor)}, machine);
      },
    ),
};

const remove: OperationCommand = {
  name: 'delete',
  summary: 'deletes machines and what is on their disks, permanently',
  arguments: '<vm...>',
  plan: ({reader, words}) =>
    planEach(
      words,
      word => findMachine(reader, word),
      machine =>
        machine.clusterId === undefined
          ? onMachine({kind: 'vm.delete', id: machine.id}, machine)
          : nodeMistake(machine, say`see skydeck api`),
    ),
};

type LabelFlags = {readonly add: readonly string[]; readonly remove: readonly string[]; readonly set?: string};

const label: OperationCommand<LabelFlags> = {
  name: 'label',
  summary: 'changes labels: --add and --remove, or --set for the whole set',
  arguments: '<vm...>',
  options: command =>
    command
      .option('--add <label>', 'a label more; may be repeated', repeated, [])
      .option('--remove <label>', 'a label less; may be repeated', repeated, [])
      .option('--set <labels>', 'these and no others, comma-separated'),
  plan: ({reader, words, flags}) => {
    if (flags.set === undefined && flags.add.length + flags.remove.length === 0) {
      return Promise.resolve(mistaken(say`label needs --add, --remove or --set`));
    }
    return planEach(
      words,
      word => findMachine(reader, word),
      machine => {
        const {id, name, labels} = machine;
        const obstacle = labelsObstacle(machine);
        if (obstacle !== undefined) return odd(say`${name} #${id}: ${obstacle}`);
        const action = {kind: 'vm.set-labels', id, labels: labelsAfter(labels, flags)} as const;
        return {action, subjectName: name, replaced: labels};
      },
    );
  },
};

function labelsAfter(labels: readonly SafeText[], {add, remove: less, set}: LabelFlags): readonly SafeText[] {
  const start = set === undefined ? labels : set.split(',').filter(each => each.trim() !== '');
  const wanted = [...start, ...add].map(each => safeText(each.trim()));
  return [...new Set(wanted)].filter(each => !less.includes(each));
}

const logs: OperationCommand<{readonly lines: number}> = {
  name: 'logs',
  summary: 'prints the log of a machine that runs',
  arguments: '<vm>',
  options: command => command.option('--lines <count>', 'how many lines', lineCount, 100),
  plan: async ({reader, words, flags}) => {
    const found = await findMachine(reader, words[0] ?? '');
    if (!found.ok) return found;
    const {id, name} = found.value;
    return planned({
      action: {kind: 'vm.request-logs', id, lineCount: flags.lines},
      subjectName: name,
      thing: found.value,
    });
  },
  afterwards: async (account, io, {planned: {action}, result}) => {
    if (!readLog.is(action) || result?.kind !== 'log-request') return nothingSaid(say`the log`);
    const {requestId} = result;
    const read = await readUntilReady(account, io, 'the log', () =>
      account.session.client.read(machineLogs, {id: action.id, requestId}),
    );
    if (!read.ok) return read;
    const lines = withoutEnd(read.value.lines);
    return {ok: true, value: {text: lines.map(line => `${line}\n`).join(''), fields: {lines}}};
  },
};

/** The service ends its log with a line end, which leaves a line of nothing behind it. */
function withoutEnd(lines: readonly SafeText[]): readonly SafeText[] {
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

const MAX_LINE_COUNT = 10_000;

function lineCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= MAX_LINE_COUNT) return count;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_LINE_COUNT}.`);
}

export const vmCommand = operationGroup('vm', 'what can be done to machines', [
  ...POWER.map(operationCommand),
  operationCommand(hibernate),
  operationCommand(resize),
  operationCommand(remove),
  operationCommand(vmCreate),
  operationCommand(label),
  operationCommand(logs),
]);
