import {expect, test} from 'vitest';
import {costCommand} from '../../src/cli/commands/cost.ts';
import {getCommand} from '../../src/cli/commands/get.ts';
import {triageCommand} from '../../src/cli/commands/triage.ts';
import {run} from './a-command.ts';
import {aUsedMachine, openService} from './a-service.ts';

const NOW = {SKYDECK_NOW: '2026-11-11T00:00:00Z'};
const price = (name: string, value: string) => ({name, value, original_value: value});

/** A volume of 100 GB that is attached to nothing and not metered, and a machine at $6 an hour that is created. */
const ANSWERS = {
  '/billing/billing/usage': {data: [aUsedMachine(), aUsedMachine({resource_id: 2, bill_per_minute: 0})]},
  '/core/virtual-machines': {
    instances: [
      {id: 1, name: 'gpu-1', status: 'ACTIVE'},
      {id: 2, name: 'gpu-2', status: 'CREATING', flavor: {name: 'n3-B900x1', gpu: 'B900', gpu_count: 1}},
    ],
  },
  '/core/volumes': {
    volumes: [{id: 8, name: 'scratch', status: 'available', size: 100, created_at: '2026-10-01T00:00:00'}],
  },
  '/billing/user-credit/credit': {data: {credit: 100}},
  // A GB at a cent and a GPU at $4 an hour.
  '/pricebook': [price('Cloud-SSD', '0.01'), price('B900', '4')],
};

test('waste and runway of a cost report follow the price list of the account', async () => {
  const {simulator} = await openService(ANSWERS);
  const {stdout} = await run(costCommand, '-o json --metrics none', {simulator, env: NOW});
  const {waste, runway} = JSON.parse(stdout);
  const volume = waste.find(({kind}: {kind: string}) => kind === 'unattached-volume');
  expect(volume.perHourMicrousd).toBe(1_000_000);
  // $100 at $6 and $4 an hour.
  expect(runway).toMatchObject({endsAt: '2026-11-11T10:00:00Z'});
});

test('findings follow the price list of the account', async () => {
  const {simulator} = await openService(ANSWERS);
  const {stdout} = await run(triageCommand, '-o json --metrics none', {simulator, env: NOW});
  const {findings} = JSON.parse(stdout);
  expect(findings.find(({rule}: {rule: string}) => rule === 'unattached-volume')).toMatchObject({
    perHourMicrousd: 1_000_000,
  });
});

test('a price list that cannot be read is said to be unknown', async () => {
  const {simulator} = await openService({...ANSWERS, '/pricebook': undefined});
  const {stderr} = await run(costCommand, '-o json --metrics none', {simulator, env: NOW});
  expect(stderr).toContain('the price list of the account is unknown: ');
});

test('an impossible price is not used, and the list of prices says so', async () => {
  const impossible = [price('Cloud-SSD', '1e11'), price('B900', '4')];
  const {simulator} = await openService({...ANSWERS, '/pricebook': impossible});
  const {stdout} = await run(costCommand, '-o json --metrics none', {simulator, env: NOW});
  const volume = JSON.parse(stdout).waste.find(({kind}: {kind: string}) => kind === 'unattached-volume');
  // 100 GB at the published price of $0.000096774 an hour.
  expect(volume.perHourMicrousd).toBe(9677);
  const {stderr} = await run(getCommand, 'prices', {simulator, env: NOW});
  expect(stderr).toContain('1 of 2 records could not be read completely: value, original_value');
});
