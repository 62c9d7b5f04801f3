import {expect, test} from 'vitest';
import {ARMED, cursorOn, openMachines} from '../support/deck.ts';
import {openApp} from '../support/program.ts';

const PATIENT = {timeout: 60_000};

/** An ed25519 key of 32 zeros: well formed, and nobody's. */
const PUBLIC_KEY = `ssh-ed25519 ${Buffer.concat([
  Buffer.of(0, 0, 0, 11),
  Buffer.from('ssh-ed25519'),
  Buffer.of(0, 0, 0, 32),
  Buffer.alloc(32),
]).toString('base64')}`;

async function openCatalogue() {
  const app = await openApp({scenario: 'on-call'});
  await app.sees('1 Ov', {withinMs: 20_000});
  await app.press('8');
  await app.sees(/flavors (\d+) of \1 /, {withinMs: 20_000});
  return app;
}

test('answers whether what is hibernated can be restored, by its flavor and region', PATIENT, async () => {
  const app = await openCatalogue();
  // The machines come a moment after the flavors.
  await app.sees(/n3-H100x2 .* 0 +1│/, {withinMs: 20_000});
  await app.press('/', ...'hibernated>0', 'enter', 'g');
  await app.sees(cursorOn('n3-H100x2'));
  await app.sees('1 machine hibernated: no stock, so none can be', {withinMs: 20_000});
  await app.sees('sweep-02');
  await app.press('j');
  await app.sees('1 machine hibernated: stock allows restoring now');
});

test('imports a public key that was pasted, and refuses a private one', PATIENT, async () => {
  const app = await openCatalogue();
  await app.press('tab', 'tab');
  await app.sees(/key pairs (\d+) of \1 /, {withinMs: 20_000});
  await app.sees(/production-ca +CANADA-1/, {withinMs: 20_000});
  await app.press('n');
  await app.sees('import key pair');
  await app.press(...'night', 'tab', 'tab');
  app.paste('-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU=\n');
  await app.sees('this is a PRIVATE key: never share it');
  await app.press('enter');
  expect(app.text()).toContain('import key pair');
  await app.press('ctrl-u');
  app.paste(`${PUBLIC_KEY} ines@laptop\n`);
  await app.sees('ines@laptop');
  await app.press('enter');
  await app.sees('1: POST /core/keypairs');
  await app.sees(ARMED);
  expect(app.simulator?.executions()).toEqual([]);
  await app.press('y');
  await app.sees('key pairs 11 of 11', {withinMs: 30_000});
  expect(app.simulator?.executions().map(({verb}) => verb)).toEqual(['create-key-pair']);
});

test('says that an environment is not empty before the service has to', PATIENT, async () => {
  const app = await openCatalogue();
  await app.press('tab', 'tab', 'tab');
  await app.sees(/environments (\d+) of \1 /, {withinMs: 20_000});
  await app.sees(/room .* of 250 machines/, {withinMs: 20_000});
  await app.press('X');
  await app.sees(/not empty: 7 machines/);
});

test('adds up no prices of marked rows, which are what one would cost', async () => {
  const app = await openMachines();
  await app.press('8');
  await app.sees(/flavors \d+ of \d+/);
  await app.press('tab', 'tab', 'tab', 'tab');
  await app.sees(/prices \d+ of \d+/);
  await app.press('space', 'space');
  await app.sees('2 marked');
  expect(app.text()).not.toMatch(/2 marked.*\/h/);
});
