import {readLog} from '../../actions/machines/jobs.ts';
import {machineLogs} from '../../api/machine-jobs.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {actionCommands} from '../action-commands.ts';
import {type OperationCommand, operationCommand, operationGroup} from '../operation.ts';
import {wholeNumber} from '../option-values.ts';
import {findMachine, planned, plannedOn} from '../plan.ts';
import {nothingSaid, readUntilReady} from '../read-until-ready.ts';
import {vmCreate} from '../vm-create.ts';

const MAX_LINE_COUNT = 10_000;

const logs: OperationCommand<{readonly lines: number}> = {
  name: 'logs',
  summary: 'print the log of a running machine',
  arguments: '<vm>',
  options: command => command.option('--lines <count>', 'how many lines', wholeNumber(1, MAX_LINE_COUNT), 100),
  plan: async ({reader, words, flags}) => {
    const found = await findMachine(reader, words[0] ?? '');
    if (!found.ok) return found;
    const {id} = found.value;
    return planned(plannedOn(readLog.with({id, lineCount: flags.lines}), found.value));
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

/** `skydeck vm`: actions on machines. */
export const vmCommand = operationGroup('vm', [
  ...actionCommands('vm'),
  operationCommand(vmCreate),
  operationCommand(logs),
]);
