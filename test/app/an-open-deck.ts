import {onTestFinished} from 'vitest';
import {Deck} from '../../src/app/deck.ts';
import {pressKeys} from '../../src/app/dispatch.ts';
import type {Themes} from '../../src/app/themes.ts';
import {type Firewall, firewallId} from '../../src/domain/firewall.ts';
import type {OwnConnection} from '../../src/domain/own-connection.ts';
import {type SafeText, safeText} from '../../src/domain/safe-text.ts';
import {type DurationMs, monotonicMs} from '../../src/domain/time.ts';
import {openPanes} from '../../src/panes/panes.ts';
import type {BreakerState} from '../../src/state/poller/circuit-breaker.ts';
import {firewallsFeed} from '../../src/state/firewalls.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import type {Operations} from '../../src/state/operations/operation.ts';
import type {WritableStore} from '../../src/state/store.ts';
import {clipboardSequence} from '../../src/terminal/clipboard.ts';
import {aRule} from '../panes/a-known-scene.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {openPolling} from '../state/polling.ts';
import type {VirtualClock} from '../support/clock.ts';
import {THEME} from './a-scene.ts';

export type OpenDeck = {
  readonly deck: Deck;
  readonly time: VirtualClock;
  /** What the host was asked for, oldest first: `leave 0`, `copy train-02`. */
  readonly asked: readonly string[];
  /** Presses each key as an event of its own, half a second after the one before, so that it counts as meant. */
  readonly press: (...keys: readonly string[]) => Promise<void>;
  readonly told: () => string | undefined;
  /** What was read: the test writes it, since nothing is read here. */
  readonly store: WritableStore;
  /** The keys of the feeds that an asker wants now. */
  readonly wanted: (asker: string) => readonly string[];
};

/** A deck with all panes, the machines train-02 and dev-1, and the firewall bastion, open at the pane. */
export function openDeck(
  paneId: string,
  {
    operations,
    unlock,
    columns = 200,
    rows = 50,
    ownConnection,
    isSimulated = false,
    themes,
    saved,
    health,
    budgetWaitMs = 0,
    mutes,
  }: {
    operations?: Operations;
    unlock?: () => Operations;
    columns?: number;
    rows?: number;
    ownConnection?: OwnConnection;
    isSimulated?: boolean;
    themes?: Themes;
    /** The message that saving the screen returns. */
    saved?: SafeText;
    /** Whether the service can be reached; it can if absent. */
    health?: () => BreakerState;
    /** How long a reading waits for the request budget. */
    budgetWaitMs?: DurationMs;
    mutes?: ConstructorParameters<typeof Deck>[0]['mutes'];
  } = {},
): OpenDeck {
  const {time, store, poller} = openPolling();
  store.writeValue(
    machinesFeed,
    aListing([
      aVirtualMachine({
        id: 7,
        name: safeText('train-02'),
        floatingIp: safeText('192.0.2.7'),
        imageName: safeText('Ubuntu Server 24.04 LTS'),
        flavor: {name: safeText('n3-H100x8'), gpuCount: 8},
      }),
      aVirtualMachine({id: 8, name: safeText('dev-1')}),
    ]),
    monotonicMs(0),
  );
  store.writeValue(firewallsFeed, {records: [BASTION], quarantined: []}, monotonicMs(0));
  const asked: string[] = [];
  const wantsByAsker = new Map<string, readonly string[]>();
  const panes = openPanes();
  const deck = new Deck({
    panes,
    store,
    operations,
    unlock,
    ownConnection,
    isSimulated,
    mutes,
    // Nothing is read here: only the effect of the keys is tested.
    poller: {
      ...poller,
      ...(health === undefined ? {} : {health}),
      budgetWait: () => budgetWaitMs,
      want: (asker, wants) => {
        wantsByAsker.set(
          asker,
          wants.map(({feed}) => feed.key),
        );
      },
    },
    clock: time.clock,
    theme: THEME,
    themes,
    size: {columns, rows},
    host: {
      leave: exitCode => asked.push(`leave ${exitCode}`),
      suspend: () => asked.push('suspend'),
      watch:
        words =>
        ({onLine}) => {
          asked.push(`watch ${words.slice(0, 7).join(' ')}`);
          onLine('0, NVIDIA H100, 87, 40960, 81920, 512.35, 700.00, 61');
          return () => asked.push('watch no more');
        },
      run: async words => {
        asked.push(`run ${words.join(' ')}`);
        return {kind: 'ended', exitCode: 0};
      },
      redraw: () => asked.push('redraw'),
      copy: (...lines) => {
        const isCopied = clipboardSequence(...lines) !== undefined;
        if (isCopied) asked.push(`copy ${lines[0]}`);
        return isCopied;
      },
      saveScreen: table => saved ?? safeText(`saved ${table.rows.length} rows`),
    },
  });
  onTestFinished(() => deck.stop());
  pressKeys(deck, [panes.find(({id}) => id === paneId)?.key ?? '']);
  return {
    deck,
    time,
    asked,
    press: async (...keys) => {
      for (const key of keys) {
        await time.advance(500);
        pressKeys(deck, [key]);
      }
    },
    told: () => deck.notification()?.text,
    store,
    wanted: asker => wantsByAsker.get(asker) ?? [],
  };
}

const BASTION: Firewall = {
  id: firewallId(5),
  name: safeText('bastion'),
  status: 'SUCCESS',
  statusText: safeText('SUCCESS'),
  rules: [aRule()],
  attachments: [],
};
