import {budgetUse} from '../money/budget.ts';
import {say} from '../safe-text.ts';
import {DAY_MS} from '../time.ts';
import type {TriageRule} from './finding.ts';
import {BURN_UNKNOWN, DELETED_UNREAD, durationWords, percentWords, rateWords} from './words.ts';

/** A crossing later than this is not a finding yet; the billing pane shows it. */
const TOLD_BEFORE_MS = 3 * DAY_MS;

/** The month's budget is used up, or the present burn rate reaches it soon. */
export const budgetCrossing: TriageRule = {
  id: 'budget-crossing',
  judge: ({spend, preferences: {budget}, now}) => {
    if (budget === undefined) return {findings: []};
    if (spend === undefined) return {findings: [], cannotJudge: say`the usage was not read`};
    const {monthToDate} = spend;
    if (monthToDate === undefined) return {findings: [], cannotJudge: say`what the month has cost is unknown`};
    const use = budgetUse({...spend, monthToDate}, {budget, alertRatios: [1]}, now);
    if (use === undefined) return {findings: []};
    const {burn} = spend;
    const at = use.next?.at;
    const isUsedUp = use.ratio >= 1;
    if (!isUsedUp && burn === undefined) return {findings: [], cannotJudge: BURN_UNKNOWN};
    if (!isUsedUp && (at === undefined || at - now > TOLD_BEFORE_MS)) {
      return {findings: [], ...(spend.isMonthAtLeast === true ? {cannotJudge: DELETED_UNREAD} : {})};
    }
    return {
      findings: [
        {
          severity: isUsedUp ? 'critical' : 'warning',
          subject: {type: 'account', name: say`account`},
          summary: isUsedUp ? say`budget used up` : say`budget used up in ${durationWords((at ?? now) - now)}`,
          ...(burn === undefined ? {} : {rate: burn}),
          evidence: [
            burn === undefined
              ? say`${percentWords(use.ratio)} of the budget is spent`
              : say`${percentWords(use.ratio)} of the budget is spent, at ${rateWords(burn)} now`,
          ],
          advice: say`Check what grew and what is idle, and hibernate or delete what is not needed.`,
          commands: [say`skydeck cost --by vm`],
        },
      ],
    };
  },
};
