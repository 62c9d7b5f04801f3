import {FLAVORS, type Flavor, type RegionName} from './catalogue.ts';
import type {Machine, Status} from './machine.ts';
import {seedFor, unit} from './random.ts';

/** The free GPUs of the cloud: machines of the account take them and give them back. */
export type Stock = {
  /** Takes what is in use now as given; before this call there is room for everything offered. */
  readonly open: () => void;
  readonly hasRoomFor: (flavor: Flavor) => boolean;
  /** How many machines of a flavor could be created. */
  readonly roomFor: (flavor: Flavor) => number;
  readonly freeGpus: (gpu: string, regionName: RegionName) => number;
};

/** Machines without a GPU find room as long as their flavor is offered. */
const CPU_ROOM = 100;
// Other customers have these GPUs.
const HOLDS_NOTHING: ReadonlySet<Status> = new Set<Status>(['HIBERNATED', 'RESTORING', 'DELETED']);

export function createStock(machines: readonly Machine[]): Stock {
  let usedAtStart: ReadonlyMap<string, number> | undefined;

  const usedNow = (gpu: string, regionName: RegionName): number => {
    let used = 0;
    for (const {flavor, status} of machines) {
      if (flavor.gpu !== gpu || flavor.regionName !== regionName || HOLDS_NOTHING.has(status)) continue;
      used += flavor.gpuCount;
    }
    return used;
  };

  const freeGpus = (gpu: string, regionName: RegionName): number => {
    const place = placeOf(gpu, regionName);
    const takenSince = usedAtStart === undefined ? 0 : usedNow(gpu, regionName) - (usedAtStart.get(place) ?? 0);
    return Math.max(0, freeAtStart(place) - takenSince);
  };

  const roomFor = (flavor: Flavor): number => {
    if (!flavor.isInStock) return 0;
    return flavor.gpu === '' ? CPU_ROOM : Math.floor(freeGpus(flavor.gpu, flavor.regionName) / flavor.gpuCount);
  };

  return {
    open: () => {
      usedAtStart = new Map(FLAVORS.map(({gpu, regionName}) => [placeOf(gpu, regionName), usedNow(gpu, regionName)]));
    },
    freeGpus,
    roomFor,
    hasRoomFor: flavor => (usedAtStart === undefined ? flavor.isInStock : roomFor(flavor) > 0),
  };
}

/** Enough for the largest offered flavor, two to six times over. */
function freeAtStart(place: string): number {
  const counts = FLAVORS.filter(flavor => flavor.isInStock && placeOf(flavor.gpu, flavor.regionName) === place);
  const largest = Math.max(0, ...counts.map(({gpuCount}) => gpuCount));
  return Math.floor(largest * (2 + 4 * unit(seedFor(7, place))));
}

function placeOf(gpu: string, regionName: RegionName): string {
  return `${gpu} ${regionName}`;
}
