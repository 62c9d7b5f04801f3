import {recordOf} from '../../src/actions/actions.ts';
import {type Confirmed, newOperation, type Operation} from '../../src/domain/operation.ts';
import type {EpochMs} from '../../src/domain/time.ts';

/** An operation as it is created for a confirmed action. */
export function anOperation(id: string, confirmed: Confirmed, confirmedAt: EpochMs): Operation {
  return newOperation({id, confirmedAt}, confirmed, recordOf(confirmed.action));
}
