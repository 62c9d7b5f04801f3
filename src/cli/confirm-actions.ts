import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Account} from './account.ts';
import type {CommandIo} from './command-io.ts';
import type {Sorted} from './plan.ts';
import {textQuestion} from './text-question.ts';

/**
 * Whether the actions may be sent: `yes`, or why not. Without `--yes` a person on a terminal is shown everything and
 * types the answer: `y` for what can be undone, the full name for what cannot, `<verb> <count>` for many.
 */
export async function confirmed(
  io: CommandIo,
  account: Account,
  sorted: Sorted,
  hasYes: boolean,
): Promise<'yes' | SafeText> {
  if (hasYes) return 'yes';
  if (!canAsk(io)) {
    return say`nothing was sent: without a terminal to confirm on, add --yes`;
  }
  const {lines, expected} = await textQuestion(io, account, sorted);
  const host = new URL(account.baseUrl).host;
  io.stderr.write(`${account.redact(lines.map(line => `${line}\n`).join(''))}`);
  const typed = await io.ask(
    `On ${safeText(host)}. Type ${expected} to send ${sorted.possible.length === 1 ? 'it' : 'them'} once: `,
    {now: account.clock.monotonicNow, after: account.clock.after},
  );
  return typed?.trim() === expected ? 'yes' : say`nothing was sent`;
}

/** Whether a person can be asked. */
export function canAsk({stdin, stderr}: Pick<CommandIo, 'stdin' | 'stderr'>): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}
