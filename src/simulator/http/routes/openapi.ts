import {json} from '../answer.ts';
import {openApiOf} from '../openapi.ts';
import type {Route} from '../route.ts';
import {RECORD} from '../schema.ts';

/** The interface as it is served, told by its own table. */
export function openApiRoutes(basePath: string): readonly Route[] {
  return [
    {
      method: 'GET',
      pattern: '/openapi.json',
      describes: {summary: 'Describe every endpoint', reply: RECORD},
      answer: ({routes}) => json(openApiOf(routes, basePath)),
    },
  ];
}
