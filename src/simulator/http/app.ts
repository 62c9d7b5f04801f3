import {type Context, Hono} from 'hono';
import {callerOf} from '../world/account.ts';
import type {World} from '../world/world.ts';
import {badRequest, forbidden, internalError, methodNotAllowed, notFound, unauthorized} from './answer.ts';
import type {Route} from './route.ts';
import {accessRoutes} from './routes/access.ts';
import {accountRoutes} from './routes/account.ts';
import {billingRoutes} from './routes/billing.ts';
import {billingHistoryRoutes} from './routes/billing-history.ts';
import {catalogueRoutes} from './routes/catalogue.ts';
import {clusterChangeRoutes} from './routes/cluster-changes.ts';
import {clusterNodeRoutes} from './routes/cluster-nodes.ts';
import {clusterRoutes} from './routes/clusters.ts';
import {contractRoutes} from './routes/contracts.ts';
import {environmentRoutes} from './routes/environments.ts';
import {firewallRoutes} from './routes/firewalls.ts';
import {flavorRoutes} from './routes/flavors.ts';
import {imageRoutes} from './routes/images.ts';
import {keyPairRoutes} from './routes/key-pairs.ts';
import {objectStorageRoutes} from './routes/object-storage.ts';
import {openApiRoutes} from './routes/openapi.ts';
import {paymentRoutes} from './routes/payments.ts';
import {pricingRoutes} from './routes/pricing.ts';
import {ruleRoutes} from './routes/rules.ts';
import {subResourceRoutes} from './routes/sub-resources.ts';
import {machineActionRoutes} from './routes/virtual-machine-actions.ts';
import {machineChangeRoutes} from './routes/virtual-machine-changes.ts';
import {machineCreationRoutes} from './routes/virtual-machine-creation.ts';
import {machineJobRoutes} from './routes/virtual-machine-jobs.ts';
import {machineRoutes} from './routes/virtual-machines.ts';
import {volumeAttachmentRoutes} from './routes/volume-attachments.ts';
import {volumeRoutes} from './routes/volumes.ts';

export const BASE_PATH = '/v1';

/** Every endpoint there is, one routes file per section of the interface. */
export const ROUTES: readonly Route[] = [
  ...accountRoutes,
  ...machineCreationRoutes,
  ...accessRoutes,
  ...machineRoutes,
  ...machineActionRoutes,
  ...machineChangeRoutes,
  ...machineJobRoutes,
  ...clusterChangeRoutes,
  ...clusterNodeRoutes,
  ...clusterRoutes,
  ...firewallRoutes,
  ...ruleRoutes,
  ...flavorRoutes,
  ...catalogueRoutes,
  ...imageRoutes,
  ...environmentRoutes,
  ...keyPairRoutes,
  ...volumeRoutes,
  ...volumeAttachmentRoutes,
  ...objectStorageRoutes,
  ...contractRoutes,
  ...billingRoutes,
  ...billingHistoryRoutes,
  ...subResourceRoutes,
  ...pricingRoutes,
  ...paymentRoutes,
  ...openApiRoutes(BASE_PATH),
];

/** The HTTP interface over a world. Routes answer at once, so requests take effect in the order they are complete. */
export function createApp(world: World): Hono {
  const app = new Hono();
  for (const route of ROUTES) {
    app.on(route.method, BASE_PATH + route.pattern, async context => {
      const caller = callerOf(world.organization, world.keys, context.req.header('api_key'));
      if (caller === undefined) return unauthorized();
      // The router takes HEAD for GET, and some GETs here stop machines.
      if (context.req.method !== route.method) return methodNotAllowed(context.req.method, context.req.path);
      if (route.requires !== undefined && !caller.permissions.has(route.requires.permission)) {
        return forbidden(route.requires.action);
      }
      const body = route.takesBody === true ? await bodyOf(context) : {isJson: true, value: undefined};
      if (!body.isJson) return badRequest('The body of the request is not JSON.');
      return route.answer({
        world,
        caller,
        part: name => context.req.param(name) ?? '',
        query: name => context.req.query(name),
        queryAll: name => context.req.queries(name) ?? [],
        body: body.value,
        routes: ROUTES,
      });
    });
  }
  app.notFound(context => {
    const {method, path} = context.req;
    if (callerOf(world.organization, world.keys, context.req.header('api_key')) === undefined) return unauthorized();
    const isKnown = ROUTES.some(route => patternOf(route).test(path));
    return isKnown ? methodNotAllowed(method, path) : notFound(`There is nothing at ${path}.`);
  });
  app.onError(internalError);
  return app;
}

async function bodyOf(context: Context): Promise<{readonly isJson: boolean; readonly value: unknown}> {
  try {
    const value: unknown = JSON.parse(await context.req.text());
    return {isJson: true, value};
  } catch {
    return {isJson: false, value: undefined};
  }
}

function patternOf(route: Route): RegExp {
  const path = route.pattern.replaceAll('.', '\\.').replaceAll(/:[a-z_]+/g, '[^/]+');
  return new RegExp(`^${BASE_PATH}${path}$`);
}
