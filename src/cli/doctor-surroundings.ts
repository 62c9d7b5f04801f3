import {accessSync, constants, existsSync, readdirSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {configFolder, stateFolder} from '../config/folders.ts';
import {settingsPath} from '../config/settings.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {type Checkup, fail, ok, warn} from './checkup.ts';
import type {CommandIo} from './command-io.ts';

const OTHERS = 0o077;

/** Whether settings, keys and journals are the person's own, and can be written. */
export function fileFindings({environment}: Pick<CommandIo, 'environment'>): readonly Checkup[] {
  const keys = join(configFolder(environment), 'keys');
  const keyFiles = existsSync(keys) ? readdirSync(keys).map(name => join(keys, name)) : [];
  return [
    modeFinding(say`settings file`, settingsPath(environment), say`none; the defaults hold`),
    ...keyFiles.map(path => modeFinding(say`key file`, path, say`none`)),
    writableFinding(stateFolder(environment)),
  ];
}

function modeFinding(check: SafeText, path: string, absent: SafeText): Checkup {
  if (!existsSync(path)) return ok(check, absent);
  const {mode} = statSync(path);
  const name = safeText(path);
  const octal = safeText((mode & 0o777).toString(8).padStart(4, '0'));
  return (mode & OTHERS) === 0
    ? ok(check, say`${name}, mode ${octal}`)
    : fail(check, say`${name} is open to others (mode ${octal})`, say`chmod 600 ${name}`);
}

/** The journal is written before anything is sent: without it no operation leaves. */
function writableFinding(folder: string): Checkup {
  const name = safeText(folder);
  let existing = folder;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK);
    return ok(say`state folder`, name);
  } catch {
    return fail(say`state folder`, say`${name} cannot be written`, say`operations need it: make it writable`);
  }
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

export function tlsFindings({environment}: Pick<CommandIo, 'environment'>): readonly Checkup[] {
  const extra = environment.NODE_EXTRA_CA_CERTS;
  const unchecked = environment.NODE_TLS_REJECT_UNAUTHORIZED === '0';
  const proxy = environment.HTTPS_PROXY ?? environment.https_proxy;
  return [
    unchecked
      ? fail(
          say`TLS checks`,
          say`off (NODE_TLS_REJECT_UNAUTHORIZED=0); operations are refused`,
          say`unset it; NODE_EXTRA_CA_CERTS names a further authority`,
        )
      : ok(say`TLS checks`, extra === undefined ? say`on` : say`on, with further authorities from ${safeText(extra)}`),
    // An address of a proxy may hold a password.
    ...(proxy === undefined || proxy === '' ? [] : [ok(say`proxy`, say`HTTPS_PROXY is set`)]),
  ];
}
