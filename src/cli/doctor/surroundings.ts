import {accessSync, closeSync, constants, existsSync, readdirSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {
  checkSettingsFolder,
  codeOf,
  configFolder,
  NotOursError,
  openOwnFile,
  openStateFolder,
  reachTrouble,
  readThemeFile,
  settingsPath,
  stateFolder,
} from '../../config/own-files.ts';
import type {Settings} from '../../config/settings.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {type Checkup, fail, ok, warn} from './checkup.ts';
import type {CommandIo} from '../command-io.ts';

const OTHERS = 0o077;

/** Checks that settings, keys and journals belong to the person and can be written. */
export function fileFindings({environment}: Pick<CommandIo, 'environment'>): readonly Checkup[] {
  return [...configFindings(environment), ...stateFindings(environment)];
}

const CONFIG_REMEDY = say`make it a folder that you own, or set SKYDECK_CONFIG_DIR to one`;

function configFindings(environment: CommandIo['environment']): readonly Checkup[] {
  const check = say`settings folder`;
  try {
    const folder = configFolder(environment);
    const obstacle = obstacleTo(folder);
    if (obstacle?.isNoFolder === true) return [fail(check, obstacle.found, CONFIG_REMEDY)];
    const keyFolder = join(folder, 'keys');
    const keys = existsSync(keyFolder) ? readdirSync(keyFolder).map(name => join(keyFolder, name)) : [];
    return [
      ...(obstacle === undefined
        ? []
        : [warn(check, obstacle.found, say`settings cannot be changed: ${CONFIG_REMEDY}`)]),
      ...folderFindings(environment),
      privateFinding(say`settings file`, settingsPath(environment)),
      ...keys.map(path => privateFinding(say`key file`, path)),
    ];
  } catch (error) {
    return [fail(check, reasonOf(error), CONFIG_REMEDY)];
  }
}

function folderFindings(environment: CommandIo['environment']): readonly Checkup[] {
  try {
    checkSettingsFolder(environment);
    return [];
  } catch (error) {
    if (!(error instanceof NotOursError)) return [];
    const remedy = error.isOpenToOthers ? chmod(error.path, 700) : CONFIG_REMEDY;
    return [fail(say`settings folder`, reasonOf(error), remedy)];
  }
}

function privateFinding(check: SafeText, path: string): Checkup {
  try {
    closeSync(openOwnFile(path, 'read'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ok(check, say`none; defaults are used`);
    const remedy =
      error instanceof NotOursError && error.isOpenToOthers ? chmod(path) : say`replace it with a file of your own`;
    return fail(check, reasonOf(error), remedy);
  }
  const {mode} = statSync(path);
  const found = say`${safeText(path)}, mode ${safeText((mode & 0o777).toString(8).padStart(4, '0'))}`;
  return (mode & OTHERS) === 0 ? ok(check, found) : fail(check, say`${found}: others can access it`, chmod(path));
}

function chmod(path: string, mode = 600): SafeText {
  return say`chmod ${mode} ${safeText(path)}`;
}

function reasonOf(error: unknown): SafeText {
  return safeText(error instanceof Error ? error.message : String(error));
}

/** Why a folder cannot be written, or made if it is missing; undefined if it can. */
function obstacleTo(folder: string): {readonly found: SafeText; readonly isNoFolder: boolean} | undefined {
  const name = safeText(folder);
  let existing = folder;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  if (!statSync(existing).isDirectory()) {
    const whole = existing === folder ? say`${name}` : say`${name} cannot be made: ${safeText(existing)}`;
    return {found: say`${whole} is not a folder`, isNoFolder: true};
  }
  try {
    accessSync(existing, constants.W_OK);
    return undefined;
  } catch {
    return {found: say`${name} cannot be written`, isNoFolder: false};
  }
}

const STATE_REMEDY = say`operations need it: make it a folder that you own and can write to, or set XDG_STATE_HOME to one`;

/** The journal is written before anything is sent: without it no operation is possible. */
function stateFindings(environment: CommandIo['environment']): readonly Checkup[] {
  const check = say`state folder`;
  const folder = stateFolder(environment);
  try {
    const obstacle = obstacleTo(folder) ?? obstacleTo(join(folder, 'journal'));
    if (obstacle !== undefined) return [fail(check, obstacle.found, STATE_REMEDY)];
    const journals = journalFindings(openStateFolder(environment, 'journal'));
    const trouble = reachTrouble(environment);
    return [
      trouble === undefined
        ? ok(check, safeText(folder))
        : warn(check, safeText(trouble), say`let nobody else write to it`),
      ...journals,
    ];
  } catch (error) {
    const found = error instanceof NotOursError ? reasonOf(error) : say`${safeText(folder)} cannot be written`;
    return [fail(check, found, STATE_REMEDY)];
  }
}

/** The journals that cannot be read, or not be written. */
function journalFindings(folder: string): readonly Checkup[] {
  const check = say`journal`;
  const paths = readdirSync(folder)
    .filter(name => name.endsWith('.jsonl'))
    .map(name => join(folder, name));
  return paths.flatMap(path => {
    try {
      closeSync(openOwnFile(path, 'read'));
      accessSync(path, constants.W_OK);
      return [];
    } catch (error) {
      const isOpen = error instanceof NotOursError && error.isOpenToOthers;
      const found = error instanceof NotOursError ? reasonOf(error) : say`${safeText(path)} cannot be written`;
      return [
        fail(
          check,
          found,
          isOpen ? chmod(path) : say`operations need it: make it a file that you own and can write to`,
        ),
      ];
    }
  });
}

export function terminalFindings({
  terminal,
  environment,
}: Pick<CommandIo, 'terminal' | 'environment'>): readonly Checkup[] {
  const {canShowDeck, remark, colours, isUtf8, columns, rows} = terminal;
  const name = safeText(environment.TERM ?? 'unknown');
  const size = columns === undefined || rows === undefined ? say`size unknown` : say`${columns}x${rows}`;
  const isSmall = columns !== undefined && rows !== undefined && (columns < 60 || rows < 16);
  const deck = canShowDeck
    ? ok(say`terminal`, say`${name}, ${size}, colours: ${safeText(colours)}`)
    : warn(say`terminal`, safeText(remark), say`open skydeck itself on a terminal; commands work without`);
  return [
    deck,
    ...(isSmall
      ? [warn(say`terminal size`, size, say`below 60x16 the deck shows one line; make the window larger`)]
      : []),
    isUtf8
      ? ok(say`locale`, say`UTF-8`)
      : warn(say`locale`, say`not UTF-8`, say`set LANG to a UTF-8 locale; plain characters are used until then`),
  ];
}

/** The deck does not start with a theme that it cannot read. */
export async function themeFinding(
  {theme}: Pick<Settings, 'theme'>,
  environment: CommandIo['environment'],
): Promise<Checkup> {
  const check = say`theme`;
  if (theme === 'auto') return ok(check, say`auto`);
  const {paletteNamed} = await import('../../ui/theme.ts');
  const palette = paletteNamed(theme, () => readThemeFile(environment, theme));
  return palette.ok ? ok(check, safeText(theme)) : fail(check, palette.mistake, say`skydeck profile set theme auto`);
}

export function tlsFindings({environment}: Pick<CommandIo, 'environment'>): readonly Checkup[] {
  const extra = environment.NODE_EXTRA_CA_CERTS;
  const unchecked = environment.NODE_TLS_REJECT_UNAUTHORIZED === '0';
  const proxy = environment.HTTPS_PROXY ?? environment.https_proxy;
  return [
    unchecked
      ? fail(
          say`TLS checks`,
          say`off (NODE_TLS_REJECT_UNAUTHORIZED=0); operations are refused`,
          say`unset it; NODE_EXTRA_CA_CERTS adds a certificate authority`,
        )
      : ok(
          say`TLS checks`,
          extra === undefined ? say`on` : say`on, with additional authorities from ${safeText(extra)}`,
        ),
    // The URL of a proxy may contain a password.
    ...(proxy === undefined || proxy === '' ? [] : [ok(say`proxy`, say`HTTPS_PROXY is set`)]),
  ];
}
