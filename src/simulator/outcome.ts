import {alreadyExists, badRequest, notAllowed, notFound} from './answer.ts';

/** What became of an operation that was asked for. */
export type Outcome<T> =
  | {readonly isAccepted: true; readonly value: T}
  | {readonly isAccepted: false; readonly refusal: Refusal};

export type Refusal = {
  readonly because: 'wrong-state' | 'missing' | 'duplicate' | 'not-allowed';
  readonly message: string;
};

export function accepted<T>(value: T): Outcome<T> {
  return {isAccepted: true, value};
}

export function refusedBecause(because: Refusal['because'], message: string): Outcome<never> {
  return {isAccepted: false, refusal: {because, message}};
}

/** The answer to an operation: what the route makes of its value, or the service's refusal. */
export function answerTo<T>(outcome: Outcome<T>, answer: (value: T) => Response): Response {
  return outcome.isAccepted ? answer(outcome.value) : refusalAnswer(outcome.refusal);
}

function refusalAnswer({because, message}: Refusal): Response {
  switch (because) {
    case 'missing':
      return notFound(message);
    case 'duplicate':
      return alreadyExists(message);
    case 'not-allowed':
      return notAllowed(message);
    default:
      return badRequest(message);
  }
}
