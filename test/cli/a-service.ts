import {createServer} from 'node:http';
import {atEnd} from '../support/lifetime.ts';

type Asked = {readonly method: string; readonly path: string; readonly body: string};

/** A service with fixed answers by path, for tests that need literals. Every other path is a 404. */
export async function openService(answers: Readonly<Record<string, unknown>>, clock: () => number = Date.now) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const {pathname} = new URL(request.url ?? '', 'http://127.0.0.1');
    const path = pathname.replace(/^\/v1/, '');
    let body = '';
    request.on('data', chunk => {
      body += String(chunk);
    });
    request.on('end', () => {
      asked.push({method: request.method ?? '', path: (request.url ?? '').replace(/^\/v1/, ''), body});
      const answer = answers[`${request.method} ${path}`] ?? (request.method === 'GET' ? answers[path] : undefined);
      response.writeHead(answer === undefined ? 404 : 200, {
        'content-type': 'application/json',
        date: new Date(clock()).toUTCString(),
      });
      response.end(JSON.stringify(answer ?? {status: false, message: 'not there', error_reason: 'not_found'}));
    });
  });
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : '';
  return {simulator: {url: `http://127.0.0.1:${port}/v1`, apiKey: 'key-0123456789'}, asked};
}

/** A machine in the service's list of usage: five days old on the 11th, at ten cents a minute. */
export function aUsedMachine(fields: object = {}) {
  return {
    resource_id: 1,
    resource_type: 'vm',
    name: 'gpu-1',
    organization_id: 7,
    bill_per_minute: 0.1,
    create_time: '2026-11-06T00:00:00',
    terminate_time: null,
    total_up_time: 7200,
    total_bill: 720,
    active: true,
    exclude_billing: false,
    ...fields,
  };
}
