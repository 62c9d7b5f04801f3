import type {Answer} from '../../api/client.ts';
import type {Result} from '../../domain/failure.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {type DurationMs, SECOND_MS} from '../../domain/time.ts';
import type {Account} from '../account.ts';
import type {CommandIo} from '../command-io.ts';
import {openProgress} from '../print/progress.ts';

const READ_EVERY_MS: DurationMs = 2 * SECOND_MS;
const MAX_READS = 30;

type Job = {readonly status: 'pending'} | {readonly status: 'ready'};

/** Reads a job's result until it is there, for a minute at most. */
export async function readUntilReady<J extends Job>(
  {clock}: Pick<Account, 'clock'>,
  io: CommandIo,
  what: string,
  read: () => Promise<Result<Answer<J>>>,
): Promise<Result<Extract<J, {status: 'ready'}>>> {
  const progress = openProgress(io, clock, `waiting for ${what}`);
  try {
    for (let count = 0; count < MAX_READS; count += 1) {
      if (count > 0) await new Promise<void>(resolve => clock.after(READ_EVERY_MS, resolve));
      const answer = await read();
      // A job just created may be unknown for a moment.
      if (!answer.ok && answer.failure.kind !== 'not-found') return answer;
      const job = answer.ok ? answer.value.records.find(isReady<J>) : undefined;
      if (job !== undefined) return {ok: true, value: job};
    }
    return {ok: false, failure: {kind: 'incomplete', detail: say`${safeText(what)} was not ready within a minute`}};
  } finally {
    progress.end();
  }
}

/** The job was accepted, but the answer does not say where its result will be. */
export function nothingSaid(what: SafeText): Result<never> {
  return {ok: false, failure: {kind: 'incomplete', detail: say`the answer does not say where ${what} is`}};
}

function isReady<J extends Job>(job: J): job is Extract<J, {status: 'ready'}> {
  return job.status === 'ready';
}
