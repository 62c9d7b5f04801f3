import type {SentAction} from './send-actions.ts';

/** What a script continues with, one to a line: the ids of what was created, else the names of the subjects. */
export function outcomeNames({planned, result}: Pick<SentAction, 'planned' | 'result'>): string {
  if (result?.kind === 'access-key') return String(result.id);
  if (result?.kind !== 'created' || result.ids.length === 0) return planned.subjectName;
  return result.ids.join('\n');
}
