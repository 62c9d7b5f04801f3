/** What became of a request for a change: what it gave, or why the service will not do it. */
export type Outcome<T> =
  | {readonly isAccepted: true; readonly result: T}
  | {readonly isAccepted: false; readonly refusal: Refusal};

export type Refusal = {
  /**
   * `state`: not now or not this; `missing`: names something that is not there; `credit`: it would have to be paid;
   * `not-allowed`: something stands against it that must go first.
   */
  readonly kind: 'state' | 'missing' | 'duplicate' | 'credit' | 'not-allowed';
  readonly message: string;
};

export function accepted<T>(result: T): Outcome<T> {
  return {isAccepted: true, result};
}

export function refused(kind: Refusal['kind'], message: string): {isAccepted: false; refusal: Refusal} {
  return {isAccepted: false, refusal: {kind, message}};
}

/** Lets something be done with what was given, where something was. */
export function whenAccepted<T>(outcome: Outcome<T>, act: (result: T) => void): Outcome<T> {
  if (outcome.isAccepted) act(outcome.result);
  return outcome;
}
