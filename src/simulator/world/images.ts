import {
  IMAGES as COMMON_IMAGES,
  type Image,
  KUBERNETES_VERSIONS,
  kubernetesImage,
  PLAIN_IMAGE,
  REGIONS,
  type Region,
} from './catalogue.ts';

/** An image as a region offers it: the same system has another number in each. */
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
  /** The system itself. */
  readonly image: Image;
};

const REGION_STEP = 200;
/** Numbers in the catalogue are those of this region. */
const FIRST_REGION_ID = 2;
const PLAIN_SIZE_GIB = 25;
const SIZE_GIB = 100;
const LISTED_SINCE = Date.UTC(2026, 1, 3, 9);
const DAY_MS = 86_400_000;
const SNAPSHOT_AGE_DAYS = 12;

const FURTHER: readonly Image[] = [
  {id: 1986, name: 'Ubuntu Server 22.04 LTS R535 CUDA 12.2', os: 'Ubuntu'},
  {id: 1996, name: 'Ubuntu Server 22.04 LTS R570 CUDA 12.8 with Docker', os: 'Ubuntu'},
];

/** What is on offer to everybody, and what the organization made for itself. */
export function offeredImages(startedAt: number, isNewAccount: boolean): OfferedImage[] {
  const kubernetes = KUBERNETES_VERSIONS.map(kubernetesImage);
  const systems = [PLAIN_IMAGE, ...COMMON_IMAGES, ...FURTHER, ...kubernetes];
  const shared = REGIONS.flatMap(region =>
    systems.map(image => publicImage(image, region, kubernetes.includes(image) ? ['k8s'] : [])),
  );
  return isNewAccount ? shared : [...shared, ownImage(startedAt)];
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
    createdAt: LISTED_SINCE,
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
