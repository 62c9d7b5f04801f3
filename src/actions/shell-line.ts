import type {Action} from '../domain/action.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import {callOf, recordOf} from './actions.ts';

/** The `skydeck` command that does the same. It asks before it sends, and `--dry-run` shows its calls. */
export function commandOf(action: Action): SafeText {
  return commandLine(recordOf(action).commandWords(action) ?? apiWords(action));
}

/** The request as `curl` would send it. The key stays where it is: in the environment of whoever runs the line. */
export function curlOf(action: Action): SafeText {
  const {method, path, body} = callOf(action);
  const words = ['curl', '--fail-with-body', '--request', method];
  const data = body === undefined ? [] : ['--header', 'content-type: application/json', '--data', JSON.stringify(body)];
  const target = `"$SKYDECK_BASE_URL"${quoted(path)} --header "api_key: $SKYDECK_API_KEY"`;
  return safeText([...words.map(quoted), target, ...data.map(quoted)].join(' '));
}

/** A request that reads, as `curl` would send it. */
export function curlRead(path: string): SafeText {
  return safeText(`curl --fail-with-body "$SKYDECK_BASE_URL"${quoted(path)} --header "api_key: $SKYDECK_API_KEY"`);
}

export function commandLine(words: readonly string[]): SafeText {
  return shellLine(['skydeck', ...words]);
}

/** Words as a line that a POSIX shell reads as the same words. */
export function shellLine(words: readonly string[]): SafeText {
  return safeText(words.map(quoted).join(' '));
}

function apiWords(action: Action): readonly string[] {
  const {method, path, body} = callOf(action);
  return ['api', method, path, ...(body === undefined ? [] : ['--body', JSON.stringify(body)]), '--yes'];
}

/** One word of a POSIX shell, whatever stands in it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
