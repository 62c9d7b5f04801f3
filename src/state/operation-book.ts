import {type Subject, subjectKey, subjectOf} from '../domain/action.ts';
import {assert} from '../domain/assert.ts';
import {isEnded, type Operation} from '../domain/operation.ts';
import {secret} from '../domain/secret.ts';
import type {Cancel} from '../domain/time.ts';
import type {JournalWriter} from './journal.ts';

/** Who began an operation: this process, or one of which the journal tells. */
export type Origin =
  | {readonly kind: 'own'}
  | {
      readonly kind: 'journal';
      /** The organization it belongs to, where that was known when it was sent. */
      readonly organizationId: number | undefined;
      readonly writer: JournalWriter | undefined;
    };

type Entry = {readonly operation: Operation; readonly origin: Origin};

const MAX_REMEMBERED = 500;

/** Owns which operations there are, who began each, and which of them holds which object. Every change is counted. */
export class OperationBook {
  readonly #entries = new Map<string, Entry>();
  /** By the object's key: the operation that holds it. */
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

  /** Those without an end, oldest first. */
  open(): readonly Operation[] {
    return [...this.#entries.values()].flatMap(({operation}) => (isEnded(operation.phase) ? [] : [operation]));
  }

  /** The operation that holds what this one would hold. */
  holderOf(operation: Pick<Operation, 'action' | 'rule'>): Operation | undefined {
    return this.#heldBy(lockKey(operation));
  }

  /** The operation that holds this object. */
  openOn(subject: Subject): Operation | undefined {
    return this.#heldBy(subjectKey(subject));
  }

  /** An operation that was not known before. It holds its object, unless another one does. */
  add(operation: Operation, origin: Origin): void {
    this.#entries.set(operation.id, {operation, origin});
    const key = lockKey(operation);
    if (!this.#locks.has(key)) this.#locks.set(key, operation.id);
    this.#hasChanged(operation, true);
  }

  /** What became of a known operation; one that ended gives its lock back. Listeners hear only of news. */
  update(operation: Operation, isNews: boolean): void {
    const known = this.#entries.get(operation.id);
    assert(known !== undefined, `operation ${operation.id} was never begun`);
    this.#entries.set(operation.id, {...known, operation});
    if (isEnded(operation.phase) && !isEnded(known.operation.phase)) this.#release(operation);
    this.#hasChanged(operation, isNews);
  }

  /** An operation that turned out to be none of this account's. */
  drop(operation: Operation): void {
    this.#entries.delete(operation.id);
    this.#release(operation);
    this.#version += 1;
  }

  /** The secret in an operation's answer was shown, and is kept no longer. */
  dropSecret(id: string): void {
    const operation = this.get(id);
    if (operation?.result?.kind !== 'access-key') return;
    this.update({...operation, result: {...operation.result, secretKey: secret('')}}, false);
  }

  subscribe(listener: (changed: Operation) => void): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #heldBy(key: string): Operation | undefined {
    const holder = this.#locks.get(key);
    return holder === undefined ? undefined : this.get(holder);
  }

  /** Two operations on one object can both be found open in the journal: the lock stays until the last has ended. */
  #release(ended: Operation): void {
    const key = lockKey(ended);
    const other = this.open().find(operation => lockKey(operation) === key && operation.id !== ended.id);
    if (other === undefined) this.#locks.delete(key);
    else this.#locks.set(key, other.id);
  }

  #hasChanged(operation: Operation, isNews: boolean): void {
    this.#version += 1;
    for (const [oldId, old] of this.#entries) {
      if (this.#entries.size <= MAX_REMEMBERED) break;
      if (isEnded(old.operation.phase)) this.#entries.delete(oldId);
    }
    if (isNews) for (const listener of this.#listeners) listener(operation);
  }
}

/**
 * What an action holds while it is under way. A job that changes nothing holds nothing up, and waits for nothing but
 * another one like it.
 */
export function lockKey({action, rule}: Pick<Operation, 'action' | 'rule'>): string {
  const key = subjectKey(subjectOf(action));
  return rule.endsWithReply === true ? `${action.kind} ${key}` : key;
}
