import {type Act, subjectKey, subjectOf} from '../domain/act.ts';
import {ruleOf} from '../domain/act-rules/act-rules.ts';

/** What an act holds while it is under way. A job that changes nothing holds nothing up, and waits for nothing but another one like it. */
export function lockKey(act: Act): string {
  const key = subjectKey(subjectOf(act));
  return ruleOf(act).endsWithReply === true ? `${act.kind} ${key}` : key;
}
