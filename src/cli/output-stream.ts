import type {Output} from './command-io.ts';

const BROKEN_PIPE = 'EPIPE';

type Stream = {
  readonly write: (text: string, done: (error?: Error | null) => void) => unknown;
  readonly on: (event: 'error', listener: (error: NodeJS.ErrnoException) => void) => unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/**
 * A process stream to print to. Its reader may end early, as `head` does, which is not an error. Output lost for any
 * other reason, such as a full disk, is reported by `lost`, and the program goes on to its end.
 */
export function outputTo(stream: Stream, onGone: () => void = () => {}): Output {
  let isUsed = false;
  let isGone = false;
  let reason: string | undefined;
  const fail = (error: NodeJS.ErrnoException) => {
    if (isGone) return;
    isGone = error.code === BROKEN_PIPE;
    if (isGone) onGone();
    else reason ??= error.message;
  };
  stream.on('error', error => {
    if (!isUsed && error.code !== BROKEN_PIPE) throw error;
    fail(error);
  });
  return {
    write: (text, done) => {
      isUsed = true;
      const settle = (error?: Error | null) => {
        if (error !== undefined && error !== null) fail(error);
        done?.();
      };
      try {
        stream.write(text, settle);
      } catch (error) {
        settle(error instanceof Error ? error : new Error(String(error)));
      }
    },
    lost: () => reason,
    isTTY: stream.isTTY,
    columns: stream.columns,
  };
}
