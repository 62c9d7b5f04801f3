import {readThemeFile} from '../config/own-files.ts';
import type {Settings} from '../config/settings.ts';
import {colourDepth, isUtf8Locale, terminalBackground} from '../terminal/abilities.ts';
import {chooseGlyphs} from '../terminal/glyphs.ts';
import {createTheme, type Chosen, PALETTES, type Palette, paletteNamed, type Theme} from '../ui/theme.ts';

/** Everything that decides how the deck is drawn on this terminal. */
export type LookOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly hasColour: boolean;
  readonly isAscii: boolean;
} & Pick<Settings, 'glyphs' | 'theme' | 'charts'>;

/** The requested theme. A mistake in a theme file is reported with the file, the key and what is allowed. */
export function themeFor(options: LookOptions): Chosen<Theme> {
  const {environment, hasColour, isAscii, glyphs, charts} = options;
  const palette = paletteFor(options);
  if (!palette.ok) return palette;
  return {
    ok: true,
    value: createTheme({
      depth: hasColour ? colourDepth(environment) : 'none',
      palette: palette.value,
      glyphs: chooseGlyphs({
        isUtf8: !isAscii && isUtf8Locale(environment),
        preference: glyphs === 'auto' ? undefined : glyphs,
        charts: charts === 'auto' ? undefined : charts,
      }),
    }),
  };
}

function paletteFor({theme, environment}: LookOptions): Chosen<Palette> {
  if (theme === 'auto') return {ok: true, value: PALETTES[terminalBackground(environment)]};
  return paletteNamed(theme, () => readThemeFile(environment, theme));
}
