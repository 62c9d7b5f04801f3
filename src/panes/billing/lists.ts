import {cannotOperateReason} from '../../actions/question/action-question.ts';
import {actionOfFix} from '../../actions/actions.ts';
import {candidatesOf, reasonAgainstAll} from '../../actions/question/question-for.ts';
import {contractName} from '../../domain/contract.ts';
import type {Spender} from '../../domain/money/figures.ts';
import {recordsOf} from '../../domain/money/settled.ts';
import {impossibleCount} from '../../domain/money/usage-flag.ts';
import {isPositive} from '../../domain/money.ts';
import {joinSafe, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {DurationMs} from '../../domain/time.ts';
import {awayText, missingLine} from '../../resources/detail.ts';
import {describeFailure, type Failure} from '../../domain/failure.ts';
import {failureOf, lastValue, readAt} from '../../domain/snapshot.ts';
import {DAY_COLUMNS, type AccountDay, accountDays} from '../../resources/account-days.ts';
import {accountDaysFeed} from '../../state/long-metrics.ts';
import {contracts} from '../../resources/contracts.ts';
import {machines} from '../../resources/machines.ts';
import type {RelatedGroup} from '../../resources/related.ts';
import {isUnlisted, placeOf} from '../../resources/resources.ts';
import {SPENDER_COLUMNS, spenderRows} from '../../resources/usage.ts';
import {WASTE_COLUMNS, type WasteRow, wasteDetail, wasteRows, wasteTotal} from '../../resources/waste.ts';
import {billingFigures, usageFeed} from '../../state/billing.ts';
import {contractsFeed} from '../../state/contracts.ts';
import {machinesFeed, observedMachines} from '../../state/machines.ts';
import {formatCounted, formatDuration, formatRate, formatUtcDate} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {askAboutEnding} from '../action-keys.ts';
import {bindPart, resourcePart} from '../list/part.tsx';
import type {CommandResult} from '../command.ts';
import {type Copied, copiedRecord, copiedSubject} from '../copy-menu.ts';
import type {Scene} from '../pane.ts';
import {KEYS} from '../../actions/keys.ts';
import {accountDayLines} from './day-lines.ts';
import {areBillsAwaited, spendersAgeText} from './service-lines.ts';

export const spendersPart = bindPart<Spender>({
  title: say`top spenders`,
  feed: usageFeed,
  right: spendersAgeText,
  note: spendersNote,
  none: say`nothing was billed this month`,
  wants: [],
  rows: spenderRows,
  opensWith: {sortKey: 'spent', isDescending: true},
  idOf: ({key}) => key,
  nameOf: ({name}) => name,
  columns: SPENDER_COLUMNS,
  showsCut: true,
  copiedAs: copiedCause,
  noRecord: () => say`spend is added up from many records; skydeck cost -o json prints it`,
  related: relatedToCause,
  actions: {
    open: {
      reason: (spender, scene) => {
        if (placeOfCause(spender) === undefined) return NO_PANE;
        if (!spender.isActive) return say`the ${safeText(spender.resourceType)} is deleted`;
        return unlistedReason(spender, scene);
      },
      run: goTo,
    },
  },
});

/** What is missing from the amounts. */
function spendersNote(scene: Scene): SafeText | undefined {
  const figures = billingFigures(scene);
  const count = figures === undefined ? 0 : impossibleCount(recordsOf(figures.usage));
  const away = awayText(scene.health);
  const notes = [
    ...(count === 0 ? [] : [say`${safeText(formatCounted(count, 'impossible amount'))} not counted`]),
    ...(areBillsAwaited(scene)
      ? [away === undefined ? say`bills are still being read` : say`bills not read: ${away}`]
      : []),
  ];
  return notes.length === 0 ? undefined : joinSafe(notes, ', ');
}

/** The title gives the hourly cost of all waste; it must not say zero while machines are still unjudged. */
export const wastePart = bindPart<WasteRow>({
  title: say`waste`,
  feed: machinesFeed,
  empty: emptyWasteLine,
  wants: [],
  note: scene => {
    const total = wasteTotal(scene);
    if (total === undefined) return undefined;
    const {perHour, keptPerHour, unjudgedCount, unknown, isAtLeast} = total;
    const least = isAtLeast ? say`at least ` : say``;
    const parts = [
      ...(isPositive(perHour) ? [say`${least}${safeText(formatRate(perHour))}`] : []),
      ...unknown,
      ...(keptPerHour === undefined ? [] : [say`kept ${safeText(formatRate(keptPerHour))}`]),
      ...(unjudgedCount === 0 ? [] : [say`${unjudgedCount} ${isPositive(perHour) ? say`unjudged` : say`not judged`}`]),
    ];
    return parts.length === 0 ? undefined : joinSafe(parts, ', ');
  },
  opensWith: {sortKey: 'lost', isDescending: true},
  rows: wasteRows,
  idOf: ({key}) => key,
  nameOf: ({waste}) => waste.name,
  columns: WASTE_COLUMNS,
  detail: (row, _scene, width) => wasteDetail(row, width),
  showsCut: true,
  copiedAs: ({waste}) => copiedCause(waste),
  noRecord: () => say`waste is worked out here; skydeck cost -o json prints it`,
  related: ({waste}, scene) => relatedToCause(waste, scene),
  actions: {
    open: {
      reason: ({waste}, scene) => (placeOfCause(waste) === undefined ? NO_PANE : unlistedReason(waste, scene)),
      run: ({waste}) => goTo(waste),
    },
    commands: [
      {
        key: KEYS.fix,
        title: say`fix`,
        help: 'Asks about the action that ends the waste; if that takes two, about the first.',
        reason: (row, scene) => fixReason([row], scene),
        run: (row, scene) => askAboutEnding(fixesOf([row], scene), scene),
        many: {
          reason: (rows, scene) => fixReason(rows, scene),
          run: (rows, scene) => askAboutEnding(fixesOf(rows, scene), scene),
        },
      },
    ],
  },
});

/** Waste takes two lists: the one that failed is the reason if it is unknown. */
function emptyWasteLine(scene: Scene): Line {
  const unread = [machinesFeed, usageFeed].filter(
    feed => lastValue<unknown>(scene.store.get<unknown>(feed)) === undefined,
  );
  const [missing] = [...unread.filter(feed => failureOf(scene.store.get<unknown>(feed)) !== undefined), ...unread];
  return missing === undefined ? [{text: ' none found', tone: 'dim'}] : missingLine(scene, missing, 'waste');
}

/** Of the marked rows, only those ended by the same action as the first can be handled in one question. */
function fixesOf(rows: readonly WasteRow[], scene: Scene) {
  const actions = rows.flatMap(({fix: {first}}) => (first === undefined ? [] : (actionOfFix(first) ?? [])));
  return candidatesOf(
    actions.filter(({kind}) => kind === actions[0]?.kind),
    scene,
  );
}

function fixReason(rows: readonly WasteRow[], scene: Scene): SafeText | undefined {
  const fixes = fixesOf(rows, scene);
  if (fixes.length === 0) return say`no action fixes this; its fix says what to do`;
  return cannotOperateReason(scene) ?? reasonAgainstAll(fixes);
}

/** Other panes jump to a contract, so what it covers must be readable here. */
export const contractsPart = resourcePart(contracts, {
  wants: [{feed: contractsFeed, priority: 2}],
  isArrival: true,
  nameOf: ({contract}) => contractName(contract),
  copiedAs: ({contract}) => ({...copiedRecord(contracts, contract), name: say`#${contract.id}`}),
  actions: {},
});

/** The age of the days from Prometheus, if there are any, and why there are no newer ones. */
type HistorySource = {readonly ageMs: DurationMs | undefined; readonly failure: Failure | undefined};

/** A year from Prometheus if there is one; what it lacks, or everything without it, from usage. */
export const historyPart = bindPart<AccountDay, HistorySource>({
  title: say`history`,
  of: ({store, monotonicNow}) => {
    const snapshot = store.get(accountDaysFeed);
    const [failure, at] = [failureOf(snapshot), readAt(snapshot)];
    if (failure === undefined && at === undefined) return undefined;
    return {ageMs: at === undefined ? undefined : monotonicNow - at, failure};
  },
  heading: ({ageMs, failure}) => {
    const source = ageMs === undefined ? say`computed from usage` : say`Prometheus ${safeText(formatDuration(ageMs))}`;
    const why = failure === undefined ? say`` : say`: ${describeFailure(failure)}`;
    return say`history, ${source}${why}`;
  },
  none: say`nothing was billed before today`,
  wants: [],
  orderWords: say`newest first`,
  rows: accountDays,
  idOf: ({at}) => formatUtcDate(at),
  nameOf: ({at}) => safeText(formatUtcDate(at)),
  columns: DAY_COLUMNS,
  detail: accountDayLines,
  noRecord: ({at}) =>
    say`a day is added up from many records; skydeck cost --day ${safeText(formatUtcDate(at))} -o json prints it`,
  actions: {},
});

/** The resource a spender is, as usage names it. */
type Cause = {readonly name: SafeText; readonly resourceType: string; readonly resourceId: number};

const NO_PANE = say`no pane shows it`;

function placeOfCause({resourceType, resourceId}: Cause) {
  return placeOf(resourceType, resourceId);
}

function unlistedReason({resourceType, resourceId}: Cause, {store}: Scene): SafeText | undefined {
  return isUnlisted(store, resourceType, resourceId) ? say`it is billed, but not in the list` : undefined;
}

function goTo(cause: Cause): CommandResult {
  const place = placeOfCause(cause);
  return place === undefined ? {kind: 'done'} : {kind: 'go', ...place};
}

function copiedCause({name, resourceType, resourceId}: Cause): Copied | undefined {
  return copiedSubject({type: resourceType, id: resourceId, name});
}

/** Only machines can be opened from here. */
function relatedToCause({resourceType, resourceId}: Cause, {store}: Scene): readonly RelatedGroup[] {
  const isMachine = resourceType.toLowerCase() === 'vm';
  const machine = isMachine ? observedMachines(store)?.find(({id}) => id === resourceId) : undefined;
  return machine === undefined ? [] : (machines.related?.(machine, store) ?? []);
}
