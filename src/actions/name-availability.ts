import {type SafeText, safeText} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import type {NameAvailability} from '../domain/virtual-machine.ts';
import type {Feed} from '../state/feed.ts';
import type {Want} from '../state/poll-schedule.ts';
import type {FormValues} from '../ui/form-field.ts';
import type {AssessmentInput} from './assessment-input.ts';
import {checkName} from './form-values.ts';

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
