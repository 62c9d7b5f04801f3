import {fitsPath} from '../../api/endpoint.ts';
import {type SafeText, safeText} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {NameAvailability} from '../../domain/virtual-machine.ts';
import type {Feed} from '../../state/feed.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import type {FormField, FormValues} from '../../ui/form-field.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';

/** The service's limit on every name a person chooses. */
export const MAX_NAME_LENGTH = 50;

/** The name of something new. */
export const NAME_FIELD: FormField = {
  key: 'name',
  label: 'name',
  initial: '',
  hint: `at most ${MAX_NAME_LENGTH} characters`,
};

/** What is wrong with a new name, or undefined. Taken are names of the same kind: those of its environment if it has one. */
export function checkName(name: string, taken: readonly string[]): string | undefined {
  const trimmed = name.trim();
  if (trimmed === '') return 'a name is needed';
  if (!fitsPath(trimmed)) return `"${trimmed}" cannot be used as a name`;
  const {length} = [...trimmed];
  if (length > MAX_NAME_LENGTH) return `${length} characters, at most ${MAX_NAME_LENGTH}`;
  return taken.includes(trimmed) ? 'this name is already taken' : undefined;
}

/** What is wrong with the characters of a cluster's name: the service takes blanks inside it, and no others than these. */
export function clusterNameMistake(name: string): string | undefined {
  return /^[A-Za-z0-9_-](?:[A-Za-z0-9 _-]*[A-Za-z0-9_-])?$/.test(name)
    ? undefined
    : 'only letters, digits, - and _, with blanks inside';
}

/** The service's limit. */
export const MAX_URL_LENGTH = 250;

/** What is wrong with a callback URL; an empty one means none. */
export function checkCallback(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (!/^https?:\/\/[^\s/]+\S*$/i.test(trimmed)) return 'an address like https://host/path';
  return trimmed.length > MAX_URL_LENGTH ? `${trimmed.length} characters, at most ${MAX_URL_LENGTH}` : undefined;
}

/** The comma-separated words, each once. */
export function labelsIn(text: string): readonly string[] {
  return [...new Set(text.split(',').map(word => word.trim()))].filter(word => word !== '');
}

/** An integer within limits, or undefined. */
export function countIn(text: string | undefined, least: number, most: number): number | undefined {
  const trimmed = text?.trim() ?? '';
  const count = Number(trimmed);
  return /^\d+$/.test(trimmed) && count >= least && count <= most ? count : undefined;
}

/** The name as it would be sent. */
export function nameIn(values: FormValues): SafeText {
  return safeText((values.name ?? '').trim());
}

/** Asks the service about a name once the person has moved on to another field: every letter would be a request. */
export function availabilityWants(
  values: FormValues,
  present: string | undefined,
  feedOf: (name: SafeText) => Feed<NameAvailability> | undefined,
): readonly Want[] {
  const isTyped = present === 'name' || checkName(values.name ?? '', []) !== undefined;
  const feed = isTyped ? undefined : feedOf(nameIn(values));
  return feed === undefined ? [] : [{feed, priority: 2}];
}

/** The service's own objection to a name; undefined if it accepts it or was not asked. */
export function takenMistake(
  {store}: Pick<AssessmentInput, 'store'>,
  feed: Feed<NameAvailability>,
): string | undefined {
  const answer = lastValue(store.get(feed));
  if (answer === undefined || answer.isAvailable) return undefined;
  return answer.message === '' ? 'the service says it is taken' : `the service: ${answer.message}`;
}
