import {createMachines} from '../actions/machines/creation.ts';
import {machineSpecOf} from '../actions/machines/machine-spec.ts';
import type {RuleContext} from '../domain/check-rule.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import type {RuleSpec} from '../domain/security-rule.ts';
import {MAX_MACHINE_COUNT} from '../domain/virtual-machine.ts';
import type {OperationCommand} from './operation.ts';
import {repeatable, wholeNumber} from './option-values.ts';
import {givenText} from './given-text.ts';
import {mistaken, planned, plannedOn} from './plan.ts';
import {ruleContextOf, ruleFromWords} from './rule-words.ts';

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

export const vmCreate: OperationCommand<CreateFlags> = {
  name: 'create',
  summary: 'create machines, which are billed from the moment they run',
  arguments: '<name>',
  options: command =>
    command
      .requiredOption('--environment <name>', 'the environment, which determines the region')
      .requiredOption('--flavor <name>', 'the hardware')
      .requiredOption('--key-pair <name>', 'a key pair of the same environment')
      .option('--image <name>', 'the image; required unless it starts from a volume')
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
