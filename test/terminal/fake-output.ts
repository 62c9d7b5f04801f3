import {EventEmitter} from 'node:events';

export type FakeOutput = {
  readonly stream: NodeJS.WriteStream;
  /** All that was written, piece by piece. */
  readonly pieces: string[];
  readonly resize: (columns: number, rows: number) => void;
  readonly fail: (code: string) => void;
  readonly stall: () => void;
  readonly drain: () => void;
};

/** A terminal's output stream that stores what is written to it. */
export function fakeOutput({columns = 40, rows = 8}: {columns?: number; rows?: number} = {}): FakeOutput {
  const pieces: string[] = [];
  const state = {columns, rows, writableNeedDrain: false};
  const emitter = new EventEmitter();
  const stream = Object.assign(emitter, {
    isTTY: true,
    write: (text: string, done?: (error?: Error | null) => void) => {
      if (text !== '') pieces.push(text);
      if (done !== undefined) queueMicrotask(() => done());
      return !state.writableNeedDrain;
    },
  });
  for (const key of ['columns', 'rows', 'writableNeedDrain'] as const) {
    Object.defineProperty(stream, key, {get: () => state[key]});
  }
  return {
    // The types of Ink require a whole terminal stream, but it uses only these members.
    stream: stream as unknown as NodeJS.WriteStream,
    pieces,
    resize: (newColumns, newRows) => {
      state.columns = newColumns;
      state.rows = newRows;
      emitter.emit('resize');
    },
    fail: code => emitter.emit('error', Object.assign(new Error(`write ${code}`), {code})),
    stall: () => {
      state.writableNeedDrain = true;
    },
    drain: () => {
      state.writableNeedDrain = false;
      emitter.emit('drain');
    },
  };
}
