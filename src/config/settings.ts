import * as z from 'zod';
import {closest} from '../domain/closest-word.ts';
import type {EnvironmentVariables} from '../domain/environment-variables.ts';
import {DEFAULT_PREFERENCES} from '../domain/preferences.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {profileShape, settingsShape} from './options.ts';
import {configFolder, NotOursError, ownFolder, readSettingsFile, SETTINGS_NAME, settingsPath} from './own-files.ts';

// Imported one by one: as a single value, the library would bring all of it, in 50 languages.
const library = {
  array: z.array,
  boolean: z.boolean,
  enum: z.enum,
  int: z.int,
  number: z.number,
  record: z.record,
  strictObject: z.strictObject,
  string: z.string,
};
const shape = settingsShape(library, DEFAULT_PREFERENCES);
const profileKeys = profileShape(library);
const settingsSchema = z.strictObject(shape);

/** An account: where its service is, and where its key comes from. The key itself is never stored here. */
export type Profile = Settings['profiles'][string];

/** A person's preferences, and their accounts. */
export type Settings = Readonly<z.output<typeof settingsSchema>>;

export type ReadSettings =
  | {readonly ok: true; readonly settings: Settings}
  | {readonly ok: false; readonly mistake: SafeText; readonly key?: SafeText};

/** `mistake` of a change that was made: what else in the file is wrong, so that it is not used. */
type ChangedSettings =
  | {readonly ok: true; readonly mistake: SafeText | undefined}
  | {readonly ok: false; readonly mistake: SafeText};

export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({});

/**
 * The validated settings; an error names the file, the key and what is allowed. `key` is the key of the file that is
 * wrong, if it is one. No file means the defaults.
 */
export async function readSettings(environment: EnvironmentVariables): Promise<ReadSettings> {
  try {
    const stored = readSettingsFile(environment);
    if (stored === undefined) return {ok: true, settings: DEFAULT_SETTINGS};
    const parsed = settingsSchema.safeParse(stored);
    if (parsed.success) return {ok: true, settings: parsed.data};
    const [issue] = parsed.error.issues;
    const key = issue?.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys][0] : issue?.path[0];
    return {
      ok: false,
      mistake: say`${safeText(settingsPath(environment))}: ${mistakeIn(stored, issue)}`,
      ...(key === undefined ? {} : {key: safeText(String(key))}),
    };
  } catch (error) {
    const reason = safeText(error instanceof Error ? error.message : String(error));
    if (error instanceof NotOursError && error.path !== settingsPath(environment))
      return {ok: false, mistake: say`the settings folder ${reason}`};
    if (error instanceof NotOursError || error instanceof SyntaxError)
      return {ok: false, mistake: say`the settings file ${reason}`};
    return {ok: false, mistake: say`the settings file cannot be read: ${reason}`};
  }
}

/** The keys of the file that are no settings: of a newer version, or mistyped. */
export function unknownKeys(environment: EnvironmentVariables): readonly string[] {
  return Object.keys(readSettingsFile(environment) ?? {}).filter(key => !Object.hasOwn(shape, key));
}

/**
 * Sets these keys of the file and leaves the others as they were written, even if one is wrong; undefined removes a
 * key.
 */
export async function changeSettings(
  environment: EnvironmentVariables,
  changes: Partial<Settings>,
): Promise<ChangedSettings> {
  const name = safeText(settingsPath(environment));
  try {
    ownFolder(configFolder(environment));
    const file = await openFile(environment);
    const kept = Object.entries({...file.store, ...changes}).filter(([, value]) => value !== undefined);
    const next = Object.fromEntries(kept);
    const {issues} = settingsSchema.safeParse(next).error ?? {issues: []};
    const refused = issues.find(({path: [key]}) => fieldOf(changes, key) !== undefined);
    if (refused !== undefined) return {ok: false, mistake: mistakeIn(next, refused)};
    file.store = next;
    return {ok: true, mistake: issues.length === 0 ? undefined : say`${name}: ${mistakeIn(next, issues[0])}`};
  } catch (error) {
    const reason = safeText(error instanceof Error ? error.message : String(error));
    return {ok: false, mistake: say`${name} cannot be written (${reason})`};
  }
}

const MAX_SHOWN_VALUE = 60;

/** The key, what it was set to, and what is accepted: `budgetUsdPerMonth: "lots" is not accepted; use dollars a month`. */
function mistakeIn(written: unknown, issue: z.core.$ZodIssue | undefined): SafeText {
  if (issue?.code === 'unrecognized_keys') return unknownKeyMistake(issue);
  if (issue === undefined || issue.path.length === 0) return say`settings: ${safeText(issue?.message ?? 'not valid')}`;
  const {path, code, message} = issue;
  const key = safeText(path.join('.'));
  const {unit, example} = notesOn(path);
  const value = JSON.stringify(path.reduce<unknown>((within, part) => fieldOf(within, part), written));
  // What a check of our own says is more exact than the unit.
  if (unit === undefined || value === undefined || !PLAIN_ISSUES.has(code)) return say`${key}: ${safeText(message)}`;
  const shown = safeText(value, {maxLength: MAX_SHOWN_VALUE});
  // Inside of it, one part is wrong, of which the unit tells more.
  if (example !== undefined && JSON_START.test(example) && path.length === 1)
    return say`${key}: ${shown} is not accepted; use JSON such as ${example}`;
  const kind = path.length === 1 && code === 'invalid_type' ? NUMBER_KINDS[issue.expected] : undefined;
  if (kind !== undefined) {
    const such = example === undefined ? say`` : say`, for example ${example}`;
    return say`${key}: ${shown} is not accepted; use ${kind} of ${unit}${such}`;
  }
  const bound = /\d/.test(unit) ? say`` : boundOf(issue);
  return say`${key}: ${shown} is not accepted; use ${unit}${bound}`;
}

const JSON_START = /^[[{]/;
const NUMBER_KINDS: Readonly<Record<string, SafeText>> = {number: say`a number`, int: say`a whole number`};
/** It is not ignored: it may have been meant as a limit, or to protect something. */
function unknownKeyMistake({path, keys: [key = '']}: z.core.$ZodIssueUnrecognizedKeys): SafeText {
  const isOfProfile = path.length === 2 && path[0] === 'profiles';
  const meant = closest(key, path.length === 0 ? Object.keys(shape) : isOfProfile ? Object.keys(profileKeys) : []);
  const hint =
    meant === undefined ? say`skydeck profile show --defaults lists all` : say`did you mean ${safeText(meant)}?`;
  const told = say`there is no setting "${safeText(key)}"; ${hint}`;
  if (path.length > 0) return say`${safeText(path.join('.'))}: ${told}`;
  const removal = PLAIN_KEY.test(key)
    ? say`skydeck profile set ${safeText(key)} removes it`
    : say`remove it from the file`;
  return say`settings: ${told}${meant === undefined ? say`;` : say``} ${removal}`;
}

/** A word of a command line that no shell changes. */
const PLAIN_KEY = /^\w[\w.-]*$/;

const PLAIN_ISSUES: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'too_small', 'too_big']);

/** The unit of a key, and a value in it as it is written: by default that of the key. */
function notesOn([key, , profileKey]: readonly PropertyKey[]): {
  readonly unit: SafeText | undefined;
  readonly example: SafeText | undefined;
} {
  const schema: unknown = key === 'profiles' ? fieldOf(profileKeys, profileKey) : fieldOf(shape, key);
  const {unit, example} = (schema instanceof z.ZodType ? schema.meta() : undefined) ?? {};
  const byDefault = schema instanceof z.ZodType ? schema.safeParse(undefined).data : undefined;
  const textOf = (note: unknown) => (typeof note === 'string' ? safeText(note) : undefined);
  const number = typeof byDefault === 'number' ? say`${byDefault}` : undefined;
  return {unit: textOf(unit), example: textOf(example) ?? number};
}

function boundOf(issue: z.core.$ZodIssue): SafeText {
  if (issue.code === 'too_small')
    return issue.inclusive === false ? say`, above ${Number(issue.minimum)}` : say`, at least ${Number(issue.minimum)}`;
  return issue.code === 'too_big' ? say`, at most ${Number(issue.maximum)}` : say``;
}

function fieldOf(within: unknown, key: PropertyKey | undefined): unknown {
  if (typeof within !== 'object' || within === null || key === undefined) return undefined;
  return Object.getOwnPropertyDescriptor(within, key)?.value;
}

async function openFile(environment: EnvironmentVariables) {
  const {default: Conf} = await import('conf');
  return new Conf<Record<string, unknown>>({
    cwd: configFolder(environment),
    configName: SETTINGS_NAME,
    configFileMode: 0o600,
  });
}

/** One key of the settings file as `skydeck profile show --defaults` shows it. */
export type SettingNote = {
  readonly key: string;
  readonly unit: string;
  readonly byDefault: string;
  readonly meaning: string;
};

/** Every key, in the order of the table. */
export function settingNotes(): readonly SettingNote[] {
  return [...notesOf(shape, ''), ...notesOf(profileKeys, 'profiles.<name>.')];
}

function notesOf(schemas: Readonly<Record<string, z.ZodType>>, prefix: string): readonly SettingNote[] {
  return Object.entries(schemas).map(([name, schema]) => {
    const {unit, meaning} = schema.meta() ?? {};
    const byDefault = schema.safeParse(undefined).data;
    return {key: prefix + name, unit: String(unit), byDefault: shown(byDefault), meaning: String(meaning)};
  });
}

function shown(value: unknown): string {
  return value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
}
