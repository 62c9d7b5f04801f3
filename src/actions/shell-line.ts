import type {Action} from '../domain/action.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import {callOf, recordOf} from './actions.ts';

/** The equivalent `skydeck` command. It asks before sending, or sends nothing without `--yes`. */
export function commandOf(action: Action): SafeText {
  return commandLine(recordOf(action).commandWords(action) ?? apiWords(action));
}

/** The equivalent `curl` command. It takes the key from the environment of whoever runs it. */
export function curlOf(action: Action): SafeText {
  const {method, path, body} = callOf(action);
  const words = ['curl', '--fail-with-body', '--request', method];
  const data = body === undefined ? [] : ['--header', 'content-type: application/json', '--data', JSON.stringify(body)];
  const target = `"$SKYDECK_BASE_URL"${quoted(path)} --header "api_key: $SKYDECK_API_KEY"`;
  return safeText([...words.map(quoted), target, ...data.map(quoted)].join(' '));
}

/** A read as a `curl` command. */
export function curlRead(path: string): SafeText {
  return safeText(`curl --fail-with-body "$SKYDECK_BASE_URL"${quoted(path)} --header "api_key: $SKYDECK_API_KEY"`);
}

export function commandLine(words: readonly string[]): SafeText {
  return shellLine(['skydeck', ...words]);
}

/** Words as a line that a POSIX shell splits into the same words. */
export function shellLine(words: readonly string[]): SafeText {
  return safeText(words.map(quoted).join(' '));
}

function apiWords(action: Action): readonly string[] {
  const {method, path, body} = callOf(action);
  return ['api', method, path, ...(body === undefined ? [] : ['--body', JSON.stringify(body)])];
}

/** One word, quoted for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
