import type {KeptResource} from '../money/waste.ts';
import type {EpochMs} from '../time.ts';
import {type Finding, SEVERITIES, type Severity} from './finding.ts';

/** A finding that a person has muted: it is counted but not listed, until it gets worse or begins anew. */
export type Mute =
  /** Somebody knows of it. */
  | (FindingMute & {readonly kind: 'acknowledged'})
  /** Nothing can be done about it before that moment. */
  | (FindingMute & {readonly kind: 'snoozed'; readonly until: EpochMs})
  /** The money is spent on purpose until that moment. */
  | ({readonly kind: 'kept'; readonly at: EpochMs} & KeptResource);

type FindingMute = {
  readonly finding: string;
  readonly severity: Severity;
  readonly at: EpochMs;
  /** Whose account it is: two organizations of one service have findings of the same name. */
  readonly organizationId?: number;
};

/** Identifies a finding across readings, so that it can be muted. */
export function findingKey({rule, subject: {type, id, name}}: Finding): string {
  return `${rule} ${type} ${id ?? name}`;
}

/**
 * The mute that applies to the finding now. It no longer applies if the finding got worse or began after it was muted.
 */
export function muteOf(
  finding: Finding,
  {mutes, isWaste, now}: {readonly mutes: readonly Mute[]; readonly isWaste: boolean; readonly now: EpochMs},
): Mute | undefined {
  const {severity, since, worseSince = since, subject, mutedAtMostUntil} = finding;
  if (mutedAtMostUntil !== undefined && mutedAtMostUntil <= now) return undefined;
  const key = findingKey(finding);
  return mutes.find(mute => {
    if (isOver(mute, now)) return false;
    if (mute.kind === 'kept') {
      return isWaste && mute.resourceType === subject.type && mute.resourceId === subject.id;
    }
    const isWorse = SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(mute.severity);
    return mute.finding === key && !isWorse && (worseSince === undefined || worseSince <= mute.at);
  });
}

/** Until the organization is known, mutes of every organization apply: a late alert is better than a repeated one. */
export function isOfOrganization(
  {organizationId}: Pick<KeptResource, 'organizationId'>,
  present: number | undefined,
): boolean {
  return organizationId === undefined || present === undefined || organizationId === present;
}

/** Whether it has expired; an acknowledgement does not. */
export function isOver(mute: Mute, now: EpochMs): boolean {
  return mute.kind !== 'acknowledged' && mute.until <= now;
}

/** Whether two mutes are about the same finding, or keep the same resource. */
export function isSameMute(one: Mute, other: Mute): boolean {
  if (one.organizationId !== other.organizationId) return false;
  if (one.kind === 'kept' || other.kind === 'kept') {
    return (
      one.kind === 'kept' &&
      other.kind === 'kept' &&
      one.resourceType === other.resourceType &&
      one.resourceId === other.resourceId
    );
  }
  return one.finding === other.finding;
}
