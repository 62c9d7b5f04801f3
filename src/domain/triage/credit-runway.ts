import {besidesBurn, type Runway, runwayText} from '../cost.ts';
import {type SafeText, safeText, say} from '../safe-text.ts';
import type {KnownAccount, RuleFinding, TriageRule} from './finding.ts';
import {BURN_UNKNOWN, durationWords, minuteWords, rateWords} from './words.ts';

/**
 * Prepaid credit that is nearly used up: the service suspends everything when it is gone. It is not calm about a time
 * that the credit lasts at most: it warns if the list price of what has no known price ends it soon.
 */
export const creditRunway: TriageRule = {
  id: 'credit-runway',
  judge: ({runway, spend, preferences: {runwayCriticalMs}}) => {
    if (runway === undefined) return {findings: [], cannotJudge: say`the credit is not known`};
    const {leftMs, isAtMost, atListMs, hasUnpriced} = runway;
    const isSoon = (ms: number | undefined) => ms !== undefined && ms < runwayCriticalMs;
    if (leftMs === 0) return {findings: [{...ending(spend), severity: 'critical', summary: say`credit used up`}]};
    const evidence = [say`${priceWords(runway, spend)}the credit lasts ${lastingWords(runway)}`];
    if (leftMs !== undefined && isSoon(leftMs)) {
      const summary = say`credit ends in ${durationWords(leftMs)}${isAtMost ? say` at most` : say``}`;
      return {findings: [{...ending(spend), severity: 'critical', summary, evidence}]};
    }
    if (atListMs !== undefined && isSoon(atListMs)) {
      const summary = say`credit may end in ${durationWords(atListMs)}`;
      return {findings: [{...ending(spend), severity: 'warning', summary, evidence}]};
    }
    if (leftMs === undefined && (spend?.burn === undefined || hasUnpriced)) {
      return {findings: [], cannotJudge: BURN_UNKNOWN};
    }
    if (!hasUnpriced) return {findings: []};
    return {
      findings: [],
      cannotJudge: say`the credit lasts ${lastingWords(runway)}: not all that is billed has a price`,
    };
  },
};

function ending(spend: KnownAccount['spend']): Omit<RuleFinding, 'severity' | 'summary'> {
  return {
    subject: {type: 'account', name: say`account`},
    ...(spend?.burn === undefined ? {} : {rate: spend.burn}),
    evidence: [],
    advice: say`Add credit, or hibernate what is not needed: everything is suspended when it is used up.`,
    commands: [say`skydeck get credit`],
  };
}

function lastingWords(runway: Runway): SafeText {
  return safeText(runwayText(runway, durationWords));
}

/** What the credit is spent at. The burn rate lacks machines that are free only meanwhile, or have no usage record. */
function priceWords(runway: Runway, spend: KnownAccount['spend']): SafeText {
  if (spend?.burn === undefined) return say``;
  const machines = besidesBurn(runway);
  const when = spend.usageAt === undefined ? say`` : say`, as of ${minuteWords(spend.usageAt)},`;
  return say`at ${rateWords(spend.burn)}${when}${machines === undefined ? say`` : say` plus the price of ${machines},`} `;
}
