import type {SafeText} from './safe-text.ts';

/** A hardware configuration on offer in one region. RAM and disks in GB. */
export type Flavor = {
  readonly id: number;
  readonly name: SafeText;
  readonly regionName?: SafeText;
  readonly cpuCount?: number;
  readonly ramGb?: number;
  readonly rootDiskGb?: number;
  readonly ephemeralDiskGb?: number;
  readonly gpuModel?: SafeText;
  readonly gpuCount?: number;
  readonly isInStock?: boolean;
  readonly hasNoHibernation?: boolean;
  readonly labels: readonly SafeText[];
};
