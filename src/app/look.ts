import {readThemeFile} from '../config/own-files.ts';
import type {Settings} from '../config/settings.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {colourDepth, isUtf8Locale, terminalBackground} from '../terminal/abilities.ts';
import {chooseGlyphs} from '../terminal/glyphs.ts';
import {createTheme, isPaletteName, PALETTES, type Palette, parsePalette, type Theme} from '../ui/theme.ts';

/** Everything that decides how the deck is drawn on this terminal. */
export type LookWishes = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly hasColour: boolean;
  readonly isAscii: boolean;
} & Pick<Settings, 'glyphs' | 'theme' | 'charts'>;

/** The theme as it was wished for; a mistake in a theme of one's own names its file, the key and what is allowed. */
export function themeFor(wishes: LookWishes): Outcome<Theme> {
  const {environment, hasColour, isAscii, glyphs, charts} = wishes;
  const palette = paletteFor(wishes);
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

type Outcome<Value> = {readonly ok: true; readonly value: Value} | {readonly ok: false; readonly mistake: SafeText};

function paletteFor({theme, environment}: LookWishes): Outcome<Palette> {
  if (theme === 'auto') return {ok: true, value: PALETTES[terminalBackground(environment)]};
  if (isPaletteName(theme)) return {ok: true, value: PALETTES[theme]};
  try {
    const {path, content} = readThemeFile(environment, theme);
    const parsed = parsePalette(content);
    if (parsed.ok) return {ok: true, value: parsed.palette};
    return {ok: false, mistake: say`the theme ${safeText(path)}: ${safeText(parsed.mistake)}`};
  } catch (error) {
    const reason = safeText(error instanceof Error ? error.message : String(error));
    const own = Object.keys(PALETTES).join(', ');
    return {
      ok: false,
      mistake: say`no theme ${safeText(theme)}: there are auto, ${safeText(own)} and themes/*.json in the settings folder (${reason})`,
    };
  }
}
