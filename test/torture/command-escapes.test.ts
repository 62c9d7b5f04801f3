import {test, vi} from 'vitest';
import {openAccount} from '../../src/cli/account.ts';
import {costCommand} from '../../src/cli/commands/cost.ts';
import {doctorCommand} from '../../src/cli/commands/doctor.ts';
import {eventsCommand} from '../../src/cli/commands/events.ts';
import {exporterCommand} from '../../src/cli/commands/exporter.ts';
import {handoverCommand} from '../../src/cli/commands/handover.ts';
import {printOverview} from '../../src/cli/commands/overview.ts';
import {triageCommand} from '../../src/cli/commands/triage.ts';
import {commandIo, run, type Surroundings} from '../cli/a-command.ts';
import {type Tried, tryOutputs} from './hostile-account.ts';

const PATIENT = {timeout: 4 * 60 * 60_000};
/** `skydeck exporter` has read everything. */
const READ_WITHIN = {timeout: 20_000, interval: 5};

const OF_ALL: readonly Tried[] = [
  [costCommand, '--metrics none'],
  [costCommand, '--metrics none -o json'],
  [costCommand, '--metrics none -o csv'],
  [costCommand, '--metrics none -o focus'],
  [costCommand, '--metrics none --by label'],
  [triageCommand, '--metrics none'],
  [triageCommand, '--metrics none -o json'],
  [triageCommand, '--metrics none -o yaml'],
  [triageCommand, '--metrics none --check'],
  [eventsCommand, ''],
  [eventsCommand, '-o json'],
  [eventsCommand, '-o csv'],
  [handoverCommand, '--metrics none'],
  [doctorCommand, ''],
  [doctorCommand, '-o json'],
];

test('nothing printed of the whole account is obeyed by a terminal, whatever its texts are', PATIENT, () =>
  tryOutputs(OF_ALL, {overview, exporter: exported}),
);

async function overview(given: Surroundings): Promise<string> {
  const {io, stdout, stderr} = commandIo(given);
  const opened = await openAccount(io, {color: false});
  if (!opened.ok) throw new Error(opened.mistake);
  await printOverview(io, opened.account);
  return stdout() + stderr();
}

/** What Prometheus is given. */
async function exported(given: Surroundings): Promise<string> {
  let stop = () => {};
  const untilStopped = new Promise<void>(resolve => {
    stop = resolve;
  });
  let stderr = '';
  let served: (url: string) => void = () => {};
  const url = new Promise<string>(resolve => {
    served = resolve;
  });
  const running = run(exporterCommand, '--listen 127.0.0.1:0 --metrics none', {
    ...given,
    untilStopped,
    onOutput: text => served(JSON.parse(text).url),
    onError: text => {
      stderr += text;
    },
  });
  const address = await url;
  await vi.waitUntil(() => stderr.includes('series of'), READ_WITHIN);
  const text = await (await fetch(address)).text();
  stop();
  await running;
  return text + stderr;
}
