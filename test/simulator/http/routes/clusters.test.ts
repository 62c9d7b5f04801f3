import {describe, expect, test} from 'vitest';
import {
  aSimulator,
  MINUTE_MS,
  STARTED_AT,
  type WireCluster,
  type WireEvent,
  type WireRefusal,
} from '../../a-simulator.ts';

type List = {
  readonly page: number | null;
  readonly page_size: number | null;
  readonly count: number;
  readonly clusters: readonly WireCluster[];
};
type Detail = {readonly cluster: WireCluster};

const PATH = '/core/clusters';

describe('the list of clusters', () => {
  test('comes whole with null paging keys, or by pages', async () => {
    const {get} = await aSimulator();
    const {body} = await get<List>(PATH);
    expect(body).toMatchObject({status: true, page: null, page_size: null, count: 2});
    const pages = await Promise.all([1, 2, 3].map(page => get<List>(`${PATH}?page=${page}&pageSize=1`)));
    expect(pages.flatMap(page => page.body.clusters)).toEqual(body.clusters);
    expect((await get(`${PATH}?page=0`)).status).toBe(400);
  });

  test('can be searched by name and id, and filtered by environment', async () => {
    const {get} = await aSimulator();
    const names = async (query: string) =>
      (await get<List>(`${PATH}?${query}`)).body.clusters.map(cluster => cluster.name);
    expect(await names('search=SERVE')).toEqual(['serve']);
    expect(await names('search=1612')).toEqual(['serve']);
    expect(await names('environment=production-no')).toEqual(['embed']);
    expect(await names('environment=nowhere')).toEqual([]);
  });
});

describe('a cluster', () => {
  test('has the documented keys, and so do its nodes and groups', async () => {
    const {get} = await aSimulator();
    const {cluster} = (await get<Detail>(`${PATH}/1612`)).body;
    expect(keysOf(cluster)).toEqual(
      `api_address created_at environment_name environment_region green_status id image is_reconciling keypair_name
       kube_config kubernetes_version master_count master_flavor name node_groups nodes status status_reason`.split(
        /\s+/,
      ),
    );
    expect(keysOf(cluster.nodes[0])).toEqual(
      `created_at id instance is_bastion node_group_id node_group_name requires_public_ip role status status_reason
       updated_at`.split(/\s+/),
    );
    expect(keysOf(cluster.nodes[0]?.instance)).toEqual(
      'contract_id fixed_ip floating_ip floating_ip_status id image_id name status'.split(' '),
    );
    expect(keysOf(cluster.node_groups[0])).toEqual(
      `cluster_id count created_at firewall_ids firewalls flavor id max_count min_count name role
       updated_at`.split(/\s+/),
    );
    expect((await get<List>(PATH)).body.clusters[0]).toEqual(cluster);
  });

  test('has as nodes the machines with its id', async () => {
    const {get, machines} = await aSimulator();
    const fleet = await machines();
    for (const cluster of (await get<List>(PATH)).body.clusters) {
      const members = fleet.filter(machine => machine.cluster_id === cluster.id);
      expect(cluster.nodes.map(({instance: {id, name, status, fixed_ip}}) => [id, name, status, fixed_ip])).toEqual(
        members.map(({id, name, status, fixed_ip}) => [id, name, status, fixed_ip]),
      );
      for (const {kubernetes_version, image} of [cluster]) expect(image.name).toContain(`v${kubernetes_version}`);
    }
  });

  test('has the stated number of workers in each group, and two masters', async () => {
    const {get} = await aSimulator();
    for (const {nodes, node_groups: groups, master_count: masterCount} of (await get<List>(PATH)).body.clusters) {
      for (const group of groups) {
        expect(nodes.filter(node => node.node_group_id === group.id)).toHaveLength(group.count);
      }
      expect(nodes.filter(node => node.role === 'worker').every(node => node.node_group_name !== null)).toBe(true);
      expect([masterCount, nodes.filter(node => node.role === 'master').length]).toEqual([2, 2]);
    }
  });

  test('names the firewalls of its workers', async () => {
    const {get} = await aSimulator();
    const {firewalls} = (await get<{firewalls: {id: number; name: string}[]}>('/core/firewalls')).body;
    const {cluster} = (await get<Detail>(`${PATH}/1612`)).body;
    expect(cluster.node_groups.map(group => group.firewall_ids)).toEqual([
      firewalls.filter(({name}) => name === 'k8s-serve').map(({id}) => id),
    ]);
  });

  test('has a kubeconfig that is clearly simulated', async () => {
    const {get} = await aSimulator();
    const {cluster} = (await get<Detail>(`${PATH}/1612`)).body;
    const text = Buffer.from(cluster.kube_config ?? '', 'base64').toString();
    expect(text).toContain('SIMULATED');
    expect(text).toContain(cluster.api_address);
    expect(text).not.toContain('PRIVATE KEY');
  });

  test.each(['1', 'abc', '99999999999999999999'])('%s does not exist', async id => {
    const {get} = await aSimulator();
    for (const path of [`${PATH}/${id}`, `${PATH}/${id}/events`]) {
      const reply = await get<WireRefusal>(path);
      expect(reply).toMatchObject({status: 404, body: {status: false, error_reason: 'not_found'}});
      expect(reply.body.message).toContain(id);
    }
  });
});

describe("a cluster's events", () => {
  type Events = {readonly cluster_events: readonly (WireEvent & {readonly id: number; readonly cluster_id: number})[]};

  test('start with the creation, are in order, and have an id each', async () => {
    const {get} = await aSimulator();
    const events = (await get<Events>(`${PATH}/1637/events`)).body.cluster_events;
    expect(events.map(({type, reason}) => `${type} ${reason}`)).toEqual([
      'normal ClusterCreationRequest',
      'normal ClusterCreationSuccess',
      'normal ClusterReconcileRequest',
      'error ClusterReconcileFailed',
      'normal ClusterReconcileRequest',
    ]);
    const times = events.map(({time}) => Date.parse(`${time}Z`));
    expect(times).toEqual(times.toSorted((left, right) => left - right));
    expect(times.at(-1)).toBe(STARTED_AT - 12 * MINUTE_MS);
    expect(new Set(events.map(({id}) => id)).size).toBe(events.length);
    for (const event of events) expect(event).toMatchObject({cluster_id: 1637, object: 'embed', org_id: 4217});
  });
});

describe('the options for a new cluster', () => {
  test('lists each version once per region', async () => {
    const {get} = await aSimulator();
    type Versions = {readonly versions: readonly {version: string; region: {name: string}; image: {name: string}}[]};
    const rows = (await get<Versions>(`${PATH}/versions`)).body.versions;
    const pairs = rows.map(({version, region}) => `${version} ${region.name}`);
    expect(new Set(pairs).size).toBe(pairs.length);
    for (const {version, image} of rows) {
      expect(version).toMatch(/^1\.\d+\.\d+$/);
      expect(image.name).toContain(`v${version}`);
    }
    const inNorway = (await get<Versions>(`${PATH}/versions?region=NORWAY-1`)).body.versions;
    expect(inNorway).toEqual(rows.filter(({region}) => region.name === 'NORWAY-1'));
    expect((await get(`${PATH}/versions?region=MARS-1`)).status).toBe(404);
  });

  test('lists three master flavors without a GPU, in both regions', async () => {
    const {get} = await aSimulator();
    type Flavors = {readonly flavors: readonly {name: string; region_name: string; gpu: string; ephemeral: null}[]};
    const {flavors} = (await get<Flavors>(`${PATH}/master-flavors`)).body;
    expect(flavors.map(flavor => `${flavor.name} ${flavor.region_name}`).toSorted()).toEqual([
      'n1-cpu-large CANADA-1',
      'n1-cpu-large NORWAY-1',
      'n1-cpu-medium CANADA-1',
      'n1-cpu-medium NORWAY-1',
      'n1-cpu-small CANADA-1',
      'n1-cpu-small NORWAY-1',
    ]);
    for (const flavor of flavors) expect(flavor).toMatchObject({gpu: '', gpu_count: 0, ephemeral: null});
  });
});

function keysOf(value: object | undefined): string[] {
  return Object.keys(value ?? {}).toSorted();
}
