import {describeFailure, type Failure, isKeyRefused} from '../failure.ts';
import {type SafeText, say} from '../safe-text.ts';
import {type DurationMs, epochMs, MINUTE_MS, SECOND_MS} from '../time.ts';
import type {FindingSubject, KnownService, RuleFinding, Severity, TriageRule} from './finding.ts';
import {clockWords, durationWords} from './words.ts';

const SERVICE: FindingSubject = {type: 'service', name: say`the service`};
/** A list is old after it missed this many readings in a row. */
const STALE_INTERVALS = 5;
/** Without machines for longer than this many readings, whatever the reason, nearly every rule is blind. */
const BLIND_INTERVALS = 12;
/** Two clocks further apart than this spoil ages and bills. */
const MAX_CLOCK_OFFSET_MS = 2 * MINUTE_MS;
const NEARLY_USED_RATIO = 0.9;

/** What it means that a list cannot be read. A short failure is no more than a warning. */
function severityOf({isMachines = false, ageMs, intervalMs}: KnownService['readings'][number]): Severity {
  const isBlind = ageMs === undefined || ageMs > BLIND_INTERVALS * intervalMs;
  return isMachines && isBlind ? 'critical' : 'warning';
}

/**
 * For how long it should have been read. Other lists than the machines may be old before they fail, because nothing on
 * the screen needed them: of that time only one interval counts.
 */
function lateMs({isMachines, intervalMs, failingMs}: KnownService['readings'][number], ageMs: DurationMs): DurationMs {
  return isMachines === true || failingMs === undefined ? ageMs : Math.min(ageMs, failingMs + intervalMs);
}

/** A list has not been read for a while, so the screen shows old data. */
export const staleReadings: TriageRule = {
  id: 'stale-readings',
  judge: ({now, service: {readings}}) => ({
    findings: readings.flatMap((reading): readonly RuleFinding[] => {
      const {what, ageMs, intervalMs, failure} = reading;
      const isOld = ageMs === undefined ? failure !== undefined : lateMs(reading, ageMs) > STALE_INTERVALS * intervalMs;
      if (!isOld || failure === undefined || failure.kind === 'not-authorised') return [];
      return [
        {
          severity: severityOf(reading),
          subject: {type: 'service', name: what},
          // The last good reading.
          ...(ageMs === undefined ? {} : {since: epochMs(now - ageMs)}),
          summary: ageMs === undefined ? say`cannot be read` : say`not read for ${durationWords(ageMs)}`,
          evidence: [describeFailure(failure)],
          advice: adviceOn(failure, ageMs !== undefined),
          commands: [say`skydeck doctor`],
        },
      ];
    }),
  }),
};

/** A service that refuses for a minute is not down. */
function adviceOn({kind}: Failure, hasOldData: boolean): SafeText {
  if (kind === 'rate-limited') {
    const limit = say`request limit of this address is used up: close other decks and scripts behind it.`;
    return hasOldData
      ? say`What is shown for it is old. skydeck keeps trying; the ${limit}`
      : say`It was never read. The ${limit}`;
  }
  return hasOldData
    ? say`What is shown for it is old. skydeck keeps trying; check whether the service or the connection is down.`
    : say`It was never read. Check whether the service or the connection is down.`;
}

/** The key itself is refused, so nothing more can be read or sent with it, whatever the list. */
export const keyRefused: TriageRule = {
  id: 'key-refused',
  judge: ({service: {readings}}) => {
    const refusal = readings
      .map(({failure}) => failure)
      .find(failure => failure !== undefined && isKeyRefused(failure));
    if (refusal === undefined) return {findings: []};
    return {
      findings: [
        {
          severity: 'critical',
          subject: SERVICE,
          summary: say`the key or its role is not accepted`,
          evidence: [describeFailure(refusal)],
          advice: say`Nothing is read or sent with it any more. Have its user given a role, or create a new key; skydeck doctor says where to put it.`,
          commands: [say`skydeck doctor`],
        },
      ],
    };
  },
};

/** The key is not allowed to read a list that skydeck shows: whatever is wrong there stays unseen. */
export const missingPermission: TriageRule = {
  id: 'missing-permission',
  judge: ({service: {readings}}) => ({
    findings: readings.flatMap((reading): readonly RuleFinding[] => {
      const {what, failure} = reading;
      return failure?.kind === 'not-authorised' && !isKeyRefused(failure)
        ? [
            {
              severity: severityOf(reading),
              subject: {type: 'service', name: what},
              summary: say`no permission to read it`,
              evidence: [describeFailure(failure)],
              advice: say`Ask the account's owner for the permission, or use another key.`,
              commands: [say`skydeck doctor`],
            },
          ]
        : [];
    }),
  }),
};

/** The clock of this computer and that of the service disagree. */
export const clockSkew: TriageRule = {
  id: 'clock-skew',
  judge: ({service: {clockOffsetMs, isClockFollowed = true}}) => {
    if (clockOffsetMs === undefined) return {findings: [], cannotJudge: say`no answer gave the time of the service`};
    if (Math.abs(clockOffsetMs) <= MAX_CLOCK_OFFSET_MS) return {findings: []};
    const words = durationWords(Math.abs(clockOffsetMs));
    return {
      findings: [
        {
          severity: 'warning',
          subject: SERVICE,
          summary: say`clocks differ by ${words}`,
          evidence: [clockWords(clockOffsetMs)],
          advice: isClockFollowed
            ? say`Set this computer's clock. Until then, ages and costs use the service's clock.`
            : say`Check both clocks. The service's is too far off to be right, so ages and costs use this computer's.`,
          commands: [say`skydeck doctor`],
        },
      ],
    };
  },
};

/** skydeck is near its own limit of requests, so that figures are read less often. */
export const requestCeiling: TriageRule = {
  id: 'request-ceiling',
  judge: ({service: {requestsLastMinute, requestCeiling: ceiling}}) =>
    requestsLastMinute < NEARLY_USED_RATIO * ceiling
      ? {findings: []}
      : {
          findings: [
            {
              severity: 'notice',
              subject: SERVICE,
              summary: say`${requestsLastMinute} of ${ceiling} requests a minute`,
              evidence: [say`${requestsLastMinute} requests were sent in the last ${MINUTE_MS / SECOND_MS} s`],
              advice: say`Data is read less often until these requests are a minute old. If it lasts, open fewer machines and send smaller batches. The limit is of this skydeck alone.`,
              commands: [say`skydeck doctor`],
            },
          ],
        },
};
