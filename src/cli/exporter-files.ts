import {Command} from 'commander';
import {type ConnectionFlags, DEFAULT_GPU_LABEL, OPTIONS, readFlags} from '../config/options.ts';
import {resolveOptions} from '../config/profiles.ts';
import {readSettings} from '../config/settings.ts';
import {alertingRules} from '../export/alerting-rules.ts';
import {dashboard} from '../export/dashboard.ts';
import {type BuildCommand, type CommandIo, failed, print} from './command-io.ts';
import {flagsOf} from './connection-options.ts';
import {EXIT, type ExitCode} from '../domain/exit-codes.ts';
import {yamlText} from './yaml-text.ts';

const RULES_HEAD = '# Made by skydeck exporter rules.\n';

/** `skydeck exporter rules`: the alerts of triage for Prometheus. */
export const rulesCommand: BuildCommand = (io, end) =>
  new Command('rules')
    .summary('print alerting rules for Prometheus')
    .description(
      "Print alerting rules for Prometheus. Rules about GPUs use DCGM's own series, which name machines by the profile's gpuLabel.",
    )
    .option(flagsOf(OPTIONS.profile), OPTIONS.profile.meaning)
    .action(async (flags: Pick<ConnectionFlags, 'profile'>) => end(await printRules(io, flags)));

async function printRules(io: CommandIo, {profile}: Pick<ConnectionFlags, 'profile'>): Promise<ExitCode> {
  const asked = readFlags({profile, color: true}, io.environment);
  if (!asked.ok) return failed(io, asked.mistake, EXIT.usage);
  const read = await readSettings(io.environment);
  if (!read.ok) return failed(io, read.mistake, EXIT.usage);
  const resolved = resolveOptions(asked.options, read.settings);
  if (!resolved.ok) return failed(io, resolved.mistake, EXIT.usage);
  const gpuLabel = resolved.options.prometheus?.gpuLabel ?? DEFAULT_GPU_LABEL;
  await print(io, `${RULES_HEAD}${yamlText(alertingRules({gpuLabel}), {showsSecrets: true})}`);
  return EXIT.done;
}

/** `skydeck exporter dashboard`: a dashboard that Grafana imports. */
export const dashboardCommand: BuildCommand = (io, end) =>
  new Command('dashboard')
    .summary('print a dashboard for Grafana')
    .description('Print a dashboard for Grafana, as JSON.')
    .action(async () => {
      await print(io, `${JSON.stringify(dashboard(), null, 2)}\n`);
      end(EXIT.done);
    });
