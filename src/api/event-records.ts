import * as z from 'zod';
import type {ClusterEvent} from '../domain/cluster.ts';
import {safeText, say} from '../domain/safe-text.ts';
import type {ParsedRecord} from './endpoint.ts';
import {moment, present, recordOf, reference, text} from './fields.ts';

const NO_TEXT = safeText('');

const eventRecord = z.object({
  id: reference,
  time: moment,
  type: text,
  reason: text,
  message: text,
  user_id: reference,
});
const toParts = recordOf(eventRecord, parsed => parsed);

/** One line of a history. Events of machines have no id; a record with neither reason nor message is not an event. */
export function readEvent(raw: unknown): ParsedRecord<ClusterEvent> {
  const parsed = toParts(raw);
  if (!parsed.ok) return parsed;
  const {id, time, type, reason, message, user_id} = parsed.value;
  if (reason === undefined && message === undefined) return {ok: false, fields: [say`reason`, say`message`]};
  return {
    ok: true,
    value: present({
      id,
      occurredAt: time,
      type,
      reason: reason ?? NO_TEXT,
      message: message ?? NO_TEXT,
      userId: user_id,
    }),
  };
}
