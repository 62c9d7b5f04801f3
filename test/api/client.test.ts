import {inspect} from 'node:util';
import {gzipSync} from 'node:zlib';
import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {me} from '../../src/api/account.ts';
import {credit, usage} from '../../src/api/billing.ts';
import type {Seen} from '../../src/api/exchange.ts';
import {flavors} from '../../src/api/flavors.ts';
import {listVirtualMachines, stopVirtualMachine, virtualMachineMetrics} from '../../src/api/virtual-machines.ts';
import type {Failure, Result} from '../../src/domain/failure.ts';
import {secret} from '../../src/domain/secret.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {anyText} from '../support/any-text.ts';
import {closedBaseUrl, KEY, openClients, openServer, openSocketServer} from './loopback.ts';
import {wireExample} from './wire-example.ts';

const id = virtualMachineId(7);

function failureIn(result: Result<unknown>): Failure {
  if (result.ok) throw new Error('Expected a failure.');
  return result.failure;
}

/** The result of reading `me` from a server that gives this answer. */
async function readMe(httpStatus: number, body: string, headers: Record<string, string> = {}) {
  const server = await openServer((_request, response) => {
    response.writeHead(httpStatus, headers).end(body);
  });
  return openClients(server.baseUrl).reads.read(me, {});
}

describe('a read', () => {
  it('sends the key to the path below the base URL, and gives records, or raw ones as the service sent them', async () => {
    const server = await openServer((_request, response) => response.end(wireExample('account.me')));
    const {reads} = openClients(server.baseUrl);
    const read = await reads.read(me, {});
    expect(read).toMatchObject({ok: true, value: {records: [{email: 'owner@example.org'}], quarantined: []}});
    expect(await reads.readRaw(me, {})).toEqual({ok: true, value: {raw: [JSON.parse(wireExample('account.me')).user]}});
    const request = {method: 'GET', url: '/v1/auth/me', headers: {api_key: KEY, accept: 'application/json'}};
    expect(server.seen).toMatchObject([request, request]);
  });

  it('puts query and paging into the URL', async () => {
    const server = await openServer((request, response) =>
      response.end(request.url?.includes('virtual') ? '{"instances": [], "count": 0}' : '{"data": []}'),
    );
    const {reads} = openClients(server.baseUrl);
    await reads.read(usage, {isDeleted: true});
    await reads.read(flavors, {});
    await reads.read(listVirtualMachines, {});
    expect(server.seen.map(({url}) => url)).toEqual([
      '/v1/billing/billing/usage?deleted=true',
      '/v1/core/flavors',
      '/v1/core/virtual-machines?page=1&pageSize=1000',
    ]);
  });

  it('keeps the good records of a page and counts the bad ones', async () => {
    const body = wireExample('virtual-machines.list.odd-spellings');
    const server = await openServer((request, response) =>
      response.end(request.url?.includes('page=1&') ? body : '{"instances": []}'),
    );
    const read = await openClients(server.baseUrl).reads.read(listVirtualMachines, {});
    expect(read).toMatchObject({
      ok: true,
      value: {
        records: [{id: 5}, {id: 6}],
        quarantined: [
          {id: 'seven', fields: ['id']},
          {id: '9007199254740993', fields: ['id']},
          {fields: ['id']},
          {fields: ['the record itself']},
        ],
      },
    });
  });

  it('counts the rows that a series lost', async () => {
    const body = wireExample('virtual-machines.metrics.overlapping');
    const server = await openServer((_request, response) => response.end(body));
    const read = await openClients(server.baseUrl).reads.read(virtualMachineMetrics, {id, duration: '1h'});
    expect(read.ok && read.value.quarantined).toHaveLength(3);
    expect(server.seen[0]?.url).toBe('/v1/core/virtual-machines/7/metrics?duration=1h');
  });

  it('asks the budget before each request', async () => {
    const asked: string[] = [];
    const server = await openServer((request, response) => {
      const page = Number(/page=(\d)/.exec(request.url ?? '')?.[1]);
      expect(asked).toHaveLength(page);
      response.end(JSON.stringify({instances: [{id: page}], count: 3}));
    });
    const {reads} = openClients(server.baseUrl, {admit: async purpose => void asked.push(purpose)});
    expect(await reads.read(listVirtualMachines, {})).toMatchObject({value: {records: [{id: 1}, {id: 2}, {id: 3}]}});
    expect(asked).toEqual(['read', 'page', 'page']);
  });

  it('reports the latency, the status and the clock of the service', async () => {
    const seen: Seen[] = [];
    const server = await openServer((_request, response) => {
      response.writeHead(200, {date: 'Fri, 20 Nov 2026 08:00:00 GMT'}).end('{}');
    });
    await openClients(server.baseUrl, {onAnswer: each => seen.push(each)}).reads.read(me, {});
    expect(seen).toEqual([{latencyMs: 0, httpStatus: 200, serverDate: Date.UTC(2026, 10, 20, 8)}]);
  });

  it('learns no time from an old copy of an answer, whose date is that of then', async () => {
    const seen: object[] = [];
    const server = await openServer((_request, response) => {
      response.setHeader('date', 'Fri, 20 Nov 2026 08:00:00 GMT').setHeader('age', '41').end('{"user": {}}');
    });
    await openClients(server.baseUrl, {onAnswer: each => seen.push(each)}).reads.read(me, {});
    expect(seen).toEqual([{latencyMs: 0, httpStatus: 200}]);
  });

  it('reports when a read is sent, and when its answer begins or will not come', async () => {
    const told: string[] = [];
    const onRequest = () => {
      told.push('sent');
      return () => told.push('answered');
    };
    const server = await openServer((_request, response) => {
      told.push('received');
      response.end('{}');
    });
    await openClients(server.baseUrl, {onRequest}).reads.read(me, {});
    expect(told).toEqual(['sent', 'received', 'answered']);
    await openClients('http://127.0.0.1:9/v1', {onRequest}).reads.read(me, {});
    expect(told.slice(3)).toEqual(['sent', 'answered']);
  });

  it('refuses a path that would start an operation', async () => {
    const {reads} = openClients('http://127.0.0.1:9/v1');
    const disguised = {...me, path: () => stopVirtualMachine.path({id})};
    await expect(reads.read(disguised, {})).rejects.toThrow('would make the service act');
  });

  it('gives every record once and in order, for any page size that the service uses', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({max: 40}), fc.integer({min: 1, max: 20}), async (count, size) => {
        const ids = Array.from({length: count}, (_, index) => index + 1);
        const server = await openServer((request, response) => {
          const page = Number(/page=(\d+)/.exec(request.url ?? '')?.[1]);
          const instances = ids.slice((page - 1) * size, page * size).map(each => ({id: each}));
          response.end(JSON.stringify({instances, count, page, page_size: size}));
        });
        const read = await openClients(server.baseUrl).reads.read(listVirtualMachines, {});
        expect(read.ok && read.value.records.map(machine => machine.id)).toEqual(ids);
      }),
      {numRuns: 15},
    );
  });
});

describe('a failed answer', () => {
  it.each<[string, number, string, object]>([
    [
      'error.usual',
      400,
      '',
      {kind: 'refused', httpStatus: 400, reason: 'bad_request', message: 'The virtual machine must be ACTIVE'},
    ],
    [
      'error.validation',
      400,
      '',
      {kind: 'refused', message: 'Input payload validation failed: name: too long; region: not a region'},
    ],
    [
      'error.unknown-fields',
      400,
      '',
      {kind: 'refused', reason: 'bad_request', message: 'colour: Unknown field., Not allowed.'},
    ],
    [
      'error.not-empty',
      405,
      '',
      {
        kind: 'refused',
        httpStatus: 405,
        reason: 'not_allowed',
        message: 'The environment is not empty: 2 virtual machines, 1 volume',
      },
    ],
    ['error.object-storage', 422, '', {kind: 'refused', httpStatus: 422, message: 'query.region: field required'}],
    [
      'error.success-status-false',
      200,
      '',
      {kind: 'refused', httpStatus: 200, reason: 'conflict', message: 'Not while a snapshot is made'},
    ],
    ['error.usual', 401, '', {kind: 'not-authorised', httpStatus: 401, message: 'The virtual machine must be ACTIVE'}],
    ['error.usual', 403, '', {kind: 'not-authorised', httpStatus: 403}],
    // Only the documented reason proves that something is gone.
    ['error.usual', 404, '', {kind: 'odd-answer'}],
    ['error.message-only', 500, '', {kind: 'service-error', httpStatus: 500, message: 'Internal Server Error'}],
    ['', 502, '<html><h1>Bad gateway</h1></html>', {kind: 'service-error', httpStatus: 502, message: 'no message'}],
    ['', 503, 'upstream\u001b[2J down', {kind: 'service-error', httpStatus: 503, message: 'upstream␛[2J down'}],
    ['', 504, '', {kind: 'service-error', httpStatus: 504, message: 'no message'}],
    ['error.message-only', 400, '', {kind: 'refused', httpStatus: 400, message: 'Internal Server Error'}],
    ['', 400, '{"status": false}', {kind: 'refused', httpStatus: 400, reason: 'bad_request', message: ''}],
    // The service answered 200, and its body alone says no.
    ['', 200, '{"status": false}', {kind: 'refused', httpStatus: 200, reason: 'status: false', message: ''}],
    ['', 200, '{"success": "failed"}', {kind: 'refused', httpStatus: 200, reason: 'success: "failed"', message: ''}],
    ['', 200, '{"status": 500, "data": []}', {kind: 'refused', httpStatus: 200, reason: 'status: 500', message: ''}],
    ['', 200, '{"errors": ["no"], "data": 1}', {kind: 'refused', httpStatus: 200, reason: 'errors', message: ''}],
    ['', 400, '{"status": false, "error_reason": ""}', {kind: 'refused', httpStatus: 400, reason: 'bad_request'}],
    ['', 400, '', {kind: 'odd-answer', detail: 'HTTP 400 in an unexpected form'}],
    ['', 400, '<html><h1>Bad request</h1></html>', {kind: 'odd-answer', detail: 'HTTP 400 in an unexpected form'}],
    // A gateway's page is no proof that anything is gone.
    ['', 404, '<html><h1>Not found</h1></html>', {kind: 'odd-answer', detail: 'HTTP 404 in an unexpected form'}],
    ...[
      '{"message": "Not Found"}',
      '{"detail": "Not Found"}',
      '{"message": "Not Found", "statusCode": 404}',
      '{"status": 404, "error": "Not Found", "message": "Not Found"}',
      '{"status": "error", "message": "Not Found"}',
      '{"status": false, "errors": [{"code": 7003}], "message": []}',
      '{"status": true, "message": "Not Found", "error_reason": "not_found"}',
      '{"status": true, "status": false, "message": "gone", "error_reason": "not_found"}',
      '{"status": false, "message": "gone"}',
      '{"success": false, "message": "no route matched"}',
      '{"status": false, "message": "upstream timed out", "error_reason": "gateway"}',
      '{"status": false, "error_reason": "unauthorized"}',
      '{"status": 404, "message": "Not Found", "error_reason": "x"}',
    ].map((body): [string, number, string, object] => ['', 404, body, {kind: 'odd-answer'}]),
    ...[
      '{"status": false, "message": "gone", "error_reason": "not_found"}',
      '{"success": false, "message": "gone", "error_reason": "not_found"}',
      '{"message": "gone", "error_reason": "not_found"}',
    ].map((body): [string, number, string, object] => ['', 404, body, {kind: 'not-found', message: 'gone'}]),
    ['', 409, '[]', {kind: 'odd-answer', detail: 'HTTP 409 in an unexpected form'}],
    [
      '',
      413,
      'body \u001b[2Jtoo large',
      {kind: 'odd-answer', detail: 'HTTP 413 in an unexpected form: body ␛[2Jtoo large'},
    ],
    ['', 421, '', {kind: 'odd-answer', detail: 'HTTP 421 in an unexpected form'}],
    ['', 200, '', {kind: 'odd-answer', detail: 'an empty body'}],
    ['', 200, '<html>a login page</html>', {kind: 'odd-answer', detail: 'not JSON'}],
    ['', 200, '{"user": {"email": "a', {kind: 'odd-answer', detail: 'not JSON'}],
    ['', 200, '{"status": true, "message": "ok"}', {kind: 'odd-answer'}],
    ['', 200, '[1, 2]', {kind: 'odd-answer'}],
    ['', 200, '"text"', {kind: 'odd-answer'}],
    [
      '',
      200,
      `{"a": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      {kind: 'odd-answer', detail: 'JSON nested more than 32 levels deep'},
    ],
    ['', 304, '', {kind: 'odd-answer'}],
  ])('gives the failure for %s %i %s', async (example, httpStatus, body, failure) => {
    const read = await readMe(httpStatus, example === '' ? body : wireExample(example));
    expect(failureIn(read)).toMatchObject(failure);
  });

  it('gives a short and safe message for any error body', async () => {
    const server = await openServer((request, response) => {
      response.statusCode = Number(request.url?.slice(-3)) || 400;
      request.resume();
      response.end(bodies.at(-1));
    });
    const bodies: string[] = [];
    const {reads} = openClients(server.baseUrl);
    const errors = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.array(fc.string()), fc.jsonValue()));
    const body = fc.oneof(
      anyText(),
      fc
        .record({status: fc.boolean(), message: anyText(), error_reason: fc.string()})
        .map(each => JSON.stringify(each)),
      fc.record({errors, message: fc.string()}, {requiredKeys: []}).map(each => JSON.stringify(each)),
      fc.jsonValue().map(each => JSON.stringify(each)),
    );
    await fc.assert(
      fc.asyncProperty(body, async text => {
        bodies.push(text);
        const failure = failureIn(await reads.read(me, {}));
        expect(['refused', 'odd-answer']).toContain(failure.kind);
        const shownTexts =
          'detail' in failure ? [failure.detail] : 'reason' in failure ? [failure.reason, failure.message] : [];
        expect(shownTexts).not.toEqual([]);
        for (const shown of shownTexts) {
          expect(shown).not.toMatch(/[\p{C}]/u);
          expect(shown.length).toBeLessThanOrEqual(600);
        }
      }),
      {numRuns: 60},
    );
  });

  it.each([
    ['absent', undefined, undefined],
    ['in seconds', '7', 7000],
    ['below a second', '0', 1000],
    ['far too long', '86400', 600_000],
    ['a date', 'Fri, 20 Nov 2026 08:00:30 GMT', 30_000],
    ['a past date', 'Fri, 20 Nov 2026 07:00:00 GMT', 1000],
    ['nonsense', 'soon', undefined],
    ['negative', '-5', undefined],
  ])('reads a Retry-After that is %s', async (_name, header, retryAfterMs) => {
    const headers = {date: 'Fri, 20 Nov 2026 08:00:00 GMT', ...(header === undefined ? {} : {'retry-after': header})};
    expect(failureIn(await readMe(429, '', headers))).toEqual(
      retryAfterMs === undefined ? {kind: 'rate-limited'} : {kind: 'rate-limited', retryAfterMs},
    );
    const unavailable = {kind: 'service-error', httpStatus: 503, message: 'no message'};
    expect(failureIn(await readMe(503, '', headers))).toEqual(
      retryAfterMs === undefined ? unavailable : {...unavailable, retryAfterMs},
    );
    // RFC 9110 knows it of a 503 only, among the failures of a server.
    expect(failureIn(await readMe(500, '', headers))).toEqual({...unavailable, httpStatus: 500});
  });

  it.each([301, 302, 303, 307, 308])('does not follow a %i, so that no other origin sees the key', async httpStatus => {
    const other = await openServer((_request, response) => response.end(wireExample('account.me')));
    const location = `http://127.0.0.1:${other.port}/v1/auth/me`;
    expect(failureIn(await readMe(httpStatus, '', {location}))).toEqual({
      kind: 'redirected',
      host: `127.0.0.1:${other.port}`,
    });
    expect(other.seen).toEqual([]);
  });
});

describe('a read without an answer', () => {
  it('is not sent when nothing listens, the name does not resolve or TLS fails', async () => {
    const closed = await openServer(() => {});
    const closedUrl = await closedBaseUrl();
    const detail = `connection refused (${new URL(closedUrl).host})`;
    expect(failureIn(await openClients(closedUrl).reads.read(me, {}))).toEqual({kind: 'not-sent', detail});
    expect(failureIn(await openClients('https://nowhere.invalid/v1').reads.read(me, {})).kind).toBe('not-sent');
    const tls = openClients(closed.baseUrl.replace('http:', 'https:'));
    expect(failureIn(await tls.reads.read(me, {})).kind).toBe('not-sent');
  });

  it('is cut when the connection ends before or within the answer', async () => {
    const heads = [
      '',
      'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"user"',
    ];
    for (const head of heads) {
      const server = await openSocketServer(socket => {
        socket.write(head, () => socket.resetAndDestroy());
      });
      expect(failureIn(await openClients(server.baseUrl).reads.read(me, {})).kind).toBe('cut');
    }
  });

  it('is an odd answer when the reply is not HTTP or cannot be decompressed', async () => {
    const server = await openSocketServer(socket => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    expect(failureIn(await openClients(server.baseUrl).reads.read(me, {})).kind).toBe('odd-answer');
    expect(failureIn(await readMe(200, '{"not": "gzip"}', {'content-encoding': 'gzip'})).kind).toBe('odd-answer');
  });

  it('times out after 15 s, even when the answer has begun', async () => {
    for (const start of ['', '{"user": ']) {
      const {promise: arrived, resolve: arrive} = Promise.withResolvers<void>();
      const server = await openServer((_request, response) => {
        if (start !== '') response.write(start);
        arrive();
      });
      const {reads, time} = openClients(server.baseUrl);
      const reading = reads.read(me, {});
      await arrived;
      await time.advance(14_999);
      expect(time.pendingCount()).toBe(1);
      await time.advance(1);
      expect(failureIn(await reading)).toEqual({kind: 'timed-out', afterMs: 15_000});
      expect(time.pendingCount()).toBe(0);
    }
  });

  it('is aborted with its caller, and not sent by a caller that has aborted', async () => {
    const caller = new AbortController();
    const server = await openServer(() => caller.abort());
    const {reads, time} = openClients(server.baseUrl);
    expect(failureIn(await reads.read(me, {}, {signal: caller.signal})).kind).toBe('cut');
    expect(failureIn(await reads.read(me, {}, {signal: caller.signal})).kind).toBe('not-sent');
    expect(server.seen).toHaveLength(1);
    expect(time.pendingCount()).toBe(0);
  });
});

describe('a hostile body', () => {
  const MIB = 1024 * 1024;

  it('is read up to 1 MiB after decompression, however small it is compressed', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from('{"a": "'), Buffer.alloc(80 * MIB, 'a'), Buffer.from('"}')]));
    expect(bomb.length).toBeLessThan(MIB);
    const server = await openServer((_request, response) => {
      response.writeHead(200, {'content-encoding': 'gzip'}).end(bomb);
    });
    expect(failureIn(await openClients(server.baseUrl).reads.read(me, {}))).toEqual({
      kind: 'odd-answer',
      detail: 'a body of more than 1 MiB',
      isTooLarge: true,
    });
  });

  it('is dropped when it is not JSON, and at 1 MiB when it is an error', async () => {
    const zeros = gzipSync(Buffer.alloc(80 * MIB));
    const server = await openServer((_request, response) => {
      response.writeHead(200, {'content-encoding': 'gzip'}).end(zeros);
    });
    expect(failureIn(await openClients(server.baseUrl).reads.read(me, {}))).toMatchObject({detail: 'not JSON'});
    expect(failureIn(await readMe(500, 'x'.repeat(2 * MIB)))).toMatchObject({detail: 'a body of more than 1 MiB'});
  });

  it('does not include a list of ten thousand machines, which is read', async () => {
    const [machine] = JSON.parse(wireExample('virtual-machines.list')).instances;
    // As long as ten thousand whole ones, whose many fields would take two seconds.
    const rest = 'x'.repeat(JSON.stringify(machine).length);
    const instances = Array.from({length: 10_000}, (_, index) => ({id: index + 1, name: machine.name, rest}));
    const body = JSON.stringify({status: true, instances, count: 10_000, page: null, page_size: null});
    const server = await openServer((_request, response) => response.end(body));
    const read = await openClients(server.baseUrl).reads.read(listVirtualMachines, {});
    expect(read.ok && read.value.records).toHaveLength(10_000);
    expect(server.seen).toHaveLength(1);
  });
});

describe('the key', () => {
  const forms = [KEY, Buffer.from(KEY).toString('base64'), Buffer.from(KEY).toString('hex'), encodeURIComponent(KEY)];

  it('is in no record, even when a name or label repeats it', async () => {
    const instances = [...forms, `gpu ${KEY} 1`].map((name, index) => ({id: index + 1, name, labels: [name]}));
    const server = await openServer((_request, response) => response.end(JSON.stringify({instances, count: 5})));
    const read = await openClients(server.baseUrl).reads.read(listVirtualMachines, {});
    expect(read.ok && read.value.records.map(({id}) => id)).toEqual([1, 2, 3, 4, 5]);
    const printed = JSON.stringify(read);
    for (const form of forms) expect(printed).not.toContain(form);
    expect(read.ok && read.value.records.every(({name}) => name.includes('[key'))).toBe(true);
  });

  it('is in no metrics, wherever an answer that is read as numbers alone repeats it, and not in their raw form', async () => {
    const series = {
      unit: KEY,
      columns: ['time', 'granularity', 'value', KEY],
      data: [['2026-11-20T20:55:00+00:00', 300, 7, KEY], [KEY], KEY],
    };
    const body = JSON.stringify({id: KEY, cpu: series, [KEY]: series, 'network.in': {...series, unit: 'B'}});
    const server = await openServer((_request, response) => response.end(body));
    const {reads} = openClients(server.baseUrl);
    const read = await reads.read(virtualMachineMetrics, {id, duration: '1h'});
    expect(read.ok && read.value.records[0]?.cpu?.at(0)?.value).toBe(7);
    const raw = await reads.readRaw(virtualMachineMetrics, {id, duration: '1h'});
    expect(raw.ok && raw.value.raw).toHaveLength(1);
    expect(inspect([read, raw], {depth: 9, showHidden: true})).not.toContain(KEY);
  });

  it('is in no failure, whatever fails and however the service repeats the key', async () => {
    const failures: unknown[] = [];
    for (const httpStatus of [200, 302, 400, 401, 403, 404, 409, 429, 500, 503]) {
      for (const echo of [...forms, `${'x'.repeat(280)}${KEY}`]) {
        for (const body of [
          JSON.stringify({status: false, message: `Bad key ${echo}`, error_reason: echo}),
          JSON.stringify({errors: {[echo]: [echo]}, message: echo}),
          `plain ${echo}`,
        ]) {
          const location = `http://${KEY}.example/${echo}`;
          failures.push(await readMe(httpStatus, body, {location, 'retry-after': '3', 'x-echo': echo}));
        }
      }
    }
    failures.push(await openClients(`https://${KEY}.invalid/v1`).reads.read(me, {}));
    const reset = await openSocketServer(socket => socket.resetAndDestroy());
    failures.push(await openClients(reset.baseUrl).reads.read(me, {}));
    const printed = (inspect(failures, {depth: 9, maxArrayLength: null}) + JSON.stringify(failures)).toLowerCase();
    expect([...forms, KEY.slice(0, 12)].filter(form => printed.includes(form.toLowerCase()))).toEqual([]);
  });

  it.each([
    'line\nbreak-0123456789',
    'short',
    'with space 0123456789',
  ])('is neither sent nor repeated when it is %j', async key => {
    const server = await openServer((_request, response) => response.end('{}'));
    const failure = failureIn(await openClients(server.baseUrl, {key: secret(key)}).reads.read(me, {}));
    expect(failure.kind).toBe('not-sent');
    expect(inspect(failure)).not.toContain('CANARY');
    expect(server.seen).toEqual([]);
  });

  it('is not in a printed client', () => {
    expect(inspect(openClients('http://127.0.0.1:9/v1'), {depth: 9, showHidden: true})).not.toContain(KEY);
  });
});

describe('fifty reads at once', () => {
  it('leave no timer behind', async () => {
    const server = await openServer((_request, response) => response.end(wireExample('billing.credit')));
    const {reads, time} = openClients(server.baseUrl);
    await Promise.all(Array.from({length: 50}, () => reads.read(credit, {})));
    expect(time.pendingCount()).toBe(0);
    expect(server.seen).toHaveLength(50);
  });
});
