import {isatty, type ReadStream, type WriteStream} from 'node:tty';
import {type EarlyOptions, readEarlyOptions} from '../config/early-options.ts';
import {type LastScreenFile, lastScreenFile, readLastScreen} from '../config/last-screen.ts';
import {openStateFolder} from '../config/own-files.ts';
import type {EnvironmentVariables} from '../domain/environment-variables.ts';
import type {SafeText} from '../domain/safe-text.ts';
import type {Clock} from '../domain/time.ts';
import {checkTerminal} from '../terminal/abilities.ts';
import type {Size} from '../terminal/frame.ts';
import {createLifecycle, type Lifecycle, type ProcessLike} from '../terminal/lifecycle.ts';
import {createScreen, type Screen} from '../terminal/screen.ts';
import type {Theme} from '../ui/theme.ts';
import type {CrashReporter} from './crash-report.ts';
import {firstFrame} from './first-frame.ts';
import {themeFor} from './look.ts';

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

/** Takes the terminal and draws the first frame, if it is certain that the deck is wanted and possible. */
export function openWithFirstFrame(
  process: NodeJS.Process,
  argv: readonly string[],
  {clock, crash}: {readonly clock: Clock; readonly crash: CrashReporter},
): Opening | undefined {
  const {stdin, stdout, stderr, env: environment} = process;
  if (checkTerminal({stdin, stdout, env: environment}).kind !== 'deck') return undefined;
  const options = readEarlyOptions(argv, environment);
  if (options === undefined) return undefined;
  const look = themeFor({...options, environment});
  // What is wrong with a theme is reported later.
  if (!look.ok) return undefined;
  const theme = look.value;
  const lastScreen = lastScreenOf(options, environment);
  const opening = takeTerminal({stdin, stdout, stderr, process, clock, theme, crash, lastScreen});
  const last = lastScreen === undefined ? undefined : readLastScreen(lastScreen);
  const frameAt = (size: Size, unanswered?: SafeText) =>
    firstFrame({
      size,
      theme,
      last,
      now: clock.wallNow(),
      isSimulated: options.account === undefined,
      isReadOnly: options.isReadOnly,
      unanswered,
    });
  opening.screen.paint(frameAt(opening.screen.size()));
  if (last === undefined) return opening;
  return {...opening, lastFrame: (unanswered, size) => frameAt(size, unanswered)};
}

/** Undefined if no folder of our own can hold it. */
function lastScreenOf(
  {account}: Pick<EarlyOptions, 'account'>,
  environment: EnvironmentVariables,
): LastScreenFile | undefined {
  try {
    return lastScreenFile(openStateFolder(environment, 'last-screen'), account);
  } catch {
    return undefined;
  }
}

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
