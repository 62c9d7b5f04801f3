/** The themes that there are without a file of one's own: each is a palette in `ui/theme`, and a choice of the settings. */
export const THEME_NAMES = ['dark', 'light', 'high-contrast'] as const;
export type ThemeName = (typeof THEME_NAMES)[number];
