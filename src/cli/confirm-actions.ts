import {callOf, verbOf, wordsOf} from '../actions/actions.ts';
import {nameRemarks, type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Account} from './account.ts';
import {callText} from './calls.ts';
import type {CommandIo} from './command-io.ts';
import type {PlannedAction, Sorted} from './operation.ts';
import {type TextQuestion, textQuestion} from './text-question.ts';

/**
 * Whether the actions may be sent: `yes`, or why not. Without `--yes` a person on a terminal is shown everything and types
 * the answer: `y` for what can be taken back, the full name for what cannot, `<verb> <count>` for many.
 */
export async function confirmed(
  io: CommandIo,
  account: Account,
  {possible, impossible}: Sorted,
  hasYes: boolean,
): Promise<'yes' | SafeText> {
  if (hasYes) return 'yes';
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true) {
    return say`nothing was sent: without a terminal to ask on it needs --yes`;
  }
  const {lines, expected} =
    (await textQuestion(io, account, {possible, impossible})) ?? ownQuestion({possible, impossible});
  const host = new URL(account.baseUrl).host;
  io.stderr.write(`${account.redact(lines.map(line => `${line}\n`).join(''))}`);
  const typed = await io.ask(
    `On ${safeText(host)}. Type ${expected} to send ${possible.length === 1 ? 'it' : 'them'} once: `,
    {now: account.clock.monotonicNow, after: account.clock.after},
  );
  return typed?.trim() === expected ? 'yes' : say`nothing was sent`;
}

/** For actions that have no assessment of their own yet: what the command itself says of them. */
function ownQuestion({possible, impossible}: Sorted): TextQuestion {
  const lines = possible.flatMap(planned => {
    const {status, subjectName, action} = planned;
    const warnings = [...(planned.warnings ?? []), ...nameRemarks(subjectName)];
    const state = status === undefined ? say`` : say` (${safeText(status)})`;
    const call = safeText(callText(callOf(action), {showsSecrets: false}));
    return [say`${wordsOf(planned)}${state}`, `  ${call}`, ...warnings.map(warning => say`  ${warning}`)];
  });
  const skipped = impossible.map(({planned, reason}) => say`skipped: ${wordsOf(planned)}: ${reason}`);
  return {lines: [...lines, ...skipped], expected: expectedAnswer(possible)};
}

function expectedAnswer(actions: readonly PlannedAction[]): SafeText {
  const [first] = actions;
  if (first === undefined) return say`y`;
  if (actions.length > 1) return say`${verbOf(first.action.kind)} ${actions.length}`;
  if (first.weight === 'undoable') return say`y`;
  // A keyboard has no keys for some names, and some things have none.
  if (/^[\x20-\x7e]+$/.test(first.subjectName)) return first.subjectName;
  return first.action.id === undefined ? verbOf(first.action.kind) : say`${first.action.id}`;
}
