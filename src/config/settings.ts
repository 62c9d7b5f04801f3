import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {z} from 'zod';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Environment} from './early-options.ts';
import {configFolder} from './folders.ts';

/** What a person prefers, whatever the account. */
export type Settings = {
  /** Which characters draw the deck; `auto` follows the locale. */
  readonly glyphs: 'auto' | 'unicode' | 'narrow-safe' | 'ascii';
  /** What the colours are made for; `auto` asks the terminal's environment and takes dark where that says nothing. */
  readonly background: 'auto' | 'dark' | 'light';
};

export type ReadSettings =
  | {readonly ok: true; readonly settings: Settings}
  | {readonly ok: false; readonly mistake: SafeText};

const settingsSchema = z.strictObject({
  glyphs: z.enum(['auto', 'unicode', 'narrow-safe', 'ascii']).default('auto'),
  background: z.enum(['auto', 'dark', 'light']).default('auto'),
});

export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({});

const FILE_NAME = 'settings';

/** The validated settings; a mistake names the file, the key and what is allowed. No file means the defaults. */
export async function readSettings(environment: Environment): Promise<ReadSettings> {
  const folder = configFolder(environment);
  const path = join(folder, `${FILE_NAME}.json`);
  // Most people have no file, and reading one costs the library's loading time.
  if (!existsSync(path)) return {ok: true, settings: DEFAULT_SETTINGS};
  const {default: Conf} = await import('conf');
  const name = safeText(path);
  try {
    const file = new Conf({cwd: folder, configName: FILE_NAME, configFileMode: 0o600});
    const parsed = settingsSchema.safeParse(file.store);
    if (parsed.success) return {ok: true, settings: parsed.data};
    const [issue] = parsed.error.issues;
    const key = safeText(issue?.path.join('.') ?? '');
    return {
      ok: false,
      mistake: say`${name}: ${key === '' ? say`settings` : key}: ${safeText(issue?.message ?? 'not valid')}`,
    };
  } catch (error) {
    const reason = safeText(error instanceof Error ? error.message : String(error));
    return {ok: false, mistake: say`${name} cannot be read (${reason}); mend it or remove it`};
  }
}
