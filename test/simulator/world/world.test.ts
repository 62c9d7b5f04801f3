import {expect, test} from 'vitest';
import {aSimulator, MINUTE_MS, SECOND_MS} from '../a-simulator.ts';

const READS = [
  '/core/virtual-machines',
  '/core/flavors',
  '/core/environments',
  '/billing/billing/usage',
  '/billing/billing/usage?deleted=true',
  '/billing/user-credit/credit',
  '/auth/organizations',
  '/core/clusters',
  '/core/firewalls',
  '/pricebook/contracts',
  '/core/keypairs',
  '/core/volumes',
  '/core/images',
  '/core/stocks',
  '/core/dashboard',
  '/object-storage/access-keys',
  '/object-storage/buckets',
  '/pricebook',
  '/billing/billing/last-day-cost',
  '/billing/billing/history?start_date=2026-11-01T00:00:00&end_date=2026-12-01T00:00:00&graph=true',
  '/billing/billing/history/virtual-machine?start_date=2026-11-01T00:00:00&end_date=2026-12-01T00:00:00',
  '/auth/roles',
  '/openapi.json',
];

async function trace(seed: number): Promise<string[]> {
  const {get, machine, pass, post} = await aSimulator({seed});
  const {id} = await machine('train-01');
  const texts: string[] = [];
  const look = async (paths: readonly string[]) => {
    for (const path of paths) texts.push((await get(path)).text);
  };
  await look(READS);
  await look([`/core/virtual-machines/${id}/hibernate?retain_ip=true`]);
  pass(13 * SECOND_MS);
  await look([`/core/virtual-machines/${id}/hibernate-restore`, `/core/virtual-machines/${id}/metrics`]);
  const volume = {name: 'v', environment_name: 'research-ca', size: 5, volume_type: 'Cloud-SSD'};
  const created = await post<{volume: {id: number}}>('/core/volumes', volume);
  pass(7 * SECOND_MS);
  const other = await machine('train-04');
  const attached = await post(`/core/virtual-machines/${other.id}/attach-volumes`, {
    volume_ids: [created.body.volume.id],
  });
  const accessKey = await post('/object-storage/access-keys', {region: 'CANADA-1'});
  texts.push(created.text, attached.text, accessKey.text);
  pass(4 * SECOND_MS);
  await look(['/core/volumes']);
  pass(30 * MINUTE_MS);
  await look([...READS, `/core/virtual-machines/${id}/events`, `/core/virtual-machines/${id}/metrics?duration=1d`]);
  return texts;
}

test('returns the same bytes for the same seed and sequence of requests', async () => {
  expect(await trace(11)).toEqual(await trace(11));
});

// Creates every kind of resource and changes some of them at uneven moments.
async function changes(stepMs: number): Promise<string[]> {
  const {get, machine, pass, post, simulator} = await aSimulator({seed: 5});
  const path = `/core/virtual-machines/${(await machine('train-01')).id}`;
  const order = {environment_name: 'research-ca', name: 'probe'};
  const texts: string[] = [];
  const send = async (method: string, to: string, body: object = {}) => {
    texts.push((await post(to, body, {method})).text);
    for (let passed = 0; passed < 17 * SECOND_MS; passed += stepMs) {
      pass(stepMs);
      await get('/auth/me');
    }
  };
  const hardware = {flavor_name: 'n3-A100x1', key_name: 'research-ca-team', count: 2};
  const image = 'Ubuntu Server 24.04 LTS R570 CUDA 12.8';
  await send('POST', '/core/virtual-machines', {...order, ...hardware, image_name: image, assign_floating_ip: true});
  await send('POST', '/core/clusters', {
    ...order,
    keypair_name: 'research-ca-team',
    kubernetes_version: '1.34.3',
    master_flavor_name: 'n1-cpu-medium',
    node_flavor_name: 'n3-A100x1',
    node_count: 3,
  });
  await send('POST', `${path}/attach-floatingip`);
  await send('POST', `${path}/logs`, {length: 20});
  texts.push((await get(`${path}/request-console`)).text);
  await send('POST', '/core/clusters/1612/nodes', {count: 2});
  await send('DELETE', path);
  await send('DELETE', '/core/clusters/1612');
  for (const read of [...READS, '/core/clusters/1702/events']) texts.push((await get(read)).text);
  return [...texts, JSON.stringify(simulator.executions())];
}

test('runs changes the same way each time, in large and in small steps', async () => {
  const whole = await changes(17 * SECOND_MS);
  expect(await changes(17 * SECOND_MS)).toEqual(whole);
  expect(await changes(SECOND_MS)).toEqual(whole);
});

test('returns different metrics for a different seed', async () => {
  const metricsFor = async (seed: number) => {
    const {get, machine} = await aSimulator({seed});
    return (await get(`/core/virtual-machines/${(await machine('train-01')).id}/metrics?duration=1h`)).text;
  };
  expect(await metricsFor(1)).not.toBe(await metricsFor(2));
});

test('does not depend on earlier requests', async () => {
  const [asked, unasked] = [await aSimulator(), await aSimulator()];
  for (const {id} of await asked.machines()) await asked.get(`/core/virtual-machines/${id}/metrics?duration=1d`);
  for (const simulator of [asked, unasked]) simulator.pass(20 * MINUTE_MS);
  const {id} = await unasked.machine('infer-01');
  for (const path of [...READS, `/core/virtual-machines/${id}/metrics`]) {
    expect((await asked.get(path)).text).toBe((await unasked.get(path)).text);
  }
});

test('shows the same state after one large step and after many small ones', async () => {
  const [once, often] = [await aSimulator(), await aSimulator()];
  once.pass(10 * MINUTE_MS);
  for (let step = 0; step < 60; step += 1) {
    often.pass(10 * SECOND_MS);
    await often.get('/auth/me');
  }
  for (const path of READS) expect((await often.get(path)).text).toBe((await once.get(path)).text);
});
