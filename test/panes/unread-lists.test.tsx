import {describe, expect, it} from 'vitest';
import {createClient, type ReadClient} from '../../src/api/client.ts';
import type {Failure} from '../../src/domain/failure.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {secret} from '../../src/domain/secret.ts';
import {epochMs, monotonicMs} from '../../src/domain/time.ts';
import {type SecurityRule, virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {exposureLines} from '../../src/panes/overview/exposure.tsx';
import {openPanes} from '../../src/panes/panes.ts';
import type {Scene} from '../../src/panes/pane.ts';
import {recordLines} from '../../src/resources/detail.ts';
import {usageFeed} from '../../src/state/billing.ts';
import type {Feed} from '../../src/state/feed.ts';
import {flavorsFeed} from '../../src/state/catalogue.ts';
import {clustersFeed} from '../../src/state/clusters.ts';
import {volumesFeed} from '../../src/state/volumes.ts';
import {firewallsFeed} from '../../src/state/firewalls.ts';
import {machineRecordFeed, machinesFeed} from '../../src/state/machines.ts';
import {createStore} from '../../src/state/store.ts';
import {textOf} from '../../src/ui/text.ts';
import {aScene} from '../app/a-scene.ts';
import {createVirtualClock} from '../support/clock.ts';
import {aVirtualMachine} from '../state/a-machine.ts';
import {shared} from '../support/lifetime.ts';
import {shownLines} from '../support/shown-lines.ts';
import {openSimulator} from '../support/simulator.ts';
import {sweepOf} from '../support/tier.ts';
import {aFirewall} from './a-catalogue.ts';
import {aKnownScene, aRule, IDLE} from './a-known-scene.ts';
import {aReadScene, failing, listed} from './a-read-scene.ts';

const BROKEN: Failure = {kind: 'service-error', httpStatus: 503, message: safeText('away')};
const READ_AT = monotonicMs(100_000);
/** Each round shows what the round before has read, and with it asks for more: records, then what belongs to them. */
const ROUNDS = 4;
const SIZES = [
  {columns: 120, rows: 31},
  {columns: 200, rows: 46},
];
const SWEPT_SIZES = sweepOf({sample: SIZES.slice(0, 1), deep: SIZES});
const LINK_DOWN = {
  status: 'down',
  since: READ_AT,
  retryAt: READ_AT,
  attemptCount: 1,
  goodAnswerCount: 0,
  failure: {kind: 'not-sent', detail: safeText('refused')},
} as const;
/** A box or its title says in plain words that something does not exist, or counts none; rows of tables have other signs. */
const ABSENCE = /^[^a-zA-Z0-9]*[a-z ,:]*(?:\b(?:nothing|none|no [a-z]+|0 [a-z]+)|\$0\.00)(?![a-z-])/;
/** True of what was read, and of the cursor of a list without rows. */
const TRUE_ANYHOW =
  /^(?:none in what was read|month end if nothing changes|there is (?:no machine|nothing) under the cursor|events of 0 of [1-9]\d* machines read)/;
/** The handover is a text of its own, which says at its head what was not read. */
const TABS = openPanes().filter(({key}) => key !== '');

type Reading = {readonly feed: Feed<unknown>; readonly value: unknown};

function sceneOf(readings: Iterable<Reading>, now: number, size: Scene['size'], broken?: string): Scene {
  const store = createStore();
  for (const {feed, value} of readings) {
    if (feed.kind === broken) store.writeFailure(feed, BROKEN, READ_AT);
    else store.writeValue(feed, value, READ_AT);
  }
  return aScene({store, operations: IDLE, now: epochMs(now), size});
}

/** The service went away before anything of these kinds was read. */
function awayScene(readings: readonly Reading[], now: number, size: Scene['size'], unread?: string): Scene {
  const read = unread === undefined ? [] : readings.filter(({feed}) => feed.kind !== unread);
  return {...sceneOf(read, now, size), health: LINK_DOWN};
}

/** Lines that say that something is being read. */
function readingsIn(text: string): readonly string[] {
  return text.split('\n').filter(line => /\breading\b|being read|checking what/.test(line));
}

function shownIn(id: string, scene: Scene): string {
  const pane = openPanes().find(each => each.id === id);
  if (pane === undefined) throw new Error(`no pane ${id}`);
  pane.adjust(scene);
  return shownLines(<pane.Screen scene={scene} />, scene.size.columns).join('\n');
}

/** What a pane claims not to exist: texts between the edges of boxes. */
function claimsIn(text: string): readonly string[] {
  const cells = text.split(/[│╭╮╰╯─┄╎┆┊]+|\n/).map(cell => cell.trim());
  return cells.filter(cell => ABSENCE.test(cell) && !TRUE_ANYHOW.test(cell));
}

/** In the sample each kind is lacking in one pane. */
function sweptKinds(kinds: readonly string[], paneId: string): readonly string[] {
  const at = TABS.findIndex(({id}) => id === paneId);
  return sweepOf({sample: kinds.filter((_, index) => (index + at) % TABS.length === 0), deep: kinds});
}

async function readAll(client: ReadClient, now: number): Promise<readonly Reading[]> {
  const read = new Map<string, Reading>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const wanted = SIZES.flatMap(size => {
      const scene = sceneOf(read.values(), now, size);
      return openPanes().flatMap(pane => {
        pane.adjust(scene);
        return pane.wants(scene).map(({feed}) => feed);
      });
    });
    for (const feed of new Map(wanted.map(each => [each.key, each])).values()) {
      if (read.has(feed.key) || feed.source !== undefined) continue;
      const answer = await feed.read(client);
      if (answer.ok) read.set(feed.key, {feed, value: answer.value});
    }
  }
  return [...read.values()];
}

const account = shared(async () => {
  const simulator = await openSimulator({vmCount: 16});
  const now = simulator.localNow();
  const {clock} = createVirtualClock();
  const key = secret(simulator.apiKey);
  return {
    now,
    readings: await readAll(createClient({baseUrl: simulator.url, key, clock, admit: async () => {}}), now),
  };
});

describe('a list that this key may not read', () => {
  const forbidden: Failure = {
    kind: 'not-authorised',
    httpStatus: 403,
    message: safeText('Your role does not allow you to read what is here'),
  };
  const WHOLE = /this key may not do that \(403\): Your role does not allow you to read what is here/;

  /** The text between the edges, on one line. */
  function told(
    id: string,
    feeds: readonly Feed<unknown>[],
    listings: readonly ReturnType<typeof listed>[] = [],
  ): string {
    const store = createStore();
    for (const feed of feeds) store.writeFailure(feed, forbidden, READ_AT);
    for (const reading of listings) reading(store);
    const scene = aScene({store, operations: IDLE, size: {columns: 80, rows: 20}});
    return shownIn(id, scene)
      .split('\n')
      .map(line => line.replaceAll(/^[│╭╰]|[│╮╯]$/g, '').trim())
      .join(' ')
      .replaceAll(/ +/g, ' ');
  }

  it('says the whole reason in 80 columns', () => {
    expect(told('clusters', [clustersFeed])).toMatch(WHOLE);
    expect(told('billing', [usageFeed])).toMatch(new RegExp(`usage unknown: ${WHOLE.source}`));
  });

  it('is not said to be still loading by a flavor', () => {
    const listing = listed(flavorsFeed, [{id: 1, name: safeText('n3-L40x1'), labels: []}]);
    const text = told('catalogue', [machinesFeed], [listing]);
    expect(text).toMatch(new RegExp(`to restore +unknown: ${WHOLE.source}`));
  });

  it('has a title over the reason in the box below it', () => {
    const scene = failing(aScene({operations: IDLE, size: {columns: 80, rows: 20}}), volumesFeed, forbidden);
    expect(
      shownIn('volumes', scene)
        .split('\n')
        .filter(line => line.startsWith('╭')),
    ).toEqual([expect.stringMatching(/^╭─ volumes ─/), expect.stringMatching(/^╭─ volumes ─/)]);
  });
});

describe('a list that was not read', () => {
  it.each(
    TABS.flatMap(({id}) => SWEPT_SIZES.map(size => [id, size.columns, size] as const)),
  )('makes the pane %s at %i columns claim no absence', (id, _columns, size) => {
    const {readings, now} = account();
    const whole = shownIn(id, sceneOf(readings, now, size));
    const kinds = new Set(readings.map(({feed}) => feed.kind));
    const known = new Set(claimsIn(whole));
    const claims = sweptKinds([...kinds], id).flatMap(kind =>
      claimsIn(shownIn(id, sceneOf(readings, now, size, kind)))
        .filter(claim => !known.has(claim))
        .map(claim => `${kind}: ${claim}`),
    );
    expect(kinds.size).toBeGreaterThan(20);
    expect(claims).toEqual([]);
  });

  it.each(
    TABS.flatMap(({id}) => SWEPT_SIZES.map(size => [id, size.columns, size] as const)),
  )('makes the pane %s at %i columns claim no absence if nothing at all was read', (id, _columns, size) => {
    const {readings, now} = account();
    const known = new Set(claimsIn(shownIn(id, sceneOf(readings, now, size))));
    expect(claimsIn(shownIn(id, sceneOf([], now, size))).filter(claim => !known.has(claim))).toEqual([]);
  });
});

describe('while the link is down', () => {
  it.each(
    TABS.flatMap(({id}) => SWEPT_SIZES.map(size => [id, size.columns, size] as const)),
  )('the pane %s at %i columns says of nothing that it is being read', (id, _columns, size) => {
    const {readings, now} = account();
    const kinds = [...new Set(readings.map(({feed}) => feed.kind))];
    const claims = [undefined, ...sweptKinds(kinds, id)].flatMap(kind =>
      readingsIn(shownIn(id, awayScene(readings, now, size, kind))).map(claim => `${kind ?? 'all'}: ${claim}`),
    );
    expect(claims).toEqual([]);
  });
});

it('says of the record of a machine that it is not read while the link is down', () => {
  const scene = {...aScene(), health: LINK_DOWN};
  const [line] = recordLines(scene, machineRecordFeed(virtualMachineId(7)));
  expect(textOf(line ?? [])).toBe(' record: not read: link down');
});

it.each([
  ['usage', listed(machinesFeed, []), usageFeed],
  ['machines', listed(usageFeed, []), machinesFeed],
] as const)('the waste says why it is unknown if %s cannot be read', (_, reading, unread) => {
  const scene = aReadScene([reading], {size: {columns: 120, rows: 31}});
  expect(shownIn('billing', scene)).toContain('reading the waste…');
  const broken = aReadScene([reading, store => store.writeFailure<unknown>(unread, BROKEN, READ_AT)], {
    size: {columns: 120, rows: 31},
  });
  expect(shownIn('billing', broken)).toContain('waste unknown: the service failed (503): away');
  expect(shownIn('billing', broken)).not.toContain('reading the waste');
});

describe('what is open to the world', () => {
  const size = {columns: 120, rows: 31};
  const machines = [aVirtualMachine({id: 1, name: safeText('gpu-1'), rules: [aRule()]})];
  const shown = (known: Parameters<typeof aKnownScene>[0]) => shownIn('firewalls', aKnownScene(known, {size}));

  it('is at least what was read, and the other list is named with the reason', () => {
    const scene = aKnownScene({machines}, {size});
    expect(shownIn('firewalls', scene)).toContain('open to the world at least 1 rule, 1 exposed');
    expect(shownIn('firewalls', scene)).toMatch(/reading the firewalls…[\s\S]* gpu-1 /);
    expect(shownIn('firewalls', failing(scene, firewallsFeed, BROKEN))).toContain(
      'firewalls unknown: the service failed (503): away',
    );
  });

  it('is unknown if what was read has no open rule', () => {
    expect(shown({machines: []})).toContain('open to the world unknown');
    expect(shown({firewalls: []})).toMatch(/reading the machines…/);
    expect(shown({})).toContain('open to the world unknown');
    expect(shown({machines: [], firewalls: []})).toContain('nothing is open to the world');
  });

  it.each([
    ['DELETING', 'which is open until it is gone'],
    ['FAILED', 'which may be one whose removal failed'],
  ])('names and counts a rule that is %s, %s', status => {
    const edge = aFirewall({name: safeText('edge'), rules: [aRule({status: safeText(status)})]});
    const text = shown({machines: [], firewalls: [edge]});
    expect(text).toContain('open to the world 1 rule, 1 exposed');
    expect(text).toMatch(new RegExp(`edge +ingress tcp/22 0\\.0\\.0\\.0/0 +${status}`));
    expect(text).not.toContain('nothing is open');
    expect(text).toContain(`${aScene({}).theme.glyphs.warning} edge`);
    const overview = exposureLines(aKnownScene({machines: [], firewalls: [edge]}), 80)
      .map(textOf)
      .join('');
    expect(overview).toContain(`edge tcp/22 (${status})`);
    expect(shown({firewalls: [edge]})).toContain('open to the world at least 1 rule, 1 exposed');
  });

  it('is at least what is there if a list has no end', () => {
    const store = createStore();
    store.writeValue(machinesFeed, {records: machines, quarantined: [], incompleteReason: 'page-limit'}, READ_AT);
    store.writeValue(firewallsFeed, {records: [], quarantined: []}, READ_AT);
    const text = shownIn('firewalls', aScene({store, operations: IDLE, size}));
    expect(text).toContain('open to the world at least 1 rule, 1 exposed');
    expect(text).toContain('part of the machines was not read');
  });
});

describe('the rules of a firewall', () => {
  const shown = (rules: readonly SecurityRule[]) =>
    shownIn('firewalls', aKnownScene({firewalls: [aFirewall({rules, hasUnreadRules: true})]}));

  it('are not said to be none, or few, where they could not all be read', () => {
    expect(shown([])).toContain('rules of fw-5 #5  its rules could not be read completely');
    expect(shown([])).not.toContain('no traffic allowed');
    expect(shown([])).toMatch(/fw-5 +– +0 +– +– *│/);
    expect(shown([aRule()])).toContain('rules of fw-5 #5 1  its rules could not be read completely');
    expect(shown([aRule()])).toMatch(/fw-5 +– +0 +1\+ +1\+│/);
  });
});

it('the timeline says why it has no entries', () => {
  const scene = failing(aScene({size: {columns: 120, rows: 31}}), machinesFeed, BROKEN);
  expect(shownIn('timeline', scene)).toContain('entries unknown: the service failed (503): away');
});
