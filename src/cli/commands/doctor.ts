import {Command} from 'commander';
import {checkBaseUrl} from '../../api/base-url.ts';
import {readKey} from '../../config/key-source.ts';
import {type ConnectionOptions, readFlags} from '../../config/options.ts';
import {resolveOptions} from '../../config/profiles.ts';
import {readSettings, type Settings} from '../../config/settings.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {openAsked} from '../account.ts';
import {type Checkup, fail, ok} from '../doctor/checkup.ts';
import {type BuildCommand, type CommandIo, print} from '../command-io.ts';
import {dataListText, isDataFormat} from '../print/data-text.ts';
import {askService} from '../doctor/service.ts';
import {fileFindings, terminalFindings, themeFinding, tlsFindings} from '../doctor/surroundings.ts';
import {EXIT, type ExitCode, worstOf} from '../../domain/exit-codes.ts';
import {openProgress} from '../print/progress.ts';
import {addCommonOptions, type CommonFlags} from '../run-command.ts';
import {terminalTable} from '../print/table-text.ts';

/** `skydeck doctor`: checks everything that a working deck needs. */
export const doctorCommand: BuildCommand = (io, end) => {
  const command = new Command('doctor').description(
    'Check files, terminal, key, service, permissions, clock and limits, and say what to do. Reads only.',
  );
  return addCommonOptions(command, ['table', 'json', 'ndjson', 'yaml']).action(async (flags: CommonFlags) =>
    end(await runDoctor(io, flags)),
  );
};

async function runDoctor(io: CommandIo, flags: CommonFlags): Promise<ExitCode> {
  const surroundings = [...fileFindings(io), ...terminalFindings(io), ...tlsFindings(io)];
  const checkups = [...surroundings, ...(await accountCheckups(io, flags))];
  await tell(io, checkups, flags);
  const failed = checkups.filter(({verdict}) => verdict === 'fail');
  return worstOf(failed.map(({exitCode}) => exitCode ?? EXIT.usage));
}

/** Checks the account's configuration and, if that is valid, its access to the service. */
async function accountCheckups(io: CommandIo, flags: CommonFlags): Promise<readonly Checkup[]> {
  const settings = await readSettings(io.environment);
  if (!settings.ok) return [fail(say`settings`, settings.mistake, settingsRemedy(settings.key))];
  const theme = await themeFinding(settings.settings, io.environment);
  return [theme, ...(await configuredCheckups(io, flags, settings.settings))];
}

/** Of a wrong key, or of a file that cannot be read at all. */
function settingsRemedy(key: SafeText | undefined): SafeText {
  if (key === undefined || !/^\w[\w.-]*$/.test(key) || /^profiles?$/.test(key)) return say`fix the file`;
  return say`correct the file, or remove the key with skydeck profile set ${key}`;
}

async function configuredCheckups(io: CommandIo, flags: CommonFlags, settings: Settings): Promise<readonly Checkup[]> {
  const asked = readFlags(flags, io.environment);
  if (!asked.ok) return [fail(say`options`, asked.mistake, say`see skydeck doctor --help`)];
  const resolved = resolveOptions(asked.options, settings);
  if (!resolved.ok) return [fail(say`profile`, resolved.mistake, say`skydeck profile list shows the profiles`)];
  const {profileName} = resolved;
  const named = profileName === undefined ? say`none; options and environment` : safeText(profileName);
  const configured = [ok(say`profile`, named), ...targetCheckups(io, resolved.options, settings)];
  if (configured.some(({verdict}) => verdict === 'fail')) return configured;
  const opened = await openAsked(io, asked.options, {canOperate: false, canEmbed: false});
  if (!opened.ok) return [...configured, fail(say`account`, opened.mistake, say`see skydeck doctor --help`)];
  const progress = openProgress(io, opened.account.clock, 'asking the service');
  try {
    return [...configured, ...(await askService(io, opened.account, {profileName}))];
  } finally {
    progress.end();
    opened.account.session.poller.stop();
  }
}

function targetCheckups(
  io: CommandIo,
  {baseUrl, keySource}: ConnectionOptions,
  settings: Settings,
): readonly Checkup[] {
  if (baseUrl === undefined && keySource === undefined) {
    const isUnused = Object.keys(settings.profiles).length > 0;
    return [
      isUnused
        ? fail(say`account`, say`no profile is in use`, say`skydeck profile use, with one of skydeck profile list`)
        : fail(
            say`account`,
            say`none configured`,
            say`skydeck profile add, or set SKYDECK_BASE_URL and SKYDECK_API_KEY`,
          ),
    ];
  }
  if (baseUrl === undefined)
    return [fail(say`base URL`, say`none configured`, say`set SKYDECK_BASE_URL, or --base-url`)];
  const checked = checkBaseUrl(baseUrl);
  if (!checked.ok) return [fail(say`base URL`, checked.mistake, say`use the form https://host/v1`)];
  const place = ok(say`base URL`, safeText(checked.url.href));
  if (keySource === undefined)
    return [place, fail(say`key source`, say`none configured`, say`set SKYDECK_API_KEY, --key-file or --key-command`)];
  // A key command is another program, and the key in the environment may be that of another account.
  io.forgetKey();
  const read = readKey(keySource);
  if (!read.ok) return [place, fail(say`key source`, read.mistake, say`fix it, then run this again`)];
  return [place, ok(say`key source`, say`from the ${safeText(keySource.kind)}`)];
}

const COLUMNS = [
  {title: 'VERDICT', rank: 0},
  {title: 'CHECK', rank: 0},
  {title: 'FOUND', rank: 0, isProse: true},
];

async function tell(io: CommandIo, checkups: readonly Checkup[], {output}: CommonFlags): Promise<void> {
  const records = checkups.map(({check, verdict, found, remedy}) => ({check, verdict, found, remedy: remedy ?? null}));
  if (isDataFormat(output)) return print(io, dataListText(records, {format: output, showsSecrets: true}));
  const rows = checkups.flatMap(({check, verdict, found, remedy}) => [
    [verdict, check, found],
    ...(remedy === undefined ? [] : [['', '', `remedy: ${remedy}`]]),
  ]);
  await print(io, await terminalTable(io, COLUMNS, rows));
}
