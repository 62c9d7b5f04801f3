import type {Answer} from '../../api/client.ts';
import {describeFailure, type Failure, type Result} from '../../domain/failure.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {type DurationMs, SECOND_MS} from '../../domain/time.ts';
import type {Account} from '../account.ts';
import type {CommandIo} from '../command-io.ts';
import {openProgress} from '../print/progress.ts';

const READ_EVERY_MS: DurationMs = 2 * SECOND_MS;
const MAX_READS = 30;

type Job = {readonly status: 'pending'} | {readonly status: 'ready'};

/**
 * Reads a job's result until it is there, for a minute at most. The documents do not say how the service answers before
 * that, so only a refusal that lasts, or a result that is too large, ends the wait; any other failure is reported if it
 * is the last one.
 */
export async function readUntilReady<J extends Job>(
  {clock}: Pick<Account, 'clock'>,
  io: Pick<CommandIo, 'stderr' | 'environment'>,
  what: string,
  read: () => Promise<Result<Answer<J>>>,
): Promise<Result<Extract<J, {status: 'ready'}>>> {
  const progress = openProgress(io, clock, `waiting for ${what}`);
  let last = say``;
  try {
    for (let count = 0; count < MAX_READS; count += 1) {
      if (count > 0) await new Promise<void>(resolve => clock.after(READ_EVERY_MS, resolve));
      const answer = await read();
      if (!answer.ok && isLasting(answer.failure)) return answer;
      last = answer.ok ? say`` : say`: ${describeFailure(answer.failure)}`;
      const job = answer.ok ? answer.value.records.find(isReady<J>) : undefined;
      if (job !== undefined) return {ok: true, value: job};
    }
    return {
      ok: false,
      failure: {kind: 'incomplete', detail: say`${safeText(what)} was not ready within a minute${last}`},
    };
  } finally {
    progress.end();
  }
}

function isLasting(failure: Failure): boolean {
  const {kind} = failure;
  return kind === 'not-authorised' || kind === 'rate-limited' || (kind === 'odd-answer' && failure.isTooLarge === true);
}

/** The job was accepted, but the answer does not say where its result will be. */
export function nothingSaid(what: SafeText): Result<never> {
  return {ok: false, failure: {kind: 'incomplete', detail: say`the answer does not say where ${what} is`}};
}

function isReady<J extends Job>(job: J): job is Extract<J, {status: 'ready'}> {
  return job.status === 'ready';
}
