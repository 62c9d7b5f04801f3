import {unreachable} from './assert.ts';
import type {Failure} from './failure.ts';

/**
 * The exit codes of deck and commands, besides 128 + n after a signal (`terminal/lifecycle`). Scripts depend on these
 * numbers.
 */
export const EXIT = {
  done: 0,
  refused: 1,
  usage: 2,
  notAuthorised: 3,
  notFound: 4,
  rateLimited: 5,
  noAnswer: 6,
  unknownOutcome: 7,
  /** The program itself failed (EX_SOFTWARE). */
  crashed: 70,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The codes of the monitoring-plugin convention, for `skydeck triage --check` alone. */
export const CHECK_EXIT = {ok: 0, warning: 1, critical: 2, unknown: 3} as const;

/** The exit code for many outcomes: that of the one a person has to look at first. */
const WORST_FIRST: readonly ExitCode[] = [
  EXIT.crashed,
  EXIT.unknownOutcome,
  EXIT.usage,
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
