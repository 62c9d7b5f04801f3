import {ACTIONS, callOf} from '../../src/actions/actions.ts';
import type {ActionCall} from '../../src/actions/define.ts';
import {createClient, type ReadClient} from '../../src/api/client.ts';
import type {Failure} from '../../src/domain/failure.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {secret} from '../../src/domain/secret.ts';
import type {CommandResult} from '../../src/panes/command.ts';
import type {Pane, Scene} from '../../src/panes/pane.ts';
import {openPanes} from '../../src/panes/panes.ts';
import {readingsOf} from '../../src/state/operations/action-readings.ts';
import type {Feed} from '../../src/state/feed.ts';
import {createStore} from '../../src/state/store.ts';
import {aScene} from '../app/a-scene.ts';
import {IDLE, NOW} from '../panes/a-known-scene.ts';
import {createVirtualClock} from '../support/clock.ts';
import {openSimulator} from '../support/simulator.ts';

/** Where a way through the keys of a pane ends. */
export type Reached = {
  readonly pane: Pane;
  /** What the last key gave; undefined where the pane itself is meant, or the key does not apply to what is there. */
  readonly outcome: CommandResult | undefined;
};

/** Presses the keys one after the other, as `8 tab tab n` says it; a sentence where one of them is no key there. */
export function walked(screen: string, scene: Scene): Reached | string {
  const [paneKey, ...keys] = screen.split(' ');
  const pane = openPanes().find(({key}) => key === paneKey);
  if (pane === undefined) return `no pane ${paneKey}`;
  pane.adjust(scene);
  let outcome: CommandResult | undefined;
  for (const [index, key] of keys.entries()) {
    const menuId = outcome?.kind === 'menu' ? outcome.menuId : undefined;
    const offered = menuId === undefined ? pane.commands : pane.menus.find(({id}) => id === menuId)?.offered(scene);
    const command = offered?.find(each => each.keys.includes(key));
    if (command === undefined || command.isAbsent(scene))
      return `${key} is no key after ${[paneKey, ...keys.slice(0, index)].join(' ')}`;
    const reason = command.disabledReason(scene);
    const isLast = index === keys.length - 1;
    if (reason !== undefined && !isLast) return `${key} does not apply: ${reason}`;
    outcome = reason === undefined ? command.run(scene) : undefined;
    pane.adjust(scene);
  }
  return {pane, outcome};
}

/** The endpoints that are read where a way ends: by the pane, by the form that opens, to check what is asked about. */
export async function endpointsReadAt({pane, outcome}: Reached, scene: Scene): Promise<ReadonlySet<string>> {
  const feeds: Feed<unknown>[] = pane.wants(scene).map(({feed}) => feed);
  if (outcome?.kind === 'form') {
    const values = Object.fromEntries(outcome.form.fields.map(({key, initial}) => [key, initial]));
    feeds.push(...(outcome.form.wants?.(values, undefined) ?? []).map(({feed}) => feed));
  }
  if (outcome?.kind === 'ask') feeds.push(...readingsOf(outcome.question.steps[0].action, ACTIONS).feeds);
  const ids = new Set<string>();
  const failure: Failure = {kind: 'not-sent', detail: safeText('nothing is read')};
  const take: ReadClient['read'] = async ({id}) => {
    ids.add(id);
    return {ok: false, failure};
  };
  const client: ReadClient = {
    read: take,
    readRaw: async (endpoint, params) => {
      await take(endpoint, params);
      return {ok: false, failure};
    },
  };
  for (const feed of feeds) await feed.read(client);
  return ids;
}

/** The request that the last key asks about or sends; undefined where a form stands before it. */
export function callAt({outcome}: Reached): ActionCall | undefined {
  if (outcome?.kind === 'ask') return callOf(outcome.question.steps[0].action);
  return outcome?.kind === 'send' ? callOf(outcome.step.action) : undefined;
}

/** A scene in which all was read that the panes of this account want. */
export async function readScene(): Promise<Scene> {
  const simulator = await openSimulator({rateLimitPerMinute: 'off', startedAt: NOW, wallClock: () => NOW, seed: 1});
  const {clock} = createVirtualClock();
  const {url: baseUrl, apiKey} = simulator;
  const client = createClient({baseUrl, key: secret(apiKey), clock, admit: () => Promise.resolve()});
  const store = createStore();
  const scene = aScene({store, operations: IDLE, now: NOW});
  // What is wanted of single objects is known once the lists are there.
  for (const pane of [...openPanes(), ...openPanes()]) {
    pane.adjust(scene);
    for (const {feed} of pane.wants(scene)) {
      if (store.get(feed).status === 'fresh') continue;
      const answer = await feed.read(client);
      if (answer.ok) store.writeValue(feed, answer.value, scene.monotonicNow);
    }
  }
  return scene;
}
