import {safeText} from '../../domain/safe-text.ts';
import {type Clock, type DurationMs, SECOND_MS} from '../../domain/time.ts';
import type {CommandIo} from '../command-io.ts';

/** One line on stderr that reports progress to a person who waits. */
export type Progress = {
  readonly say: (words: string) => void;
  /** Removes the line, so that the next output is on a line of its own. */
  readonly end: () => void;
};

const SHOWN_AFTER_MS: DurationMs = SECOND_MS;
const CLEAR_LINE = '\r\x1b[K';
const MAX_CELLS = 78;

/** Shown only on a terminal, and only once the work has taken a second. */
export function openProgress(io: Pick<CommandIo, 'stderr' | 'environment'>, clock: Clock, first: string): Progress {
  if (io.stderr.isTTY !== true || io.environment.TERM === 'dumb') return {say: () => {}, end: () => {}};
  let words = first;
  let isShown = false;
  const show = () => {
    isShown = true;
    io.stderr.write(`${CLEAR_LINE}skydeck: ${safeText(words, {maxLength: MAX_CELLS - 'skydeck: '.length})}`);
  };
  const cancel = clock.after(SHOWN_AFTER_MS, show);
  return {
    say: next => {
      words = next;
      if (isShown) show();
    },
    end: () => {
      cancel();
      if (isShown) io.stderr.write(CLEAR_LINE);
      isShown = false;
    },
  };
}
