import type {OperationClient} from '../api/client.ts';
import {queryText} from '../api/endpoint.ts';
import type {Act} from '../domain/act.ts';
import {say} from '../domain/safe-text.ts';
import {fireAct} from '../state/act-requests.ts';
import {jsonText} from './json-text.ts';

/** A request as it would go out. */
export type Call = {readonly method: string; readonly path: string; readonly body?: unknown};

/** The exact calls that acts become, by the very step that sends them, with nothing behind it that could send. */
export async function callsOf(acts: readonly {readonly act: Act}[]): Promise<readonly Call[]> {
  const calls: Call[] = [];
  const onPaper: OperationClient = {
    fire: (endpoint, params) => {
      const body = endpoint.body(params);
      const path = endpoint.path(params) + queryText(endpoint.query(params));
      calls.push({method: endpoint.method, path, ...(body === undefined ? {} : {body})});
      return Promise.resolve({ok: false, failure: {kind: 'not-sent', detail: say`a dry run`}});
    },
  };
  for (const {act} of acts) await fireAct(onPaper, act);
  return calls;
}

export function callText({method, path, body}: Call, options: {readonly showsSecrets: boolean}): string {
  return body === undefined ? `${method} ${path}` : `${method} ${path} ${jsonText(body, options)}`;
}
