import type {Question} from '../../src/actions/question/question.ts';
import type {TerminalSize} from '../../src/app/deck.ts';
import type {Connection} from '../../src/app/header.ts';
import {openQuestion} from '../../src/app/overlay/overlay.ts';
import {isWhollyRead} from '../../src/app/overlay/question-box.tsx';
import type {WriteMode} from '../../src/app/writes.ts';
import {DEFAULT_PREFERENCES} from '../../src/domain/preferences.ts';
import {epochMs, monotonicMs} from '../../src/domain/time.ts';
import type {Scene} from '../../src/panes/pane.ts';
import {withPricesInForce} from '../../src/state/catalogue.ts';
import {UP} from '../../src/state/poller/circuit-breaker.ts';
import {createStore} from '../../src/state/store.ts';
import {chooseGlyphs} from '../../src/terminal/glyphs.ts';
import {createTheme, PALETTES} from '../../src/ui/theme.ts';

export const THEME = createTheme({
  depth: 'none',
  palette: PALETTES.dark,
  glyphs: chooseGlyphs({isUtf8: true, preference: undefined}),
});

/** A scene in which nothing is known except what the test gives. */
export function aScene({
  store = createStore(),
  now = epochMs(Date.UTC(2026, 10, 20, 20, 58, 12)),
  preferences = DEFAULT_PREFERENCES,
  ...rest
}: Partial<Scene> = {}): Scene {
  return {
    store,
    operations: undefined,
    health: UP,
    now,
    monotonicNow: monotonicMs(100_000),
    size: {columns: 120, rows: 36},
    theme: THEME,
    preferences: withPricesInForce(preferences, {store, now}),
    hasChosen: false,
    ...rest,
  };
}

export function aConnection(rest: Partial<Connection> = {}): Connection {
  return {
    isSimulated: false,
    usedLastMinute: () => 14,
    ceilingPerMinute: 100,
    latencyMs: () => 87.4,
    clockOffsetMs: () => 0,
    isClockFollowed: () => true,
    waitingSince: () => undefined,
    ...rest,
  };
}

/** A session that may write, without a dry run. */
export const OPEN_MODE: WriteMode = {access: 'open', isDryRun: false};

/** Whether the whole question can be read at once. */
export function isQuestionVisible(question: Question, size: TerminalSize, scene: Scene): boolean {
  return isWhollyRead(openQuestion(question, monotonicMs(0)), size, scene);
}
