import {createRequire} from 'node:module';
import {presentDayWidths} from './character-width.ts';

// The package is CommonJS: Node cannot import its names from a module, and its types declare no default export.
const load = createRequire(import.meta.url);
const xterm: typeof import('@xterm/headless') = load('@xterm/headless');

export type Emulator = import('@xterm/headless').Terminal;

/** A terminal without a window: it takes the bytes of a program and keeps the cells that a person would see. */
export function createEmulator({columns, rows}: {columns: number; rows: number}): Emulator {
  const emulator = new xterm.Terminal({cols: columns, rows, allowProposedApi: true, scrollback: 1000});
  emulator.unicode.register(presentDayWidths);
  emulator.unicode.activeVersion = presentDayWidths.version;
  return emulator;
}

/** Resolves when everything written so far is in the cells. */
export function written(emulator: Emulator, text: string): Promise<void> {
  return new Promise(resolve => emulator.write(text, resolve));
}

/** The lines that a person would see, without trailing blanks. */
export function visibleLines(emulator: Emulator): string[] {
  const buffer = emulator.buffer.active;
  return Array.from(
    {length: emulator.rows},
    (_, row) =>
      buffer
        .getLine(buffer.viewportY + row)
        ?.translateToString()
        .trimEnd() ?? '',
  );
}
