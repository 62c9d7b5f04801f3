import type {ReadStream, WriteStream} from 'node:tty';
import {render} from 'ink';
import {Component, type ReactNode} from 'react';
import {shellLine} from '../actions/shell-line.ts';
import {parseSshConnection} from '../domain/own-connection.ts';
import type {Preferences} from '../domain/preferences.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {environmentWithoutKey} from '../domain/ssh.ts';
import type {Cancel, Clock} from '../domain/time.ts';
import {openPanes} from '../panes/panes.ts';
import type {LearntActivity} from '../state/learnt-activity.ts';
import type {Mutes} from '../state/mutes.ts';
import {ROOM_IN_BATCH} from '../state/operations/operation.ts';
import type {Session} from '../state/session.ts';
import type {Lifecycle, ProcessLike} from '../terminal/lifecycle.ts';
import {runAside, watchAside} from '../terminal/run-aside.ts';
import {type ProgramEnd, runProgram} from '../terminal/run-program.ts';
import type {Theme} from '../ui/theme.ts';
import type {AlertHost} from './alerts.ts';
import {App} from './app.tsx';
import type {CrashReporter} from './crash-report.ts';
import {Deck, type DeckHost} from './deck.ts';
import {HeldFrame} from './held-frame.ts';
import {keepLastScreen} from './keep-last-screen.ts';
import {unsentLines} from './leaving.ts';
import {type Opening, takeTerminal} from './opening.ts';
import {saveScreen} from './save-screen.ts';
import type {Themes} from './themes.ts';

export type DeckStart = {
  readonly preferences: Preferences;
  readonly session: Session;
  readonly mutes: Mutes;
  readonly activity: LearntActivity;
  readonly isSimulated: boolean;
  readonly clock: Clock;
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly stderr: {write(text: string): unknown};
  readonly process: ProcessLike;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Removes the service's key from a text. */
  readonly redact: (text: string) => string;
  readonly theme: Theme;
  readonly themes: Themes;
  readonly crash: CrashReporter;
  /** The terminal, if it was taken before the deck was loaded. */
  readonly opening?: Opening | undefined;
  /** What the person has to know from the start. */
  readonly notice?: SafeText | undefined;
  /** Called when the first readings are on screen, or are no longer waited for. */
  readonly onShown?: (() => void) | undefined;
};

/** Takes the terminal, if that was not done yet, and shows the deck until the person quits or the terminal is lost. */
export function startDeck(start: DeckStart): void {
  const {session, clock} = start;
  const opening = start.opening ?? takeTerminal(start);
  const {screen, lifecycle, lastScreen} = opening;
  const leave = (exitCode: number): void => {
    keep?.();
    lifecycle.exit(exitCode);
  };
  const deck = openDeck(start, opening, leave);
  if (start.notice !== undefined) deck.notify(start.notice, 'warning');
  const keep = lastScreen === undefined ? undefined : keepLastScreen(deck, {clock, screen, file: lastScreen});
  // The terminal is given back by then, however the program ends.
  start.process.on('exit', () => {
    for (const line of endOfBatches(deck)) start.stderr.write(`${start.redact(line)}\n`);
  });
  opening.onResume(() => {
    deck.resume();
    session.poller.refresh();
    deck.resize(screen.size());
  });
  if (start.opening !== undefined) new HeldFrame(deck, opening, start);
  else start.onShown?.();
  screen.stdout.on('resize', () => deck.resize(screen.size()));
  draw(deck, start, opening);
}

/** What was confirmed and will never be sent is named on the shell's screen and stands in the journal. */
function endOfBatches({writes}: Deck): readonly SafeText[] {
  const outstanding = writes.outstanding();
  const fault = writes.watched()?.writeUnsent(outstanding.unsent);
  return [...unsentLines(outstanding), ...(fault === undefined ? [] : [say`skydeck: ${fault}`])];
}

function openDeck(start: DeckStart, opening: Opening, leave: DeckHost['leave']): Deck {
  const {session} = start;
  return new Deck({
    ...session,
    panes: openPanes(),
    clock: start.clock,
    theme: opening.theme,
    themes: start.themes,
    preferences: start.preferences,
    mutes: start.mutes,
    activity: start.activity,
    alertHost: alertHost(start, opening),
    linkFacts: () => ({
      clockOffsetMs: session.link.clockOffsetMs(),
      isClockFollowed: session.link.isClockFollowed(),
      requestsLastMinute: session.budget.usedLastMinute(),
      requestCeiling: session.budget.ceilingPerMinute,
      operationWaitMs: session.budget.waitFor('operation', ROOM_IN_BATCH),
    }),
    size: opening.screen.size(),
    isSimulated: start.isSimulated,
    ownConnection: parseSshConnection(start.environment.SSH_CONNECTION),
    host: {...deckHost(start, opening), leave},
  });
}

function deckHost(start: DeckStart, {screen, lifecycle}: Opening): Omit<DeckHost, 'leave'> {
  const {clock, environment} = start;
  return {
    suspend: lifecycle.suspend,
    watch: words => listeners => watchAside(words, {...listeners, ...aside(start)}),
    run: words => runOnTerminal(words, start, {lifecycle, clock}),
    redraw: screen.repaint,
    copy: screen.copy,
    saveScreen: table => saveScreen(table, screen.picture(), {environment, now: clock.wallNow()}),
  };
}

function alertHost(start: DeckStart, {screen}: Opening): AlertHost {
  return {
    ring: screen.ring,
    notify: screen.notify,
    run: (words, input) => runAside(words, {input: start.redact(input), ...aside(start)}),
  };
}

/** What a program beside the deck gets: never the service's key, and its end when the deck ends. */
function aside({environment, redact, clock, process}: DeckStart) {
  return {
    environment: environmentWithoutKey(environment, redact),
    clock,
    onExit: (end: () => void): Cancel => onExit(process, end),
  };
}

function draw(deck: Deck, {session, stdin, isSimulated}: DeckStart, {screen, lifecycle}: Opening): void {
  const {link, budget, prometheus} = session;
  const connection = {...link, ...budget, isSimulated, metricsSource: prometheus?.state};
  const ink = render(
    <ErrorBoundary fail={lifecycle.fail}>
      <App deck={deck} connection={connection} slots={screen.slots} />
    </ErrorBoundary>,
    // Ink passes on whole frames; the screen writes what changed. Ink's own throttle would delay keys.
    {stdout: screen.stdout, stdin, debug: true, interactive: true, exitOnCtrlC: false, patchConsole: false},
  );
  // A mistake of Ink's own; otherwise the program would exit with 0.
  ink.waitUntilExit().catch(lifecycle.fail);
}

function onExit(process: ProcessLike, end: () => void): Cancel {
  process.on('exit', end);
  return () => process.removeListener('exit', end);
}

/** Another program in the deck's place, without the service's key, below the line that started it. */
async function runOnTerminal(
  words: readonly string[],
  {stdout, process, environment, redact}: DeckStart,
  {lifecycle, clock}: {readonly lifecycle: Pick<Lifecycle, 'lend'>; readonly clock: Clock},
): Promise<ProgramEnd> {
  let end: ProgramEnd = {kind: 'not-started', reason: 'the terminal is not available'};
  await lifecycle.lend(async () => {
    stdout.write(`$ ${shellLine(words)}\n`);
    end = await runProgram({signals: process, after: clock.after}, words, environmentWithoutKey(environment, redact));
  });
  return end;
}

type ErrorBoundaryProps = {readonly fail: (error: unknown) => void; readonly children: ReactNode};

/**
 * A mistake while drawing ends the program, with a report that does not contain the key. Ink alone would first draw the
 * error and its stack on the screen unredacted.
 */
class ErrorBoundary extends Component<ErrorBoundaryProps, {readonly hasFailed: boolean}> {
  override state = {hasFailed: false};

  static getDerivedStateFromError(): {readonly hasFailed: boolean} {
    return {hasFailed: true};
  }

  override componentDidCatch(error: unknown): void {
    this.props.fail(error);
  }

  override render(): ReactNode {
    return this.state.hasFailed ? undefined : this.props.children;
  }
}
