import {notFound, succeeded} from '../answer.ts';
import {FLAVORS, type Flavor, REGIONS} from '../catalogue.ts';
import type {Route} from '../route.ts';
import {zuluTimestamp} from '../timestamps.ts';
import {flavorFeatures} from './features.ts';

const LISTED_SINCE = Date.UTC(2025, 2, 11, 9, 30);

export const flavorRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/core/flavors',
    answer: ({query}) => {
      const regionName = query('region');
      if (regionName !== undefined && !REGIONS.some(region => region.name === regionName)) {
        return notFound(`The region ${regionName} does not exist.`);
      }
      const wanted = FLAVORS.filter(flavor => regionName === undefined || flavor.regionName === regionName);
      return succeeded('Getting flavors successful', {data: grouped(wanted)});
    },
  },
];

/** One group for each GPU model and region, in the order of the catalogue. */
function grouped(flavors: readonly Flavor[]) {
  const groups = Map.groupBy(flavors, flavor => `${flavor.gpu} ${flavor.regionName}`);
  return [...groups.values()].map(members => ({
    gpu: members[0]?.gpu ?? '',
    region_name: members[0]?.regionName ?? '',
    flavors: members.map(flavorBody),
  }));
}

function flavorBody(flavor: Flavor) {
  return {
    id: flavor.id,
    name: flavor.name,
    display_name: null,
    region_name: flavor.regionName,
    cpu: flavor.cpuCount,
    ram: flavor.ramGb,
    disk: flavor.diskGb,
    ephemeral: flavor.ephemeralGb,
    gpu: flavor.gpu,
    gpu_count: flavor.gpuCount,
    stock_available: flavor.isInStock,
    created_at: zuluTimestamp(LISTED_SINCE),
    labels: flavor.labels,
    features: flavorFeatures(flavor),
  };
}
