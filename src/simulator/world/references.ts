import type {Image, RegionName} from './catalogue.ts';
import type {OfferedImage} from './images.ts';
import type {KeyPair} from './key-pairs.ts';
import type {Environment} from './machine.ts';

/** What new machines and clusters name without holding it: key pairs of an environment, images of a region. */
export type References = {
  readonly hasKeyPair: (environment: Environment, name: string) => boolean;
  readonly imageNamed: (regionName: RegionName, name: string) => Image | undefined;
};

/** Both are looked up when they are named: key pairs come and go. */
export function createReferences(
  keyPairs: readonly Pick<KeyPair, 'environment' | 'name'>[],
  images: readonly Pick<OfferedImage, 'name' | 'region' | 'image'>[],
): References {
  return {
    hasKeyPair: (environment, name) =>
      keyPairs.some(keyPair => keyPair.environment.id === environment.id && keyPair.name === name),
    imageNamed: (regionName, name) =>
      images.find(({name: offered, region}) => offered === name && region.name === regionName)?.image,
  };
}
