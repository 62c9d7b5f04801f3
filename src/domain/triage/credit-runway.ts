import {type SafeText, say} from '../safe-text.ts';
import type {TriageRule} from './finding.ts';
import {BURN_UNKNOWN, durationWords, rateWords} from './words.ts';

/** Prepaid credit that is nearly used up: the service suspends everything when it is gone. */
export const creditRunway: TriageRule = {
  id: 'credit-runway',
  judge: ({creditLeftMs: leftMs, isCreditAtMost, besidesBurn, isCreditKnown, spend, preferences}) => {
    if (!isCreditKnown && leftMs === undefined) return {findings: [], cannotJudge: say`the credit is not known`};
    const isUnknown = spend?.burn === undefined || isCreditAtMost === true;
    if (leftMs === undefined && isUnknown) return {findings: [], cannotJudge: BURN_UNKNOWN};
    if (leftMs === undefined || leftMs >= preferences.runwayCriticalMs) return {findings: []};
    const lasts = say`${isCreditAtMost === true ? say`at most ` : say``}${durationWords(leftMs)}`;
    const isUsedUp = leftMs === 0;
    const at = spend?.burn === undefined ? say`` : say`at ${rateWords(spend.burn)}${priceWords(besidesBurn)} `;
    return {
      findings: [
        {
          severity: 'critical',
          subject: {type: 'account', name: say`account`},
          summary: isUsedUp
            ? say`credit used up`
            : say`credit ends in ${durationWords(leftMs)}${isCreditAtMost === true ? say` at most` : say``}`,
          ...(spend?.burn === undefined ? {} : {rate: spend.burn}),
          evidence: isUsedUp ? [] : [say`${at}the credit lasts ${lasts}`],
          advice: say`Add credit, or hibernate what is not needed: everything is suspended when it is used up.`,
          commands: [say`skydeck get credit`],
        },
      ],
    };
  },
};

/** The burn rate lacks them: they are free only meanwhile, or have no usage record. */
function priceWords(machines: SafeText | undefined): SafeText {
  return machines === undefined ? say`` : say` plus the price of ${machines},`;
}
