import {InvalidArgumentError} from 'commander';
import {readLog} from '../../actions/machines/jobs.ts';
import {machineLogs} from '../../api/machine-jobs.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {actionCommands} from '../action-commands.ts';
import {type OperationCommand, operationCommand, operationGroup} from '../operation.ts';
import {findMachine, planned} from '../plan.ts';
import {nothingSaid, readUntilReady} from '../read-until-ready.ts';
import {vmCreate} from '../vm-create.ts';

const logs: OperationCommand<{readonly lines: number}> = {
  name: 'logs',
  summary: 'print the log of a running machine',
  arguments: '<vm>',
  options: command => command.option('--lines <count>', 'how many lines', lineCount, 100),
  plan: async ({reader, words, flags}) => {
    const found = await findMachine(reader, words[0] ?? '');
    if (!found.ok) return found;
    const {id, name} = found.value;
    return planned({
      action: {kind: 'vm.request-logs', id, lineCount: flags.lines},
      subjectName: name,
      subject: found.value,
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

/** The service ends its log with a line end, which would leave an empty line. */
function withoutEnd(lines: readonly SafeText[]): readonly SafeText[] {
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

const MAX_LINE_COUNT = 10_000;

function lineCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= MAX_LINE_COUNT) return count;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_LINE_COUNT}.`);
}

/** `skydeck vm`: actions on machines. */
export const vmCommand = operationGroup('vm', [
  ...actionCommands('vm'),
  operationCommand(vmCreate),
  operationCommand(logs),
]);
