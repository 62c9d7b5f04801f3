import type {UsageRecord} from '../domain/billing.ts';
import {machineRates, volumeRates} from '../domain/cost.ts';
import type {Preferences} from '../domain/preferences.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import type {EpochMs} from '../domain/time.ts';
import {type FindingSubject, type KnownAccount, unreadAccount} from '../domain/triage/finding.ts';
import {triage} from '../domain/triage/triage.ts';

/**
 * The findings of triage about one record, from what was read around it, one sentence each. Rules that need more are
 * not judged here; `skydeck triage` judges all of them.
 */
export function findingsAbout(
  subject: Pick<FindingSubject, 'type' | 'id'>,
  read: Partial<KnownAccount> & {readonly metered?: readonly UsageRecord[]},
  {now, preferences}: {readonly now: EpochMs; readonly preferences: Preferences},
): readonly SafeText[] {
  const {metered = [], ...known} = read;
  const rates = {rates: machineRates(metered), volumeRates: volumeRates(metered)};
  const {findings} = triage({...unreadAccount(now, preferences), ...rates, ...known});
  return findings
    .filter(finding => finding.subject.type === subject.type && finding.subject.id === subject.id)
    .map(({severity, summary, evidence, advice}) => {
      const proof = evidence.length === 0 ? say`` : say` (${evidence.reduce((all, each) => say`${all}; ${each}`)})`;
      return say`${WORDS[severity]}: ${summary}${proof}. ${advice}`;
    });
}

const WORDS = {critical: say`critical`, warning: say`warning`, notice: say`notice`} as const;
