import {Command, InvalidArgumentError, Option} from 'commander';
import {type BuildCommand, type CommandIo, complain, listenMistake, print} from '../command-io.ts';
import {EXIT} from '../../domain/exit-codes.ts';
import {repeatable, wholeNumber} from '../option-values.ts';
import {codeOfRead} from '../run-command.ts';

type SimulatorIo = Pick<CommandIo, 'stdout' | 'stderr' | 'untilStopped'>;

type Flags = {
  readonly port: number;
  readonly scenario: string;
  readonly vms?: number;
  readonly seed?: number;
  readonly speed: number;
  readonly faithful?: boolean;
  readonly rateLimit: number | 'off';
  readonly clusterNameLimit: number;
  readonly gpuMetrics?: boolean;
  readonly fault: readonly string[];
};

/** What its help lists, as the simulator has it. */
type Lists = {readonly scenarios: readonly string[]; readonly faultParts: string};

/** The simulator is loaded only for its own command. */
export async function loadSimulatorCommand(): Promise<BuildCommand> {
  const [{SCENARIO_NAMES}, {FAULT_PARTS}] = await Promise.all([
    import('../../simulator/scenarios/scenarios.ts'),
    import('../../simulator/http/faults.ts'),
  ]);
  return (io, end) => simulatorCommand(io, end, {scenarios: SCENARIO_NAMES, faultParts: FAULT_PARTS});
}

/**
 * `skydeck simulator`: serves a small cloud on loopback until told to stop. The first line on stdout is a JSON object
 * with base URL and keys. Exit code: 0, 2 for wrong usage, or 6 if that line could not be written.
 */
function simulatorCommand(io: SimulatorIo, end: (exitCode: number) => void, {scenarios, faultParts}: Lists): Command {
  const listed = scenarios.map(name => (name === 'empty' ? 'empty (a new account)' : name)).join(', ');
  return new Command('simulator')
    .description('Serve a simulated cloud on 127.0.0.1 until stopped. Prints its base URL and keys as one JSON line.')
    .option('--port <number>', 'port to listen on; 0 takes a free one', wholeNumber(0, 65_535), 0)
    .option('--scenario <name>', `the scenario to run: ${listed}`, 'on-call')
    .option('--vms <number>', 'number of machines; default: that of the scenario', wholeNumber(0, 100_000))
    .option(
      '--seed <number>',
      'the same seed makes the same account with the same keys; without one the keys are random',
      wholeNumber(0, 4_294_967_295),
    )
    .option('--speed <factor>', 'how many times as fast as real time', positiveNumber, 1)
    .option('--faithful', 'transitions take as long as on the real service')
    .addOption(new Option('--rate-limit <number>', 'requests a minute, or off').argParser(rateLimit).default(500))
    .option(
      '--cluster-name-limit <characters>',
      'longest name of a new cluster; the live service allows 20',
      wholeNumber(1, 50),
      50,
    )
    .option('--gpu-metrics', 'also serve the GPUs as DCGM exporter does, without a key, under /metrics')
    .addOption(
      repeatable(
        '--fault <spec>',
        `a failure to inject, such as "status=500,match=GET /core/*,times=3", of the parts ${faultParts}`,
      ),
    )
    .action(async (flags: Flags) => end(await serve(flags, io)));
}

async function serve(flags: Flags, io: SimulatorIo): Promise<number> {
  const stopped = io.untilStopped();
  const simulator = await started(flags).catch((error: unknown) => {
    complain(io, listenMistake(error, {option: '--port', another: 'another port; 0 takes a free one'}));
  });
  if (simulator === undefined) return EXIT.usage;
  const {url, apiKey, keys, gpuMetricsUrl} = simulator;
  if (flags.vms === 0) complain(io, 'simulator: --vms 0 serves an empty account, as --scenario empty does');
  await print(io, `${JSON.stringify({url, apiKey, keys, ...(gpuMetricsUrl === undefined ? {} : {gpuMetricsUrl})})}\n`);
  // Nobody can use it without its address and key.
  const code = codeOfRead(io);
  if (code === EXIT.done) await stopped;
  await simulator.close();
  return code;
}

// The server and its library are loaded only when needed.
async function started(flags: Flags) {
  const {startSimulator} = await import('../../simulator/http/server.ts');
  return startSimulator({
    port: flags.port,
    scenario: flags.scenario,
    vmCount: flags.vms,
    seed: flags.seed,
    speed: flags.speed,
    isFaithful: flags.faithful === true,
    rateLimitPerMinute: flags.rateLimit,
    clusterNameLimit: flags.clusterNameLimit,
    faults: flags.fault,
    hasGpuMetrics: flags.gpuMetrics === true,
  });
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('Use a number above 0.');
}

function rateLimit(text: string): number | 'off' {
  return text === 'off' ? 'off' : wholeNumber(1, 1_000_000)(text);
}
