import {unreachable} from './assert.ts';
import type {Failure} from './failure.ts';

/** The exit codes. Scripts depend on these numbers. */
export const EXIT = {
  done: 0,
  refused: 1,
  usage: 2,
  notAuthorised: 3,
  notFound: 4,
  rateLimited: 5,
  noAnswer: 6,
  unknownOutcome: 7,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code for many outcomes: that of the one a person has to look at first. */
const WORST_FIRST: readonly ExitCode[] = [
  EXIT.unknownOutcome,
  EXIT.notAuthorised,
  EXIT.rateLimited,
  EXIT.notFound,
  EXIT.refused,
  EXIT.noAnswer,
];

export function worstOf(codes: readonly ExitCode[]): ExitCode {
  return WORST_FIRST.find(code => codes.includes(code)) ?? EXIT.done;
}

export function exitCodeOf(failure: Failure, effect: 'read' | 'operation'): ExitCode {
  switch (failure.kind) {
    case 'refused':
      return EXIT.refused;
    case 'not-authorised':
      return EXIT.notAuthorised;
    case 'not-found':
      return EXIT.notFound;
    case 'rate-limited':
      return EXIT.rateLimited;
    case 'not-sent':
      return EXIT.noAnswer;
    case 'timed-out':
    case 'cut':
    case 'service-error':
    case 'redirected':
    case 'odd-answer':
    case 'incomplete':
      return effect === 'read' ? EXIT.noAnswer : EXIT.unknownOutcome;
    default:
      return unreachable(failure);
  }
}
