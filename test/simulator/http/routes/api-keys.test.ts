import {describe, expect, test} from 'vitest';
import {aSimulator} from '../../a-simulator.ts';

type ApiKey = {readonly id: number; readonly name: string; readonly description: string; readonly key: string};
type List = {readonly api_keys: readonly ApiKey[]};
type One = {readonly api_key: ApiKey};

describe('API keys', () => {
  test('give access with the rights of their user until they are deleted', async () => {
    const {simulator, get, post} = await aSimulator();
    const {body} = await post<One>('/api-key/generate', {name: 'ci'}, {key: simulator.keys.member});
    const {id, key} = body.api_key;
    expect((await get('/core/volumes', {key})).status).toBe(200);
    // A member may not see billing.
    expect((await get('/billing/billing/usage', {key})).status).toBe(403);
    expect((await get(`/api-key/${id}`, {method: 'DELETE', key})).status).toBe(200);
    expect((await get('/core/volumes', {key})).status).toBe(401);
    expect((await get('/core/volumes', {key: simulator.keys.member})).status).toBe(200);
  });

  test('are listed and deleted only by their own user', async () => {
    const {simulator, get, post} = await aSimulator();
    const {body: generated} = await post<One>('/api-key/generate', {name: 'ci', description: 'pipelines'});
    const own = (await get<List>('/api-key')).body.api_keys;
    expect(own.map(({name}) => name)).toEqual(['key of ines', 'ci']);
    const others = (await get<List>('/api-key', {key: simulator.keys.member})).body.api_keys;
    expect(others.map(({name}) => name)).toEqual(['key of mira']);
    const path = `/api-key/${generated.api_key.id}`;
    expect((await get(path, {method: 'DELETE', key: simulator.keys.member})).status).toBe(404);
  });

  test('can be renamed, each to a unique name', async () => {
    const {get, post} = await aSimulator();
    const {body} = await post<One>('/api-key/generate', {name: 'ci'});
    const rename = (name: string) =>
      get<One>(`/api-key/${body.api_key.id}`, {method: 'PUT', body: JSON.stringify({name, description: 'new'})});
    expect((await rename('pipelines')).body.api_key).toMatchObject({name: 'pipelines', description: 'new'});
    expect((await rename('key of ines')).status).toBe(409);
    expect((await post('/api-key/generate', {name: 'pipelines'})).status).toBe(409);
    expect((await post('/api-key/generate', {name: ' '})).status).toBe(400);
  });
});

describe('notifications', () => {
  test('a user can subscribe to a threshold and unsubscribe', async () => {
    type Threshold = {readonly id: number; readonly subscribed: boolean};
    const {get} = await aSimulator();
    const ids = async () =>
      (await get<{thresholds: readonly Threshold[]}>('/billing/billing/threshold')).body.thresholds
        .filter(({subscribed}) => subscribed)
        .map(({id}) => id);
    const put = (id: number, subscribe: boolean) =>
      get<{threshold: Threshold}>(`/billing/billing/threshold/${id}`, {
        method: 'PUT',
        body: JSON.stringify({subscribe}),
      });
    expect(await ids()).toEqual([1, 2]);
    expect((await put(3, true)).body.threshold).toMatchObject({id: 3, subscribed: true});
    expect((await put(1, false)).status).toBe(200);
    expect(await ids()).toEqual([2, 3]);
    expect((await put(9, true)).status).toBe(404);
  });

  test('a user can opt out of an e-mail category, but not of one that is required', async () => {
    type Category = {readonly slug: string; readonly opted_in: boolean};
    const {simulator, get} = await aSimulator();
    const wanted = async (key = simulator.keys.owner) =>
      (await get<{email_categories: readonly Category[]}>('/auth/email/opt-out', {key})).body.email_categories
        .filter(({opted_in: isWanted}) => isWanted)
        .map(({slug}) => slug);
    const put = (path: string, isWanted: boolean) =>
      get(`/auth/email/opt-out${path}`, {method: 'PUT', body: JSON.stringify({opted_in: isWanted})});
    expect((await put('/news', false)).status).toBe(200);
    expect(await wanted()).toEqual(['account', 'maintenance']);
    expect(await wanted(simulator.keys.member)).toEqual(['account', 'maintenance', 'news']);
    expect((await put('/account', false)).status).toBe(400);
    expect((await put('/nothing', false)).status).toBe(404);
    expect((await put('', false)).status).toBe(200);
    expect(await wanted()).toEqual(['account']);
  });
});
