import {DEFAULT_SETTINGS, type Settings} from './settings.ts';

/** One key of the settings file as `skydeck profile show --defaults` tells it. */
export type SettingNote = {
  readonly key: string;
  readonly unit: string;
  readonly byDefault: string;
  readonly meaning: string;
};

type Note = {readonly unit: string; readonly meaning: string};

const NOTES: {readonly [Key in keyof Settings]-?: Note} = {
  glyphs: {
    unit: 'auto, unicode, narrow-safe, ascii',
    meaning: 'the characters that draw the deck; auto follows the locale',
  },
  background: {unit: 'auto, dark, light', meaning: 'the theme: what its colours are made for'},
  refreshSeconds: {
    unit: 'seconds, 2 to 3600',
    meaning: 'how often the list of machines is read while it is looked at; other lists keep their proportion to it',
  },
  profile: {unit: 'name', meaning: 'the profile in use where none is named'},
  profiles: {unit: 'by name', meaning: 'accounts, each with the keys below'},
  budgetUsdPerMonth: {unit: 'dollars a month', meaning: 'the budget that pace and alerts are measured by'},
  creditUsd: {unit: 'dollars', meaning: 'the prepaid credit where the service does not say it'},
  idleAfterDays: {unit: 'days', meaning: 'quiet for so long, a machine is idle, and what it costs is waste'},
  quietAfterHours: {unit: 'hours', meaning: 'quiet for so long, a machine is told, and not yet counted'},
  budgetAlertPercents: {
    unit: 'percent of the budget',
    meaning: 'shares of the budget that are told when they are reached',
  },
  runwayCriticalHours: {unit: 'hours', meaning: 'credit for less than this is critical'},
  contractCriticalDays: {unit: 'days', meaning: 'a contract that deletes is critical so long before its end'},
  keep: {
    unit: 'list of {resourceType, resourceId, until, reason}',
    meaning: 'resources that are idle on purpose, until an ISO 8601 date',
  },
  pricesUsdPerHour: {unit: 'dollars an hour, by flavor', meaning: 'prices that take the place of the published ones'},
  billingByState: {
    unit: 'full, storage, free, by state',
    meaning: 'what is billed in a state, where it is otherwise than documented',
  },
};

const PROFILE_NOTES: {
  readonly [Key in keyof Required<Settings['profiles'][string]>]: Note & {readonly byDefault: string};
} = {
  baseUrl: {unit: 'URL', byDefault: 'none', meaning: 'the service, version included'},
  keyFile: {unit: 'path', byDefault: 'none', meaning: 'the file that holds the key, mode 0600'},
  keyCommand: {unit: 'list of words', byDefault: 'none', meaning: 'the program that prints the key'},
  readOnly: {unit: 'true, false', byDefault: 'false', meaning: 'operations do not exist with this profile'},
  color: {unit: 'true, false', byDefault: 'true', meaning: 'whether the deck has colours'},
};

/** Every key there is, in the order of the file. */
export function settingNotes(): readonly SettingNote[] {
  const defaults: Readonly<Record<string, unknown>> = DEFAULT_SETTINGS;
  return [
    ...Object.entries(NOTES).map(([key, note]) => ({key, ...note, byDefault: shown(defaults[key])})),
    ...Object.entries(PROFILE_NOTES).map(([key, note]) => ({key: `profiles.<name>.${key}`, ...note})),
  ];
}

function shown(value: unknown): string {
  return value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
}
