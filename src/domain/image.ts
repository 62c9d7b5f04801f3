import type {SafeText} from './safe-text.ts';
import type {EpochMs} from './time.ts';

declare const brand: unique symbol;
export type ImageId = number & {readonly [brand]: 'ImageId'};

export function imageId(id: number): ImageId {
  return id as ImageId;
}

/** The initial content of a machine's disk. An image made from a snapshot has the type `Snapshot` and is not public. */
export type Image = {
  readonly id: ImageId;
  readonly name: SafeText;
  readonly regionName?: SafeText;
  readonly imageType?: SafeText;
  readonly version?: SafeText;
  /** In bytes, whereas disks are in GB. */
  readonly sizeBytes?: number;
  readonly displaySize?: SafeText;
  readonly description?: SafeText;
  readonly greenStatus?: SafeText;
  readonly isPublic?: boolean;
  readonly createdAt?: EpochMs;
  readonly labels: readonly SafeText[];
  /** Present only on an image that does not run on every flavor. */
  readonly flavorRestriction?: FlavorRestriction;
};

/** Whether it includes what GPUs need, according to its name or labels. */
export function hasCuda({name, labels}: Pick<Image, 'name'> & Partial<Pick<Image, 'labels'>>): boolean {
  return [name, ...(labels ?? [])].some(text => /cuda/i.test(text));
}

export type FlavorRestriction = {readonly kind?: SafeText; readonly flavorNames: readonly SafeText[]};
