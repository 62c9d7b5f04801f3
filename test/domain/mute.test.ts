import {describe, expect, it} from 'vitest';
import {DEFAULT_PREFERENCES} from '../../src/domain/preferences.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, HOUR_MS} from '../../src/domain/time.ts';
import {type Finding, type Severity, unreadAccount} from '../../src/domain/triage/finding.ts';
import {findingKey, type Mute} from '../../src/domain/triage/mute.ts';
import {mutedWords, triage} from '../../src/domain/triage/triage.ts';

const NOW = epochMs(Date.UTC(2026, 10, 20, 12));
const HOUR_AGO = epochMs(NOW - HOUR_MS);

function aFinding(rest: Partial<Finding> = {}): Finding {
  return {
    rule: 'machine-in-error',
    severity: 'warning',
    subject: {type: 'vm', id: 7, name: safeText('gpu-7')},
    summary: safeText('machine in ERROR'),
    since: epochMs(NOW - 2 * HOUR_MS),
    evidence: [],
    advice: safeText(''),
    commands: [],
    ...rest,
  };
}

/** Whether the finding is listed after a person muted the default one an hour ago. */
function isListed(finding: Finding, mute: Partial<Mute> = {}, now = NOW): boolean {
  const own = {kind: 'acknowledged', finding: findingKey(aFinding()), severity: 'warning', at: HOUR_AGO, ...mute};
  const account = {...unreadAccount(now, DEFAULT_PREFERENCES), mutes: [own as Mute]};
  const {findings, muted} = triage(account, [{id: finding.rule, judge: () => ({findings: [finding]})}]);
  expect(findings.length + muted.length).toBe(1);
  return findings.length === 1;
}

describe('an acknowledged finding', () => {
  it('is counted but not listed, unlike those of another machine or rule', () => {
    expect(isListed(aFinding())).toBe(false);
    expect(isListed(aFinding({subject: {type: 'vm', id: 8, name: safeText('gpu-8')}}))).toBe(true);
    expect(isListed(aFinding({rule: 'idle'}))).toBe(true);
  });

  it.each<[string, Partial<Finding>, boolean]>([
    ['that got worse is listed again', {severity: 'critical' as Severity}, true],
    ['that got better is not', {severity: 'notice' as Severity}, false],
    ['that began after it was acknowledged is listed', {since: epochMs(HOUR_AGO + 1)}, true],
    ['that began at that very moment is not', {since: HOUR_AGO}, false],
    ['that may be muted only until now is listed', {mutedAtMostUntil: NOW}, true],
    ['that may be muted for a little longer is not', {mutedAtMostUntil: epochMs(NOW + 1)}, false],
  ])('%s', (_, rest, expected) => {
    expect(isListed(aFinding(rest))).toBe(expected);
  });
});

it('a snoozed finding is listed again when its time is over', () => {
  const snoozed = {kind: 'snoozed', until: epochMs(NOW + 1)} as const;
  expect(isListed(aFinding(), snoozed)).toBe(false);
  expect(isListed(aFinding(), snoozed, epochMs(NOW + 1))).toBe(true);
});

it('a machine kept on purpose has its findings about waste muted, and no others', () => {
  const account = (isWaste: boolean) =>
    triage(
      {
        ...unreadAccount(NOW, DEFAULT_PREFERENCES),
        mutes: [{kind: 'kept', resourceType: 'vm', resourceId: 7, at: HOUR_AGO, until: epochMs(NOW + DAY_MS)}],
      },
      [{id: 'machine-in-error', ...(isWaste ? {isWaste} : {}), judge: () => ({findings: [aFinding()]})}],
    );
  expect(account(true).findings).toEqual([]);
  expect(mutedWords(account(true).muted)).toBe('1 kept');
  expect(account(false).findings).toHaveLength(1);
});
