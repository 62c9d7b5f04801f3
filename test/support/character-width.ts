import type {IUnicodeVersionProvider} from '@xterm/headless';

/**
 * How many cells a character takes in current terminals, where emoji and East Asian wide characters take two. The
 * emulator's own table is Unicode 6, in which most emoji take one, so a frame with an emoji would look shifted only in
 * the tests.
 */
export const presentDayWidths: IUnicodeVersionProvider = {
  version: 'present-day',
  wcwidth: characterWidth,
  charProperties: (codePoint, preceding) => {
    const ownWidth = characterWidth(codePoint);
    const precedingWidth = widthIn(preceding);
    const isJoined = ownWidth === 0 && precedingWidth > 0;
    return packed(isJoined ? precedingWidth : ownWidth, isJoined);
  },
};

type CellWidth = 0 | 1 | 2;

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;
const WIDE =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]$/u;

function characterWidth(codePoint: number): CellWidth {
  if (codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0)) return 0;
  if (codePoint < 0x300) return 1;
  const character = String.fromCodePoint(codePoint);
  if (ZERO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

// The emulator keeps a character's width in bits 1 and 2 and "joins the one before" in bit 0.
function packed(width: CellWidth, isJoined: boolean): number {
  return (width << 1) | (isJoined ? 1 : 0);
}

function widthIn(properties: number): CellWidth {
  const bits = (properties >> 1) & 3;
  return bits === 2 ? 2 : bits === 1 ? 1 : 0;
}
