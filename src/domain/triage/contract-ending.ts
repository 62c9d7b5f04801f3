import {type Contract, daysLeft, noticeBeforeEnd} from '../contract.ts';
import {joinSafe, type SafeText, safeText, say} from '../safe-text.ts';
import {DAY_MS, type EpochMs, epochMs} from '../time.ts';
import type {VirtualMachine} from '../virtual-machine.ts';
import {judgeEach, type KnownAccount, type Severity, type TriageRule} from './finding.ts';
import {minuteWords} from './words.ts';

/** A contract that deletes something at its end cannot be muted in its last three days. */
const UNMUTED_BEFORE_MS = 3 * DAY_MS;
const NAMED = 5;

/** A contract that ends soon, or has no known end, and what happens to what it covers. */
export const contractEnding: TriageRule = {
  id: 'contract-ending',
  judge: account =>
    judgeEach(account.contracts, 'contracts', contract => {
      if (contract.status !== 'ACTIVE' && contract.status !== 'UNKNOWN') return undefined;
      const days = daysLeft(contract, account.now);
      const criticalDays = account.preferences.contractCriticalMs / DAY_MS;
      const noticeMs = noticeBeforeEnd(days);
      if (days !== undefined && (days < 0 || (noticeMs === undefined && days > criticalDays))) return undefined;
      const {endsAt, expirationPolicy} = contract;
      const covered = (account.machines ?? []).filter(({contractId}) => contractId === contract.id);
      return {
        severity: severityOf(contract, days, criticalDays),
        subject: {type: 'contract', id: contract.id, name: contract.description ?? say`contract #${contract.id}`},
        summary: say`${THEN[expirationPolicy.kind]} ${endWords(days)}`,
        // Each notice counts as worse, so that a person who muted the one at seven days is told again at three.
        ...(endsAt === undefined || noticeMs === undefined ? {} : {worseSince: epochMs(endsAt - noticeMs)}),
        ...(endsAt === undefined || expirationPolicy.kind === 'market'
          ? {}
          : {mutedAtMostUntil: epochMs(endsAt - UNMUTED_BEFORE_MS)}),
        evidence: evidenceOf(contract, covered, account),
        advice: adviceOf(contract, coversNone(account, covered)),
        commands: [say`skydeck describe contract ${contract.id}`],
      };
    }),
};

/** What is at stake comes first: at 80 columns a list shows 24 cells of a summary. */
const THEN: Readonly<Record<Contract['expirationPolicy']['kind'], SafeText>> = {
  delete: say`deletion`,
  market: say`market price`,
  unknown: say`may delete`,
};

const HAPPENS: typeof THEN = {
  delete: say`will be deleted`,
  market: say`continue at market price`,
  unknown: say`may be deleted`,
};

/** What a contract deletes is gone permanently; an unknown policy is warned about as deletion. */
function severityOf({expirationPolicy}: Contract, days: number | undefined, criticalDays: number): Severity {
  const deletes = expirationPolicy.kind !== 'market';
  if (deletes && days !== undefined && days <= criticalDays) return 'critical';
  return days !== undefined && days <= 7 ? 'warning' : 'notice';
}

function endWords(days: number | undefined): SafeText {
  if (days === undefined) return say`at contract end, date unknown`;
  return say`${days < 1 ? say`within a day` : say`in ${Math.floor(days)}d`}, at contract end`;
}

/** False also while machines may be missing from the list. */
function coversNone({machines, partial}: KnownAccount, covered: readonly VirtualMachine[]): boolean {
  return machines !== undefined && !partial.has('machines') && covered.length === 0;
}

function adviceOf({expirationPolicy}: Contract, isUnused: boolean): SafeText {
  if (expirationPolicy.kind === 'market') {
    return isUnused
      ? say`Renew it only if something is to run under it afterwards.`
      : say`Its machines continue at market price: renew it, or delete what is not needed by then.`;
  }
  return isUnused
    ? say`Check whether it covers anything else, such as volumes, and back that up before the end.`
    : say`Move what must stay: back up the disks and start the work elsewhere before the end.`;
}

function evidenceOf(
  {endsAt, expirationPolicy}: Contract,
  covered: readonly VirtualMachine[],
  {machines}: KnownAccount,
): readonly SafeText[] {
  const end = endsAt === undefined ? say`the service gives no end` : say`ends on ${minuteWords(endsAt)}`;
  if (machines === undefined) return [end, say`which machines it covers is not known: the list was not read`];
  const names = covered.slice(0, NAMED).map(({name}) => name);
  const more = covered.length - names.length;
  const listed = more > 0 ? [...names, say`${more} more`] : names;
  const when = endsAt === undefined ? say`at its end` : say`on ${dayWords(endsAt)}`;
  return [
    end,
    covered.length === 0
      ? say`no machine is listed under it`
      : say`${HAPPENS[expirationPolicy.kind]} ${when}: ${joinSafe(listed, ', ')}`,
  ];
}

/** `28 Nov`. */
function dayWords(at: EpochMs): SafeText {
  const day = new Date(at);
  return safeText(`${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]}`);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
