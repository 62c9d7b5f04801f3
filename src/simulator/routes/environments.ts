import {invalidInput, notFound, succeeded} from '../answer.ts';
import type {Environment} from '../machine.ts';
import {pageOf} from '../paging.ts';
import type {Route} from '../route.ts';
import {zuluTimestamp} from '../timestamps.ts';
import {environmentFeatures} from './features.ts';

export const environmentRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/core/environments',
    requires: {permission: 'machines:read', action: 'list environments'},
    answer: ({world, query}) => {
      const search = query('search')?.toLowerCase() ?? '';
      const found = world.environments.filter(({id, name, regionName}) =>
        [String(id), name, regionName].some(text => text.toLowerCase().includes(search)),
      );
      const page = pageOf(found, {page: query('page'), pageSize: query('pageSize')});
      if (!page.isValid) return invalidInput(page.errors);
      return succeeded('Getting environments successful', {
        ...page.keys,
        environments: page.records.map(environmentBody),
      });
    },
  },
  {
    method: 'GET',
    pattern: '/core/environments/:id',
    requires: {permission: 'machines:read', action: 'read environments'},
    answer: ({world, part}) => {
      const environment = world.environments.find(({id}) => String(id) === part('id'));
      if (environment === undefined) return notFound(`The environment ${part('id')} does not exist.`);
      return succeeded('Getting environment successful', {environment: environmentBody(environment)});
    },
  },
];

function environmentBody(environment: Environment) {
  return {
    id: environment.id,
    name: environment.name,
    region: environment.regionName,
    created_at: zuluTimestamp(environment.createdAt),
    features: environmentFeatures(environment),
  };
}
