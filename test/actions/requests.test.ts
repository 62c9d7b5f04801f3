import {readFileSync} from 'node:fs';
import {inspect} from 'node:util';
import {describe, expect, it} from 'vitest';
import {ACTIONS, recordOf} from '../../src/actions/actions.ts';
import {subjectOf} from '../../src/domain/action.ts';
import type {Failure} from '../../src/domain/failure.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {MINUTE_MS, SECOND_MS} from '../../src/domain/time.ts';
import {openJournal} from '../../src/state/operations/journal.ts';
import {KEY, type Loopback, openClients, openServer, openSocketServer} from '../api/loopback.ts';
import {createTinyCloud} from '../state/tiny-cloud.ts';
import {EVERY_ACTION, EVERY_CASE} from './every-action.ts';

const cut: Failure = {kind: 'cut', detail: safeText('the line broke')};
const timedOut: Failure = {kind: 'timed-out', afterMs: 45_000};
const refused: Failure = {kind: 'refused', httpStatus: 400, reason: safeText('bad_request'), message: safeText('no')};

const WATCHED = EVERY_CASE.filter(([, {endsWithReply}]) => endsWithReply !== true);
/** Nothing prevents another access key: keys have no names, and there may be many. */
const PREVENTABLE = EVERY_CASE.filter(([kind]) => kind !== 'access-key.create');

describe('every action, in a cloud that is only lists', () => {
  it.each(WATCHED)('%s is sent once, watched and confirmed', async (_kind, {
    confirmed,
    start,
    through,
    end,
    result,
  }) => {
    const cloud = createTinyCloud({start, handle: () => ({becomes: through ?? end, result})});
    const {operations, told, newest, hasEnded} = cloud.open();
    expect(operations.begin(confirmed).status).toBe('begun');
    expect(operations.begin(confirmed).status).toBe('locked');
    await cloud.time.advance(15 * SECOND_MS);
    cloud.become(end);
    for (let count = 0; count < 10 && !hasEnded(); count += 1) await cloud.time.advance(5 * SECOND_MS);
    const phases = told.map(({phase}) => phase);
    const onTheWay = through === undefined ? [] : ['in-progress'];
    expect(phases).toEqual(['preflight', 'sent', 'accepted', ...onTheWay, 'CONFIRMED']);
    expect(cloud.fired).toHaveLength(1);
    expect(newest().result).toEqual(result);
    expect(operations.openOn(subjectOf(confirmed.action))).toBeUndefined();
  });

  it.each(
    WATCHED,
  )('%s is resolved by what is seen when its answer was lost, and never sent again', async (_kind, each) => {
    const {confirmed, start, through, end} = each;
    for (const failure of [cut, timedOut]) {
      const cloud = createTinyCloud({start, handle: () => ({becomes: through ?? end, failure})});
      const {operations, told, hasEnded} = cloud.open();
      operations.begin(confirmed);
      await cloud.time.advance(15 * SECOND_MS);
      cloud.become(end);
      for (let count = 0; count < 10 && !hasEnded(); count += 1) await cloud.time.advance(5 * SECOND_MS);
      expect(told.map(({phase}) => phase)).toContain('unknown');
      expect(told.at(-1)?.phase).toBe('CONFIRMED');
      expect(cloud.fired).toHaveLength(1);
    }
  });

  it.each(WATCHED)('%s is reported as without effect when it had none', async (_kind, {confirmed, start}) => {
    const cloud = createTinyCloud({start, handle: () => ({failure: cut})});
    const {operations, newest} = cloud.open();
    operations.begin(confirmed);
    await cloud.time.advance(MINUTE_MS);
    expect(newest().phase).toBe('NO_EFFECT_SEEN');
    expect(cloud.fired).toHaveLength(1);
  });

  it.each(PREVENTABLE)('%s is not sent when the world has changed since the question', async (_kind, each) => {
    const {confirmed, through = {}, end, endsWithReply, endsWhereItBegan} = each;
    const changed = endsWhereItBegan === true ? through : end;
    const cloud = createTinyCloud({start: endsWithReply === true ? {} : changed});
    const {operations, newest} = cloud.open();
    operations.begin(confirmed);
    await cloud.time.advance(1);
    expect(['STALE', 'NOT_SENT']).toContain(newest().phase);
    expect(cloud.fired).toEqual([]);
  });

  it.each(EVERY_CASE)('%s is reported as refused, in the words of the service', async (_kind, {confirmed, start}) => {
    const cloud = createTinyCloud({start, handle: () => ({failure: refused})});
    const {operations, newest} = cloud.open();
    operations.begin(confirmed);
    await cloud.time.advance(1);
    expect(newest()).toMatchObject({phase: 'REFUSED', detail: 'refused (400): no'});
    expect(cloud.fired).toHaveLength(1);
  });

  it.each(WATCHED)('%s is resumed from the journal, which contains none of its secrets', async (_kind, each) => {
    const {confirmed, start, through, end} = each;
    const cloud = createTinyCloud({start, handle: () => ({becomes: through ?? end, result: each.result})});
    const first = cloud.open();
    first.operations.begin(confirmed);
    await cloud.time.advance(1);
    first.poller.stop();
    const second = cloud.open();
    const open = second.operations.openOn(subjectOf(confirmed.action));
    expect(open).toMatchObject({phase: 'unknown', action: {kind: confirmed.action.kind}});
    await cloud.time.advance(5 * SECOND_MS);
    cloud.become(end);
    await cloud.time.advance(MINUTE_MS);
    expect([second.newest().phase, cloud.fired.length]).toEqual(['CONFIRMED', 1]);
    expect(readFileSync(cloud.journalPath, 'utf8')).not.toContain('CANARY');
    expect(openJournal(cloud.journalPath, ACTIONS).latest().unreadableCount).toBe(0);
  });

  it.each(
    EVERY_CASE.filter(([, {result}]) => result !== undefined),
  )('%s does not reveal a secret of its answer when the operation is printed', async (kind, {
    confirmed,
    start,
    result,
  }) => {
    const cloud = createTinyCloud({start, handle: () => ({result})});
    const {operations, newest} = cloud.open();
    operations.begin(confirmed);
    await cloud.time.advance(1);
    expect(newest().result).toEqual(result);
    if (kind === 'access-key.create') expect(inspect(newest(), {depth: 9})).not.toContain('CANARY-secret-half');
    expect(JSON.stringify(newest())).not.toContain('CANARY-secret');
  });
});

describe('a job that changes nothing', () => {
  it.each(
    EVERY_CASE.filter(([, {endsWithReply}]) => endsWithReply === true),
  )('%s is done with its answer, blocks only another one like it, and is not resumed', async (_kind, {
    confirmed,
    start,
    result,
  }) => {
    const cloud = createTinyCloud({start, handle: () => ({result})});
    const {operations, newest} = cloud.open();
    expect(operations.begin(confirmed).status).toBe('begun');
    expect(operations.openOn(subjectOf(confirmed.action))).toBeUndefined();
    expect(operations.begin(confirmed).status).toBe('locked');
    await cloud.time.advance(1);
    expect(newest()).toMatchObject({phase: 'CONFIRMED', result});
    expect(cloud.open().operations.all()).toEqual([]);
  });

  it('ends when its answer is lost, since nothing else could show its outcome', async () => {
    const {confirmed, start} = EVERY_ACTION['vm.request-logs'];
    const cloud = createTinyCloud({start, handle: () => ({failure: cut})});
    const {operations, newest} = cloud.open();
    operations.begin(confirmed);
    await cloud.time.advance(MINUTE_MS);
    expect(newest().phase).toBe('NO_EFFECT_SEEN');
  });
});

const answering = (httpStatus: number, body: string, headers: Record<string, string> = {}) =>
  openServer((_request, response) => void response.writeHead(httpStatus, headers).end(body));

/** What may come back over a real connection, and the failure that it must become. */
const ANSWERS: readonly (readonly [name: string, open: () => Promise<Loopback>, kind: Failure['kind']])[] = [
  ['a 500', () => answering(500, '{"message": "Internal Server Error"}'), 'service-error'],
  ['a 429', () => answering(429, '{"status": false}'), 'rate-limited'],
  ['a redirect', () => answering(307, '', {location: '/v1/again'}), 'redirected'],
  ['half an answer', () => answering(200, '{"status": tr'), 'odd-answer'],
  ['a reset connection', () => openSocketServer(socket => socket.resetAndDestroy()), 'cut'],
  ['a closed connection', () => openSocketServer(socket => socket.end()), 'cut'],
];

describe('every action, over real connections', () => {
  it.each(EVERY_CASE)('%s sends the request that the API documents for it, with the key', async (_kind, {
    confirmed,
    request,
  }) => {
    const server = await answering(200, '{"status": true, "message": "scheduled"}');
    await recordOf(confirmed.action).sendOnce(openClients(server.baseUrl).operations, confirmed.action);
    const lines = server.seen.map(({method, url}) => `${method} ${url.replace(/^\/v1/, '')}`);
    expect(lines).toEqual([request]);
    expect(server.seen[0]?.headers.api_key).toBe(KEY);
  });

  it.each(
    EVERY_CASE.flatMap(([kind, {confirmed}]) =>
      ANSWERS.map(([name, open, end]) => [kind, name, confirmed, open, end] as const),
    ),
  )('%s is sent only once when it gets %s', async (_kind, _name, {action}, open, end) => {
    const server = await open();
    const fired = await recordOf(action).sendOnce(openClients(server.baseUrl).operations, action);
    expect(fired).toMatchObject({ok: false, failure: {kind: end}});
    expect(server.seen).toHaveLength(1);
  });
});
