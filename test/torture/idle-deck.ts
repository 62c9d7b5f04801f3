import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createDeck, type Deck} from '../../src/app/deck.ts';
import {takeInput} from '../../src/app/dispatch.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {DurationMs} from '../../src/domain/time.ts';
import {openPanes} from '../../src/panes/panes.ts';
import {countingSleep} from '../../src/state/monotonic-clock.ts';
import {chooseGlyphs} from '../../src/terminal/glyphs.ts';
import {createTheme, PALETTES} from '../../src/ui/theme.ts';
import {type Cloud, createCloud} from '../tools/simulation/cloud.ts';
import {openSkydeck} from '../tools/simulation/skydeck.ts';

/** The deck without a screen over a cloud in this process, in a time that passes when it is told to. */
export type IdleDeck = {
  readonly cloud: Cloud;
  readonly deck: Deck;
  readonly pass: (durationMs: DurationMs) => Promise<void>;
  readonly press: (...keys: readonly string[]) => void;
  /** The machine is suspended: the wall goes on, timers and the system's monotonic clock stand still. */
  readonly sleep: (durationMs: DurationMs) => void;
  readonly close: () => void;
};

const SIZE = {columns: 120, rows: 35};
const THEME = createTheme({
  depth: 'none',
  palette: PALETTES.dark,
  glyphs: chooseGlyphs({isUtf8: true, preference: undefined}),
});
const STEP_MS = 1000;

export function openIdleDeck({vmCount, seed = 1}: {readonly vmCount?: number; readonly seed?: number} = {}): IdleDeck {
  const inner = createCloud(seed, vmCount === undefined ? {} : {vmCount});
  const clock = {...inner.time.clock, monotonicNow: countingSleep(inner.time.clock)};
  const cloud = {...inner, time: {...inner.time, clock}};
  const folder = mkdtempSync(join(tmpdir(), 'skydeck-idle-'));
  const skydeck = openSkydeck(cloud, {
    name: 'idle',
    journalPath: join(folder, 'journal', 'here.jsonl'),
    running: new Set(),
    tell: () => {},
  });
  const deck = createDeck({
    panes: openPanes(),
    store: skydeck.store,
    operations: skydeck.operations,
    poller: skydeck.poller,
    clock,
    theme: THEME,
    size: SIZE,
    host: {
      leave: () => {},
      suspend: () => {},
      run: async () => ({kind: 'ended', exitCode: 0}),
      redraw: () => {},
      copy: () => {},
      saveScreen: () => safeText(''),
    },
  });

  async function pass(durationMs: DurationMs): Promise<void> {
    await cloud.settle();
    for (let leftMs = durationMs; leftMs > 0; leftMs -= STEP_MS) {
      await cloud.time.advance(Math.min(STEP_MS, leftMs));
      await cloud.settle();
    }
  }

  return {
    cloud,
    deck,
    pass,
    press: (...keys) => {
      for (const key of keys) takeInput(deck, {kind: 'keys', names: [key], isAlone: true});
    },
    sleep: durationMs => cloud.time.shiftWall(durationMs),
    close: () => {
      deck.stop();
      skydeck.die();
      rmSync(folder, {recursive: true, force: true});
    },
  };
}
