import {type Action, subjectKey, subjectOf} from '../domain/action.ts';
import {ruleOf} from '../domain/action-rules/action-rules.ts';

/** What an action holds while it is under way. A job that changes nothing holds nothing up, and waits for nothing but another one like it. */
export function lockKey(action: Action): string {
  const key = subjectKey(subjectOf(action));
  return ruleOf(action).endsWithReply === true ? `${action.kind} ${key}` : key;
}
