import {inspect} from 'node:util';
import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {ENDPOINTS} from '../../src/api/endpoints.ts';
import type {ServiceConnection} from '../../src/api/exchange.ts';
import {judge, judgeOperation} from '../../src/api/judge.ts';
import {secret} from '../../src/domain/secret.ts';
import {atOnce} from '../../src/domain/steps.ts';
import {anyText} from '../support/any-text.ts';
import {createVirtualClock} from '../support/clock.ts';
import {sweepOf} from '../support/tier.ts';

const RUNS = {numRuns: sweepOf({sample: 200, deep: 500})};
const KEY = 'CANARY-0123456789-abcdef';
const url = new URL('https://api.example.org/v1/core/virtual-machines');
const connection: ServiceConnection = {
  pin: {origin: url.origin, basePath: '/v1'},
  key: secret(KEY),
  secrets: [secret(KEY)],
  clock: createVirtualClock().clock,
  route: {kind: 'direct'},
};

/** Bodies that look like the service's, with anything at all in their fields, the key among it. */
const anything = fc.oneof(fc.constantFrom(KEY, btoa(KEY), `${KEY}\u0000`, null, [null]), fc.jsonValue({maxDepth: 3}));
const errorBody = fc
  .record(
    {
      status: fc.oneof(fc.boolean(), fc.constant(400), fc.constant('error')),
      success: fc.boolean(),
      message: anything,
      error_reason: anything,
      errors: fc.oneof(anything, fc.dictionary(fc.oneof(fc.string(), fc.constant(KEY)), anything)),
      detail: fc.oneof(
        anything,
        fc.array(fc.record({loc: anything, msg: anything, type: anything}, {requiredKeys: []})),
      ),
      logs: anything,
      vnc_url: anything,
    },
    {requiredKeys: []},
  )
  .map(body => JSON.stringify(body));
const body = fc.oneof(errorBody, fc.json(), anyText(), fc.constant(`<html>${KEY}</html>`));
const httpStatus = fc.oneof(
  fc.constantFrom(200, 201, 202, 204, 302, 400, 401, 403, 404, 405, 422, 429, 500, 502),
  fc.integer({min: 200, max: 599}),
);
const location = fc.constantFrom(undefined, 'https://elsewhere.example.org/', `https://${KEY}.example.org/?k=${KEY}`);

const READS = ENDPOINTS.filter(endpoint => endpoint.effect === 'read');

describe('judge', () => {
  it('turns any body into a value or a failure, and puts the key into no failure', () => {
    fc.assert(
      fc.property(httpStatus, body, location, (status, text, target) => {
        const header = (name: string) => (name === 'location' ? target : undefined);
        const judged = atOnce(judge(connection, {httpStatus: status, header, body: text}, url));
        if (judged.ok) {
          expect(status).toBeLessThan(300);
          return;
        }
        const said = inspect(judged, {depth: 9}).toLowerCase();
        expect(said).not.toContain('canary');
        expect(said).not.toContain(btoa(KEY).toLowerCase());
      }),
      RUNS,
    );
  });

  it('lets every read accept or refuse any body without throwing', () => {
    fc.assert(
      fc.property(fc.constantFrom(...READS), httpStatus, body, (endpoint, status, text) => {
        const reply = {httpStatus: status, header: () => undefined, body: text};
        const judged = atOnce(judge(connection, reply, url, endpoint.readsFailure));
        if (!judged.ok) return;
        for (const raw of endpoint.collect(judged.value) ?? []) expect(endpoint.record(raw)).toHaveProperty('ok');
        expect(Array.isArray(endpoint.absentParts(judged.value))).toBe(true);
      }),
      RUNS,
    );
  });

  it('lets every read accept or quarantine any record without throwing', () => {
    fc.assert(
      fc.property(fc.constantFrom(...READS), fc.jsonValue({maxDepth: 4}), (endpoint, raw) => {
        expect(endpoint.record(raw)).toHaveProperty('ok');
      }),
      RUNS,
    );
  });

  it('lets every operation judge any parsed body without throwing', () => {
    const operations = ENDPOINTS.filter(endpoint => endpoint.effect === 'operation');
    fc.assert(
      fc.property(fc.constantFrom(...operations), fc.jsonValue({maxDepth: 4}), (endpoint, parsed) => {
        expect(endpoint.isAccepted(parsed)).toBeTypeOf('boolean');
        endpoint.result(parsed);
      }),
      RUNS,
    );
  });

  it.each([
    [{status: 200, message: 'ok'}, true],
    [{status: 'alive'}, true],
    [{success: true}, true],
    [{message: 'ok'}, true],
    [{status: false}, false],
    [{success: false}, false],
    [{status: 'false', message: 'locked'}, false],
    [{status: null, error_reason: 'not_allowed', message: 'm'}, false],
    [{message: 'm', error_reason: 'not_allowed'}, false],
    [{message: 'm', errors: {id: 'wrong'}}, false],
    [{status: 409, message: 'm'}, false],
    [{status: null, error_reason: null, errors: {}, message: 'ok'}, true],
    [{status: true, detail: 'Created.', errors: [], error_reason: ' '}, true],
    [{detail: 'Created.', errors: [], error_reason: ''}, true],
    [{detail: [], errors: null}, true],
    [{status: false, success: true}, false],
    // A body with both is judged by the field that most of the interface uses.
    [{status: true, success: false}, true],
  ])('accepts or refuses a 2xx of %j: %s', (parsed, isGood) => {
    const reply = {httpStatus: 200, header: () => undefined, body: JSON.stringify(parsed)};
    expect(atOnce(judge(connection, reply, url)).ok).toBe(isGood);
  });
});

describe('judgeOperation', () => {
  const verdictOn = (status: number, text: string) => {
    const judged = atOnce(
      judgeOperation(connection, {httpStatus: status, header: () => undefined, body: text}, url, () => true),
    );
    return judged.ok ? 'ok' : judged.failure.kind;
  };

  it.each([
    ['{"status": false, "message": "must be ACTIVE", "error_reason": "bad_request"}', 'refused'],
    ['{"errors": {"name": "too long"}, "message": "Input payload validation failed"}', 'refused'],
    ['{"status": false, "errors": {"colour": ["Unknown field."]}}', 'refused'],
    ['{"detail": [{"loc": ["query", "region"], "msg": "field required"}]}', 'refused'],
    ['{"message": "Misdirected Request"}', 'odd-answer'],
    ['{"detail": "Not Found"}', 'odd-answer'],
    ['<html>Misdirected Request</html>', 'odd-answer'],
    ['Misdirected Request', 'odd-answer'],
    ['{"status": false, "mess', 'odd-answer'],
    ['[]', 'odd-answer'],
    ['', 'odd-answer'],
  ])('judges a 421 with %j as %s', (text, kind) => {
    expect(verdictOn(421, text)).toBe(kind);
  });

  it.each([
    [400, 'refused'],
    [401, 'not-authorised'],
    [403, 'not-authorised'],
    [404, 'not-found', 'not_found'],
    [404, 'refused'],
    [409, 'refused'],
  ])('believes a %i only in the form of the service: %s', (status, kind, reason = 'why') => {
    expect(verdictOn(status, `{"status": false, "message": "no", "error_reason": "${reason}"}`)).toBe(kind);
    expect(verdictOn(status, '<html>no</html>')).toBe('odd-answer');
  });

  it.each([
    ...[200, 201, 202].map(status => [status, 'ok'] as const),
    ...[203, 204, 205, 206, 207, 208, 218, 226, 299].map(status => [status, 'odd-answer'] as const),
  ])('takes a %i for %s, since the documents have three answers that accept', (status, kind) => {
    expect(verdictOn(status, '{"status": true, "message": "scheduled"}')).toBe(kind);
    const refusal = '{"status": false, "message": "must be ACTIVE", "error_reason": "bad_request"}';
    expect(verdictOn(status, refusal)).toBe(kind === 'ok' ? 'refused' : 'odd-answer');
  });

  it('distinguishes a redirect within the service from one that leaves it', () => {
    const redirectTo = (location: string) => {
      const header = (name: string) => (name === 'location' ? location : undefined);
      const judged = atOnce(judgeOperation(connection, {httpStatus: 303, header, body: ''}, url, () => true));
      return judged.ok ? judged : judged.failure;
    };
    expect(redirectTo('/v1/elsewhere')).toEqual({kind: 'redirected', host: url.host, isSameOrigin: true});
    expect(redirectTo('https://elsewhere.example/')).toEqual({kind: 'redirected', host: 'elsewhere.example'});
    expect(redirectTo(`http://${url.host}/v1`)).toEqual({kind: 'redirected', host: url.host});
  });

  it('says that a redirect has no target', () => {
    const judged = atOnce(
      judgeOperation(connection, {httpStatus: 302, header: () => undefined, body: ''}, url, () => true),
    );
    const detail = 'a redirect (HTTP 302) that does not say where to';
    expect(judged).toEqual({ok: false, failure: {kind: 'odd-answer', detail}});
  });

  it.each([
    [{success: false, status: true, message: 'not done'}, 'odd-answer'],
    [{success: true, status: false, message: 'not done'}, 'odd-answer'],
    [{status: true, errors: {id: 'wrong'}, message: 'x'}, 'odd-answer'],
    [{status: 'true', error_reason: 'not_allowed'}, 'odd-answer'],
    [{status: 200, detail: [{loc: ['id'], msg: 'wrong'}]}, 'odd-answer'],
    [{status: 'False', message: 'locked'}, 'refused'],
    [{message: 'm', error_reason: 'not_allowed'}, 'refused'],
    [{status: null, error_reason: 'not_allowed', message: 'm'}, 'refused'],
    [{status: true, errors: null, error_reason: ''}, 'ok'],
    [{status: true, detail: 'Created.', errors: [], message: 'ok'}, 'ok'],
    [{detail: [], errors: {}, error_reason: ''}, 'ok'],
    [{message: 'ok'}, 'ok'],
  ])('judges a 2xx of %j as %s, since a reply that contradicts itself says nothing', (body, kind) => {
    expect(verdictOn(200, JSON.stringify(body))).toBe(kind);
  });

  it.each([
    false,
    'false',
    ' False ',
    'error',
    'ERROR',
    'fail',
    'failed',
    'failure',
    0,
    400,
    404,
    500,
  ])('takes a status of %j for a no', status => {
    expect(verdictOn(200, JSON.stringify({status}))).toBe('refused');
    expect(verdictOn(200, JSON.stringify({success: status}))).toBe('refused');
  });

  it('takes ERROR beside a cluster for the state of the cluster, unless a reason says otherwise', () => {
    const body = {status: 'ERROR', message: 'Cluster reconciliation scheduled', cluster: {id: 4, status: 'ERROR'}};
    expect(verdictOn(200, JSON.stringify(body))).toBe('ok');
    expect(verdictOn(200, JSON.stringify({...body, error_reason: 'bad_request'}))).toBe('refused');
    expect(verdictOn(200, JSON.stringify({...body, status: 'false'}))).toBe('refused');
    expect(verdictOn(200, JSON.stringify({...body, status: false}))).toBe('refused');
  });

  it.each([true, 'true', ' OK ', 'ok', 'success', 1, 200, 202, 299])('takes a status of %j for a yes', status => {
    expect(verdictOn(200, JSON.stringify({status}))).toBe('ok');
    // With a reason for a refusal it is a contradiction, and no more a refusal.
    expect(verdictOn(200, JSON.stringify({status, error_reason: 'why'}))).toBe('odd-answer');
  });

  it.each([
    'no error',
    'errors',
    'failing',
    'x false',
    'okay',
    'not ok',
    'successful',
    'ACTIVE',
    '',
    2,
    199,
    300,
    399,
    -1,
    null,
  ])('takes a status of %j for neither', status => {
    expect(verdictOn(200, JSON.stringify({status}))).toBe('ok');
    expect(verdictOn(200, JSON.stringify({status, error_reason: 'why'}))).toBe('refused');
  });

  it.each<[object, string]>([
    [{error_reason: ' '}, 'ok'],
    [{errors: ['why']}, 'refused'],
    [{errors: {name: 'why'}}, 'refused'],
    [{errors: 'why'}, 'refused'],
    [{errors: 7}, 'ok'],
    [{detail: ['why']}, 'ok'],
    [{detail: {msg: 'why'}}, 'ok'],
  ])('judges an error field that is empty or of another form: %j is %s', (body, kind) => {
    expect(verdictOn(200, JSON.stringify(body))).toBe(kind);
  });

  it.each([
    ['{"status":false,"status":true}', 200, 'odd-answer'],
    ['{"status":true,"message":"\\"status\\":","\\u0073tatus" : false}', 200, 'odd-answer'],
    ['{"success":false,"message":"m","success":true}', 202, 'odd-answer'],
    ['{"status":true,"errors":{"id":"wrong"},"errors":null}', 200, 'odd-answer'],
    ['{"status":true,"status":false,"message":"m"}', 400, 'odd-answer'],
    ['{"status":true,"instance":{"status":"ACTIVE"},"list":[{"status":1},{"status":2}],"note":"status"}', 200, 'ok'],
    ['{"status":true,"message":"a","message":"b"}', 200, 'ok'],
    ['["status","status"]', 200, 'ok'],
  ])('counts every member of that name, not only the last: %s with HTTP %i is %s', (text, status, kind) => {
    expect(verdictOn(status, text)).toBe(kind);
  });

  it('believes a 429 in any form, and judges all else as for a read', () => {
    expect(verdictOn(429, '')).toBe('rate-limited');
    expect(verdictOn(502, '<html>')).toBe('service-error');
    expect(verdictOn(302, '')).toBe('odd-answer');
    expect(verdictOn(200, '{"status": true}')).toBe('ok');
  });

  it('never takes a 4xx that is not in the form of the service for a refusal', () => {
    const foreign = fc.oneof(
      fc.string(),
      fc.string().map(each => JSON.stringify({message: each})),
      fc.domain().map(name => `https://${name}/status?code=404`),
    );
    fc.assert(
      fc.property(fc.integer({min: 400, max: 499}), foreign, (status, text) => {
        expect(verdictOn(status, text)).toBe(status === 429 ? 'rate-limited' : 'odd-answer');
      }),
    );
  });
});
