import {type Context, Hono} from 'hono';
import {callerOf} from '../world/account.ts';
import type {World} from '../world/world.ts';
import {
  badRequest,
  forbidden,
  internalError,
  jsonText,
  methodNotAllowed,
  notFound,
  tooLarge,
  unauthorized,
} from './answers.ts';
import {openApiRoute} from './openapi.ts';
import type {Route} from './route.ts';
import {accountRoutes} from './routes/account.ts';
import {apiKeyRoutes} from './routes/api-keys.ts';
import {billingRoutes} from './routes/billing.ts';
import {billingHistoryRoutes} from './routes/billing-history.ts';
import {catalogueRoutes} from './routes/catalogue.ts';
import {clusterNodeRoutes} from './routes/cluster-nodes.ts';
import {clusterRoutes} from './routes/clusters.ts';
import {contractRoutes} from './routes/contracts.ts';
import {emailPreferenceRoutes} from './routes/email-preferences.ts';
import {environmentRoutes} from './routes/environments.ts';
import {firewallRoutes} from './routes/firewalls.ts';
import {imageRoutes} from './routes/images.ts';
import {keyPairRoutes} from './routes/key-pairs.ts';
import {objectStorageRoutes} from './routes/object-storage.ts';
import {pricingRoutes} from './routes/pricing.ts';
import {snapshotRoutes} from './routes/snapshots.ts';
import {machineOperationRoutes} from './routes/virtual-machine-operations.ts';
import {machineRoutes} from './routes/virtual-machines.ts';
import {volumeRoutes} from './routes/volumes.ts';

export const BASE_PATH = '/v1';

/** A megabyte is many times what any request body of the interface needs. */
const MAX_BODY_BYTES = 1_048_576;
/** More than all pages of ten thousand machines take. */
const MAX_REMEMBERED_CHARACTERS = 32_000_000;

/** Every endpoint, one file per section of the interface. */
export const ROUTES: readonly Route[] = [
  ...accountRoutes,
  ...apiKeyRoutes,
  ...emailPreferenceRoutes,
  ...machineRoutes,
  ...machineOperationRoutes,
  ...clusterNodeRoutes,
  ...clusterRoutes,
  ...firewallRoutes,
  ...catalogueRoutes,
  ...imageRoutes,
  ...snapshotRoutes,
  ...environmentRoutes,
  ...keyPairRoutes,
  ...volumeRoutes,
  ...objectStorageRoutes,
  ...contractRoutes,
  ...pricingRoutes,
  ...billingRoutes,
  ...billingHistoryRoutes,
  openApiRoute(BASE_PATH),
];

/**
 * The HTTP interface of a world. Routes answer synchronously, so requests take effect in the order in which they are
 * complete.
 */
export function createApp(world: World): Hono {
  const app = new Hono();
  const remembered = createAnswerMemory(world);
  for (const route of ROUTES) {
    app.on(route.method, BASE_PATH + route.path, async context => {
      const caller = callerOf(world, context.req.header('api_key'));
      if (caller === undefined) return unauthorized();
      // The router takes HEAD for GET, and some GETs here stop machines.
      if (context.req.method !== route.method) return methodNotAllowed(context.req.method, context.req.path);
      if (route.requires !== undefined && !caller.permissions.has(route.requires.permission)) {
        return forbidden(route.requires.action);
      }
      const text = route.body === undefined ? 'null' : await textOf(context);
      if (text === undefined) return tooLarge(MAX_BODY_BYTES);
      const body = parsed(text);
      if (!body.isJson) return badRequest('The body of the request is not JSON.');
      const answer = () =>
        route.answer({
          world,
          caller,
          param: name => context.req.param(name) ?? '',
          query: name => context.req.query(name),
          queryAll: name => context.req.queries(name) ?? [],
          body: body.value,
          routes: ROUTES,
        });
      return route.isTimeless === true ? remembered(context.req.url, answer) : answer();
    });
  }
  app.notFound(context => {
    const {method, path} = context.req;
    if (callerOf(world, context.req.header('api_key')) === undefined) return unauthorized();
    const isKnown = ROUTES.some(route => patternOf(route).test(path));
    return isKnown ? methodNotAllowed(method, path) : notFound(`There is nothing at ${path}.`);
  });
  app.onError(internalError);
  return app;
}

/**
 * Reuses an answer while nothing has happened in the world: clients request the same pages of ten thousand machines
 * every few seconds. Only for routes that give every caller with permission the same answer.
 */
function createAnswerMemory(world: World) {
  const texts = new Map<string, string>();
  let changeCount = -1;
  let length = 0;
  return async (url: string, answer: () => Response): Promise<Response> => {
    if (changeCount !== world.changeCount() || length > MAX_REMEMBERED_CHARACTERS) {
      texts.clear();
      length = 0;
      changeCount = world.changeCount();
    }
    const known = texts.get(url);
    if (known !== undefined) return jsonText(known);
    const madeAt = changeCount;
    const fresh = answer();
    if (fresh.status !== 200) return fresh;
    const text = await fresh.text();
    // Something may have happened while the text was read.
    if (madeAt === changeCount) texts.set(url, text);
    length += text.length;
    return jsonText(text);
  };
}

/** The body as text; undefined if it is too large, whether or not its length was announced. */
async function textOf({req}: Context): Promise<string | undefined> {
  if (Number(req.header('content-length') ?? 0) > MAX_BODY_BYTES) return undefined;
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  for await (const chunk of req.raw.body ?? []) {
    byteCount += chunk.byteLength;
    if (byteCount > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function parsed(text: string): {readonly isJson: boolean; readonly value: unknown} {
  try {
    const value: unknown = JSON.parse(text);
    return {isJson: true, value};
  } catch {
    return {isJson: false, value: undefined};
  }
}

function patternOf({path}: Route): RegExp {
  const pattern = path.replaceAll('.', '\\.').replaceAll(/:[a-z_]+/g, '[^/]+');
  return new RegExp(`^${BASE_PATH}${pattern}$`);
}
