import {colourDepth, isUtf8Locale, terminalBackground} from '../terminal/abilities.ts';
import {chooseGlyphs} from '../terminal/glyphs.ts';
import {createTheme, type Theme} from '../ui/theme.ts';

/** Everything that decides how the deck is drawn on this terminal. */
export type LookWishes = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly hasColour: boolean;
  readonly isAscii: boolean;
  readonly glyphs: 'auto' | 'unicode' | 'narrow-safe' | 'ascii';
  readonly background: 'auto' | 'dark' | 'light';
};

export function themeFor({environment, hasColour, isAscii, glyphs, background}: LookWishes): Theme {
  return createTheme({
    depth: hasColour ? colourDepth(environment) : 'none',
    background: background === 'auto' ? terminalBackground(environment) : background,
    glyphs: chooseGlyphs({
      isUtf8: !isAscii && isUtf8Locale(environment),
      preference: glyphs === 'auto' ? undefined : glyphs,
    }),
  });
}
