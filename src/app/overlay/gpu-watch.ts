import {type GpuReading, parseGpuReading} from '../../domain/gpu-reading.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {type Cancel, type Clock, MINUTE_MS} from '../../domain/time.ts';

/** After this the box has to be opened again, so that no unused connection stays open. */
const LIMIT_MINUTES = 10;
/** One every five seconds: ten minutes. */
const MAX_HISTORY = 120;
/** A machine has sixteen at most; a program that reports more is ignored beyond that. */
const MAX_GPUS = 64;

export type WatchedGpu = {
  readonly latest: GpuReading;
  /** Utilization from 0 to 1, newest last; undefined if not reported. */
  readonly history: readonly (number | undefined)[];
};

/** Starts a program and reports what it prints; returns a function that ends it. */
export type StartProgram = (listeners: {
  readonly onLine: (line: string) => void;
  readonly onEnd: (reason: string) => void;
}) => Cancel;

/** The GPUs of one machine as reported by its own driver, while somebody watches. */
export class GpuWatch {
  readonly name: SafeText;
  readonly #gpus = new Map<number, WatchedGpu>();
  readonly #changed: () => void;
  readonly #end: Cancel;
  readonly #cancelLimit: Cancel;
  #endedBecause: SafeText | undefined;
  /** The last line it printed that is not a reading. */
  #message: SafeText | undefined;

  constructor(options: {
    readonly name: SafeText;
    readonly start: StartProgram;
    readonly clock: Pick<Clock, 'after'>;
    readonly changed: () => void;
  }) {
    this.name = options.name;
    this.#changed = options.changed;
    this.#end = options.start({onLine: line => this.#take(line), onEnd: reason => this.#close(safeText(reason))});
    this.#cancelLimit = options.clock.after(LIMIT_MINUTES * MINUTE_MS, () => {
      this.#end();
      this.#close(say`stopped after ${LIMIT_MINUTES} minutes; open it again to continue`);
    });
  }

  /** By index. */
  readings(): readonly WatchedGpu[] {
    return [...this.#gpus.values()].toSorted((left, right) => left.latest.index - right.latest.index);
  }

  /** Undefined if everything printed was a reading. */
  lastMessage(): SafeText | undefined {
    return this.#message;
  }

  /** Why it ended; undefined while it runs. */
  endReason(): SafeText | undefined {
    return this.#endedBecause;
  }

  stop(): void {
    this.#cancelLimit();
    this.#end();
  }

  #take(line: string): void {
    const reading = parseGpuReading(line);
    if (reading === undefined) this.#message = line.trim() === '' ? this.#message : safeText(line);
    else if (this.#gpus.has(reading.index) || this.#gpus.size < MAX_GPUS) {
      const history = this.#gpus.get(reading.index)?.history ?? [];
      this.#gpus.set(reading.index, {
        latest: reading,
        history: [...history, reading.utilization].slice(-MAX_HISTORY),
      });
    }
    this.#changed();
  }

  #close(reason: SafeText): void {
    this.#cancelLimit();
    this.#endedBecause = reason;
    this.#changed();
  }
}
