import {IMAGES, type Image, PLAIN_IMAGE, type RegionName} from './catalogue.ts';
import type {Cluster} from './cluster.ts';
import type {Environment, Machine} from './machine.ts';

/** What new machines and clusters name without holding it: key pairs of an environment, images of a region. */
export type References = {
  readonly hasKeyPair: (environment: Environment, name: string) => boolean;
  readonly imageNamed: (regionName: RegionName, name: string) => Image | undefined;
};

/** Images on offer that no machine of the scenarios was made from. */
const UNUSED_IMAGES: readonly Image[] = [
  {id: 1986, name: 'Ubuntu Server 22.04 LTS R535 CUDA 12.2', os: 'Ubuntu'},
  {id: 2008, name: 'Ubuntu Server 22.04 LTS R570 CUDA 12.8 with Docker', os: 'Ubuntu'},
];

/** A key pair is there when something in its environment was made with it; the images are the same in every region. */
export function createReferences(
  machines: readonly Pick<Machine, 'environment' | 'keyPairName'>[],
  clusters: readonly Pick<Cluster, 'environment' | 'keyPairName'>[],
): References {
  const images = [PLAIN_IMAGE, ...IMAGES, ...UNUSED_IMAGES];
  return {
    hasKeyPair: (environment, name) =>
      [...machines, ...clusters].some(
        owner => owner.environment.id === environment.id && owner.keyPairName.toLowerCase() === name.toLowerCase(),
      ),
    imageNamed: (_regionName, name) => images.find(image => image.name === name),
  };
}
