import {createMachines} from '../../actions/machines/creation.ts';
import {readLog} from '../../actions/machines/jobs.ts';
import {machineSpecOf} from '../../actions/machines/machine-spec.ts';
import {MAX_LOG_LINES, machineLogs} from '../../api/machine-jobs.ts';
import type {RuleContext} from '../../domain/check-rule.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {RuleSpec} from '../../domain/security-rule.ts';
import {MAX_MACHINE_COUNT} from '../../domain/virtual-machine.ts';
import {actionCommands} from '../operations/action-commands.ts';
import {givenText} from '../given-text.ts';
import {type OperationCommand, operationCommand, operationGroup} from '../operations/operation.ts';
import {repeatable, wholeNumber} from '../option-values.ts';
import {findMachine, mistaken, planned, plannedOn} from '../operations/plan.ts';
import {nothingSaid, readUntilReady} from '../operations/read-until-ready.ts';
import {ruleContextOf, ruleFromWords} from '../operations/rule-words.ts';

type CreateFlags = {
  readonly environment: string;
  readonly flavor: string;
  readonly keyPair: string;
  readonly count: number;
  readonly image?: string;
  readonly volume?: string;
  readonly bootableVolume?: boolean;
  readonly publicIp?: boolean;
  readonly portRandomization: boolean;
  readonly label: readonly string[];
  readonly userData?: string;
  readonly callbackUrl?: string;
  readonly rule: readonly string[];
};

const create: OperationCommand<CreateFlags> = {
  name: 'create',
  summary: 'create machines, which are billed from the moment they run',
  arguments: '<name>',
  options: command =>
    command
      .requiredOption('--environment <name>', 'the environment, which determines the region')
      .requiredOption('--flavor <name>', 'the hardware, one of skydeck get flavors')
      .requiredOption('--key-pair <name>', 'a key pair of the same environment')
      .option('--image <name>', 'one of skydeck get images; required unless it starts from a volume')
      .option('--volume <name>', 'an existing volume to attach; a bootable one replaces --image')
      .option('--bootable-volume', 'put the root disk on its own volume')
      .option(
        '--count <number>',
        'how many; the service adds numbers to their names',
        wholeNumber(1, MAX_MACHINE_COUNT),
        1,
      )
      .option('--public-ip', 'assign a public address')
      .option('--no-port-randomization', 'keep SSH on port 22 of the public address')
      .addOption(repeatable('--label <label>', 'a label'))
      .option('--user-data <file>', 'a cloud-init script; - reads standard input')
      .option('--callback-url <url>', 'a URL that receives its events')
      .addOption(repeatable('--rule <words>', "an inbound rule: 'tcp 22 10.0.0.0/8'")),
  plan: async ({reader, words, flags, io}) => {
    if (flags.image === undefined && flags.volume === undefined) {
      return mistaken(say`a machine needs --image, or --volume to start from`);
    }
    if (!flags.portRandomization && flags.publicIp !== true) {
      return mistaken(say`--no-port-randomization needs --public-ip`);
    }
    const rules = await rulesOf(flags.rule, () => ruleContextOf(reader, io.environment));
    if ('mistake' in rules) return mistaken(rules.mistake);
    const userData = flags.userData === undefined ? undefined : await givenText(io, flags.userData);
    if (userData?.ok === false) return mistaken(say`--user-data: ${userData.mistake}`);
    const spec = machineSpecOf({
      name: words[0] ?? '',
      environment: flags.environment,
      flavor: flags.flavor,
      keyPair: flags.keyPair,
      count: flags.count,
      image: flags.image,
      volume: flags.volume,
      ...(flags.bootableVolume === true ? {createsBootableVolume: true} : {}),
      ...(flags.publicIp === true ? {assignsFloatingIp: true, randomizesPorts: flags.portRandomization} : {}),
      labels: flags.label,
      userData: userData?.text,
      callbackUrl: flags.callbackUrl,
      rules: rules.specs,
    });
    return planned(plannedOn(createMachines.with({spec})));
  },
};

async function rulesOf(
  texts: readonly string[],
  contextOf: () => Promise<RuleContext>,
): Promise<{readonly specs: readonly RuleSpec[]} | {readonly mistake: SafeText}> {
  if (texts.length === 0) return {specs: []};
  const context = await contextOf();
  const specs: RuleSpec[] = [];
  for (const text of texts) {
    const outcome = ruleFromWords(text, context);
    if (!outcome.ok) return outcome;
    specs.push(outcome.spec);
  }
  return {specs};
}

const logs: OperationCommand<{readonly lines: number}> = {
  name: 'logs',
  summary: 'print the log of a running machine',
  arguments: '<vm>',
  options: command => command.option('--lines <count>', 'how many lines', wholeNumber(1, MAX_LOG_LINES), 100),
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
  operationCommand(create),
  operationCommand(logs),
]);
