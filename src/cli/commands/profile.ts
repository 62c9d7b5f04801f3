import {resolve} from 'node:path';
import {Command} from 'commander';
import {checkBaseUrl} from '../../api/base-url.ts';
import {readKey} from '../../config/key-source.ts';
import {commandWords, isNearby, NEARBY_MISTAKE, PROFILE_NAME, THEME_NAME} from '../../config/options.ts';
import {isTroubleOfFile, settingsPath} from '../../config/own-files.ts';
import {PROVIDER_BASE_URL, profileOf, removeKeyFile, unknownProfile, writeKeyFile} from '../../config/profiles.ts';
import {
  changeSettings,
  type Profile,
  readSettings,
  type Settings,
  settingNotes,
  unknownKeys,
} from '../../config/settings.ts';
import {closest} from '../../domain/closest-word.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {checkKey, secret} from '../../domain/secret.ts';
import {createLink} from '../../state/poller/link.ts';
import {noAccount} from '../account.ts';
import {type BuildCommand, type CommandIo, complain, failed, helpSentence, print} from '../command-io.ts';
import {addProfileOptions} from '../connection-options.ts';
import {themeFinding} from '../doctor/surroundings.ts';
import {dataListText, dataText, isDataFormat} from '../print/data-text.ts';
import {EXIT, type ExitCode} from '../../domain/exit-codes.ts';
import {givenText} from '../given-text.ts';
import {type OutputFormat, outputOption} from '../run-command.ts';
import {terminalTable} from '../print/table-text.ts';

type AddFlags = {
  readonly baseUrl?: string;
  readonly keyFile?: string;
  readonly keyCommand?: string;
  readonly readOnly?: boolean;
  readonly color: boolean;
  readonly replace?: boolean;
};
type ShowFlags = {readonly defaults?: boolean; readonly output: OutputFormat};

/** `skydeck profile`: a person's accounts. A key comes from a prompt, standard input, a file or a program. */
export const profileCommand: BuildCommand = (io, end) => {
  const group = new Command('profile').description('Manage accounts: their base URLs, keys and settings.');
  const addCommand = group
    .command('add')
    .description('add an account; its key is typed without echo, or read from standard input')
    .argument('<name>', 'a name for it');
  addProfileOptions(addCommand)
    .option('--replace', 'replace the key of the profile of that name; what is not given stays as it was')
    .action(async (name: string, flags: AddFlags) => end(await add(io, name, flags)));
  group
    .command('list')
    .description('list the accounts')
    .addOption(outputOption(['table', 'json', 'ndjson', 'yaml', 'name']))
    .action(async ({output}: ShowFlags) => end(await withSettings(io, settings => list(io, settings, output))));
  group
    .command('use')
    .description('use this account by default')
    .argument('<profile>', 'its name')
    .action(async (name: string) => end(await withSettings(io, settings => use(io, settings, name))));
  group
    .command('show')
    .description('show an account, or with --defaults every setting')
    .argument('[profile]', 'its name; the one in use by default')
    .option('--defaults', 'every setting with its unit and default')
    .addOption(outputOption(['table', 'json', 'ndjson', 'yaml']))
    .action(async (name: string | undefined, flags: ShowFlags) =>
      end(
        flags.defaults === true
          ? await showDefaults(io, flags)
          : await withSettings(io, each => show(io, each, name, flags)),
      ),
    );
  group
    .command('set')
    .description(
      'change a setting, such as budgetUsdPerMonth; without a value, resets it to its default or removes an unknown one',
    )
    .argument('<setting>', 'its name; skydeck profile show --defaults lists all')
    .argument('[value]', 'a number, true, false, a word, or JSON')
    .action(async (key: string, value: string | undefined) => end(await setSetting(io, key, value)));
  group
    .command('remove')
    .description('remove an account, and the key file that skydeck wrote for it')
    .argument('<profile>', 'its name')
    .action(async (name: string) => end(await withSettings(io, settings => remove(io, settings, name))));
  // In the list of commands each stands as written; on its own page it is a sentence, as for other commands.
  for (const command of group.commands) {
    command.summary(command.description()).description(helpSentence(command.description()));
  }
  return group;
};

async function withSettings(io: CommandIo, run: (settings: Settings) => Promise<ExitCode>): Promise<ExitCode> {
  const read = await readSettings(io.environment);
  return read.ok ? run(read.settings) : failed(io, read.mistake, EXIT.usage);
}

async function add(io: CommandIo, name: string, flags: AddFlags): Promise<ExitCode> {
  if (!PROFILE_NAME.test(name))
    return failed(io, 'a profile name has letters, digits, dots and hyphens, at most 40', EXIT.usage);
  if (flags.keyFile !== undefined && flags.keyCommand !== undefined) {
    return failed(io, '--key-file and --key-command exclude each other', EXIT.usage);
  }
  return withSettings(io, async settings => {
    const old = profileOf(settings, name);
    if (flags.replace !== true && old !== undefined) {
      return failed(io, `the profile "${name}" already exists; --replace overwrites it`, EXIT.usage);
    }
    const baseUrl = flags.baseUrl ?? old?.baseUrl ?? PROVIDER_BASE_URL;
    const checked = checkBaseUrl(baseUrl);
    if (!checked.ok) return failed(io, checked.mistake, EXIT.usage);
    const source = await keySource(io, name, flags);
    if ('mistake' in source) return failed(io, source.mistake, EXIT.usage);
    const profile: Profile = {
      ...source,
      baseUrl,
      readOnly: flags.readOnly ?? old?.readOnly ?? false,
      color: flags.color && (old?.color ?? true),
      // Its series are those of the machines of that service.
      prometheus: baseUrl === old?.baseUrl ? old.prometheus : undefined,
    };
    const inUse = settings.profile ?? name;
    const changed = await changeSettings(io.environment, {
      profile: inUse,
      profiles: {...settings.profiles, [name]: profile},
    });
    if (!changed.ok) return failed(io, changed.mistake, EXIT.usage);
    if (old !== undefined && old.keyFile !== profile.keyFile) removeKeyFile(io.environment, name, old);
    const done = old === undefined ? 'added' : 'replaced';
    await print(io, `${name} ${done}${inUse === name ? ', and in use' : ''}: ${safeText(baseUrl)}\n`);
    return EXIT.done;
  });
}

type KeyOrigin = Pick<Profile, 'keyFile' | 'keyCommand'> | {readonly mistake: string};

/** The key source of a new profile; a key that is typed or piped in is stored in a file of its own. */
async function keySource(io: CommandIo, name: string, {keyFile, keyCommand}: AddFlags): Promise<KeyOrigin> {
  if (keyCommand !== undefined) {
    const words = [...commandWords(keyCommand)];
    if (words.length === 0) return {mistake: say`the key command is empty`};
    return isNearby(words[0]) ? {mistake: say`the key command ${safeText(NEARBY_MISTAKE)}`} : {keyCommand: words};
  }
  if (keyFile !== undefined) {
    const read = readKey({kind: 'file', path: keyFile});
    // In another folder a relative path would name another file.
    return read.ok ? {keyFile: resolve(keyFile)} : {mistake: read.mistake};
  }
  const typed = await typedOrPiped(io);
  if (!typed.ok) return {mistake: typed.mistake};
  const key = typed.text.trim();
  const checked = checkKey(key);
  if (!checked.ok) return {mistake: checked.mistake};
  try {
    return {keyFile: writeKeyFile(io.environment, name, secret(key))};
  } catch (error) {
    if (!isTroubleOfFile(error)) throw error;
    return {mistake: say`the key cannot be stored: ${safeText(error.message)}`};
  }
}

async function typedOrPiped(io: CommandIo): ReturnType<typeof givenText> {
  if (io.stdin.isTTY !== true) return givenText(io, '-');
  const {monotonicNow: now, after} = io.clockFor(undefined, createLink(io.localNow));
  const text = await io.ask('API key (not shown): ', {now, after, isHidden: true});
  return text === undefined ? {ok: false, mistake: say`nothing was added`} : {ok: true, text};
}

async function list(io: CommandIo, settings: Settings, output: OutputFormat): Promise<ExitCode> {
  const profiles = Object.entries(settings.profiles);
  const records = profiles.map(([name, profile]) => recordOf(settings, name, profile));
  if (isDataFormat(output)) await print(io, dataListText(records, {format: output, showsSecrets: true}));
  else if (output === 'name') await print(io, profiles.map(([name]) => `${name}\n`).join(''));
  else if (profiles.length === 0) complain(io, 'no profile yet: skydeck profile add creates one');
  else {
    const columns = [
      {title: 'NAME', rank: 0},
      {title: 'IN USE', rank: 1},
      {title: 'BASE URL', rank: 0},
      {title: 'KEY', rank: 0},
      {title: 'READ-ONLY', rank: 2},
    ];
    const rows = profiles.map(([name, profile]) => [
      name,
      settings.profile === name ? 'yes' : 'no',
      safeText(profile.baseUrl),
      keyWords(profile),
      profile.readOnly ? 'yes' : 'no',
    ]);
    await print(io, await terminalTable(io, columns, rows));
  }
  return EXIT.done;
}

async function use(io: CommandIo, settings: Settings, name: string): Promise<ExitCode> {
  if (profileOf(settings, name) === undefined) return failed(io, unknownProfile(settings, name), EXIT.usage);
  const changed = await changeSettings(io.environment, {profile: name});
  if (!changed.ok) return failed(io, changed.mistake, EXIT.usage);
  await print(io, `${name} is in use\n`);
  return EXIT.done;
}

async function show(io: CommandIo, settings: Settings, given: string | undefined, flags: ShowFlags): Promise<ExitCode> {
  const name = given ?? settings.profile;
  if (name === undefined) return failed(io, 'no profile is in use; name one, or add one', EXIT.usage);
  const profile = profileOf(settings, name);
  if (profile === undefined) return failed(io, unknownProfile(settings, name), EXIT.usage);
  const record = recordOf(settings, name, profile);
  if (isDataFormat(flags.output)) {
    await print(io, dataText(record, {format: flags.output, showsSecrets: true}));
    return EXIT.done;
  }
  const lines = Object.entries(record).map(([key, value]) => `${key.padEnd(10)}  ${shownValue(value)}\n`);
  await print(io, lines.join(''));
  return EXIT.done;
}

/** The parts of a setting such as `prometheus` after their names. */
function shownValue(value: unknown): SafeText {
  if (typeof value !== 'object' || value === null) return safeText(String(value));
  return safeText(
    Object.entries(value)
      .map(([key, part]) => `${key} ${part}`)
      .join(', '),
  );
}

async function showDefaults(io: CommandIo, {output}: ShowFlags): Promise<ExitCode> {
  const notes = settingNotes();
  if (isDataFormat(output)) {
    await print(io, dataListText(notes, {format: output, showsSecrets: true}));
    return EXIT.done;
  }
  const columns = [
    {title: 'KEY', rank: 0},
    {title: 'DEFAULT', rank: 0},
    {title: 'UNIT', rank: 1},
    {title: 'MEANING', rank: 0, isProse: true},
  ];
  const rows = notes.map(({key, byDefault, unit, meaning}) => [key, byDefault, unit, meaning]);
  await print(io, await terminalTable(io, columns, rows));
  return EXIT.done;
}

async function remove(io: CommandIo, settings: Settings, name: string): Promise<ExitCode> {
  const profile = profileOf(settings, name);
  if (profile === undefined) return failed(io, unknownProfile(settings, name), EXIT.usage);
  const {[name]: _removed, ...profiles} = settings.profiles;
  const inUse = settings.profile === name ? {profile: undefined} : {};
  const changed = await changeSettings(io.environment, {profiles, ...inUse});
  if (!changed.ok) return failed(io, changed.mistake, EXIT.usage);
  removeKeyFile(io.environment, name, profile);
  const isLast = Object.keys(profiles).length === 0;
  const now = settings.profile === name && !isLast ? `; ${noAccount({profiles})}` : '';
  await print(io, `${name} removed${now}\n`);
  return EXIT.done;
}

/**
 * Accounts are changed by the other commands, which know what belongs together. This command also mends a file in which
 * a key is wrong, which stops the others.
 */
async function setSetting(io: CommandIo, key: string, written: string | undefined): Promise<ExitCode> {
  const read = await readSettings(io.environment);
  if (!read.ok && read.key === undefined) return failed(io, read.mistake, EXIT.usage);
  const keys = settingNotes().flatMap(note => (/^profile/.test(note.key) ? [] : [note.key]));
  const isRemoved = written === undefined && unknownKeys(io.environment).includes(key);
  if (!keys.includes(key) && !isRemoved) {
    const meant = closest(key, keys);
    const hint = meant === undefined ? 'skydeck profile show --defaults lists all' : `did you mean ${meant}?`;
    return failed(io, `there is no setting "${safeText(key)}"; ${hint}`, EXIT.usage);
  }
  if (key === 'theme' && written !== undefined && THEME_NAME.test(written)) {
    // The deck would not start with it.
    const {verdict, found} = await themeFinding({theme: written}, io.environment);
    if (verdict === 'fail') return failed(io, found, EXIT.usage);
  }
  const changed = await changeSettings(io.environment, {
    [key]: written === undefined ? undefined : parsedValue(written),
  });
  if (!changed.ok) return failed(io, changed.mistake, EXIT.usage);
  const now = written === undefined ? 'is reset to its default' : `is ${safeText(written)}`;
  await print(
    io,
    isRemoved
      ? `${safeText(key)} is removed from ${safeText(settingsPath(io.environment))}\n`
      : `${key} ${now}; a running deck uses it after a restart\n`,
  );
  if (changed.mistake !== undefined) complain(io, changed.mistake);
  return EXIT.done;
}

function parsedValue(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}

function recordOf(settings: Settings, name: string, profile: Profile): Readonly<Record<string, unknown>> {
  const {baseUrl, readOnly, color, prometheus} = profile;
  const own = {name, inUse: settings.profile === name, baseUrl, key: keyWords(profile), readOnly, color};
  return prometheus === undefined ? own : {...own, prometheus};
}

function keyWords({keyFile, keyCommand}: Profile): string {
  if (keyCommand !== undefined) return say`command ${safeText(keyCommand[0] ?? '')}`;
  return keyFile === undefined ? 'none' : say`file ${safeText(keyFile)}`;
}
