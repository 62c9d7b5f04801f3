import {createHash} from 'node:crypto';
import {EventEmitter} from 'node:events';
import {mkdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {recordOf} from '../../../src/actions/actions.ts';
import type {Question} from '../../../src/actions/question/question.ts';
import {Deck} from '../../../src/app/deck.ts';
import {takeInput} from '../../../src/app/dispatch.ts';
import {isAnswer} from '../../../src/app/overlay/press-question.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import type {DurationMs} from '../../../src/domain/time.ts';
import {openPanes} from '../../../src/panes/panes.ts';
import {clustersFeed} from '../../../src/state/clusters.ts';
import {firewallsFeed} from '../../../src/state/firewalls.ts';
import {machinesFeed} from '../../../src/state/machines.ts';
import type {Operations} from '../../../src/state/operations/operation.ts';
import {planCounts} from '../../../src/state/operations/plan.ts';
import {chooseGlyphs} from '../../../src/terminal/glyphs.ts';
import {listenToTerminal} from '../../../src/terminal/input.ts';
import {createTheme, PALETTES} from '../../../src/ui/theme.ts';
import {keySequences} from '../../support/keys.ts';
import {type Cloud, createCloud} from './cloud.ts';
import {openSkydeck} from './skydeck.ts';

/** Sends one piece of input, as a terminal does: to whatever reads it for the deck. */
export type Hands = (piece: string) => Promise<void>;

export type Session = {
  readonly seed: number;
  /** Questions that were answered by a complete, deliberate yes, as the rules for it are told. */
  readonly yesCount: number;
  /** Questions that were answered fifty times within a tenth of a second of being asked. */
  readonly hammeredCount: number;
  readonly begunCount: number;
  readonly sentCount: number;
  readonly violations: readonly string[];
  readonly traceHash: string;
};

/** The rules of a yes, told here once more and in their own words (house rules of confirmations). */
const ARMED_AFTER_MS = 400;
const APART_MS = 150;
const WHOLE_SIZE = {columns: 120, rows: 40};
const SIZES = [
  WHOLE_SIZE,
  {columns: 80, rows: 24},
  {columns: 200, rows: 50},
  {columns: 59, rows: 15},
  {columns: 20, rows: 4},
];
const GAPS_MS: readonly DurationMs[] = [0, 1, 20, 100, 149, 150, 399, 400, 401, 700, 2500, 12_000];
/** The paths of jobs. */
const JOB = /\/(?:request-console|logs)$/;
const MACHINE_COUNT = 12;
const LISTS: ReadonlySet<string> = new Set([machinesFeed.key, firewallsFeed.key, clustersFeed.key]);
/** What leads to questions, answers them, leaves them, and what people hit beside. */
const KEYS: readonly string[] = [
  ...['p', 'p', 'p', 'x', 'h', 'H', 'r', 's', 'S', 'u', 'X', 'n', 'i', 'e'],
  ...['y', 'y', 'y', 'enter', 'enter', 'esc', 'tab', 'space', 'Y', 'N', 'q', 'backspace'],
  ...['j', 'k', 'down', 'up', '1', '2', '3', '4', '5', '/', ':', '?', 'g', 'G', 'left', 'right', 'o', 'c', '0', '9'],
  // Marks, undo, plans, dry runs and what else the deck has learned.
  ...['m', 'v', 'a', 'A', 'u', 'U', 'd', 'D', 'W', 'ctrl-r', 'b', 't', 'l', '+', '*'],
];
const PASTES: readonly string[] = ['y', 'y\r', 'yyyy', 'infer-01', 'infer-01\r', '\r', 'n', 'pxy'];
const PASTE_START = '\u001b[200~';
const PASTE_END = '\u001b[201~';
const PASTE_MARKERS = new RegExp(`${PASTE_START}|${PASTE_END}`.replaceAll('[', String.raw`\[`), 'g');
const CTRL_C = '\u0003';
/** What a clipboard may hold that wants to be taken for keys: markers of pastes, whole and broken, among the keys for a yes. */
const HOSTILE: readonly string[] = [
  ...[PASTE_START, PASTE_START, PASTE_END, PASTE_END, PASTE_END],
  ...['\u001b[20', '1~', '\u001b', '[201~', 'y', 'y', '\r', 'px', 'pX', 'a ', '\u007f', '\u001b[A', CTRL_C],
];
const PIECE_GAPS_MS: readonly DurationMs[] = [0, 0, 0, 1, 19, 20, 100, 149, 150, 399, 400, 1000];

const THEME = createTheme({
  depth: 'none',
  palette: PALETTES.dark,
  glyphs: chooseGlyphs({isUtf8: true, preference: undefined}),
});

/** A deck over the simulated cloud, and a person with no patience at all, or with some. */
export async function letLoose(
  seed: number,
  {
    folder,
    eventCount = 30,
    handsOn = directly,
  }: {readonly folder: string; readonly eventCount?: number; readonly handsOn?: (deck: Deck) => Hands},
): Promise<Session> {
  const cloud = createCloud(seed, {vmCount: MACHINE_COUNT});
  const place = join(folder, `fingers-${seed}`);
  mkdirSync(place, {recursive: true});
  const skydeck = openSkydeck(cloud, {
    name: 'first',
    journalPath: join(place, 'journal', 'here.jsonl'),
    running: new Set(),
    tell: () => {},
  });
  let begunCount = 0;
  const operations: Operations = {
    ...skydeck.operations,
    begin: confirmed => {
      // A job that changes nothing needs no yes.
      if (recordOf(confirmed.action).endsWithReply === true) return skydeck.operations.begin(confirmed);
      begunCount += 1;
      return skydeck.operations.begin(confirmed);
    },
  };
  const deck = new Deck({
    panes: openPanes(),
    store: skydeck.store,
    operations,
    // Charts and histories ask for no keys.
    poller: {
      ...skydeck.poller,
      want: (asker, wants) =>
        skydeck.poller.want(
          asker,
          wants.filter(({feed}) => LISTS.has(feed.key)),
        ),
    },
    clock: cloud.time.clock,
    theme: THEME,
    size: WHOLE_SIZE,
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
  const person = createPerson({cloud, deck, hands: handsOn(deck), begun: () => begunCount});
  try {
    await person.reach();
    for (let count = 0; count < eventCount; count += 1) await person.doSomething();
    const sentCount = cloud.sent.filter(({isOperation, path}) => isOperation && !JOB.test(path)).length;
    const violations = [...person.violations];
    if (sentCount > begunCount) violations.push(`sent ${sentCount} times for ${begunCount} that were begun`);
    return {
      seed,
      yesCount: person.yesCount(),
      hammeredCount: person.hammeredCount(),
      begunCount,
      sentCount,
      violations,
      traceHash: createHash('sha256').update(cloud.trace.join('\n')).digest('hex'),
    };
  } finally {
    deck.stop();
    skydeck.die();
    rmSync(place, {recursive: true, force: true});
  }
}

function directly(deck: Deck): Hands {
  const stream = Object.assign(new EventEmitter(), {setEncoding: () => undefined});
  listenToTerminal(stream, {
    now: () => deck.now(),
    after: deck.after,
    take: input => takeInput(deck, input),
    isAnswer: key => isAnswer(deck, key),
  });
  return async piece => {
    stream.emit('data', piece);
  };
}

function createPerson({
  cloud,
  deck,
  hands,
  begun,
}: {
  readonly cloud: Cloud;
  readonly deck: Deck;
  readonly hands: Hands;
  readonly begun: () => number;
}) {
  const {clock} = cloud.time;
  const violations: string[] = [];
  let shown: Question | undefined;
  let shownAtMs = 0;
  let lastKeyAtMs = Number.NEGATIVE_INFINITY;
  let yesCount = 0;
  let hammeredCount = 0;
  /** Actions that follow by themselves once the one before them is confirmed. */
  let toFollow = 0;
  /** Actions of an answer that is held until it is certain that nothing follows it. */
  let held = 0;
  let sent = '';
  let markedAtMs = Number.NEGATIVE_INFINITY;
  let size = WHOLE_SIZE;

  const pick = <T>(choices: readonly T[]): T | undefined => choices[Math.floor(cloud.chance() * choices.length)];

  function open(): Question | undefined {
    const overlay = deck.overlay();
    return overlay?.kind === 'question' ? overlay.question : undefined;
  }

  /** A question counts from when it is on the screen; another in its place begins anew. */
  function lookUp(): void {
    const question = open();
    if (question === shown) return;
    shown = question;
    shownAtMs = clock.monotonicNow();
    lastKeyAtMs = Number.NEGATIVE_INFINITY;
  }

  async function pass(durationMs: DurationMs): Promise<void> {
    const before = begun();
    await cloud.settle();
    await cloud.time.advance(durationMs);
    await cloud.settle();
    const followed = begun() - before;
    if (held > 0 && followed > 0) {
      yesCount += 1;
      toFollow += held;
      held = 0;
    }
    toFollow -= followed;
    if (toFollow < 0) violations.push(`${followed} begun while no key was pressed`);
    lookUp();
  }

  /** The same rules, told by what the terminal sent: one byte by itself, and no paste shortly before it. */
  function isYes(piece: string): boolean {
    const overlay = deck.overlay();
    if (overlay?.kind !== 'question' || isPasting()) return false;
    const now = clock.monotonicNow();
    if (now - shownAtMs < ARMED_AFTER_MS || now - markedAtMs < APART_MS) return false;
    if (size.columns < 60 || size.rows < 16) return false;
    const {answer} = overlay.question;
    if (answer.kind === 'key') return piece === 'y' && now - lastKeyAtMs >= APART_MS;
    return piece === '\r' && overlay.input.text === answer.expected;
  }

  function isPasting(): boolean {
    return sent.lastIndexOf(PASTE_START) > sent.lastIndexOf(PASTE_END);
  }

  function markerCount(): number {
    return sent.match(PASTE_MARKERS)?.length ?? 0;
  }

  /** What was agreed to and not sent may be taken up again by the key for it. */
  function resumable(piece: string): number {
    const overlay = deck.overlay();
    if (overlay?.kind !== 'plan' || piece !== 'r') return 0;
    return planCounts(overlay.plan.progress()).left;
  }

  async function send(piece: string): Promise<void> {
    const isMeant = isYes(piece);
    const allowed = isMeant ? (open()?.steps.length ?? 0) : resumable(piece);
    const before = begun();
    cloud.note(`sent ${JSON.stringify(piece)}`);
    const countBefore = markerCount();
    sent += piece;
    if (isPasting() || markerCount() > countBefore) markedAtMs = clock.monotonicNow();
    // By itself it ends a paste whose end got lost.
    if (piece === CTRL_C) sent = '';
    await hands(piece);
    const count = begun() - before;
    // What comes this soon behind an answer makes it none, and an answer alone begins nothing yet.
    held = isMeant && count === 0 ? allowed : 0;
    if (isMeant && count > 0) yesCount += 1;
    if (count > 0) toFollow += Math.max(0, allowed - count);
    if (count > allowed) violations.push(`${count} begun by ${JSON.stringify(piece)} at ${clock.monotonicNow()} ms`);
    lookUp();
    if (shown !== undefined) lastKeyAtMs = clock.monotonicNow();
  }

  function press(...keys: readonly string[]): Promise<void> {
    return send(keys.flatMap(key => keySequences(key, {isApplicationCursor: false})).join(''));
  }

  function paste(text: string): Promise<void> {
    return send(`${PASTE_START}${text}${PASTE_END}`);
  }

  /** A clipboard that knows what is asked, sent in pieces cut anywhere. */
  async function attack(): Promise<void> {
    const answer = open()?.answer;
    const name = answer?.kind === 'text' ? answer.expected : 'infer-01';
    let rest = cloud.chance() < 0.7 ? PASTE_START : '';
    for (let count = 0; count < 8; count += 1) rest += pick([...HOSTILE, name]) ?? '';
    while (rest !== '') {
      const length = cloud.chance() < 0.4 ? rest.length : 1 + Math.floor(cloud.chance() * 8);
      await send(rest.slice(0, length));
      rest = rest.slice(length);
      await pass(pick(PIECE_GAPS_MS) ?? 0);
    }
    if (isPasting()) {
      await pass(1000);
      await send(cloud.chance() < 0.5 ? CTRL_C : PASTE_END);
    }
  }

  /** Reads the question and answers it as it wants to be answered. */
  async function answer(question: Question): Promise<void> {
    await pass(ARMED_AFTER_MS + 100);
    if (question.answer.kind === 'key') return press('y');
    for (const letter of question.answer.expected) {
      await press(letter === ' ' ? 'space' : letter);
      await pass(30);
    }
    await press('enter');
  }

  /** Hangs on a key, or hits two at once, over and over within a tenth of a second. */
  async function hammer(): Promise<void> {
    for (let count = 0; count < 50; count += 1) {
      await press(cloud.chance() < 0.5 ? 'y' : 'enter');
      await pass(2);
    }
  }

  /** The short way to a question; what is pressed behind it may come too soon. */
  async function ask(): Promise<void> {
    if (open() !== undefined) return press('esc');
    await press('p');
    await pass(pick([0, 20, 200]) ?? 0);
    await press(pick(['x', 'x', 'h', 'H', 'r', 's']) ?? 'x');
    if (open() === undefined || cloud.chance() < 0.5) return;
    const before = begun();
    await hammer();
    hammeredCount += 1;
    if (begun() > before) violations.push('begun by keys within a tenth of a second of the question');
  }

  function resize(to: typeof WHOLE_SIZE): void {
    size = to;
    deck.resize(size);
    // What stands elsewhere, or was not to be seen, is to be read anew.
    shownAtMs = clock.monotonicNow();
  }

  async function doSomething(): Promise<void> {
    const what = cloud.chance();
    const question = open();
    if (size.rows < WHOLE_SIZE.rows && cloud.chance() < 0.3) resize(WHOLE_SIZE);
    if (question !== undefined && cloud.chance() < 0.4) await answer(question);
    else if (what < 0.22) await ask();
    else if (what < 0.26) await hammer();
    else if (what < 0.31) await paste(pick(PASTES) ?? 'y');
    else if (what < 0.36) await attack();
    else if (what < 0.46) resize(pick(SIZES) ?? WHOLE_SIZE);
    else if (what < 0.5) cloud.time.shiftWall(cloud.chance() * 60_000);
    else if (what < 0.62) await press(pick(KEYS) ?? 'y', pick(KEYS) ?? 'y', pick(KEYS) ?? 'y');
    else await press(pick(KEYS) ?? 'y');
    await pass(pick(GAPS_MS) ?? 0);
  }

  return {
    violations,
    yesCount: () => yesCount,
    hammeredCount: () => hammeredCount,
    doSomething,
    /** To a pane whose data has come. */
    reach: async () => {
      await press(pick(['1', '2', '2', '2', '2', '3', '4', '4', '5']) ?? '2');
      await pass(2000);
      size = WHOLE_SIZE;
    },
  };
}
