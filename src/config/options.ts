import {MACHINE_FIELDS, type MachineField} from '../domain/gpu-load.ts';
import type * as Zod from 'zod';
import type {EnvironmentVariables} from '../domain/environment-variables.ts';
import {pricesWith} from '../domain/money/prices.ts';
import {parseDecimal, rational, type Usd, usd} from '../domain/money.ts';
import type {Preferences} from '../domain/preferences.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {DAY_MS, type DurationMs, type EpochMs, HOUR_MS, parseTimestamp, SECOND_MS} from '../domain/time.ts';
import {THEME_NAMES} from '../ui/theme.ts';
import type {KeySource} from './key-source.ts';
import type {Settings} from './settings.ts';

// Every option and setting, once: the start, the commands, their help, completion and `profile show --defaults` are
// made from these tables.

/** As in `package.json`. */
export const VERSION = '0.1.0';

export type OptionRecord = {
  readonly flag: `--${string}`;
  readonly short?: `-${string}`;
  /** The name of its value; a flag without one is on or off. */
  readonly value?: string;
  /** The environment variable that sets it if the flag is missing. */
  readonly variable?: string;
  readonly meaning: string;
};

/** The options common to the deck and every command. */
export const OPTIONS = {
  profile: {
    flag: '--profile',
    value: 'name',
    variable: 'SKYDECK_PROFILE',
    meaning: 'the profile to use',
  },
  baseUrl: {
    flag: '--base-url',
    value: 'url',
    variable: 'SKYDECK_BASE_URL',
    meaning: 'base URL of the service with its version, e.g. https://…/v1',
  },
  keyFile: {
    flag: '--key-file',
    value: 'file',
    meaning: 'a file of mode 0600 that holds the API key (SKYDECK_API_KEY holds the key itself)',
  },
  keyCommand: {
    flag: '--key-command',
    value: 'command',
    meaning: "a program that prints the API key, e.g. 'pass show cloud'",
  },
  readOnly: {flag: '--read-only', variable: 'SKYDECK_READ_ONLY', meaning: 'refuse every operation'},
  timeout: {flag: '--timeout', value: 'duration', meaning: 'how long to wait for a read (default: 15s)'},
  color: {flag: '--no-color', variable: 'NO_COLOR', meaning: 'print without colours'},
  ascii: {flag: '--ascii', meaning: 'use ASCII characters only'},
  log: {flag: '--log', value: 'file', meaning: 'write every request, without the key, to a file of mode 0600'},
} as const satisfies Readonly<Record<string, OptionRecord>>;

/** Common to every command, with the formats it can print. */
export const OUTPUT_OPTION = {
  flag: '--output',
  short: '-o',
  value: 'format',
  meaning: 'output format',
} as const satisfies OptionRecord;

export const GLYPH_CHOICES = ['auto', 'unicode', 'narrow-safe', 'ascii'] as const;
const ALERT_NOTIFICATIONS = ['off', 'osc9', 'osc777'] as const;
export const CHART_CHOICES = ['auto', 'braille', 'line'] as const;
/** The name of a theme is also that of its file. */
export const THEME_NAME = /^[a-z0-9][\w-]{0,39}$/i;
const THEMES = ['auto', ...THEME_NAMES].join(', ');
const THEME_MISTAKE = `${THEMES}, or the name of a file in themes/ without .json`;

/** Used in file names and on command lines, so only plain characters are allowed. */
export const PROFILE_NAME = /^[a-z0-9][\w.-]{0,39}$/i;

/** The schema library is passed in: the start reads these tables too, and has no time to load it. */
type Library = Pick<typeof Zod, 'array' | 'boolean' | 'enum' | 'int' | 'number' | 'record' | 'strictObject' | 'string'>;

const PROMETHEUS_URL_MISTAKE = 'must be an http or https URL without user name, query and fragment';

/** Plain http is allowed, since the service's key is never sent there. */
function isPrometheusUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false;
  return url.username === '' && url.password === '' && !/[?#]/.test(text);
}

/** The label of DCGM's series that names the machine, as DCGM's exporter sets it by default. */
export const DEFAULT_GPU_LABEL = 'Hostname';
/** Half of a minute's requests: lists, and what a person looks at, need the others. */
const MAX_JUDGED_MACHINES = 250;

/** The keys of a profile in the settings file. */
export function profileShape(z: Library) {
  return {
    baseUrl: z.string().meta({unit: 'URL', meaning: OPTIONS.baseUrl.meaning}),
    keyFile: z.string().optional().meta({unit: 'path', meaning: 'a file of mode 0600 that holds the API key'}),
    keyCommand: z
      .array(z.string())
      .min(1)
      .optional()
      .meta({unit: 'list of words', meaning: OPTIONS.keyCommand.meaning}),
    readOnly: z.boolean().default(false).meta({unit: 'true, false', meaning: OPTIONS.readOnly.meaning}),
    color: z.boolean().default(true).meta({unit: 'true, false', meaning: 'whether the deck has colours'}),
    prometheus: z
      .strictObject({
        url: z.string().refine(isPrometheusUrl, {error: PROMETHEUS_URL_MISTAKE}),
        tokenFile: z.string(),
        gpuLabel: z
          .string()
          .regex(/^[a-zA-Z_]\w*$/, {error: 'not the name of a label'})
          .default(DEFAULT_GPU_LABEL),
        gpuField: z.enum(MACHINE_FIELDS).default('name'),
      })
      .optional()
      .meta({
        unit: '{url, tokenFile, gpuLabel, gpuField}',
        meaning:
          'a Prometheus with the series of skydeck exporter, and a file of mode 0600 with its bearer token; which label of its DCGM series (Hostname) holds which field of a machine: name, address or id (name)',
      }),
  };
}

/** The keys of the settings file. */
export function settingsShape(z: Library, defaults: Preferences) {
  const dollars = z.number().nonnegative();
  const moment = z.string().refine(text => parseTimestamp(text) !== undefined, {error: 'not an ISO 8601 date'});
  const kept = z.strictObject({
    resourceType: z.enum(['vm', 'volume', 'cluster', 'floating-ip']),
    resourceId: z.int().positive(),
    until: moment,
    reason: z.string().optional(),
  });
  const profile = z
    .strictObject(profileShape(z))
    .refine(({keyFile, keyCommand}) => keyFile === undefined || keyCommand === undefined, {
      error: 'keyFile and keyCommand exclude each other',
    });
  return {
    glyphs: z
      .enum(GLYPH_CHOICES)
      .default('auto')
      .meta({
        unit: GLYPH_CHOICES.join(', '),
        meaning: 'the characters used for drawing; auto follows the locale',
      }),
    charts: z
      .enum(CHART_CHOICES)
      .default('auto')
      .meta({
        unit: CHART_CHOICES.join(', '),
        meaning: 'how charts are drawn: filled with dots, or as a line',
      }),
    theme: z
      .string({error: THEME_MISTAKE})
      .regex(THEME_NAME, {error: THEME_MISTAKE})
      .default('auto')
      .meta({
        unit: `${THEMES}, or a name`,
        meaning: 'the colours; a name is that of a file themes/<name>.json beside the settings',
      }),
    refreshSeconds: z
      .number()
      .min(2)
      .max(3600)
      .default(defaults.refreshMs / SECOND_MS)
      .meta({
        unit: 'seconds, 2 to 3600',
        meaning: 'how often the list of machines is read while visible; other lists in proportion',
      }),
    judgedMachines: z
      .int()
      .min(0)
      .max(MAX_JUDGED_MACHINES)
      .default(defaults.judgedMachineCount)
      .meta({
        unit: `machines, 0 to ${MAX_JUDGED_MACHINES}`,
        meaning:
          'how many running machines, the costliest first, have their metrics read for findings; each takes a request every five minutes',
      }),
    maxListMib: z.number().min(1).max(4096).default(128).meta({
      unit: 'MiB, 1 to 4096',
      meaning: 'the maximum size of one list, all its pages together; get -o ndjson prints longer ones, up to 1 GiB',
    }),
    maxListRecords: z.int().min(1000).max(200_000).default(20_000).meta({
      unit: 'records, 1000 to 200000',
      meaning: 'the maximum number of records of one list; an exporter of a larger fleet needs more, and more memory',
    }),
    profile: z.string().optional().meta({unit: 'name', meaning: 'the default profile'}),
    profiles: z.record(z.string().regex(PROFILE_NAME), profile).default({}).meta({
      unit: 'by name',
      meaning: 'accounts, each with the keys below',
    }),
    budgetUsdPerMonth: dollars.optional().meta({
      unit: 'dollars a month',
      example: '45000',
      meaning: 'the budget for pace and alerts',
    }),
    creditUsd: z.number().optional().meta({
      unit: 'dollars',
      example: '4120',
      meaning: 'the prepaid credit, if the service does not report it',
    }),
    idleAfterDays: z
      .number()
      .positive()
      .default(defaults.idle.idleMs / DAY_MS)
      .meta({
        unit: 'days',
        meaning:
          'a machine without activity for this long counts as idle, and its cost as waste; sooner if it worked at the same time a week before (quietAfterHours)',
      }),
    quietAfterHours: z
      .number()
      .positive()
      .default(defaults.idle.quietMs / HOUR_MS)
      .meta({
        unit: 'hours',
        meaning:
          'a machine without activity for this long counts as idle if it worked at the same time a week before; otherwise it is quiet, which is not waste yet',
      }),
    budgetAlertPercents: z
      .array(z.number().positive())
      .default(defaults.budgetAlertRatios.map(ratio => ratio * 100))
      .meta({
        unit: 'percent of the budget',
        example: '[50, 80, 100]',
        meaning: 'shares of the budget to report when they are reached',
      }),
    runwayCriticalHours: z
      .number()
      .positive()
      .default(defaults.runwayCriticalMs / HOUR_MS)
      .meta({
        unit: 'hours',
        meaning: 'a runway shorter than this is critical',
      }),
    contractCriticalDays: z
      .number()
      .positive()
      .default(defaults.contractCriticalMs / DAY_MS)
      .meta({
        unit: 'days',
        meaning: 'a contract that deletes its resources is critical this long before its end',
      }),
    keep: z.array(kept).default([]).meta({
      unit: 'list of {resourceType, resourceId, until, reason}',
      example: '[{"resourceType": "vm", "resourceId": 7, "until": "2027-01-31"}]',
      meaning: 'resources that are idle on purpose, until an ISO 8601 date',
    }),
    alertBell: z.boolean().default(defaults.alerts.bell).meta({
      unit: 'true, false',
      meaning: 'whether a new critical finding rings the terminal bell',
    }),
    alertNotification: z
      .enum(ALERT_NOTIFICATIONS)
      .default(defaults.alerts.notification)
      .meta({
        unit: ALERT_NOTIFICATIONS.join(', '),
        meaning:
          'how the terminal announces a new critical finding: osc9 for iTerm2, WezTerm, kitty; osc777 for foot, urxvt',
      }),
    alertCommand: z
      .array(z.string())
      .min(1)
      .refine(words => !isNearby(words[0]), {error: NEARBY_MISTAKE})
      .optional()
      .meta({
        unit: 'list of words',
        example: '["notify-send", "skydeck"]',
        meaning: 'a program that gets each new critical finding as JSON on its standard input, without the API key',
      }),
    pricesUsdPerHour: z.record(z.string(), dollars).default({}).meta({
      unit: 'dollars an hour, by flavor',
      example: '{"n3-H100x1": 2.5}',
      meaning: 'prices that override those published and in the price list of the account',
    }),
    gpuPricesUsdPerHour: z.record(z.string(), dollars).default({}).meta({
      unit: 'dollars an hour for one GPU, by model',
      example: '{"H100": 2.5}',
      meaning: 'prices of all flavors with that GPU; spot flavors keep theirs',
    }),
    storageUsdPerGbHour: dollars.optional().meta({
      unit: 'dollars an hour for one GB',
      example: '0.0001',
      meaning: 'the price of storage (volumes, disks of hibernated machines) if the price list of the account has none',
    }),
    publicAddressUsdPerHour: dollars.optional().meta({
      unit: 'dollars an hour',
      example: '0.007',
      meaning: 'the price of one public address if the price list of the account has none',
    }),
    billingByState: z
      .record(z.string(), z.enum(['full', 'storage', 'free']))
      .default({})
      .meta({
        unit: 'full, storage, free, by state',
        example: '{"SHUTOFF": "full"}',
        meaning: 'billing by state, if it differs from the documentation',
      }),
  };
}

/** What the domain takes from the settings, in its own units. */
export function preferencesOf(settings: Settings): Preferences {
  return {
    prices: pricesWith({
      perHourByFlavor: settings.pricesUsdPerHour,
      perHourByGpuModel: settings.gpuPricesUsdPerHour,
      storagePerGbHour: settings.storageUsdPerGbHour,
      addressPerHour: settings.publicAddressUsdPerHour,
      billingByState: settings.billingByState,
    }),
    budget: dollars(settings.budgetUsdPerMonth),
    budgetAlertRatios: settings.budgetAlertPercents.map(percent => percent / 100),
    credit: dollars(settings.creditUsd),
    runwayCriticalMs: settings.runwayCriticalHours * HOUR_MS,
    contractCriticalMs: settings.contractCriticalDays * DAY_MS,
    idle: {idleMs: settings.idleAfterDays * DAY_MS, quietMs: settings.quietAfterHours * HOUR_MS},
    keep: settings.keep.flatMap(({resourceType, resourceId, until}) => {
      const moment = parseTimestamp(until);
      return moment === undefined ? [] : [{resourceType, resourceId, until: moment}];
    }),
    alerts: {
      bell: settings.alertBell,
      notification: settings.alertNotification,
      command: settings.alertCommand ?? [],
    },
    refreshMs: settings.refreshSeconds * SECOND_MS,
    judgedMachineCount: settings.judgedMachines,
  };
}

function dollars(amount: number | undefined): Usd | undefined {
  return amount === undefined ? undefined : usd(parseDecimal(String(amount)) ?? rational(0n, 1n));
}

/** The options of the deck and every command, completed from the profile. */
export type ConnectionOptions = {
  readonly baseUrl: string | undefined;
  readonly keySource: KeySource | undefined;
  readonly isReadOnly: boolean;
  readonly readTimeoutMs: DurationMs | undefined;
  readonly hasColour: boolean;
  readonly isAscii: boolean;
  readonly logPath: string | undefined;
  /** A fixed clock, for pictures and tests. */
  readonly fixedNow: EpochMs | undefined;
  /** The Prometheus in which the deck finds the metrics of skydeck exporter. */
  readonly prometheus:
    | {readonly url: string; readonly tokenFile: string; readonly gpuLabel: string; readonly gpuField: MachineField}
    | undefined;
};

/** What was set on the command line and in the environment; an option beats the environment. */
export type AskedOptions = Omit<ConnectionOptions, 'isReadOnly' | 'prometheus'> & {
  /** Undefined if the option was not given: then the profile decides. */
  readonly isReadOnly: boolean | undefined;
  readonly profileName: string | undefined;
};

/** The common options as given, with values parsed unless they are text; `color` is false after `--no-color`. */
export type ConnectionFlags = {
  readonly [Name in Exclude<keyof typeof OPTIONS, 'color' | 'timeout'>]?:
    | ((typeof OPTIONS)[Name] extends {readonly value: string} ? string : boolean)
    | undefined;
} & {readonly color: boolean; readonly timeout?: DurationMs | undefined};

export type ReadFlags =
  | {readonly ok: true; readonly options: AskedOptions}
  | {readonly ok: false; readonly mistake: SafeText};

/** What the options and the environment set together. */
export function readFlags(flags: ConnectionFlags, environment: EnvironmentVariables): ReadFlags {
  const fixedNow = nonEmpty(environment.SKYDECK_NOW);
  const parsedNow = fixedNow === undefined ? undefined : parseTimestamp(fixedNow);
  if (fixedNow !== undefined && parsedNow === undefined) {
    return {ok: false, mistake: say`SKYDECK_NOW must be an ISO 8601 moment such as 2026-11-20T20:58:12Z`};
  }
  if (flags.keyFile !== undefined && flags.keyCommand !== undefined) {
    return {ok: false, mistake: say`--key-file and --key-command exclude each other`};
  }
  return {
    ok: true,
    options: {
      profileName: flags.profile ?? variableOf(OPTIONS.profile, environment),
      baseUrl: flags.baseUrl ?? variableOf(OPTIONS.baseUrl, environment),
      keySource: keySource(flags, environment),
      isReadOnly: flags.readOnly ?? switchOf(variableOf(OPTIONS.readOnly, environment)),
      readTimeoutMs: flags.timeout,
      hasColour: flags.color,
      isAscii: flags.ascii ?? false,
      logPath: flags.log,
      fixedNow: parsedNow,
    },
  };
}

function keySource(flags: ConnectionFlags, environment: EnvironmentVariables): KeySource | undefined {
  if (flags.keyFile !== undefined) return {kind: 'file', path: flags.keyFile};
  if (flags.keyCommand !== undefined) {
    return {kind: 'command', words: commandWords(flags.keyCommand)};
  }
  const text = nonEmpty(environment.SKYDECK_API_KEY);
  return text === undefined ? undefined : {kind: 'environment', text};
}

export const NEARBY_MISTAKE = 'needs the name of a program on the PATH or an absolute path';

/** Whether a program's path depends on the current folder, where others may have put a program. */
export function isNearby(program = ''): boolean {
  return program.includes('/') && !program.startsWith('/');
}

/** The words of a key command. No shell sees it, so there is nothing to quote. */
export function commandWords(text: string): readonly string[] {
  return text.split(/\s+/).filter(word => word !== '');
}

function variableOf({variable}: {readonly variable: string}, environment: EnvironmentVariables): string | undefined {
  return nonEmpty(environment[variable]);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}

function switchOf(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : !['0', 'false', 'no'].includes(text.toLowerCase());
}
