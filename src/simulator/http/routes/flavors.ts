import {FLAVORS, type Flavor, REGIONS} from '../../world/catalogue.ts';
import type {Stock} from '../../world/stock.ts';
import {notFound, succeeded} from '../answer.ts';
import type {Route} from '../route.ts';
import {envelope, RECORDS, TEXT} from '../schema.ts';
import {flavorBody} from './flavor-body.ts';

export const flavorRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/core/flavors',
    describes: {
      summary: 'List flavors, grouped by GPU and region',
      query: {region: TEXT},
      reply: envelope({data: RECORDS}),
      refusals: [404],
    },
    answer: ({world, query}) => {
      const regionName = query('region');
      if (regionName !== undefined && !REGIONS.some(region => region.name === regionName)) {
        return notFound(`The region ${regionName} does not exist.`);
      }
      const wanted = FLAVORS.filter(flavor => regionName === undefined || flavor.regionName === regionName);
      return succeeded('Getting flavors successful', {data: grouped(wanted, world.stock)});
    },
  },
];

/** One group for each GPU model and region, in the order of the catalogue. */
function grouped(flavors: readonly Flavor[], stock: Stock) {
  const groups = Map.groupBy(flavors, flavor => `${flavor.gpu} ${flavor.regionName}`);
  return [...groups.values()].map(members => ({
    gpu: members[0]?.gpu ?? '',
    region_name: members[0]?.regionName ?? '',
    flavors: members.map(flavor => flavorBody(flavor, stock.hasRoomFor(flavor))),
  }));
}
