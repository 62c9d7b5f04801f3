import {getCACertificates, setDefaultCACertificates} from 'node:tls';
import {describe, expect, it, onTestFinished} from 'vitest';
import {getVirtualMachine, stopVirtualMachine} from '../../src/api/virtual-machines.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {reportCounted} from '../support/measured.ts';
import {type Loopback, openClients, openServer, openUntrustedServer} from './loopback.ts';
import {untrustedCertificate} from './untrusted-certificate.ts';
import {wireExample} from './wire-example.ts';

const params = {id: virtualMachineId(793001), retainsIp: true};
const STATUSES = [301, 302, 303, 307, 308];
const PATH = '/v1/core/virtual-machines/793001';

/** Where a redirect may lead from a service that uses TLS. */
const PLACES: readonly (readonly [string, (other: Loopback, own: Loopback) => string])[] = [
  ['another port', ({port}) => `https://127.0.0.1:${port}${PATH}`],
  ['another name of the same machine', ({port}) => `https://localhost:${port}${PATH}`],
  ['a URL without encryption', ({port}) => `http://127.0.0.1:${port}${PATH}`],
  ['a URL without a scheme', ({port}) => `//127.0.0.1:${port}${PATH}`],
  ['its own origin', (_other, {port}) => `https://127.0.0.1:${port}/v1/again`],
];

describe.each(PLACES)('a redirect to %s', (_name, locationFor) => {
  it.each(STATUSES)('by a %i is not followed, so that the key goes nowhere else', async httpStatus => {
    trustForThisTest(untrustedCertificate.cert);
    const elsewhere = await Promise.all([openServer, openUntrustedServer].map(open => open(answered)));
    for (const other of elsewhere) {
      let location = '';
      const own = await openUntrustedServer((_request, response) => {
        response.writeHead(httpStatus, {location}).end();
      });
      location = locationFor(other, own);
      const {reads, operations} = openClients(own.baseUrl);
      expect(await reads.read(getVirtualMachine, params)).toMatchObject({ok: false, failure: {kind: 'redirected'}});
      expect(await operations.sendOnce(stopVirtualMachine, params)).toMatchObject({
        ok: false,
        failure: {kind: 'redirected'},
      });
      // Each request was sent once, to the right path, and with the key.
      expect(own.seen.map(({url, headers}) => [url.split('?')[0], headers.api_key !== undefined])).toEqual([
        [PATH, true],
        [`${PATH}/stop`, true],
      ]);
      expect(other.seen).toEqual([]);
      reportCounted('redirects', 1);
    }
  });
});

it('a certificate is trusted when the test adds it, and nothing is sent before', async () => {
  const server = await openUntrustedServer(answered);
  const fire = () => openClients(server.baseUrl).operations.sendOnce(stopVirtualMachine, params);
  expect(await fire()).toMatchObject({ok: false, failure: {kind: 'not-sent'}});
  expect(server.seen).toEqual([]);
  trustForThisTest(untrustedCertificate.cert);
  expect((await fire()).ok).toBe(true);
  expect(server.seen).toHaveLength(1);
});

function answered(_request: unknown, response: {end: (text: string) => unknown}): void {
  response.end(wireExample('virtual-machines.stop'));
}

function trustForThisTest(certificate: string): void {
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, certificate]);
  onTestFinished(() => setDefaultCACertificates(trusted));
}
