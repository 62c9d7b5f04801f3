import type {SentAction} from './send-actions.ts';

/** What a script goes on with, one to a line: the ids of what was made, else the name of what was acted on. */
export function outcomeNames({planned, result}: Pick<SentAction, 'planned' | 'result'>): string {
  if (result?.kind === 'access-key') return String(result.id);
  if (result?.kind !== 'created' || result.ids.length === 0) return planned.subjectName;
  return result.ids.join('\n');
}
