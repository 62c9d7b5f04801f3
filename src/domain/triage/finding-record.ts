import {accrue, minutesOf, toMicroUsd} from '../money.ts';
import {HOUR_MS, isoText} from '../time.ts';
import type {Finding} from './finding.ts';

/** A finding as scripts read it: `skydeck triage -o json` prints it, and the alert command gets it. */
export function findingRecord({
  rule,
  severity,
  subject,
  since,
  rate,
  isRateAtLeast = false,
  evidence,
  advice,
  commands,
}: Finding): Readonly<Record<string, unknown>> {
  return {
    rule,
    severity,
    subject: {type: subject.type, id: subject.id ?? null, name: subject.name},
    since: since === undefined ? null : isoText(since),
    perHourMicrousd: rate === undefined ? null : toMicroUsd(accrue(rate, minutesOf(HOUR_MS))),
    isPerHourAtLeast: isRateAtLeast,
    evidence,
    advice,
    commands,
  };
}
