import {describe, expect, test} from 'vitest';
import {imageNamed, offeredImages} from '../../../src/simulator/world/catalogue.ts';
import {aSimulator, type WireRefusal} from '../a-simulator.ts';

const IMAGES = offeredImages(Date.UTC(2026, 7, 1), false);

type Flavor = {
  readonly id: number;
  readonly name: string;
  readonly display_name: string | null;
  readonly region_name: string;
  readonly cpu: number;
  readonly ram: number;
  readonly disk: number;
  readonly ephemeral: number | null;
  readonly gpu: string;
  readonly gpu_count: number;
  readonly stock_available: boolean;
};
type Groups = {
  readonly data: readonly {readonly gpu: string; readonly region_name: string; readonly flavors: readonly Flavor[]}[];
};

describe('flavors', () => {
  test('are grouped by GPU and region, each group once', async () => {
    const {body} = await (await aSimulator()).get<Groups>('/core/flavors');
    const keys = body.data.map(group => `${group.gpu} ${group.region_name}`);
    expect(new Set(keys).size).toBe(keys.length);
    for (const group of body.data) {
      for (const flavor of group.flavors)
        expect(flavor).toMatchObject({gpu: group.gpu, region_name: group.region_name});
    }
    const ids = body.data.flatMap(group => group.flavors.map(flavor => flavor.id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each(['NORWAY-1', 'CANADA-1', 'US-1'])('can be filtered to %s', async region => {
    const {get} = await aSimulator();
    const all = (await get<Groups>('/core/flavors')).body.data.filter(group => group.region_name === region);
    expect((await get<Groups>(`/core/flavors?region=${region}`)).body.data).toEqual(all);
    expect(all.length).toBeGreaterThan(0);
  });

  test('of an unknown region get 404', async () => {
    const {get} = await aSimulator();
    expect(await get<WireRefusal>('/core/flavors?region=MARS-1')).toMatchObject({
      status: 404,
      body: {error_reason: 'not_found'},
    });
  });

  // As published: vCPUs, and RAM, root disk and ephemeral disk in GB.
  const published: readonly [
    name: string,
    region: string,
    cpu: number,
    ram: number,
    disk: number,
    ephemeral: number | null,
    gpu: string,
    gpuCount: number,
  ][] = [
    ['n1-cpu-small', 'NORWAY-1', 4, 4, 100, 0, '', 0],
    ['n1-cpu-medium', 'CANADA-1', 8, 8, 100, null, '', 0],
    ['n3-L40x1', 'CANADA-1', 28, 58, 100, 725, 'L40', 1],
    ['n3-H100x8', 'CANADA-1', 252, 1440, 100, 6500, 'H100-80G-PCIe', 8],
    ['n3-H100x8-NVLink-K8s', 'CANADA-1', 252, 1440, 6600, null, 'H100-80G-PCIe-NVLink', 8],
    ['n3-RTX-A4000x1', 'NORWAY-1', 6, 24, 100, 0, 'RTX-A4000', 1],
    ['n3-H100-SXM5x8', 'US-1', 192, 960, 100, 6500, 'H100-80G-SXM5', 8],
  ];
  test.each(
    published,
  )('include %s in %s with the published sizes', async (name, region, cpu, ram, disk, ephemeral, gpu, gpuCount) => {
    const {body} = await (await aSimulator()).get<Groups>(`/core/flavors?region=${region}`);
    const flavor = body.data.flatMap(group => group.flavors).find(candidate => candidate.name === name);
    expect(flavor).toMatchObject({display_name: null, cpu, ram, disk, ephemeral, gpu, gpu_count: gpuCount});
  });

  test('are in stock, except for a few', async () => {
    const {body} = await (await aSimulator()).get<Groups>('/core/flavors');
    const missing = body.data.flatMap(group => group.flavors).filter(flavor => !flavor.stock_available);
    expect(missing.map(flavor => flavor.name)).toContain('n3-H100x2');
    expect(missing.length).toBeLessThan(6);
  });
});

describe('environments', () => {
  test('are listed with their regions, and can be searched and read one by one', async () => {
    const {get} = await aSimulator();
    type Environment = {readonly id: number; readonly name: string; readonly region: string};
    const {body} = await get<{environments: readonly Environment[]; page: null; count: number}>('/core/environments');
    expect(body).toMatchObject({page: null, page_size: null, count: 4});
    expect(body.environments.map(environment => environment.name)).toContain('dev sandbox');
    const found = await get<{environments: readonly Environment[]}>('/core/environments?search=norway');
    expect(found.body.environments.every(environment => environment.region === 'NORWAY-1')).toBe(true);
    const [first] = body.environments;
    const one = await get<{environment: Environment}>(`/core/environments/${first?.id}`);
    expect(one.body.environment).toEqual(first);
    expect((await get('/core/environments/1')).status).toBe(404);
  });
});

test.each([
  'Ubuntu Server 24.04 LTS (Noble Numbat)',
  'Ubuntu Server 24.04 LTS R570 CUDA 12.8',
  'Ubuntu Server 24.04 LTS R570 CUDA 12.8 with Docker',
  'Ubuntu Server 22.04 LTS R535 CUDA 12.2',
  'Ubuntu Server 22.04 LTS R535 CUDA 12.2 with Docker',
  'Ubuntu Server 22.04 LTS R550 CUDA 12.4 with Docker',
  'Ubuntu Server 22.04 LTS R570 CUDA 12.8 with Docker',
])('the image %s is offered', name => {
  expect(imageNamed(IMAGES, 'CANADA-1', name)).toMatchObject({name, os: 'Ubuntu'});
});

test('an image is found only in the regions that offer it', () => {
  expect(imageNamed(IMAGES, 'CANADA-1', 'Ubuntu')).toBeUndefined();
  expect(imageNamed(IMAGES, 'CANADA-1', 'infer-base with weights')).toBeDefined();
  expect(imageNamed(IMAGES, 'NORWAY-1', 'infer-base with weights')).toBeUndefined();
});
