// What the cloud offers: regions, flavors with their list prices (published 2026-08-26), images.

export type RegionName = 'NORWAY-1' | 'CANADA-1' | 'US-1';

export type Region = {
  readonly id: number;
  readonly name: RegionName;
  readonly country: string;
  readonly greenStatus: 'GREEN' | 'PARTIALLY_GREEN' | 'NOT_GREEN';
};

export const REGIONS: readonly Region[] = [
  {id: 1, name: 'NORWAY-1', country: 'NO', greenStatus: 'GREEN'},
  {id: 2, name: 'CANADA-1', country: 'CA', greenStatus: 'GREEN'},
  {id: 3, name: 'US-1', country: 'US', greenStatus: 'NOT_GREEN'},
];

/** Money is counted in whole nano-dollars: every published price is a whole number of them. */
export const NANO_PER_DOLLAR = 1_000_000_000;
export const STORAGE_NANO_PER_GB_HOUR = 96_774;
export const PUBLIC_IP_NANO_PER_HOUR = 6_720_430;

export type Flavor = {
  readonly id: number;
  readonly name: string;
  readonly regionName: RegionName;
  /** Empty for a machine without a GPU. */
  readonly gpu: string;
  readonly gpuCount: number;
  readonly cpuCount: number;
  readonly ramGb: number;
  readonly diskGb: number;
  readonly ephemeralGb: number | null;
  readonly nanoPerHour: number;
  readonly isInStock: boolean;
  readonly isNetworkOptimised: boolean;
  readonly canHibernate: boolean;
  readonly labels: readonly {readonly id: number; readonly label: string}[];
};

export type Image = {readonly id: number; readonly name: string; readonly os: string};

type FlavorRow = readonly [
  name: string,
  regions: string,
  gpu: string,
  gpuCount: number,
  cpuCount: number,
  ramGb: number,
  diskGb: number,
  ephemeralGb: number | null,
  dollarsPerHour: number,
];

const FLAVOR_ROWS: readonly FlavorRow[] = [
  ['n1-cpu-small', 'NO CA', '', 0, 4, 4, 100, 0, 0.35],
  ['n1-cpu-medium', 'NO CA', '', 0, 8, 8, 100, null, 0.65],
  ['n1-cpu-large', 'NO CA', '', 0, 16, 16, 200, 0, 1.3],
  ['n1-cpu-xlarge', 'CA', '', 0, 16, 32, 100, 0, 1.9],
  ['n1-cpu-xxlarge', 'CA', '', 0, 32, 64, 100, 0, 3.74],
  ['n3-RTX-A4000x1', 'NO', 'RTX-A4000', 1, 6, 24, 100, 0, 0.15],
  ['n3-RTX-A4000x4', 'NO', 'RTX-A4000', 4, 24, 96, 100, 0, 0.6],
  ['n3-RTX-A6000x1', 'CA NO', 'RTX-A6000', 1, 28, 58, 100, 0, 0.5],
  ['n3-RTX-A6000x2', 'CA NO', 'RTX-A6000', 2, 60, 116, 100, 200, 1],
  ['n3-RTX-A6000x4', 'CA NO', 'RTX-A6000', 4, 124, 232, 100, 650, 2],
  ['n3-RTX-A6000x8', 'CA NO', 'RTX-A6000', 8, 252, 464, 100, 1400, 4],
  ['n3-L40x1', 'CA', 'L40', 1, 28, 58, 100, 725, 1],
  ['n3-L40x2', 'CA', 'L40', 2, 60, 116, 100, 1550, 2],
  ['n3-L40x4', 'CA', 'L40', 4, 124, 232, 100, 3200, 4],
  ['n3-L40x8', 'CA', 'L40', 8, 252, 464, 100, 6500, 8],
  ['n3-A100x1', 'CA NO', 'A100-80G-PCIe', 1, 28, 120, 100, 750, 1.35],
  ['n3-A100x2', 'CA NO', 'A100-80G-PCIe', 2, 60, 240, 100, 1500, 2.7],
  ['n3-A100x4', 'CA NO', 'A100-80G-PCIe', 4, 124, 480, 100, 3200, 5.4],
  ['n3-A100x8', 'CA NO', 'A100-80G-PCIe', 8, 252, 1440, 100, 6500, 10.8],
  ['n3-A100x8-NVLink', 'CA', 'A100-80G-PCIe-NVLink', 8, 252, 1920, 100, 6500, 11.2],
  ['n3-H100x1', 'CA', 'H100-80G-PCIe', 1, 28, 180, 100, 750, 2.5],
  ['n3-H100x2', 'CA', 'H100-80G-PCIe', 2, 60, 360, 100, 1500, 5],
  ['n3-H100x4', 'CA', 'H100-80G-PCIe', 4, 124, 720, 100, 3200, 10],
  ['n3-H100x8', 'CA', 'H100-80G-PCIe', 8, 252, 1440, 100, 6500, 20],
  ['n3-H100x8-NVLink', 'CA', 'H100-80G-PCIe-NVLink', 8, 252, 1440, 100, 6500, 20.8],
  ['n3-H100x8-NVLink-K8s', 'CA', 'H100-80G-PCIe-NVLink', 8, 252, 1440, 6600, null, 20.8],
  ['n3-H100-SXM5x8', 'US CA', 'H100-80G-SXM5', 8, 192, 960, 100, 6500, 25.6],
  ['n3-H200-SXM5x8', 'CA', 'H200-141G-SXM5', 8, 176, 1800, 100, 6500, 31.92],
  ['n3-RTX-A6000x1-spot', 'CA', 'RTX-A6000', 1, 28, 58, 100, 0, 0.4],
  ['n3-A100x1-spot', 'CA', 'A100-80G-PCIe', 1, 28, 120, 100, 750, 1.08],
];

const OUT_OF_STOCK: ReadonlySet<string> = new Set([
  'n3-H200-SXM5x8 CANADA-1',
  'n3-A100x8 NORWAY-1',
  'n3-H100x2 CANADA-1',
  'n3-L40x8 CANADA-1',
]);
const FIRST_FLAVOR_ID = 97;
const REGION_BY_COUNTRY: Readonly<Record<string, RegionName>> = {NO: 'NORWAY-1', CA: 'CANADA-1', US: 'US-1'};

export const FLAVORS: readonly Flavor[] = FLAVOR_ROWS.flatMap((row, rowIndex) =>
  row[1].split(' ').map((country, regionIndex) => flavorOf(row, country, FIRST_FLAVOR_ID + rowIndex * 3 + regionIndex)),
);

export const IMAGES: readonly [Image, ...Image[]] = [
  {id: 2011, name: 'Ubuntu Server 24.04 LTS R570 CUDA 12.8 with Docker', os: 'Ubuntu'},
  {id: 2010, name: 'Ubuntu Server 24.04 LTS R570 CUDA 12.8', os: 'Ubuntu'},
  {id: 1987, name: 'Ubuntu Server 22.04 LTS R535 CUDA 12.2 with Docker', os: 'Ubuntu'},
  {id: 1990, name: 'Ubuntu Server 22.04 LTS R550 CUDA 12.4 with Docker', os: 'Ubuntu'},
];
export const PLAIN_IMAGE: Image = {id: 2003, name: 'Ubuntu Server 24.04 LTS (Noble Numbat)', os: 'Ubuntu'};
/** The Kubernetes versions for new clusters, newest first. */
export const KUBERNETES_VERSIONS: readonly string[] = ['1.35.1', '1.34.3', '1.33.7', '1.32.11'];

/** What the nodes of a cluster of that version run. */
export function kubernetesImage(version: string): Image {
  const id = 2040 - KUBERNETES_VERSIONS.indexOf(version);
  return {id, name: `Ubuntu 24.04 LTS Hyperstack Kubernetes v${version}`, os: 'Ubuntu'};
}

/** The flavor with that name in that region, if it is offered. */
export function flavorOnOffer(name: string, regionName: RegionName): Flavor | undefined {
  return FLAVORS.find(flavor => flavor.name === name && flavor.regionName === regionName);
}

/** The same, for scenarios: asking for one that is not offered is a mistake of ours. */
export function flavorNamed(name: string, regionName: RegionName): Flavor {
  const flavor = flavorOnOffer(name, regionName);
  if (flavor === undefined) throw new Error(`No flavor ${name} in ${regionName}.`);
  return flavor;
}

function flavorOf(row: FlavorRow, country: string, id: number): Flavor {
  const [name, , gpu, gpuCount, cpuCount, ramGb, diskGb, ephemeralGb, dollarsPerHour] = row;
  const regionName = REGION_BY_COUNTRY[country] ?? 'CANADA-1';
  const canHibernate = isHibernationOffered(name, regionName, gpu);
  return {
    id,
    name,
    regionName,
    gpu,
    gpuCount,
    cpuCount,
    ramGb,
    diskGb,
    ephemeralGb,
    nanoPerHour: Math.round(dollarsPerHour * NANO_PER_DOLLAR),
    isInStock: !OUT_OF_STOCK.has(`${name} ${regionName}`),
    isNetworkOptimised: /H100|H200|NVLink|xlarge/.test(name),
    canHibernate,
    // As the live samples: neither a flag nor a label says that a flavor without a GPU cannot hibernate.
    labels: canHibernate || gpu === '' ? [] : [{id: 12, label: 'no-hibernation'}],
  };
}

// The provider's list of flavors that cannot hibernate: A4000, no GPU at all, SXM5 in US-1, the large root disks of the
// Kubernetes flavors.
function isHibernationOffered(name: string, regionName: RegionName, gpu: string): boolean {
  if (gpu === '' || gpu === 'RTX-A4000' || name.endsWith('-K8s')) return false;
  return !(gpu === 'H100-80G-SXM5' && regionName === 'US-1');
}

/** An image as one region offers it: the same system has a different id in each. */
export type OfferedImage = {
  readonly id: number;
  readonly name: string;
  readonly region: Region;
  readonly type: string;
  readonly version: string;
  readonly sizeGib: number;
  readonly isPublic: boolean;
  readonly labels: readonly string[];
  /** What a private image was made from. */
  readonly snapshot: {readonly id: number; readonly name: string} | undefined;
  readonly createdAt: number;
  /** The operating system. */
  readonly image: Image;
};

const REGION_STEP = 200;
/** The ids in the catalogue are those of this region. */
const FIRST_REGION_ID = 2;
const PLAIN_SIZE_GIB = 25;
const SIZE_GIB = 100;
const IMAGES_LISTED_SINCE = Date.UTC(2026, 1, 3, 9);
const DAY_MS = 86_400_000;
const SNAPSHOT_AGE_DAYS = 12;

const FURTHER: readonly Image[] = [
  {id: 1986, name: 'Ubuntu Server 22.04 LTS R535 CUDA 12.2', os: 'Ubuntu'},
  {id: 1996, name: 'Ubuntu Server 22.04 LTS R570 CUDA 12.8 with Docker', os: 'Ubuntu'},
];

/** Images offered to everybody, and those the organization made for itself. */
export function offeredImages(startedAt: number, isNewAccount: boolean): OfferedImage[] {
  const kubernetes = KUBERNETES_VERSIONS.map(kubernetesImage);
  const systems = [PLAIN_IMAGE, ...IMAGES, ...FURTHER, ...kubernetes];
  const shared = REGIONS.flatMap(region =>
    systems.map(image => publicImage(image, region, kubernetes.includes(image) ? ['k8s'] : [])),
  );
  return isNewAccount ? shared : [...shared, ownImage(startedAt)];
}

/** The image a region offers under that name. */
export function imageNamed(images: readonly OfferedImage[], regionName: RegionName, name: string): Image | undefined {
  return images.find(({name: offered, region}) => offered === name && region.name === regionName)?.image;
}

function publicImage(image: Image, region: Region, labels: readonly string[]): OfferedImage {
  return {
    id: image.id + (region.id - FIRST_REGION_ID) * REGION_STEP,
    name: image.name,
    region,
    type: image.os,
    version: image.name.replace(/^Ubuntu (?:Server )?/, ''),
    sizeGib: image === PLAIN_IMAGE ? PLAIN_SIZE_GIB : SIZE_GIB,
    isPublic: true,
    labels,
    snapshot: undefined,
    createdAt: IMAGES_LISTED_SINCE,
    image,
  };
}

function ownImage(startedAt: number): OfferedImage {
  const region = REGIONS.find(({name}) => name === 'CANADA-1') ?? REGIONS[0];
  if (region === undefined) throw new Error('There is no region.');
  const image = {id: 2561, name: 'infer-base with weights', os: 'Ubuntu'};
  return {
    ...publicImage(image, region, ['team=serving']),
    type: 'Snapshot',
    isPublic: false,
    snapshot: {id: 4410, name: 'infer-01 before the upgrade'},
    createdAt: Math.floor((startedAt - SNAPSHOT_AGE_DAYS * DAY_MS) / 1000) * 1000,
  };
}
