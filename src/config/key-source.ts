import {execFileSync} from 'node:child_process';
import {withoutNearbyPrograms} from '../domain/environment-variables.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {checkKey, type Secret, type SecretWord, secret} from '../domain/secret.ts';
import {isNearby, NEARBY_MISTAKE} from './options.ts';
import {codeOf, NotOursError, readOwnFile} from './own-files.ts';

/** Where the key comes from. No option takes the key itself: everyone can read a process's arguments. */
export type KeySource =
  | {readonly kind: 'file'; readonly path: string}
  | {readonly kind: 'command'; readonly words: readonly string[]}
  | {readonly kind: 'environment'; readonly text: string};

export type ReadKey = {readonly ok: true; readonly key: Secret} | {readonly ok: false; readonly mistake: SafeText};

const KEY_COMMAND_TIMEOUT_MS = 5000;
const MAX_KEY_BYTES = 4096;
/** A file with the longest token and white space around it. */
const MAX_FILE_BYTES = 2 * MAX_KEY_BYTES;

/** Reads the key. An error names the source and what to do, and never repeats what was read. */
export function readKey(source: KeySource): ReadKey {
  switch (source.kind) {
    case 'file':
      return readSecretFile(source.path, {name: say`the key file`, word: 'key'});
    case 'command':
      return runKeyCommand(source.words);
    case 'environment':
      return checked(source.text, say`SKYDECK_API_KEY`);
  }
}

/**
 * The key or token in a file that belongs to the person and that nobody else can read; `name` is the file's name in
 * errors.
 */
export function readSecretFile(
  path: string,
  {name, word}: {readonly name: SafeText; readonly word: SecretWord},
): ReadKey {
  const named = say`${name} ${safeText(path)}`;
  try {
    return checked(readOwnFile(path, {maxBytes: MAX_FILE_BYTES, isPrivate: true}).trim(), named, word);
  } catch (error) {
    if (error instanceof RangeError)
      return {ok: false, mistake: say`${named} is too large to hold a ${safeText(word)}`};
    if (!(error instanceof NotOursError)) {
      const why =
        codeOf(error) === 'ENOENT' ? say`there is no such file` : say`it must be a plain file that you may read`;
      return {ok: false, mistake: say`${named} cannot be opened: ${why}`};
    }
    const advice = error.isOpenToOthers ? say`, and consider a new ${safeText(word)}` : say``;
    return {ok: false, mistake: say`${name} ${safeText(error.message)}${advice}`};
  }
}

function runKeyCommand(words: readonly string[]): ReadKey {
  const [program, ...rest] = words;
  if (program === undefined) return {ok: false, mistake: say`the key command is empty`};
  const name = say`the key command ${safeText(program)}`;
  if (isNearby(program)) return {ok: false, mistake: say`${name} ${safeText(NEARBY_MISTAKE)}`};
  try {
    const output = execFileSync(program, rest, {
      timeout: KEY_COMMAND_TIMEOUT_MS,
      // A program that ignores SIGTERM would be waited for forever.
      killSignal: 'SIGKILL',
      maxBuffer: MAX_KEY_BYTES,
      encoding: 'utf8',
      stdio: ['inherit', 'pipe', 'ignore'],
      env: withoutNearbyPrograms(process.env),
    });
    return checked(output.trim(), name);
  } catch {
    // What the command printed may be the key, so the error only says that it failed.
    return {ok: false, mistake: say`${name} failed or took longer than ${KEY_COMMAND_TIMEOUT_MS / 1000} s`};
  }
}

function checked(text: string, name: SafeText, word: SecretWord = 'key'): ReadKey {
  const {ok, ...rest} = checkKey(text, word);
  if (ok) return {ok: true, key: secret(text)};
  return {ok: false, mistake: 'mistake' in rest ? say`${name}: ${rest.mistake}` : name};
}
