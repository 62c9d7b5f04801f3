/** What an account keeps in object storage. Sizes in gigabytes. */
type BucketRow = readonly [name: string, daysAgo: number, objectCount: number, sizeGb: number];
type AccessKeyRow = readonly [description: string | null, daysAgo: number];

export const BUCKETS: readonly BucketRow[] = [
  ['checkpoints', 148.2, 18_204, 41_380.25],
  ['datasets-raw', 131.7, 2_481_907, 96_112.5],
  ['ci-artifacts', 96.4, 310_552, 812.75],
  ['nightly-backups.postgres-main.production', 83.1, 742, 5_630],
  ['model-weights-of-everything-that-was-ever-released-to-customers', 40.8, 96, 2_204.5],
  ['scratch', 3.2, 0, 0],
];

export const ACCESS_KEYS: readonly AccessKeyRow[] = [
  ['training jobs', 148.1],
  ['CI', 96.4],
  ['nightly backups of postgres-main', 83],
  [null, 52.6],
  ['佐藤のノートパソコン', 20.3],
];
