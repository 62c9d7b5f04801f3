import {expect, test} from 'vitest';
import {costCommand} from '../../src/cli/commands/cost.ts';
import {describeCommand} from '../../src/cli/commands/describe.ts';
import {eventsCommand} from '../../src/cli/commands/events.ts';
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

test.each([
  '-1',
  '1e300',
])('a part of a machine with a price of %s leaves the price of the machine as published', async value => {
  const impossible = [price('L40', '2'), {name: 'RAM', value, original_value: 1}];
  const flavors = {
    data: [{gpu: 'L40', flavors: [{id: 5, name: 'n3-L40x1', gpu: 'L40', gpu_count: 1, cpu: 28, ram: 58}]}],
  };
  const {simulator} = await openService({...ANSWERS, '/pricebook': impossible, '/core/flavors': flavors});
  const {stdout} = await run(getCommand, 'flavors --columns name,list', {simulator, env: NOW});
  expect(stdout).toMatch(/^n3-L40x1 +1\.00$/m);
});

const FLAVORS = {data: [{gpu: 'B900', flavors: [{id: 5, name: 'n3-B900x1', gpu: 'B900', gpu_count: 1, cpu: 28}]}]};
const isPriceList = ({path}: {readonly path: string}) => path.startsWith('/pricebook');

test('a table of flavors that shows list prices follows the price list of the account', async () => {
  const {simulator, asked} = await openService({...ANSWERS, '/core/flavors': FLAVORS});
  const {stdout} = await run(getCommand, 'flavors --columns name,list', {simulator, env: NOW});
  expect(stdout).toMatch(/^n3-B900x1 +4\.00$/m);
  expect(asked.filter(isPriceList)).toHaveLength(1);
});

test('the price list is not read for what shows no list prices', async () => {
  const {simulator, asked} = await openService({...ANSWERS, '/core/flavors': FLAVORS});
  for (const args of ['flavors', 'flavors -o json', 'flavors -o yaml', 'vms', 'vms -o json']) {
    const {exitCode} = await run(getCommand, args, {simulator, env: NOW});
    expect(exitCode).toBe(0);
  }
  expect(asked.filter(isPriceList)).toEqual([]);
});

test('a table of list prices without the price list says so, and shows the published ones', async () => {
  const flavors = {data: [{flavors: [{id: 6, name: 'n3-L40x2', gpu: 'L40', gpu_count: 2}]}]};
  const {simulator} = await openService({...ANSWERS, '/core/flavors': flavors, '/pricebook': undefined});
  const {stdout, stderr} = await run(getCommand, 'flavors --columns name,list', {simulator, env: NOW});
  // Two at $1.00 an hour.
  expect(stdout).toMatch(/^n3-L40x2 +2\.00$/m);
  expect(stderr).toContain('the price list of the account is unknown: ');
  expect(stderr).not.toContain('list is unknown: ');
});

test('describe follows the price list of the account', async () => {
  const hibernated = {id: 3, name: 'gpu-3', status: 'HIBERNATED', flavor: {name: 'n3-B900x1', disk: 100}};
  const {simulator} = await openService({
    ...ANSWERS,
    '/core/flavors': FLAVORS,
    '/core/virtual-machines/3': {instance: hibernated},
    // Its 100 GB at a cent each are a dollar an hour.
    '/billing/billing/usage': {data: [aUsedMachine({resource_id: 3, bill_per_minute: '0.0166666667'})]},
  });
  const flavor = await run(describeCommand, 'flavor n3-B900x1', {simulator, env: NOW});
  expect(flavor.stdout).toMatch(/^ +list \$\/h +4\.00$/m);
  const machine = await run(describeCommand, 'vm 3', {simulator, env: NOW});
  expect(machine.stdout).toContain('cost: $1.00/h now');
});

test('the rate that the billing of a hibernated machine began with follows the price list of the account', async () => {
  const flavor = {name: 'n3-B900x1', gpu: 'B900', gpu_count: 1, disk: 100};
  const begun = {create_time: '2026-11-10T12:00:00', bill_per_minute: 0.0001, total_up_time: 600, total_bill: 0.06};
  const {simulator} = await openService({
    ...ANSWERS,
    '/core/virtual-machines': {instances: [{id: 3, name: 'gpu-3', status: 'HIBERNATED', flavor, contract_id: null}]},
    '/billing/billing/usage': {data: [aUsedMachine({resource_id: 3, name: 'gpu-3', ...begun})]},
  });
  const {stdout} = await run(eventsCommand, '', {simulator, env: NOW});
  expect(stdout).toMatch(/billing began .*\+4\.00/);
});
