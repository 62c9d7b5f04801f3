import type {SafeText} from '../../domain/safe-text.ts';
import type {ExitCode} from '../../domain/exit-codes.ts';

/** One check: its result, and what to do if it failed. */
export type Checkup = {
  readonly check: SafeText;
  readonly verdict: 'ok' | 'warn' | 'fail';
  readonly found: SafeText;
  readonly remedy?: SafeText;
  /** The exit code of a failed check. */
  readonly exitCode?: ExitCode;
};

export function ok(check: SafeText, found: SafeText): Checkup {
  return {check, verdict: 'ok', found};
}

export function warn(check: SafeText, found: SafeText, remedy: SafeText): Checkup {
  return {check, verdict: 'warn', found, remedy};
}

export function fail(check: SafeText, found: SafeText, remedy: SafeText, exitCode?: ExitCode): Checkup {
  return {check, verdict: 'fail', found, remedy, ...(exitCode === undefined ? {} : {exitCode})};
}
