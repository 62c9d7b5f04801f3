import {type Subject, subjectKey, subjectOf} from '../../domain/action.ts';
import {assert} from '../../domain/assert.ts';
import {isEnded, type Operation, withoutSecret} from '../../domain/operation.ts';
import type {Cancel} from '../../domain/time.ts';
import type {JournalWriter} from './journal.ts';

/** Who began an operation: this process, or another one known from the journal. */
export type Origin =
  | {readonly kind: 'own'}
  | {
      readonly kind: 'journal';
      /** The organization it belongs to, if that was known when it was sent. */
      readonly organizationId: number | undefined;
      readonly writer: JournalWriter | undefined;
    };

type BookEntry = {readonly operation: Operation; readonly origin: Origin};

const MAX_REMEMBERED = 500;

/** Owns the list of operations: who began each, and which of them locks which object. Every change is counted. */
export class OperationBook {
  readonly #entries = new Map<string, BookEntry>();
  /** The operation that holds the lock, by the object's key. */
  readonly #locks = new Map<string, string>();
  readonly #listeners = new Set<(changed: Operation) => void>();
  #version = 0;

  get version(): number {
    return this.#version;
  }

  get(id: string): Operation | undefined {
    return this.#entries.get(id)?.operation;
  }

  originOf(id: string): Origin | undefined {
    return this.#entries.get(id)?.origin;
  }

  /** Newest first. */
  all(): readonly Operation[] {
    return [...this.#entries.values()].map(({operation}) => operation).reverse();
  }

  /** Open operations, oldest first. */
  open(): readonly Operation[] {
    return [...this.#entries.values()].flatMap(({operation}) => (isEnded(operation.phase) ? [] : [operation]));
  }

  /** The operation that holds a lock this one needs. */
  holderOf(operation: Pick<Operation, 'action' | 'traits'>): Operation | undefined {
    return this.#heldBy(lockKey(operation));
  }

  /** The operation that holds the lock on this object. */
  openOn(subject: Subject): Operation | undefined {
    return this.#heldBy(subjectKey(subject));
  }

  /** Adds a new operation. It locks its object, unless another one already does. */
  add(operation: Operation, origin: Origin): void {
    this.#entries.set(operation.id, {operation, origin});
    const key = lockKey(operation);
    if (!this.#locks.has(key)) this.#locks.set(key, operation.id);
    this.#hasChanged(operation, true);
  }

  /**
   * Records the new state of a known operation and releases the lock if it ended. Listeners are called only on changes.
   */
  update(operation: Operation, isNews: boolean): void {
    const known = this.#entries.get(operation.id);
    assert(known !== undefined, `operation ${operation.id} was never begun`);
    this.#entries.set(operation.id, {...known, operation});
    if (isEnded(operation.phase) && !isEnded(known.operation.phase)) this.#release(operation);
    this.#hasChanged(operation, isNews);
  }

  /** Removes an operation that turned out to belong to another account. */
  drop(operation: Operation): void {
    this.#entries.delete(operation.id);
    this.#release(operation);
    this.#version += 1;
  }

  /** Drops the secret in an operation's answer once it was shown. */
  dropSecret(id: string): void {
    const operation = this.get(id);
    if (operation?.result?.kind === 'access-key') this.update(withoutSecret(operation), false);
  }

  subscribe(listener: (changed: Operation) => void): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #heldBy(key: string): Operation | undefined {
    const holder = this.#locks.get(key);
    return holder === undefined ? undefined : this.get(holder);
  }

  /** The journal may show two open operations on one object: the lock stays until the last has ended. */
  #release(ended: Operation): void {
    const key = lockKey(ended);
    const other = this.open().find(operation => lockKey(operation) === key && operation.id !== ended.id);
    if (other === undefined) this.#locks.delete(key);
    else this.#locks.set(key, other.id);
  }

  /** While many are open, the one that has just ended may be the one to forget: its listeners look it up first. */
  #hasChanged(operation: Operation, isNews: boolean): void {
    this.#version += 1;
    if (isNews) for (const listener of this.#listeners) listener(operation);
    this.#forgetOldest();
  }

  #forgetOldest(): void {
    for (const [id, {operation}] of this.#entries) {
      if (this.#entries.size <= MAX_REMEMBERED) return;
      if (isEnded(operation.phase)) this.#entries.delete(id);
    }
  }
}

/**
 * What an action locks while it is under way. A job that changes nothing locks nothing and waits only for another job
 * like it.
 */
export function lockKey({action, traits}: Pick<Operation, 'action' | 'traits'>): string {
  const key = subjectKey(subjectOf(action));
  return traits.endsWithReply === true ? `${action.kind} ${key}` : key;
}
