import type {Emulator} from './emulator.ts';

/** The modes that the program has set on the terminal and not reset. */
export type TerminalModes = {
  readonly isAltScreen: boolean;
  readonly isCursorHidden: boolean;
  readonly isBracketedPaste: boolean;
  readonly isFocusReported: boolean;
  readonly isSynchronizedUpdate: boolean;
  readonly mouse: 'none' | 'x10' | 'vt200' | 'drag' | 'any';
  /** How often the kitty keyboard protocol was pushed and not popped. At least 0. */
  readonly kittyKeyboardDepth: number;
};

const CURSOR_VISIBLE = 25;

/** The emulator reports neither the cursor's visibility nor the kitty stack, so this watches their sequences. */
export function watchModes(emulator: Emulator): {now: () => TerminalModes} {
  let isCursorHidden = false;
  let kittyKeyboardDepth = 0;
  const onSequence = (prefix: string, final: string, seen: (params: readonly (number | number[])[]) => void): void => {
    emulator.parser.registerCsiHandler({prefix, final}, params => {
      seen(params);
      return false;
    });
  };
  onSequence('?', 'h', params => {
    if (params.includes(CURSOR_VISIBLE)) isCursorHidden = false;
  });
  onSequence('?', 'l', params => {
    if (params.includes(CURSOR_VISIBLE)) isCursorHidden = true;
  });
  onSequence('>', 'u', () => {
    kittyKeyboardDepth += 1;
  });
  onSequence('<', 'u', ([count]) => {
    kittyKeyboardDepth = Math.max(0, kittyKeyboardDepth - (typeof count === 'number' && count > 0 ? count : 1));
  });
  emulator.parser.registerEscHandler({final: 'c'}, () => {
    isCursorHidden = false;
    kittyKeyboardDepth = 0;
    return false;
  });

  return {
    now: () => ({
      isAltScreen: emulator.buffer.active.type === 'alternate',
      isCursorHidden,
      isBracketedPaste: emulator.modes.bracketedPasteMode,
      isFocusReported: emulator.modes.sendFocusMode,
      isSynchronizedUpdate: emulator.modes.synchronizedOutputMode,
      mouse: emulator.modes.mouseTrackingMode,
      kittyKeyboardDepth,
    }),
  };
}
