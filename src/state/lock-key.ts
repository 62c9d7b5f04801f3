import {subjectKey, subjectOf} from '../domain/action.ts';
import type {Operation} from '../domain/operation.ts';

/** What an action holds while it is under way. A job that changes nothing holds nothing up, and waits for nothing but another one like it. */
export function lockKey({action, rule}: Pick<Operation, 'action' | 'rule'>): string {
  const key = subjectKey(subjectOf(action));
  return rule.endsWithReply === true ? `${action.kind} ${key}` : key;
}
