import {describe, expect, it, onTestFinished} from 'vitest';
import {Deck} from '../../src/app/deck.ts';
import {pressKeys} from '../../src/app/dispatch.ts';
import {GLOBAL_COMMANDS} from '../../src/app/global-commands.ts';
import {helpLines} from '../../src/app/help.ts';
import {type Binding, EVERYWHERE, firstWays, globalBindings, liveBindings, paneBindings} from '../../src/app/keymap.ts';
import {paletteEntries} from '../../src/app/palette.ts';
import {environmentId} from '../../src/domain/environment.ts';
import {keyPairId} from '../../src/domain/key-pair.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import {COMMAND_GROUPS} from '../../src/panes/command.ts';
import {KEYS} from '../../src/actions/keys.ts';
import {openPanes} from '../../src/panes/panes.ts';
import {flavorsFeed} from '../../src/state/catalogue.ts';
import {clustersFeed} from '../../src/state/clusters.ts';
import {contractsFeed} from '../../src/state/contracts.ts';
import {environmentsFeed} from '../../src/state/environments.ts';
import {firewallsFeed} from '../../src/state/firewalls.ts';
import {keyPairsFeed} from '../../src/state/key-pairs.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {bucketsFeed} from '../../src/state/object-storage.ts';
import {volumesFeed} from '../../src/state/volumes.ts';
import type {ProgramEnd} from '../../src/terminal/run-program.ts';
import {textOf} from '../../src/ui/text.ts';
import {aCluster, aFirewall, aVolume, L40X2} from '../panes/a-catalogue.ts';
import {aContract} from '../panes/a-known-scene.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {openPolling} from '../state/polling.ts';
import {THEME} from './a-scene.ts';

const HOST = {
  leave: () => {},
  suspend: () => {},
  watch: () => () => () => {},
  run: async (): Promise<ProgramEnd> => ({kind: 'ended', exitCode: 0}),
  redraw: () => {},
  copy: () => true,
  saveScreen: () => safeText('saved'),
};
/** The names that a key event can have; everything else is one character. */
const KEY_NAME =
  /^(?:.|esc|enter|tab|shift-tab|space|backspace|up|down|left|right|home|end|pageup|pagedown|ctrl-[a-z\\\]^_@`|{}~]|ctrl-space)$/u;
const PANE_IDS = openPanes().map(({id}) => id);

const MAX_PARTS = 9;

function openDeck(paneId: string): Deck {
  const {time, store, poller} = openPolling();
  const machine = aVirtualMachine({floatingIp: safeText('192.0.2.7'), contractId: 118});
  const stopped = aVirtualMachine({id: 9, name: safeText('stopped'), status: 'SHUTOFF', contractId: 118});
  store.writeValue(machinesFeed, aListing([machine, stopped]), monotonicMs(0));
  store.writeValue(
    clustersFeed,
    {records: [aCluster({environmentName: safeText('prod')})], quarantined: []},
    monotonicMs(0),
  );
  store.writeValue(firewallsFeed, {records: [aFirewall()], quarantined: []}, monotonicMs(0));
  store.writeValue(volumesFeed, {records: [aVolume()], quarantined: []}, monotonicMs(0));
  store.writeValue(flavorsFeed, {records: [L40X2], quarantined: []}, monotonicMs(0));
  const names = [
    machine.environmentName,
    aCluster().environmentName,
    aFirewall().environmentName,
    aVolume().environmentName,
  ];
  const environments = names.map((name, index) => ({id: environmentId(index + 1), name: name ?? safeText('prod')}));
  const [environment] = environments;
  store.writeValue(environmentsFeed, {records: environments, quarantined: []}, monotonicMs(0));
  store.writeValue(contractsFeed, {records: [aContract(5)], quarantined: []}, monotonicMs(0));
  const keyPair = {id: keyPairId(3), name: safeText('laptop'), environmentName: environment?.name ?? safeText('prod')};
  store.writeValue(keyPairsFeed, {records: [keyPair], quarantined: []}, monotonicMs(0));
  const bucket = {name: safeText('raw'), regionName: safeText('CANADA-1')};
  store.writeValue(bucketsFeed, {records: [bucket], quarantined: []}, monotonicMs(0));
  const panes = openPanes();
  const deck = new Deck({
    panes,
    store,
    operations: undefined,
    // Nothing is read here: only the commands are tested.
    poller: {...poller, want: () => {}},
    clock: time.clock,
    theme: THEME,
    size: {columns: 200, rows: 50},
    host: HOST,
  });
  onTestFinished(() => deck.stop());
  openByKeyOrName(deck, paneId);
  return deck;
}

/** The journal has no key of its own. */
function openByKeyOrName(deck: Deck, paneId: string): void {
  const key = deck.panes.find(({id}) => id === paneId)?.key ?? '';
  if (key === '') deck.goTo(paneId);
  else pressKeys(deck, [key]);
}

describe.each(PANE_IDS)('the keymap of the %s pane', paneId => {
  it('binds no key twice in one context', () => {
    expect(doubleBindings(liveBindings(openDeck(paneId)), paneId)).toEqual([]);
  });

  it('gives each command keys that a keyboard has, a title of a few words and a sentence of help', () => {
    for (const {keys, title, help, group, keysText} of liveBindings(openDeck(paneId))) {
      expect(keys.length, title).toBeGreaterThan(0);
      for (const key of keys) expect(key).toMatch(KEY_NAME);
      expect(title.length).toBeGreaterThan(0);
      expect(title.split(' ').length, title).toBeLessThanOrEqual(3);
      expect(help).toMatch(/^[A-Z0-9].*[.]$/);
      expect(COMMAND_GROUPS).toContain(group);
      expect(keysText).not.toMatch(/^ | $/);
    }
  });

  it('reaches every command of the pane, those of its menus by a key that opens the menu', () => {
    const deck = openDeck(paneId);
    const pane = deck.pane();
    const bindings = liveBindings(deck);
    const commands = [...pane.commands, ...pane.menus.flatMap(menu => menu.commands)];
    const keysOfPane = new Set(pane.commands.flatMap(({keys}) => keys));
    const beside = GLOBAL_COMMANDS.filter(
      ({isForPanesWithout, keys}) => isForPanesWithout !== true || keys.every(key => !keysOfPane.has(key)),
    );
    expect(bindings.length).toBe(commands.length + beside.length + deck.panes.filter(({key}) => key !== '').length);
    for (const {id: menuId} of pane.menus) {
      const opened = openDeck(paneId);
      const opener = opened.pane().commands.find(({opens}) => opens === menuId);
      // A menu may apply to one list of the pane only, and be off in the others, or only to some rows.
      const isOff = () =>
        opener?.isAbsent(opened.scene()) === true || opener?.disabledReason(opened.scene()) !== undefined;
      for (let count = 0; count < MAX_PARTS && isOff(); count += 1) pressKeys(opened, ['tab', 'j']);
      pressKeys(opened, opener?.keys.slice(0, 1) ?? []);
      if (opened.overlay() === undefined && opened.pane().table(opened.scene()).rows.length === 0) {
        expect(opened.notification()?.text).toMatch(/there is nothing (?:to |under the cursor)/);
        continue;
      }
      expect(opened.overlay()).toEqual({kind: 'menu', menuId, cursorIndex: 0});
      pressKeys(opened, ['esc']);
      expect(opened.overlay()).toBeUndefined();
    }
  });

  it('binds no key that means the same everywhere', () => {
    const everywhere = ['ctrl-c', 'ctrl-z', 'ctrl-l'];
    const pane = openDeck(paneId).pane();
    for (const {keys} of [...pane.commands, ...pane.menus.flatMap(menu => menu.commands)]) {
      expect(everywhere.filter(key => keys.includes(key))).toEqual([]);
    }
  });

  it('lists every command in help with its keys, and finds each by its title', () => {
    const deck = openDeck(paneId);
    const help = helpLines(deck, '').map(textOf);
    for (const {keysText, title} of firstWays(liveBindings(deck))) {
      expect(help.some(line => line.includes(keysText) && line.includes(title))).toBe(true);
      expect(helpLines(deck, title).map(textOf).join('\n')).toContain(title);
    }
    expect(helpLines(deck, 'no such words').map(textOf)).toEqual(['no key matches "no such words"']);
  });

  it('finds every command but moves and tabs by its title in the palette', () => {
    const deck = openDeck(paneId);
    for (const {title, group} of liveBindings(deck)) {
      if (group === 'Move' || group === 'Panes') continue;
      expect(paletteEntries(deck, title).map(({name}) => name)).toContain(title);
    }
  });

  it('opens the pane by its key from everywhere, and by each of its other names', () => {
    const deck = openDeck(paneId);
    const {key, title, aliases} = deck.pane();
    deck.goTo(PANE_IDS.find(id => id !== paneId) ?? '');
    if (key === '') paletteEntries(deck, title)[0]?.run();
    else pressKeys(deck, [key]);
    expect(deck.pane().id).toBe(paneId);
    for (const name of [title, ...aliases]) expect(paletteEntries(deck, name)[0]?.name).toBe(title);
  });
});

describe('doubleBindings', () => {
  it('finds a key of a pane that the deck binds too, and treats each menu as a context of its own', () => {
    expect(
      doubleBindings(
        [
          {context: 'machines', keys: ['j', 'q']},
          {context: 'everywhere', keys: ['q']},
          {context: 'machines power', keys: ['q', 'x']},
          {context: 'machines power', keys: ['x']},
        ],
        'machines',
      ),
    ).toEqual(['everywhere q', 'machines power x']);
  });
});

describe('firstWays', () => {
  it('lists an action of several menus once, and one that two panes share for both', () => {
    const act = (context: string, help = 'Stops it.') => ({context, title: safeText('stop'), help});
    const [power, all, other, elsewhere] = [
      act('vms power'),
      act('vms actions'),
      act('vms actions', 'Else.'),
      act('disks'),
    ];
    expect(firstWays([power, all, other, elsewhere])).toEqual([power, other, elsewhere]);
  });
});

it('gives each pane a unique key and a unique name', () => {
  const panes = openPanes();
  // Some are opened by their names alone.
  const keys = panes.map(({key}) => key).filter(key => key !== '');
  expect(new Set(keys).size).toBe(keys.length);
  expect(new Set(panes.map(({id}) => id)).size).toBe(panes.length);
});

it('binds every key that a text mentions', () => {
  const panes = openPanes();
  const bound = new Set([...panes.flatMap(paneBindings), ...globalBindings(panes)].flatMap(({keys}) => keys));
  expect(Object.values(KEYS).filter(key => !bound.has(key))).toEqual([]);
});

/** Keys that two commands of one context claim. A pane's keys and the deck's own count as one context: both are live. */
function doubleBindings(bindings: readonly Pick<Binding, 'context' | 'keys'>[], paneId: string): readonly string[] {
  const seen = new Map<string, number>();
  for (const {context, keys} of bindings) {
    const place = context === paneId ? EVERYWHERE : context;
    for (const key of keys) seen.set(`${place} ${key}`, (seen.get(`${place} ${key}`) ?? 0) + 1);
  }
  return [...seen].filter(([, count]) => count > 1).map(([key]) => key);
}
