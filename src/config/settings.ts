import * as z from 'zod';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {parseTimestamp} from '../domain/time.ts';
import type {Environment} from './early-options.ts';
import {configFolder, NotOursError, ownFolder, readSettingsFile, SETTINGS_NAME, settingsPath} from './own-files.ts';

/** Names go into file names and command lines, so they are plain. */
export const PROFILE_NAME = /^[a-z0-9][\w.-]{0,39}$/i;

const profileSchema = z
  .strictObject({
    baseUrl: z.string(),
    keyFile: z.string().optional(),
    keyCommand: z.array(z.string()).min(1).optional(),
    readOnly: z.boolean().default(false),
    color: z.boolean().default(true),
  })
  .refine(({keyFile, keyCommand}) => keyFile === undefined || keyCommand === undefined, {
    error: 'keyFile and keyCommand exclude each other',
  });

const moment = z.string().refine(text => parseTimestamp(text) !== undefined, {error: 'not an ISO 8601 date'});
const dollars = z.number().nonnegative();

const keepSchema = z.strictObject({
  resourceType: z.enum(['vm', 'volume', 'cluster', 'floating-ip']),
  resourceId: z.int().positive(),
  until: moment,
  reason: z.string().optional(),
});

const settingsSchema = z.strictObject({
  glyphs: z.enum(['auto', 'unicode', 'narrow-safe', 'ascii']).default('auto'),
  background: z.enum(['auto', 'dark', 'light']).default('auto'),
  refreshSeconds: z.number().min(2).max(3600).default(10),
  profile: z.string().optional(),
  profiles: z.record(z.string().regex(PROFILE_NAME), profileSchema).default({}),
  budgetUsdPerMonth: dollars.optional(),
  creditUsd: z.number().optional(),
  idleAfterDays: z.number().positive().default(7),
  quietAfterHours: z.number().positive().default(24),
  budgetAlertPercents: z.array(z.number().positive()).default([50, 80, 100]),
  runwayCriticalHours: z.number().positive().default(48),
  contractCriticalDays: z.number().positive().default(14),
  keep: z.array(keepSchema).default([]),
  pricesUsdPerHour: z.record(z.string(), dollars).default({}),
  billingByState: z.record(z.string(), z.enum(['full', 'storage', 'free'])).default({}),
});

/** An account: where its service is, and where its key comes from. The key itself never stands in here. */
export type Profile = Readonly<z.output<typeof profileSchema>>;

/** What a person prefers, and the accounts they have. */
export type Settings = Readonly<z.output<typeof settingsSchema>>;

export type ReadSettings =
  | {readonly ok: true; readonly settings: Settings}
  | {readonly ok: false; readonly mistake: SafeText};

export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({});

/** The validated settings; a mistake names the file, the key and what is allowed. No file means the defaults. */
export async function readSettings(environment: Environment): Promise<ReadSettings> {
  try {
    const stored = readSettingsFile(environment);
    if (stored === undefined) return {ok: true, settings: DEFAULT_SETTINGS};
    const name = safeText(settingsPath(environment));
    const parsed = settingsSchema.safeParse(stored);
    if (parsed.success) return {ok: true, settings: parsed.data};
    const [issue] = parsed.error.issues;
    const key = safeText(issue?.path.join('.') ?? '');
    return {
      ok: false,
      mistake: say`${name}: ${key === '' ? say`settings` : key}: ${safeText(issue?.message ?? 'not valid')}`,
    };
  } catch (error) {
    const reason = safeText(error instanceof Error ? error.message : String(error));
    if (error instanceof NotOursError || error instanceof SyntaxError)
      return {ok: false, mistake: say`the settings file ${reason}`};
    return {ok: false, mistake: say`the settings file cannot be read: ${reason}`};
  }
}

/** Puts keys of the file to these values, the others stay as they were written; undefined takes a key away. */
export async function changeSettings(environment: Environment, changes: Partial<Settings>): Promise<ReadSettings> {
  try {
    ownFolder(configFolder(environment));
    const file = await openFile(environment);
    const kept = Object.entries({...file.store, ...changes}).filter(([, value]) => value !== undefined);
    const next = Object.fromEntries(kept);
    const parsed = settingsSchema.safeParse(next);
    if (!parsed.success) return {ok: false, mistake: safeText(parsed.error.issues[0]?.message ?? 'not valid')};
    file.store = next;
    return {ok: true, settings: parsed.data};
  } catch (error) {
    const reason = safeText(error instanceof Error ? error.message : String(error));
    return {ok: false, mistake: say`${safeText(settingsPath(environment))} cannot be written (${reason})`};
  }
}

async function openFile(environment: Environment) {
  const {default: Conf} = await import('conf');
  return new Conf<Record<string, unknown>>({
    cwd: configFolder(environment),
    configName: SETTINGS_NAME,
    configFileMode: 0o600,
  });
}
