import {openConsole} from '../../actions/machines/jobs.ts';
import {console as consoleEndpoint} from '../../api/machine-jobs.ts';
import {say} from '../../domain/safe-text.ts';
import {type OperationCommand, operationCommand} from '../operations/operation.ts';
import {findMachine, planned, plannedOn} from '../operations/plan.ts';
import {nothingSaid, readUntilReady} from '../operations/read-until-ready.ts';

const vnc: OperationCommand = {
  name: 'console',
  summary: 'print the address of the graphical console of a machine; anyone with it has access',
  arguments: '<vm>',
  plan: async ({reader, words}) => {
    const found = await findMachine(reader, words[0] ?? '');
    if (!found.ok) return found;
    return planned(plannedOn(openConsole.with({id: found.value.id}), found.value));
  },
  afterwards: async (account, io, {planned: {action}, result}) => {
    if (!openConsole.is(action) || result?.kind !== 'console-job') return nothingSaid(say`the console`);
    const {jobId} = result;
    const read = await readUntilReady(account, io, 'the console', () =>
      account.session.client.read(consoleEndpoint, {id: action.id, jobId}),
    );
    if (!read.ok) return read;
    const url = read.value.url.reveal();
    return {ok: true, value: {text: `${url}\n`, fields: {url}}};
  },
};

/** `skydeck console`. */
export const consoleCommand = operationCommand(vnc);
