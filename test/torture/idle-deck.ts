import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {OpenReply} from '../../src/api/exchange.ts';
import {Deck} from '../../src/app/deck.ts';
import {takeInput} from '../../src/app/dispatch.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {DurationMs} from '../../src/domain/time.ts';
import {openPanes} from '../../src/panes/panes.ts';
import type {Operations} from '../../src/state/operations/operation.ts';
import {countingSleep} from '../../src/state/monotonic-clock.ts';
import {chooseGlyphs} from '../../src/terminal/glyphs.ts';
import {createTheme, PALETTES} from '../../src/ui/theme.ts';
import {type Cloud, createCloud} from '../tools/simulation/cloud.ts';
import {openSkydeck} from '../tools/simulation/skydeck.ts';

/** A deck without a screen over a cloud in this process, on a virtual clock. */
export type IdleDeck = {
  readonly cloud: Cloud;
  readonly deck: Deck;
  readonly operations: Operations;
  readonly pass: (durationMs: DurationMs) => Promise<void>;
  readonly press: (...keys: readonly string[]) => void;
  /** The computer sleeps: the wall clock continues, while timers and the system's monotonic clock stop. */
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

export function openIdleDeck({
  vmCount,
  seed = 1,
  repeatsAnswers = false,
}: {
  readonly vmCount?: number;
  readonly seed?: number;
  /** The first answers to each request are repeated and nothing is recorded, so that the cloud uses no more memory. */
  readonly repeatsAnswers?: boolean;
} = {}): IdleDeck {
  const inner = createCloud(seed, vmCount === undefined ? {} : {vmCount});
  const clock = {...inner.time.clock, ...countingSleep(inner.time.clock)};
  const heard = {...inner, time: {...inner.time, clock}};
  const cloud = repeatsAnswers ? repeating(heard) : heard;
  const folder = mkdtempSync(join(tmpdir(), 'skydeck-idle-'));
  const skydeck = openSkydeck(cloud, {
    name: 'idle',
    journalPath: join(folder, 'journal', 'here.jsonl'),
    running: new Set(),
    tell: () => {},
  });
  const deck = new Deck({
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
      watch: () => () => () => {},
      run: async () => ({kind: 'ended', exitCode: 0}),
      redraw: () => {},
      copy: () => true,
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
    operations: skydeck.operations,
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

/** The number of answers to one request that are given in turn. */
const ANSWERS_KEPT = 2;

function repeating(cloud: Cloud): Cloud {
  const known = new Map<string, Buffer[]>();
  let askedCount = 0;
  return {
    ...cloud,
    wireOf: (by, isAlive) => {
      const {read, operation} = cloud.wireOf(by, isAlive);
      return {
        operation,
        read: async (line, request, options) => {
          const question = `${request.url.pathname}${[...request.url.searchParams.keys()].join()}`;
          const bodies = known.get(question) ?? [];
          known.set(question, bodies);
          askedCount += 1;
          const body = bodies[askedCount % ANSWERS_KEPT];
          if (body !== undefined && bodies.length === ANSWERS_KEPT) return {ok: true, value: openedAgain(body)};
          const reply = await read(line, request, options);
          if (!reply.ok || reply.value.httpStatus !== 200) return reply;
          const whole = await wholeOf(reply.value);
          bodies.push(whole);
          return {ok: true, value: openedAgain(whole)};
        },
      };
    },
  };
}

async function wholeOf(reply: OpenReply): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await reply.next(); chunk.ok && chunk.value !== undefined; chunk = await reply.next())
    chunks.push(chunk.value);
  return Buffer.concat(chunks);
}

function openedAgain(body: Buffer): OpenReply {
  const chunks = [body];
  return {
    httpStatus: 200,
    header: () => undefined,
    next: async () => ({ok: true, value: chunks.shift()}),
    close: () => {},
  };
}
