import {isatty, type ReadStream, type WriteStream} from 'node:tty';
import type {LastScreenFile} from '../config/last-screen.ts';
import type {Clock} from '../domain/time.ts';
import {createLifecycle, type Lifecycle, type ProcessLike} from '../terminal/lifecycle.ts';
import {createScreen, type Screen} from '../terminal/screen.ts';
import type {Theme} from '../ui/theme.ts';

/** The terminal, taken. The deck moves in when it is loaded. */
export type Opening = {
  /** Where what is shown now is kept for the next start. */
  readonly lastScreen?: LastScreenFile | undefined;
  readonly theme: Theme;
  readonly screen: Screen<WriteStream>;
  readonly lifecycle: Lifecycle;
  /** Whoever knows the key, and whoever draws, says so here. */
  readonly learn: (known: {readonly redact?: (text: string) => string; readonly onResume?: () => void}) => void;
};

const HANG_UP_EXIT_CODE = 129;
const STDOUT = 1;

export function takeTerminal(options: {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly stderr: {write(text: string): unknown};
  readonly process: ProcessLike;
  readonly clock: Clock;
  readonly theme: Theme;
  readonly lastScreen?: LastScreenFile | undefined;
}): Opening {
  const {stdout, clock, theme, lastScreen} = options;
  let redact = (text: string): string => text;
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
    redact: text => redact(text),
    isAttached: () => isatty(STDOUT),
    onResume: () => onResume(),
  });
  lifecycle.enter();
  return {
    lastScreen,
    theme,
    screen,
    lifecycle,
    learn: known => {
      redact = known.redact ?? redact;
      onResume = known.onResume ?? onResume;
    },
  };
}
