import type {ActionCall} from '../actions/define.ts';
import {jsonText} from './json-text.ts';

/** A request as it would go out, in one line. */
export function callText({method, path, body}: ActionCall, options: {readonly showsSecrets: boolean}): string {
  return body === undefined ? `${method} ${path}` : `${method} ${path} ${jsonText(body, options)}`;
}
