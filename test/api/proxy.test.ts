import {createServer} from 'node:http';
import {describe, expect, onTestFinished, test} from 'vitest';
import {runProgram} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';

/** A proxy that lets nobody through and remembers who was asked for. */
async function openProxy() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`plain ${request.url}`);
    response.writeHead(502).end();
  });
  server.on('connect', (request, socket) => {
    asked.push(`${request.url} ${request.headers.api_key ?? 'without a key'}`);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  return {asked, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`};
}

const FAR = {SKYDECK_BASE_URL: 'https://service.invalid/v1', SKYDECK_API_KEY: 'CANARY-0123456789'};

describe('HTTPS_PROXY', {timeout: 30_000}, () => {
  test.each([
    [['get', 'me'], 6],
    [['api', 'GET', '/core/virtual-machines/1/stop', '--yes'], 6],
  ])('is where %j goes, and the key does not', async (words, exitCode) => {
    const proxy = await openProxy();
    const given = await runProgram(words, {env: {...FAR, HTTPS_PROXY: proxy.url, NO_PROXY: 'other.example'}});
    expect(given).toMatchObject({stdout: '', exitCode});
    expect(proxy.asked).toEqual(['service.invalid:443 without a key']);
  });

  test('is not for plain http, which stays on this machine', async () => {
    const proxy = await openProxy();
    const simulator = await openSimulator({scenario: 'calm'});
    const env = {HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url};
    expect(await runProgram(['get', 'me'], {simulator, env})).toMatchObject({stderr: '', exitCode: 0});
    expect(proxy.asked).toEqual([]);
  });

  test('is left out for the hosts of NO_PROXY', async () => {
    const proxy = await openProxy();
    const env = {...FAR, HTTPS_PROXY: proxy.url, NO_PROXY: 'service.invalid'};
    expect(await runProgram(['get', 'me'], {env})).toMatchObject({exitCode: 6});
    expect(proxy.asked).toEqual([]);
  });
});
