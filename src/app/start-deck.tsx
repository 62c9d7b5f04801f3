import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {isatty, type ReadStream, type WriteStream} from 'node:tty';
import {render} from 'ink';
import type {Settings} from '../config/settings.ts';
import {parseSshConnection} from '../domain/own-connection.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Clock} from '../domain/time.ts';
import type {PlainTable} from '../panes/pane.ts';
import {openPanes} from '../panes/panes.ts';
import type {Session} from '../state/session.ts';
import {colourDepth, isUtf8Locale, terminalBackground} from '../terminal/abilities.ts';
import {chooseGlyphs} from '../terminal/glyphs.ts';
import {createLifecycle, type ProcessLike} from '../terminal/lifecycle.ts';
import {createScreen} from '../terminal/screen.ts';
import {createTheme} from '../ui/theme.ts';
import {LineRegisterContext} from '../ui/use-ticket.ts';
import {App} from './app.tsx';
import {createDeck} from './deck.ts';
import type {Connection} from './header.ts';

export type DeckStart = Settings & {
  readonly session: Session;
  readonly connection: Connection;
  readonly clock: Clock;
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly stderr: {write(text: string): unknown};
  readonly process: ProcessLike;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly hasColour: boolean;
  readonly isAscii: boolean;
  readonly redact: (text: string) => string;
  /** Where saved screens go. */
  readonly stateFolder: string;
};

/** Takes the terminal and shows the deck, until the person or the terminal leaves. */
export function startDeck(start: DeckStart): void {
  const {session, clock, stdin, stdout, environment} = start;
  const glyphs = chooseGlyphs({
    isUtf8: !start.isAscii && isUtf8Locale(environment),
    preference: start.glyphs === 'auto' ? undefined : start.glyphs,
  });
  const theme = createTheme({
    depth: start.hasColour ? colourDepth(environment) : 'none',
    background: start.background === 'auto' ? terminalBackground(environment) : start.background,
    glyphs,
  });
  const screen = createScreen({stdout, clock, glyphs: glyphs.name, onGone: () => lifecycle.exit(HANG_UP_EXIT_CODE)});
  const lifecycle = createLifecycle({
    ...start,
    screen,
    isAttached: () => isatty(STDOUT),
    onResume: () => {
      if (deck.overlay()?.kind !== 'reveal') deck.setOverlay(undefined);
      session.poller.refresh();
      deck.resize(screen.size());
    },
  });
  const deck = createDeck({
    ...session,
    panes: openPanes(),
    clock,
    theme,
    size: screen.size(),
    ownConnection: parseSshConnection(environment.SSH_CONNECTION),
    host: {
      leave: lifecycle.exit,
      suspend: lifecycle.suspend,
      redraw: screen.repaint,
      copy: screen.copy,
      saveScreen: table => saveScreen(table, start, screen.picture()),
    },
  });
  lifecycle.enter();
  screen.stdout.on('resize', () => deck.resize(screen.size()));
  const ink = render(
    <LineRegisterContext value={screen.tickets}>
      <App deck={deck} connection={start.connection} />
    </LineRegisterContext>,
    // Ink hands every frame over whole; the screen writes what changed. Ink's own throttle would make keys wait.
    {stdout: screen.stdout, stdin, debug: true, interactive: true, exitOnCtrlC: false, patchConsole: false},
  );
  // A mistake while drawing ends the program with its own exit code; Ink alone would end it with 0.
  ink.waitUntilExit().catch(lifecycle.fail);
}

const HANG_UP_EXIT_CODE = 129;
const STDOUT = 1;

/** Writes what is on the screen beside the journal, four times: plain, coloured, and its table for other programs. */
function saveScreen(
  table: PlainTable,
  start: DeckStart,
  shown: {readonly plain: string; readonly coloured: string},
): SafeText {
  const folder = join(start.stateFolder, 'screens');
  const stamp = new Date(start.clock.wallNow()).toISOString().replaceAll(/[:.]/g, '-');
  const path = join(folder, `skydeck-${stamp}`);
  const records = table.rows.map(row =>
    Object.fromEntries(table.columns.map((column, index) => [column, row[index] ?? ''])),
  );
  try {
    mkdirSync(folder, {recursive: true, mode: 0o700});
    writeFileSync(`${path}.txt`, shown.plain, {mode: 0o600});
    writeFileSync(`${path}.ansi`, shown.coloured, {mode: 0o600});
    writeFileSync(`${path}.csv`, [table.columns, ...table.rows].map(csvLine).join(''), {mode: 0o600});
    writeFileSync(`${path}.json`, `${JSON.stringify(records, undefined, 2)}\n`, {mode: 0o600});
    return say`saved as ${safeText(path)}.{txt,ansi,csv,json}`;
  } catch (error) {
    return say`the screen could not be saved in ${safeText(folder)}: ${safeText(error instanceof Error ? error.message : String(error))}`;
  }
}

function csvLine(cells: readonly string[]): string {
  return `${cells.map(cell => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}
