import {type Action, subjectOf} from '../domain/action.ts';
import {operationWords} from '../domain/describe-operation.ts';
import {isEnded, type Operation} from '../domain/operation.ts';
import type {SafeText} from '../domain/safe-text.ts';
import type {SentOperation, TimelineSubject} from '../domain/timeline/entry.ts';
import type {Latest} from '../state/journal.ts';
import {recordOf, wordsOf} from './actions.ts';

type Sent = {
  readonly operations?: {readonly all: () => readonly Operation[]} | undefined;
  readonly journal?: (() => Latest) | undefined;
};

/** What was sent from this computer, in this session and before. */
export function sentFrom({operations, journal}: Sent): readonly SentOperation[] {
  const live = (operations?.all() ?? []).filter(({phase}) => phase !== 'preflight');
  const ids = new Set(live.map(({id}) => id));
  const entries = (journal?.().entries ?? []).filter(
    ({operationId, phase}) => !ids.has(operationId) && phase !== 'preflight',
  );
  const ends = new Map(journal?.().entries.map(({operationId, endedAt}) => [operationId, endedAt]));
  return [
    ...live.map(operation => ({
      ...operation,
      happening: operation.rule.happening,
      subject: subjectIn(operation.action, operation.subjectName),
      words: operationWords(operation),
      endedAt: ends.get(operation.id),
    })),
    ...entries.map(entry => ({
      id: entry.operationId,
      happening: recordOf(entry.action).happening,
      subject: subjectIn(entry.action, entry.subjectName),
      words: wordsOf(entry),
      // Nobody watched it to its end: an open entry tells no outcome.
      phase: isEnded(entry.phase) ? entry.phase : ('unknown' as const),
      detail: entry.correction ?? entry.detail,
      confirmedAt: entry.confirmedAt ?? entry.at,
      endedAt: entry.endedAt,
    })),
  ];
}

function subjectIn(action: Action, name: SafeText): TimelineSubject {
  const subject = subjectOf(action);
  return 'id' in subject ? {type: subject.type, id: subject.id, name} : {type: subject.type, name};
}
