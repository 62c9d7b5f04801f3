import {callOf, verbOf, wordsOf} from '../actions/actions.ts';
import {isPowerAction} from '../actions/machine-power.ts';
import {virtualMachineMetrics} from '../api/virtual-machines.ts';
import {nameRemarks, type SafeText, safeText, say} from '../domain/safe-text.ts';
import {HOUR_MS} from '../domain/time.ts';
import {machineActivity} from '../domain/utilization.ts';
import type {Account} from './account.ts';
import {callText} from './calls.ts';
import type {CommandIo} from './command-io.ts';
import type {PlannedAction} from './operation.ts';

/**
 * Whether the actions may be sent: `yes`, or why not. Without `--yes` a person on a terminal is shown everything and types
 * the answer: `y` for what can be taken back, the full name for what cannot, `<verb> <count>` for many.
 */
export async function confirmed(
  io: CommandIo,
  account: Account,
  actions: readonly PlannedAction[],
  hasYes: boolean,
): Promise<'yes' | SafeText> {
  if (hasYes || actions.every(({weight}) => weight === 'none')) return 'yes';
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true) {
    return say`nothing was sent: without a terminal to ask on it needs --yes`;
  }
  const warnings = await workWarnings(account, actions);
  const expected = expectedAnswer(actions, warnings.length > 0);
  const lines = [...(await actionLines(actions)), ...warnings.map(warning => say`  ${warning}`)];
  const host = new URL(account.baseUrl).host;
  io.stderr.write(`${account.redact(lines.map(line => `${line}\n`).join(''))}`);
  const typed = await io.ask(
    `On ${safeText(host)}. Type ${expected} to send ${actions.length === 1 ? 'it' : 'them'} once: `,
    {now: account.clock.monotonicNow, after: account.clock.after},
  );
  return typed?.trim() === expected ? 'yes' : say`nothing was sent`;
}

async function actionLines(actions: readonly PlannedAction[]): Promise<readonly string[]> {
  const calls = actions.map(({action}) => callOf(action));
  return actions.flatMap((planned, index) => {
    const {status, subjectName} = planned;
    const warnings = [...(planned.warnings ?? []), ...nameRemarks(subjectName)];
    const call = calls[index];
    const state = status === undefined ? say`` : say` (${safeText(status)})`;
    const shown = call === undefined ? '' : safeText(callText(call, {showsSecrets: false}));
    return [say`${wordsOf(planned)}${state}`, `  ${shown}`, ...warnings.map(warning => say`  ${warning}`)];
  });
}

function expectedAnswer(actions: readonly PlannedAction[], isWorking: boolean): SafeText {
  const [first] = actions;
  if (first === undefined) return say`y`;
  if (actions.length > 1) return say`${verbOf(first.action.kind)} ${actions.length}`;
  if (first.weight !== 'irreversible' && !isWorking) return say`y`;
  // A keyboard has no keys for some names, and some things have none.
  if (/^[\x20-\x7e]+$/.test(first.subjectName)) return first.subjectName;
  return 'id' in first.action ? say`${first.action.id}` : verbOf(first.action.kind);
}

/** One machine that works at this moment deserves more than a `y`. */
async function workWarnings(
  {session, clock}: Account,
  actions: readonly PlannedAction[],
): Promise<readonly SafeText[]> {
  const [only, ...others] = actions;
  if (only === undefined || others.length > 0 || !interrupts(only)) return [];
  const {action} = only;
  if (!('id' in action) || !isPowerAction(action)) return [];
  const read = await session.client.read(virtualMachineMetrics, {id: action.id, duration: '1h'});
  const [metrics] = read.ok ? read.value.records : [];
  if (metrics === undefined) return [];
  const {isWorking} = machineActivity(metrics, only.flavor, {now: clock.wallNow(), windowMs: HOUR_MS, binCount: 1});
  return isWorking === 'yes' ? [say`It is WORKING right now.`] : [];
}

function interrupts({action}: PlannedAction): boolean {
  return action.kind === 'vm.stop' || action.kind === 'vm.hard-reboot' || action.kind === 'vm.hibernate';
}
