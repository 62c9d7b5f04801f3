import type {Outcome, Refusal} from '../../world/operation.ts';
import {alreadyExists, badRequest, notAllowed, notFound, paymentRequired} from '../answer.ts';

/** The answer to a request for a change: the refusal in the service's words, or what is made of the result. */
export function answered<T>(outcome: Outcome<T>, answer: (result: T) => Response): Response {
  return outcome.isAccepted ? answer(outcome.result) : refusalAnswer(outcome.refusal);
}

function refusalAnswer({kind, message}: Refusal): Response {
  switch (kind) {
    case 'missing':
      return notFound(message);
    case 'duplicate':
      return alreadyExists(message);
    case 'credit':
      return paymentRequired(message);
    case 'not-allowed':
      return notAllowed(message);
    default:
      return badRequest(message);
  }
}
