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
  const folded = await foldedLines(lines.map(account.redact), io.stderr.columns);
  io.stderr.write(folded.map(line => `${line}\n`).join(''));
  const typed = await io.ask(
    `On ${safeText(host)}. Type ${expected} to send ${sorted.possible.length === 1 ? 'it' : 'them'} once: `,
    {now: account.clock.monotonicNow, after: account.clock.after},
  );
  return typed?.trim() === expected ? 'yes' : say`nothing was sent`;
}

/** Folded between words, with the indentation of the line: a terminal would break inside a word. */
async function foldedLines(lines: readonly string[], columns: number | undefined): Promise<readonly string[]> {
  if (columns === undefined || columns <= 0) return lines;
  const [{wrapLine}, {textOf}] = await Promise.all([import('../ui/wrap.ts'), import('../ui/text.ts')]);
  return lines.flatMap(line => {
    const text = line.trimStart();
    const indent = ' '.repeat(line.length - text.length);
    return wrapLine([{text}], Math.max(MIN_TEXT_COLUMNS, columns - indent.length)).map(each =>
      `${indent}${textOf(each)}`.trimEnd(),
    );
  });
}

const MIN_TEXT_COLUMNS = 20;

/** Whether a person can be asked. */
export function canAsk({stdin, stderr}: Pick<CommandIo, 'stdin' | 'stderr'>): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}
