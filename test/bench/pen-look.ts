import type {Emulator} from '../support/emulator.ts';
import {type Look, lookOf, PLAIN_LOOK} from './cell-grid.ts';

const ATTRIBUTE_BY_OFF: Readonly<Record<number, readonly string[]>> = {
  22: ['1', '2'],
  23: ['3'],
  24: ['4'],
  27: ['7'],
  29: ['9'],
};
const ATTRIBUTES = [1, 2, 3, 4, 7, 9];

/** The look of the next character. The emulator does not expose it, so this watches the sequences that set it. */
export function watchPenLook(emulator: Emulator): () => Look {
  let pen = PLAIN_LOOK;
  emulator.parser.registerCsiHandler({final: 'm'}, params => {
    pen = afterCodes(pen, params.flat());
    return false;
  });
  return () => pen;
}

function afterCodes({attributes, foreground, background}: Look, codes: readonly number[]): Look {
  const on = new Set(attributes);
  let [front, behind] = [foreground, background];
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code === 0) {
      on.clear();
      [front, behind] = ['', ''];
    } else if (ATTRIBUTES.includes(code)) on.add(String(code));
    else if (code === 38 || code === 48) {
      const colour = codes.slice(index, index + (codes[index + 1] === 5 ? 3 : 5)).join(';');
      if (code === 38) front = colour;
      else behind = colour;
      index += colour.split(';').length - 1;
    } else if (isColour(code, 30)) front = code === 39 ? '' : String(code);
    else if (isColour(code, 40)) behind = code === 49 ? '' : String(code);
    else for (const ended of ATTRIBUTE_BY_OFF[code] ?? []) on.delete(ended);
  }
  return lookOf([...on].sort(), front, behind);
}

function isColour(code: number, base: 30 | 40): boolean {
  return (code >= base && code < base + 10) || (code >= base + 60 && code < base + 68);
}
