import {ownThemeNames} from '../config/own-files.ts';
import {changeSettings} from '../config/settings.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import {type Chosen, THEME_NAMES, type Theme} from '../ui/theme.ts';
import {type LookOptions, themeFor} from './look.ts';

/** The themes to choose from in the running deck. */
export type Themes = {
  /** The one chosen at the start. */
  readonly inUse: string;
  /** Ours first, then the person's own. */
  readonly names: () => readonly SafeText[];
  readonly named: (name: string) => Chosen<Theme>;
  /** Writes the choice to the settings. */
  readonly keep: (name: string) => Promise<{readonly ok: true} | {readonly ok: false; readonly mistake: SafeText}>;
};

export function themesOn(options: LookOptions): Themes {
  const {environment, theme} = options;
  let names: readonly SafeText[] | undefined;
  return {
    inUse: theme,
    names: () => {
      names ??= [...new Set(['auto', ...THEME_NAMES, ...ownThemeNames(environment)])].map(name => safeText(name));
      return names;
    },
    named: name => themeFor({...options, theme: name}),
    keep: name => changeSettings(environment, {theme: name}),
  };
}
