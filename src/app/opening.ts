import {isatty, type ReadStream, type WriteStream} from 'node:tty';
import type {LastScreenFile} from '../config/last-screen.ts';
import type {SafeText} from '../domain/safe-text.ts';
import type {Clock} from '../domain/time.ts';
import type {Size} from '../terminal/frame.ts';
import {createLifecycle, type Lifecycle, type ProcessLike} from '../terminal/lifecycle.ts';
import {createScreen, type Screen} from '../terminal/screen.ts';
import type {Theme} from '../ui/theme.ts';
import type {CrashReporter} from './crash-report.ts';

/** The terminal, already taken. The deck uses it once it is loaded. */
export type Opening = {
  /** Where the screen is kept for the next start. */
  readonly lastScreen?: LastScreenFile | undefined;
  /** The frame with the last screen at a later moment; undefined if nothing was seen before. */
  readonly lastFrame?: LastFrame | undefined;
  readonly theme: Theme;
  readonly screen: Screen<WriteStream>;
  readonly lifecycle: Lifecycle;
  /** Set by whoever draws: what to do when the program continues after a stop. */
  readonly onResume: (run: () => void) => void;
};

type LastFrame = (unanswered: SafeText, size: Size) => string;

const HANG_UP_EXIT_CODE = 129;
const STDOUT = 1;

export function takeTerminal(options: {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly stderr: {write(text: string): unknown};
  readonly process: ProcessLike;
  readonly clock: Clock;
  readonly theme: Theme;
  readonly crash: CrashReporter;
  readonly lastScreen?: LastScreenFile | undefined;
  /** Whether the terminal is still there; the terminal of the process by default. */
  readonly isAttached?: () => boolean;
}): Opening {
  const {stdout, clock, theme, lastScreen, isAttached = () => isatty(STDOUT)} = options;
  let onResume = (): void => undefined;
  const screen = createScreen({
    stdout,
    clock,
    glyphs: theme.glyphs.name,
    onGone: () => lifecycle.exit(HANG_UP_EXIT_CODE),
  });
  const lifecycle = createLifecycle({
    ...options,
    screen,
    isAttached,
    onResume: () => onResume(),
  });
  lifecycle.enter();
  return {
    lastScreen,
    theme,
    screen,
    lifecycle,
    onResume: run => {
      onResume = run;
    },
  };
}
