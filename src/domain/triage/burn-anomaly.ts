import {type BurnAnomaly, MIN_BURN_HISTORY_MS} from '../money/anomaly.ts';
import {hourlyUsd} from '../money.ts';
import {type SafeText, safeText, say} from '../safe-text.ts';
import {type EpochMs, epochMs, HOUR_MS} from '../time.ts';
import type {KnownAccount, TriageRule} from './finding.ts';
import {durationWords} from './words.ts';

const NAMED = 5;

/** The account burns far more than it usually does at this hour. */
export const burnAnomaly: TriageRule = {
  id: 'burn-anomaly',
  judge: ({usage, anomaly, spend, now}) => {
    if (usage === undefined) return {findings: [], cannotJudge: say`the usage was not read`};
    if (anomaly === undefined) return {findings: [], ...unjudged(spend, now)};
    const {usualPerHour, rule} = anomaly;
    // The meter of now, where it was read: the curve of the past lags behind what began a minute ago.
    const perHour = spend === undefined ? anomaly.perHour : hourlyUsd(spend.burn);
    const usual = rule === 'usual' ? say`usually at this hour` : say`a day ago`;
    const machineIds = anomaly.causes.flatMap(({record}) =>
      record.resourceType.toLowerCase() === 'vm' ? [record.resourceId] : [],
    );
    return {
      findings: [
        {
          rule: 'burn-anomaly',
          severity: 'critical',
          subject: {type: 'account', name: say`account`},
          summary: say`burn rate up by ${dollars(perHour - usualPerHour)}/h`,
          since: epochMs(anomaly.since),
          ...(spend === undefined ? {} : {rate: spend.burn}),
          machineIds,
          fixes: machineIds.map(id => ({kind: 'vm.hibernate' as const, id, retainsIp: true})),
          evidence: [
            say`${dollars(perHour)}/h now, ${dollars(usualPerHour)}/h ${usual}, for ${durationWords(now - anomaly.since)}`,
            ...causesOf(anomaly),
          ],
          chart: 'burn',
          advice: say`Find out who started them; hibernate or delete what is not needed.`,
          commands: [say`skydeck cost --by vm`, say`skydeck get vms --sort age`],
        },
      ],
    };
  },
};

/** Why nobody can say what the burn rate usually is; nothing where it can be said. */
function unjudged(spend: KnownAccount['spend'], now: EpochMs): {readonly cannotJudge?: SafeText} {
  if (spend?.lacksDeleted === true) return {cannotJudge: say`the usage of deleted resources was not read`};
  const startsAt = spend?.curve?.startsAt ?? Number.POSITIVE_INFINITY;
  // Where nothing was ever billed there is nothing to compare.
  if (!Number.isFinite(startsAt) || now - startsAt >= MIN_BURN_HISTORY_MS) return {};
  return {cannotJudge: say`the usage begins only ${durationWords(now - startsAt)} ago; a day is needed`};
}

/** The spans that began with the step, those of one series together. */
function causesOf({causes}: BurnAnomaly): readonly SafeText[] {
  const bySeries = Map.groupBy(causes, ({record}) => record.name.replace(/\d+$/, ''));
  const told = [...bySeries].map(([stem, spans]) => ({
    name: spans.length === 1 ? (spans[0]?.record.name ?? stem) : `${spans.length} new: ${stem}*`,
    perHour: spans.reduce((sum, {aheadPerMs}) => sum + aheadPerMs, 0) * HOUR_MS,
  }));
  const costliest = told.sort((left, right) => right.perHour - left.perHour);
  const more = costliest.length - NAMED;
  return [
    ...costliest.slice(0, NAMED).map(({name, perHour}) => say`${safeText(name)}, +${dollars(perHour)}/h`),
    ...(more > 0 ? [say`and ${more} more`] : []),
  ];
}

function dollars(amount: number): SafeText {
  return safeText(`$${amount.toFixed(2)}`);
}
