import * as account from './account.ts';
import * as billing from './billing.ts';
import * as clusters from './clusters.ts';
import * as contracts from './contracts.ts';
import * as dashboard from './dashboard.ts';
import type {Endpoint} from './endpoint.ts';
import * as environments from './environments.ts';
import * as firewalls from './firewalls.ts';
import * as flavors from './flavors.ts';
import * as gpus from './gpus.ts';
import * as images from './images.ts';
import * as keyPairs from './key-pairs.ts';
import * as machineJobs from './machine-jobs.ts';
import * as objectStorage from './object-storage.ts';
import * as priceBook from './price-book.ts';
import * as regions from './regions.ts';
import * as stocks from './stocks.ts';
import * as machines from './virtual-machines.ts';
import * as volumes from './volumes.ts';

/**
 * Every endpoint skydeck uses, by path, from all resource files. Tests walk it, and the README's table is made from it.
 */
export const ENDPOINTS: readonly Endpoint[] = [
  account,
  billing,
  clusters,
  contracts,
  dashboard,
  environments,
  firewalls,
  flavors,
  gpus,
  images,
  keyPairs,
  machineJobs,
  objectStorage,
  priceBook,
  regions,
  stocks,
  machines,
  volumes,
]
  .flatMap(file => Object.values<unknown>(file).filter(isEndpoint))
  .sort((left, right) => compare(left.template, right.template) || compare(left.method, right.method));

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'effect' in value && 'template' in value;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
