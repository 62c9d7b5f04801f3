import {userName} from '../account.ts';
import {meteredInWords, type UsageRecord} from '../billing.ts';
import {stemOf} from '../cloud-resource.ts';
import {type BurnAnomaly, type BurnIncident, MIN_BURN_HISTORY_MS} from '../money/anomaly.ts';
import {isPositive} from '../money.ts';
import {presentPerMs} from '../money/spend-curve.ts';
import {joinSafe, nameInWords, type SafeText, safeText, say} from '../safe-text.ts';
import {type EpochMs, epochMs, HOUR_MS, MINUTE_MS, SECOND_MS} from '../time.ts';
import {cannotHibernate, isNode, type VirtualMachine} from '../virtual-machine.ts';
import type {KnownAccount, TriageRule} from './finding.ts';
import {DELETED_UNREAD, dollarWords, durationWords, minuteWords} from './words.ts';

const NAMED = 5;

/** The account burns far more than it usually does at this hour. */
export const burnAnomaly: TriageRule = {
  id: 'burn-anomaly',
  judge: account => {
    const {usage, anomaly, incident, spend, machines, now} = account;
    if (usage === undefined) return {findings: [], cannotJudge: say`the usage was not read`};
    if (anomaly === undefined) return {findings: [], ...unjudged(spend, now)};
    const {usualPerHour, perHour, rule} = anomaly;
    const usual = rule === 'usual' ? say`usually at this hour` : say`a day ago`;
    const unbilled = unbilledOf(anomaly, account);
    const begun = new Set([
      ...machineCauses(anomaly).map(({record}) => record.resourceId),
      ...unbilled.map(({id}) => id),
    ]);
    const started = startedWith(anomaly, incident, {begun, usage});
    const resting = (machines ?? []).filter(
      ({id, status}) => (begun.has(id) || started.has(id)) && status !== 'ACTIVE',
    );
    const starters = startersOf(anomaly.causes, account);
    // Those whose histories were read may have been hibernated first.
    const told = starters.size > 0 ? starters : startersOf(incident?.causes ?? [], account);
    const names = [...new Set(told.values())];
    const machineIds = [...begun].filter(id => !resting.some(machine => machine.id === id));
    const lasting = (machines ?? []).filter(machine => machineIds.includes(machine.id) && isLeftRunning(machine));
    const hibernated = machineIds.filter(id => !lasting.some(machine => machine.id === id));
    return {
      findings: [
        {
          severity: 'critical',
          subject: {type: 'account', name: say`account`},
          summary: say`burn rate up by ${dollarWords(perHour - usualPerHour)}/h`,
          since: epochMs(anomaly.since),
          ...(spend?.burn === undefined ? {} : {rate: spend.burn}),
          machineIds,
          fixes: hibernated.map(id => ({kind: 'vm.hibernate' as const, id, retainsIp: true})),
          evidence: [
            ...growthWords(anomaly, unbilled, account),
            ...unbilledWords(unbilled),
            ...causesOf(anomaly, {starters, started, excess: perHour - usualPerHour}),
            say`${dollarWords(perHour)}/h now, ${dollarWords(usualPerHour)}/h ${usual}, exceeded for ${durationWords(now - anomaly.since)}`,
            ...(incident === undefined ? [] : [say`${incidentSummary(incident)}: ${peakWords(incident)}`]),
            ...restingWords(resting, runningOf(machineIds, account), deletedCount(started, account)),
            ...(lasting.length === 0
              ? []
              : [say`cannot be hibernated: ${listOf(lasting.map(({name}) => nameInWords(name)))}`]),
          ],
          chart: 'burn',
          advice: say`${names.length === 0 ? say`Find out who started them` : say`Ask ${listOf(names)}`}; hibernate or delete what is not needed.`,
          commands: [...hibernation(hibernated), say`skydeck cost --by vm`, say`skydeck events`],
        },
      ],
    };
  },
};

function machineCauses({causes}: BurnAnomaly): BurnAnomaly['causes'] {
  return causes.filter(({record}) => record.resourceType.toLowerCase() === 'vm');
}

/**
 * What has begun since then of the series that caused the anomaly, or its highest rate, by id: what hibernates now or
 * was deleted is no cause of what is left of the anomaly. What was not billed yet is left out.
 */
function startedWith(
  {causes, since}: BurnAnomaly,
  incident: BurnIncident | undefined,
  {begun, usage}: {readonly begun: ReadonlySet<number>; readonly usage: readonly UsageRecord[]},
): ReadonlyMap<number, UsageRecord> {
  const stems = new Set([...causes, ...(incident?.causes ?? [])].map(({record}) => stemOf(record.name)));
  const started = usage.filter(
    ({resourceId, name, resourceType, createdAt, billedCost}) =>
      resourceType.toLowerCase() === 'vm' &&
      (begun.has(resourceId) || (billedCost !== undefined && isPositive(billedCost))) &&
      createdAt !== undefined &&
      createdAt >= since &&
      stemOf(name) !== '' &&
      stems.has(stemOf(name)),
  );
  return new Map(started.map(record => [record.resourceId, record]));
}

function deletedCount(started: ReadonlyMap<number, UsageRecord>, {machines}: KnownAccount): number {
  const listed = new Set<number>(machines?.map(({id}) => id));
  return [...started.values()].filter(
    ({resourceId, terminatedAt}) => terminatedAt !== undefined && !listed.has(resourceId),
  ).length;
}

/** Machines of the series that caused the anomaly which usage does not list yet: a new machine is billed only later. */
function unbilledOf(anomaly: BurnAnomaly, {machines, usage}: KnownAccount): readonly VirtualMachine[] {
  const stems = new Set(machineCauses(anomaly).map(({record}) => stemOf(record.name)));
  const billed = new Set((usage ?? []).map(({resourceId}) => resourceId));
  return (machines ?? []).filter(
    ({id, name, createdAt}) =>
      createdAt !== undefined &&
      createdAt >= anomaly.since &&
      !billed.has(id) &&
      stemOf(name) !== '' &&
      stems.has(stemOf(name)),
  );
}

function unbilledWords(unbilled: readonly VirtualMachine[]): readonly SafeText[] {
  if (unbilled.length === 0) return [];
  const names = listOf(unbilled.map(({name}) => nameInWords(name)));
  return [say`not billed yet: ${names}`];
}

/**
 * A series grows as fast as the shorter of its last two pauses between starts, so that one that speeds up is reported
 * at once.
 */
const PAUSES = 2;
/**
 * Machines that start less than the shortest pause apart were started together; a series whose pauses are longer than
 * the longest is not reported as growing.
 */
const SHORTEST_PAUSE_MS = 5 * SECOND_MS;
const LONGEST_PAUSE_MS = HOUR_MS;

/**
 * How fast the series that grew last is still growing; nothing if its next start is long overdue. Machines that have
 * been stopped since then count too, because whatever starts them is still at work.
 */
function growthWords(
  anomaly: BurnAnomaly,
  unbilled: readonly VirtualMachine[],
  {usage, now}: KnownAccount,
): readonly SafeText[] {
  const stems = new Set(machineCauses(anomaly).map(({record}) => stemOf(record.name)));
  const billed = (usage ?? []).filter(
    ({name, resourceType}) => resourceType.toLowerCase() === 'vm' && stems.has(stemOf(name)),
  );
  const starts = [
    ...billed.flatMap(({name, createdAt: at}) => (at === undefined ? [] : [{stem: stemOf(name), at}])),
    ...unbilled.map(({name, createdAt}) => ({stem: stemOf(name), at: createdAt ?? now})),
  ].sort((left, right) => left.at - right.at);
  const last = starts.at(-1);
  if (last === undefined || last.stem === '') return [];
  const moments = starts.flatMap(({stem, at}) => (stem === last.stem ? [at] : []));
  const pauses = moments.slice(1).map((at, index) => at - (moments[index] ?? at));
  const latest = pauses.filter(each => each >= SHORTEST_PAUSE_MS).slice(-PAUSES);
  const pause = Math.min(...latest);
  if (latest.length < PAUSES || pause > LONGEST_PAUSE_MS) return [];
  if (now - last.at > 2 * pause) return [];
  const minutes = Math.round(pause / MINUTE_MS);
  const every = pause < MINUTE_MS / 2 ? durationWords(pause) : minutes <= 1 ? say`minute` : say`${minutes} min`;
  return [say`still growing: one more every ${every}`];
}

/** A cluster manages the power of its nodes, and some flavors cannot hibernate. */
function isLeftRunning(machine: VirtualMachine): boolean {
  return isNode(machine) || cannotHibernate(machine);
}

/** The command lists them and asks first, as the key of the deck does; a longer line is hard to copy. */
const MAX_IN_COMMAND = 100;

function hibernation(ids: readonly number[]): readonly SafeText[] {
  if (ids.length === 0 || ids.length > MAX_IN_COMMAND) return [];
  return [say`skydeck vm hibernate ${safeText(ids.join(' '))} --retain-ip`];
}

/** Why the usual burn rate is not known; nothing if it is known. */
function unjudged(spend: KnownAccount['spend'], now: EpochMs): {readonly cannotJudge?: SafeText} {
  if (spend?.lacksDeleted === true) return {cannotJudge: DELETED_UNREAD};
  const startsAt = spend?.curve?.startsAt ?? Number.POSITIVE_INFINITY;
  // If nothing was ever billed, there is nothing to compare.
  if (!Number.isFinite(startsAt) || now - startsAt >= MIN_BURN_HISTORY_MS) return {};
  return {cannotJudge: say`the usage covers only ${durationWords(now - startsAt)}; a day is needed`};
}

/** The creator of each machine whose span is a cause, if the machine's history was read. */
function startersOf(
  causes: BurnAnomaly['causes'],
  {machines, eventsOf, users}: KnownAccount,
): ReadonlyMap<number, SafeText> {
  const begun = new Set(causes.map(({record}) => record.resourceId));
  return new Map(
    (machines ?? []).flatMap(machine => {
      if (!begun.has(machine.id)) return [];
      const creation = eventsOf(machine)?.find(({reason, userId}) => /creat/i.test(reason) && userId !== undefined);
      const user = users?.find(({id}) => id === creation?.userId);
      if (creation?.userId === undefined) return [];
      return [[machine.id, user === undefined ? say`user ${creation.userId}` : userName(user)] as const];
    }),
  );
}

/** For example `, started by Ines Albrecht and Jonas Weber`; if that is known of some of them only, it says so. */
function startedBy(ids: readonly number[], starters: ReadonlyMap<number, SafeText>): SafeText {
  const known = ids.flatMap(id => starters.get(id) ?? []);
  if (known.length === 0) return say``;
  const names = listOf([...new Set(known)]);
  return say`, started by ${names}${known.length === ids.length ? say`` : say`, as far as read`}`;
}

function listOf(names: readonly SafeText[]): SafeText {
  const [last, ...others] = names.slice(0, NAMED).toReversed();
  if (last === undefined) return say``;
  if (names.length > NAMED) return say`${joinSafe(names.slice(0, NAMED), ', ')} and ${names.length - NAMED} more`;
  return others.length === 0 ? last : say`${joinSafe(others.toReversed(), ', ')} and ${last}`;
}

/**
 * The spans that began with the step, one line for each series with who started it, and a line for everything else, so
 * that the lines add up to the step.
 */
function causesOf(
  {causes}: BurnAnomaly,
  {
    starters,
    started,
    excess,
  }: {
    readonly starters: ReadonlyMap<number, SafeText>;
    readonly started: ReadonlyMap<number, UsageRecord>;
    readonly excess: number;
  },
): readonly SafeText[] {
  const bySeries = Map.groupBy(causes, ({record}) => stemOf(record.name));
  const startedBySeries = Map.groupBy(started.values(), ({name}) => stemOf(name));
  const costs = [...bySeries].map(([stem, spans]) => ({
    name: seriesWords(stem, spans, startedBySeries.get(stem)?.length),
    by: startedBy(
      spans.map(({record}) => record.resourceId),
      starters,
    ),
    perHour: spans.reduce((sum, span) => sum + presentPerMs(span) * HOUR_MS, 0),
  }));
  const costliest = costs.sort((left, right) => right.perHour - left.perHour);
  const more = costliest.length - NAMED;
  const rest = excess - costs.reduce((sum, {perHour}) => sum + perHour, 0);
  return [
    ...costliest.slice(0, NAMED).map(({name, by, perHour}) => say`${safeText(name)}, ${signed(perHour)}/h${by}`),
    ...(more > 0 ? [say`and ${more} more`] : []),
    ...(costs.length > 0 && Math.abs(rest) >= MIN_REST ? [say`everything else, ${signed(rest)}/h`] : []),
  ];
}

/** For example `3 new: sweep-*`, or `3 of 17 new: sweep-*` if more of the series were started. */
function seriesWords(stem: string, [first, ...others]: BurnAnomaly['causes'], startedCount = 0): string {
  const count = others.length + 1;
  if (first !== undefined && others.length === 0) return meteredInWords(first.record);
  const counted = startedCount > count ? `${count} of ${startedCount}` : `${count}`;
  return `${counted} new${stem === '' ? ', without names' : `: ${stem}*`}`;
}

/** A smaller difference is due to rounding. */
const MIN_REST = 0.01;

/** The machines that the finding's actions leave out, and why, and those that still run, of all that were started. */
function restingWords(
  resting: readonly VirtualMachine[],
  running: readonly SafeText[],
  deleted: number,
): readonly SafeText[] {
  if (resting.length + deleted === 0) return [];
  const named = resting.slice(0, NAMED).map(({name, statusText}) => say`${nameInWords(name)} (${statusText})`);
  const more = resting.length - named.length;
  const gone = deleted > 0 ? [say`${deleted} deleted`] : [];
  const names = joinSafe([...named, ...(more > 0 ? [say`${more} more`] : []), ...gone], ', ');
  const left = running.length === 0 ? say`` : say`: ${listOf(running)}`;
  const count = running.length + resting.length + deleted;
  return [say`${running.length} of ${count} still run${left}; not included: ${names}`];
}

function runningOf(ids: readonly number[], {machines, usage}: KnownAccount): readonly SafeText[] {
  const names = new Map<number, SafeText>([
    ...(usage ?? []).map(({resourceId, name}) => [resourceId, name] as const),
    ...(machines ?? []).map(({id, name}) => [id, name] as const),
  ]);
  return ids.flatMap(id => nameInWords(names.get(id) ?? say`#${id}`));
}

/** `burn rate was up by $335.45/h`: by how much at its highest. */
export function incidentSummary({peakPerHour, usualPerHour, isEstimated}: BurnIncident): SafeText {
  return say`burn rate was up by ${isEstimated ? say`about ` : say``}${dollarWords(peakPerHour - usualPerHour)}/h`;
}

/** When that was, from when to when the rate was above the usual, and what had begun with it, at the rates of then. */
export function incidentEvidence(incident: BurnIncident): readonly SafeText[] {
  const {peakPerHour, usualPerHour, causes, isEstimated} = incident;
  const series = [...Map.groupBy(causes, ({record}) => stemOf(record.name))].map(([stem, spans]) => {
    const perHour = spans.reduce((sum, {perMs}) => sum + perMs * HOUR_MS, 0);
    return say`${safeText(seriesWords(stem, spans))}, ${signed(perHour)}/h`;
  });
  return [
    say`${peakWords(incident)}; ${dollarWords(usualPerHour)}/h before`,
    ...series.slice(0, NAMED),
    ...(isEstimated
      ? [say`when machines were hibernated is taken from their bills, so ${dollarWords(peakPerHour)}/h is estimated`]
      : []),
  ];
}

/** `$396.99/h at 2026-11-28 12:17Z, since 2026-11-28 08:28Z, until 2026-11-28 12:18Z`. */
function peakWords({peakPerHour, peakAt, since, endedAt}: BurnIncident): SafeText {
  const until = endedAt === undefined ? say`` : say`, until ${minuteWords(endedAt)}`;
  return say`${dollarWords(peakPerHour)}/h at ${minuteWords(peakAt)}, since ${minuteWords(since)}${until}`;
}

function signed(amount: number): SafeText {
  return amount < 0 ? say`-${dollarWords(-amount)}` : say`+${dollarWords(amount)}`;
}
