import {once} from 'node:events';
import {request} from 'node:http';
import {connect} from 'node:net';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {secret} from '../../src/domain/secret.ts';
import {isLoopback, parseListenAddress, serveMetrics} from '../../src/export/metrics-server.ts';

const TOKEN = 'token-0123456789';

async function open(token?: string, host = '127.0.0.1') {
  const server = await serveMetrics({
    listen: {host, port: 0},
    token: token === undefined ? undefined : secret(token),
    read: isOpenMetrics =>
      Promise.resolve({contentType: isOpenMetrics ? 'open' : 'plain', body: Buffer.from('up 1\n')}),
    onMistake: () => {},
  });
  onTestFinished(server.close);
  return server.url;
}

type Asking = {readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string};

function ask(url: string, {method = 'GET', headers = {}, body}: Asking = {}) {
  return new Promise<{status: number | undefined; type: string | undefined; text: string}>((resolve, reject) => {
    const sending = request(url, {method, headers, agent: false}, response => {
      let text = '';
      response.on('data', chunk => {
        text += String(chunk);
      });
      response.on('end', () => resolve({status: response.statusCode, type: response.headers['content-type'], text}));
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

describe('serveMetrics', () => {
  test('gives the metrics, in the format that is asked for', async () => {
    const url = await open();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    expect(await ask(url)).toEqual({status: 200, type: 'plain', text: 'up 1\n'});
    const headers = {accept: 'application/openmetrics-text'};
    expect(await ask(url, {headers})).toMatchObject({status: 200, type: 'open'});
  });

  test('answers others although all connections are taken by readers that take nothing of their answers', async () => {
    const body = Buffer.alloc(8 * 2 ** 20, 'x');
    const read = () => Promise.resolve({contentType: 'plain', body});
    const options = {listen: {host: '127.0.0.1', port: 0}, token: undefined, read, onMistake: () => {}};
    const {url, close} = await serveMetrics({...options, stallLimitMs: 500});
    onTestFinished(close);
    const stalled = Array.from({length: 64}, () => connect(Number(new URL(url).port), '127.0.0.1'));
    onTestFinished(() => {
      for (const each of stalled) each.destroy();
    });
    for (const each of stalled) each.write('GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await Promise.all(stalled.map(each => once(each, 'readable')));
    const isAnswered = () =>
      ask(url).then(
        ({status}) => status === 200,
        () => false,
      );
    await vi.waitUntil(isAnswered, {timeout: 10_000});
  });

  test('answers HEAD without a body', async () => {
    expect(await ask(await open(), {method: 'HEAD'})).toEqual({status: 200, type: 'plain', text: ''});
  });

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])('refuses %s', async method => {
    expect(await ask(await open(), {method})).toMatchObject({status: 405});
  });

  test('refuses a body without reading it, long headers and other paths', async () => {
    const url = await open();
    expect(await ask(url, {body: 'x', headers: {'content-length': '1'}})).toMatchObject({status: 413});
    expect(await ask(url, {headers: {'x-long': 'a'.repeat(9000)}})).toMatchObject({status: 431});
    expect(await ask(url.replace('/metrics', '/metrics/../etc'))).toMatchObject({status: 404});
    expect(await ask(`${url}?name[]=up`)).toMatchObject({status: 200});
  });

  test.each([
    'localhost:9469',
    'LOCALHOST',
    '127.0.0.1:9469',
    '127.9.8.7',
    '[::1]:9469',
  ])('on loopback, answers to %s', async host => {
    expect(await ask(await open(), {headers: {host}})).toMatchObject({status: 200, text: 'up 1\n'});
  });

  test.each([
    'evil.example',
    'evil.example:9469',
    'localhost.evil.example',
    '127.0.0.1.evil.example:9469',
    'localhost@evil.example',
    '127.0.0.1#.evil.example',
    '10.0.0.1:9469',
    '[::2]:9469',
    '0.0.0.0:9469',
    '127.0.0.1:9469, evil.example',
  ])('on loopback, does not answer to %j, as a web page may have pointed that name at it', async host => {
    const answer = await ask(await open(), {headers: {host}});
    expect(answer).toMatchObject({status: 421});
    expect(answer.text).not.toContain('up 1');
  });

  test('on an address that others can reach, answers to any name with the token', async () => {
    const url = await open(TOKEN, '0.0.0.0');
    const headers = {host: 'metrics.example', authorization: `Bearer ${TOKEN}`};
    expect(await ask(url, {headers})).toMatchObject({status: 200});
  });

  test.each([
    [undefined, 401],
    ['Bearer wrong', 401],
    [`Basic ${TOKEN}`, 401],
    ['Bearer ', 401],
    [`bearer ${TOKEN}`, 200],
    [`Bearer ${TOKEN}`, 200],
  ])('with a token, %s is answered %i', async (authorization, status) => {
    const headers = authorization === undefined ? {} : {authorization};
    const answer = await ask(await open(TOKEN), {headers});
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain(TOKEN);
  });

  test('continues after an answer that could not be created, and reports why', async () => {
    let [askedCount, told] = [0, ''];
    const server = await serveMetrics({
      listen: {host: '127.0.0.1', port: 0},
      token: undefined,
      read: () => {
        askedCount += 1;
        return askedCount === 1
          ? Promise.reject(new Error('broken'))
          : Promise.resolve({contentType: 'a', body: Buffer.from('b')});
      },
      onMistake: mistake => {
        told = mistake;
      },
    });
    onTestFinished(server.close);
    expect(await ask(server.url)).toMatchObject({status: 500, text: 'the metrics could not be created\n'});
    expect(told).toBe('broken');
    expect(await ask(server.url)).toMatchObject({status: 200, text: 'b'});
  });

  test('fails when it cannot listen', async () => {
    const taken = Number(new URL(await open()).port);
    const serving = serveMetrics({
      listen: {host: '127.0.0.1', port: taken},
      token: undefined,
      read: () => Promise.resolve({contentType: '', body: Buffer.from('')}),
      onMistake: () => {},
    });
    await expect(serving).rejects.toThrow('EADDRINUSE');
  });
});

describe('parseListenAddress', () => {
  test.each([
    ['127.0.0.1:9469', {host: '127.0.0.1', port: 9469}, true],
    ['127.9.8.7:0', {host: '127.9.8.7', port: 0}, true],
    ['localhost:1', {host: 'localhost', port: 1}, true],
    ['[::1]:80', {host: '::1', port: 80}, true],
    [':80', {host: '::', port: 80}, false],
    ['0.0.0.0:80', {host: '0.0.0.0', port: 80}, false],
    ['[::]:80', {host: '::', port: 80}, false],
    ['127.0.0.1.example.org:80', {host: '127.0.0.1.example.org', port: 80}, false],
  ])('reads %s', (text, address, isOurs) => {
    const parsed = parseListenAddress(text);
    expect(parsed).toEqual(address);
    expect(parsed && isLoopback(parsed)).toBe(isOurs);
  });

  test.each([
    '',
    '9469',
    '127.0.0.1',
    '127.0.0.1:65536',
    '::1:80',
    '[nonsense]:80',
    'a b:80',
    'http://x:80',
  ])('refuses %s', text => {
    expect(parseListenAddress(text)).toBeUndefined();
  });
});
