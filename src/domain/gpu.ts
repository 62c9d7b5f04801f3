import type {SafeText} from './safe-text.ts';
import type {EpochMs} from './time.ts';

/** A GPU model and the regions that have it. */
export type Gpu = {
  readonly id?: number;
  readonly name: SafeText;
  readonly regionNames: readonly SafeText[];
  readonly createdAt?: EpochMs;
  readonly updatedAt?: EpochMs;
};
