import {describe, expect, test} from 'vitest';
import {aSimulator, found} from '../../a-simulator.ts';

type Image = {
  readonly id: number;
  readonly name: string;
  readonly region_name: string;
  readonly type: string;
  readonly size: number;
  readonly display_size: string;
  readonly snapshot: object | null;
  readonly is_public: boolean;
  readonly labels: readonly {readonly label: string}[];
};
type List = {
  readonly images: readonly {readonly region_name: string; readonly type: string; readonly images: readonly Image[]}[];
};

const PATH = '/core/images';

describe('the list of images', () => {
  test('is grouped by region and type, with the key images for groups and for images', async () => {
    const {get} = await aSimulator();
    const {body} = await get<List>(PATH);
    expect(body.images.map(({region_name: region, type}) => `${region} ${type}`)).toEqual([
      'NORWAY-1 Ubuntu',
      'CANADA-1 Ubuntu',
      'US-1 Ubuntu',
      'CANADA-1 Snapshot',
    ]);
    expect(Object.keys(body.images[0] ?? {})).toEqual(['region_name', 'green_status', 'type', 'logo', 'images']);
    const all = body.images.flatMap(({images}) => images);
    expect(new Set(all.map(({id}) => id)).size).toBe(all.length);
    expect(Object.keys(all[0] ?? {})).toEqual([
      'id',
      'name',
      'region_name',
      'type',
      'version',
      'size',
      'display_size',
      'description',
      'snapshot',
      'is_public',
      'created_at',
      'labels',
      'flavor_restrictions',
    ]);
  });

  test('has the published names and sizes', async () => {
    const {get} = await aSimulator();
    const all = (await get<List>(`${PATH}?region=CANADA-1`)).body.images.flatMap(({images}) => images);
    const sizes = new Map(all.map(({name, size, display_size: shown}) => [name, [size / 2 ** 30, shown]]));
    expect(sizes.get('Ubuntu Server 24.04 LTS (Noble Numbat)')).toEqual([25, '25 GiB']);
    expect(sizes.get('Ubuntu Server 22.04 LTS R570 CUDA 12.8 with Docker')).toEqual([100, '100 GiB']);
    const kubernetes = found(all, ({name}) => name === 'Ubuntu 24.04 LTS Hyperstack Kubernetes v1.35.1', 'image');
    expect(kubernetes.labels.map(({label}) => label)).toEqual(['k8s']);
  });

  test('has every image that machines use', async () => {
    const {get} = await aSimulator();
    const {body} = await get<{instances: {image: {name: string}; environment: {region: string}}[]}>(
      '/core/virtual-machines',
    );
    const all = (await get<List>(PATH)).body.images.flatMap(({images}) => images);
    const offered = new Set(all.map(({name, region_name: region}) => `${name} in ${region}`));
    for (const {image, environment} of body.instances)
      expect(offered).toContain(`${image.name} in ${environment.region}`);
  });

  test('can be filtered to private ones, searched by name, filtered by region, and paged', async () => {
    const {get} = await aSimulator();
    const own = (await get<List>(`${PATH}?include_public=false`)).body.images.flatMap(({images}) => images);
    expect(own).toMatchObject([{type: 'Snapshot', is_public: false, snapshot: {id: expect.any(Number)}}]);
    const cuda = (await get<List>(`${PATH}?search=cuda%2012.2&region=US-1`)).body.images;
    expect(cuda.flatMap(({images}) => images)).toHaveLength(2);
    const pages = await Promise.all([1, 2].map(page => get<List>(`${PATH}?page=${page}&per_page=4`)));
    const whole = (await get<List>(PATH)).body.images.flatMap(({images}) => images);
    const paged = pages.flatMap(({body}) => body.images.flatMap(({images}) => images));
    expect(paged).toEqual(whole.slice(0, 8));
  });

  test.each(['per_page=0', 'page=x', 'include_public=perhaps'])('refuses %s with 406', async query => {
    const {get} = await aSimulator();
    const reply = await get<object>(`${PATH}?${query}`);
    expect([reply.status, Object.keys(reply.body)]).toEqual([406, ['status', 'message']]);
  });

  test('has no private image in a new account', async () => {
    const {get} = await aSimulator({scenario: 'empty'});
    expect((await get<List>(`${PATH}?include_public=false`)).body.images).toEqual([]);
  });
});

describe('one image', () => {
  test('comes without an envelope, and with its machines on request', async () => {
    const {get, machines} = await aSimulator();
    const all = (await get<List>(`${PATH}?region=CANADA-1`)).body.images.flatMap(({images}) => images);
    const plain = found(all, ({name}) => name.includes('Noble Numbat'), 'plain image');
    expect((await get(`${PATH}/${plain.id}`)).body).toEqual({image: plain});
    const {body} = await get<{image: {related_vms: {name: string}[]}}>(`${PATH}/${plain.id}?include_related_vms=true`);
    const bastion = found(await machines(), ({name}) => name === 'bastion', 'bastion');
    expect(body.image.related_vms.map(({name}) => name)).toContain(bastion.name);
    expect(await get(`${PATH}/1`)).toMatchObject({status: 404, body: {error_reason: 'not_found'}});
  });
});
