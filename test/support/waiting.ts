export type Patience = {readonly withinMs?: number};

export type Waiting = {
  /** Checks every condition again. Call it after each parsed piece of output. */
  readonly look: () => void;
  /** Resolves at the next check, or after the pause if nothing happens. */
  readonly nextLook: (pauseMs: number) => Promise<void>;
  readonly until: (wanted: string, isMet: () => boolean, patience?: Patience) => Promise<void>;
};

type WaitingOptions = {
  readonly isFrameOpen: () => boolean;
  /** Undefined while the program runs. There is no output after it exits. */
  readonly exitCode: () => number | undefined;
  readonly picture: () => string;
};

const DEFAULT_PATIENCE_MS = 20_000;

/** Waits for a program's output: checks after every parsed piece of output, with one timer as the limit. */
export function createWaiting({isFrameOpen, exitCode, picture}: WaitingOptions): Waiting {
  const lookers = new Set<() => void>();

  function until(wanted: string, isMet: () => boolean, {withinMs = DEFAULT_PATIENCE_MS}: Patience = {}): Promise<void> {
    // Created here, so that its stack includes the line of the test that waits.
    const failure = new Error();
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => end(`within ${withinMs} ms`), withinMs);
      lookers.add(look);
      look();

      function look(): void {
        const code = exitCode();
        if (isMet() && (!isFrameOpen() || code !== undefined)) end();
        else if (code !== undefined) end(`before the program ended with exit code ${code}`);
      }

      function end(missed?: string): void {
        clearTimeout(deadline);
        lookers.delete(look);
        if (missed === undefined) {
          resolve();
          return;
        }
        failure.message = `Expected the terminal ${wanted} ${missed}.\n${picture()}`;
        reject(failure);
      }
    });
  }

  function nextLook(pauseMs: number): Promise<void> {
    return new Promise(resolve => {
      const pause = setTimeout(end, pauseMs);
      lookers.add(end);

      function end(): void {
        clearTimeout(pause);
        lookers.delete(end);
        resolve();
      }
    });
  }

  return {
    look: () => {
      for (const look of [...lookers]) look();
    },
    nextLook,
    until,
  };
}
