import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openAccount} from '../../src/cli/account.ts';
import {printOverview} from '../../src/cli/commands/overview.ts';
import {openHome} from '../support/program.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';
import {commandIo, type Surroundings} from './a-command.ts';
import {aUsedMachine, openService} from './a-service.ts';

test.each([
  ['for what is running', {bill_per_minute: null, total_bill: 720}, /^this month {2}\$720\.00(?: {2}|$)/m],
  ['or bill at all', {bill_per_minute: null, total_bill: null}, /^this month {2}unknown$/m],
])('reports the figures as unknown, not $0.00, when the usage has no rate %s', async (_, figures, month) => {
  const {simulator} = await openService({
    '/billing/billing/usage': {data: [aUsedMachine(figures)]},
    '/core/virtual-machines': {status: true, instances: []},
  });
  const {stdout} = await overview({simulator, env: {SKYDECK_NOW: '2026-11-11T00:00:00Z'}});
  expect(stdout).toMatch(/^burn rate {3}unknown {2}\(1 unpriced\)$/m);
  expect(stdout).toMatch(month);
});

test('counts a machine that is excluded from billing as free, not as one of unknown rate', async () => {
  const {simulator} = await openService({
    '/billing/billing/usage': {data: [aUsedMachine(), aUsedMachine({resource_id: 2, exclude_billing: true})]},
    '/core/virtual-machines': {
      status: true,
      instances: [1, 2].map(id => ({id, name: `gpu-${id}`, status: 'ACTIVE', created_at: '2026-11-06T00:00:00'})),
    },
  });
  const {stdout} = await overview({simulator, env: {SKYDECK_NOW: '2026-11-11T00:00:00Z'}});
  // $0.10 a minute.
  expect(stdout).toMatch(/ACTIVE +│ +2 │ +6\.00 │/);
});

test('gives the runway with what a machine that is created will cost by the price list of the account', async () => {
  const {simulator} = await openService({
    '/billing/billing/usage': {data: [aUsedMachine(), aUsedMachine({resource_id: 2, bill_per_minute: 0})]},
    '/core/virtual-machines': {
      instances: [
        {id: 1, name: 'gpu-1', status: 'ACTIVE', floating_ip: null},
        {
          id: 2,
          name: 'gpu-2',
          status: 'CREATING',
          flavor: {name: 'n3-B900x1', gpu: 'B900', gpu_count: 1},
          floating_ip: null,
        },
      ],
    },
    '/billing/user-credit/credit': {data: {credit: 105}},
    '/pricebook': [{name: 'B900', value: '4', original_value: '4'}],
  });
  const {stdout} = await overview({simulator, env: {SKYDECK_NOW: '2026-11-11T00:00:00Z'}});
  // $105 at $6 and $4 an hour; without a price of the new machine it would be at most 17 hours.
  expect(stdout).toMatch(/^credit {6}\$105\.00 {2}runway 10h/m);
});

test('uses plain characters when the locale has no others', async () => {
  const simulator = await openSimulator({speed: 0.01});
  const {stdout} = await overview({simulator, terminal: {isUtf8: false}});
  expect(stdout).toMatch(/ACTIVE +\| +35 \|/);
  expect(stdout).not.toContain('│');
});

test('says that a new account is empty', async () => {
  const simulator = await openSimulator({scenario: 'empty'});
  const {stdout, stderr, exitCode} = await overview({simulator});
  expect({stderr, exitCode}).toEqual({stderr: '', exitCode: 0});
  expect(stdout).toMatch(/^burn rate +\$0\.00\/h$/m);
  expect(stdout).toMatch(/^credit +\$25\.00 {2}runway no end, nothing is billed$/m);
  expect(stdout).toMatch(/^machines +none$/m);
});

test('reports as unknown what the service does not give, says why, and exits with 0', async () => {
  const simulator = await openSimulator({speed: 0.01, faults: ['status=500,match=GET /billing/*']});
  const {stdout, stderr, exitCode} = await overview({simulator});
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^burn rate +unknown$/m);
  expect(stdout).toMatch(/^this month +unknown$/m);
  expect(stdout).toMatch(/^credit +unknown$/m);
  expect(stdout).toMatch(/ACTIVE +│ +35 │ +unknown │/);
  expect(stdout).not.toContain('$0.00');
  expect(stderr).toMatch(/^skydeck: usage: the service failed \(500\)/m);
  expect(stderr).toMatch(/^skydeck: credit: the service failed \(500\)/m);
});

test('says what a key may not see', async () => {
  const simulator = await openSimulator();
  const {stdout, stderr, exitCode} = await overview({simulator: {...simulator, apiKey: simulator.keys.member}});
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^burn rate +unknown$/m);
  expect(stderr).toMatch(/^skydeck: usage: this key may not do that \(403\)/m);
});

test('goes by the credit of the settings where the service does not say it, and says whose it is', async () => {
  const simulator = await openSimulator({scenario: 'calm', faults: ['status=403,match=GET *credit*']});
  const home = openHome();
  writeFileSync(join(home.path, 'config', 'settings.json'), JSON.stringify({creditUsd: 1234.5}), {mode: 0o600});
  const {stdout} = await overview({simulator, home});
  expect(stdout).toMatch(/credit +\$1,234\.50 from your settings +runway \d+[hd]/);
});

test('ends with 6 and an empty output when nothing answers', async () => {
  const simulator = await openSmallCloud();
  await simulator.close();
  const {stdout, stderr, exitCode} = await overview({simulator});
  expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 6});
  expect(stderr).toMatch(/^skydeck: machines: /m);
  expect(stderr).not.toMatch(/ {4}at /);
});

test('ends with 3 when the key is not accepted', async () => {
  const simulator = await openSmallCloud();
  const {stdout, stderr, exitCode} = await overview({simulator: {...simulator, apiKey: 'not-a-key-of-anybody'}});
  expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 3});
  expect(stderr).toContain('the key or its role was not accepted (401)');
});

test('prints what arrived within five seconds when some answers never come', async () => {
  const simulator = await openSimulator({speed: 0.01, faults: ['kind=latency:30s,match=GET /billing/*']});
  const {stdout, stderr, exitCode} = await overview({simulator});
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^burn rate +unknown$/m);
  expect(stdout).toMatch(/ACTIVE +│ +35 │/);
  expect(stderr).toMatch(/^skydeck: usage: timed out after 5 s$/m);
});

async function overview(place: Surroundings) {
  const {io, stdout, stderr} = commandIo(place);
  const opened = await openAccount(io, {color: false});
  if (!opened.ok) throw new Error(opened.mistake);
  const exitCode = await printOverview(io, opened.account);
  return {exitCode, stdout: stdout(), stderr: stderr()};
}
