import type {Operation} from '../../domain/operation.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {Clock} from '../../domain/time.ts';
import type {Journal, JournalWriter} from './journal.ts';
import {entryOf} from './operation-entry.ts';

/** Writes each phase of an operation to the journal as one line. */
export type OperationLines = {
  /** Before sending: returns the reason why nothing may be sent, if any. */
  readonly write: (operation: Operation) => SafeText | undefined;
  /** After sending: a failure of the journal is reported and changes nothing. */
  readonly writeSent: (operation: Operation) => void;
  /** Of several that are never sent; gives the reason if that cannot be written. */
  readonly writeUnsent: (operations: readonly Operation[]) => SafeText | undefined;
};

export function operationLines({
  journal,
  clock,
  writer,
  organizationId,
  onUnwritten,
}: {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly writer: JournalWriter | undefined;
  readonly organizationId: () => number | undefined;
  readonly onUnwritten: ((operation: Operation, reason: SafeText) => void) | undefined;
}): OperationLines {
  function append(...operations: readonly Operation[]): SafeText | undefined {
    const about = {at: clock.wallNow(), organizationId: organizationId(), writer};
    try {
      journal.append(...operations.map(operation => entryOf(operation, about)));
      return undefined;
    } catch (error) {
      return safeText(error instanceof Error ? error.message : String(error));
    }
  }

  return {
    write: operation => {
      const reason = append(operation);
      return reason === undefined ? undefined : say`the journal cannot be written (${reason}), so nothing was sent`;
    },
    writeSent: operation => {
      const reason = append(operation);
      if (reason !== undefined && operation.sentAt !== undefined) onUnwritten?.(operation, reason);
    },
    writeUnsent: operations => {
      const reason = append(...operations);
      return reason === undefined ? undefined : say`the journal cannot be written (${reason})`;
    },
  };
}
