import {memoPer, oncePer} from '../../domain/memo.ts';
import {joinSafe, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {Finding} from '../../domain/triage/finding.ts';
import {findingRecord} from '../../domain/triage/finding-record.ts';
import {costOfAll, type Triage, unjudgedCount} from '../../domain/triage/triage.ts';
import {awaitedText, missingLine} from '../../resources/detail.ts';
import {findingOf, type FindingRow, MUTED_KEY} from '../../resources/findings.ts';
import {machinesWhere, type RelatedGroup} from '../../resources/related.ts';
import {relatedToSubjects} from '../../resources/resources.ts';
import {creditFeed, deletedUsageFeed} from '../../state/billing.ts';
import {machinesFeed} from '../../state/machines.ts';
import type {Store} from '../../state/store.ts';
import {
  areListsAwaited,
  calmWords,
  exceptUnread,
  isJudgedWhole,
  presentTriage,
  statelessMachineCount,
  TRIAGE_LISTS,
  unjudgedMachines,
  unreadMetrics,
} from '../../state/triage.ts';
import {formatCounted} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {PaneOutcome} from '../command.ts';
import {bindPart} from '../list/part.tsx';
import {type CollectionContext, partView, settledView, slippedFrom} from '../list/collection-view.ts';
import {type Copied, copiedSubject} from '../copy-menu.ts';
import {KEYS} from '../../actions/keys.ts';
import type {Scene} from '../pane.ts';
import {overviewLayout} from './layout.ts';
import {detailLines} from './preview.tsx';
import {
  LISTED_COLUMNS,
  findingColumns,
  findingRows,
  findingsOf,
  findingInWords,
  isJudged,
  memberKeys,
  whereInWords,
} from './rows.ts';

/** The choice beside the list: the lines whose similar findings are shown one by one. */
export type OverviewChoice = {readonly unfolded: ReadonlySet<string>};

export type OverviewContext = CollectionContext<OverviewChoice>;

/** The source of the rows: the last findings, and the unfolded lines. */
type FindingsSource = {readonly found: Triage; readonly unfolded: ReadonlySet<string>};

/** What needs attention now. A line can stand for several similar findings, and unfolds into one line each. */
export const findingsPart = bindPart<FindingRow, FindingsSource, OverviewChoice>({
  title: say`findings`,
  feed: machinesFeed,
  wants: [],
  of: (known, {own: {unfolded}, filterText}) => {
    const found = presentTriage(known);
    const isFiltered = filterText.trim() !== '';
    return judgedOnce(found, [unfolded, isFiltered], () => ({
      found,
      // A filter also searches muted findings.
      unfolded: isFiltered ? new Set([...unfolded, MUTED_KEY]) : unfolded,
    }));
  },
  heading: () => say`needs attention`,
  note: noteText,
  isCounting: areListsAwaited,
  rows: ({store, now}, judged) => {
    const rows = judged === undefined ? [] : findingRows(judged.found, judged.unfolded, now);
    return rows.length === 0 && !isJudgedWhole(store) ? undefined : rows;
  },
  empty: emptyLine,
  orderWords: say`worst first`,
  membersOf: memberKeys,
  sumOf: oncePer((rows: readonly FindingRow[]) => ({
    count: findingsOf(rows.filter(({mutes}) => mutes.length === 0)).length,
    ...costOfAll(findingsOf(rows)),
  })),
  idOf: ({key}) => key,
  nameOf: whereInWords,
  columns: LISTED_COLUMNS,
  columnsFor: findingColumns,
  // The preview shows all of it, where it has room.
  showsCut: ({size}) => overviewLayout(size).preview.rows === 0,
  detail: detailLines,
  related: ({findings}, {store}) => relatedToFindings(findings, store),
  isRelatedInMenuAlone: true,
  copiedAs: copiedFinding,
  ownRecord: ({findings: [finding]}) => findingRecord(finding),
  noRecord: row => (findingOf(row) === undefined ? say`the line is for several; ${KEYS.open} unfolds it` : undefined),
  actions: {},
});

/** The machines a finding names and what belongs to its subject; for a line of several, their subjects. */
function relatedToFindings([finding, ...others]: FindingRow['findings'], store: Store): readonly RelatedGroup[] {
  if (others.length > 0) {
    const shown = [finding, ...others].slice(0, MAX_RELATED);
    return relatedToSubjects(
      shown.map(({subject}) => subject),
      store,
    );
  }
  const {subject, machineIds = []} = finding;
  const named = new Set(machineIds);
  const machines = named.size === 0 ? [] : [machinesWhere(store, ({id}) => named.has(id))];
  const own = relatedToSubjects([subject], store);
  return [...machines, ...own.filter(({kind}) => machines.length === 0 || kind !== 'vm')];
}

/** A line can stand for thousands, and a menu has a key for this many at most. */
const MAX_RELATED = 40;

/** Several findings have no command in common. */
function copiedFinding(row: FindingRow): Copied | undefined {
  const [{subject, commands}, ...others] = row.findings;
  if (others.length > 0) return undefined;
  const [command] = commands;
  const copied = copiedSubject(subject);
  if (command === undefined) return copied;
  return {...(copied ?? {name: subject.name}), command};
}

const judgedOnce = memoPer<Triage, FindingsSource>();

export function rowUnderCursor({scene, view}: OverviewContext): FindingRow | undefined {
  return findingsPart.rowUnderCursor(scene, partView(view));
}

/** The findings that the keys act on: those of the marked rows, or of the one under the cursor. */
export type ChosenFindings = {
  /** Each once; muted ones are left out. */
  readonly findings: readonly Finding[];
  /** The rows of muted findings. */
  readonly muted: readonly FindingRow[];
  /** The subjects, as a message names them. */
  readonly words: SafeText;
};

export function chosenFindings({scene, view}: OverviewContext): ChosenFindings {
  const rows = findingsPart.chosenRows(scene, partView(view));
  const [first, ...others] = rows;
  if (first === undefined) return {findings: [], muted: [], words: say`nothing`};
  if (others.length === 0) return chosenAlone(first);
  const findings = findingsOf(rows.filter(({mutes}) => mutes.length === 0));
  const muted = rows.filter(({mutes}) => mutes.length > 0);
  return {findings, muted, words: safeText(formatCounted(findingsOf(rows).length, 'finding'))};
}

/** Cached: a line can stand for thousands, and each key asks for them in every frame. */
const chosenAlone = oncePer((row: FindingRow): ChosenFindings => {
  const isMuted = row.mutes.length > 0;
  return {findings: isMuted ? [] : row.findings, muted: isMuted ? [row] : [], words: findingInWords(row)};
});

/**
 * The finding under the cursor has ended, as it does once its fix was sent, and the cursor is on another one that the
 * person did not choose: the key says so first. One that the person has muted, or lists again, has not ended.
 */
export function slippedTo(context: OverviewContext, does: SafeText): PaneOutcome<OverviewContext['view']> | undefined {
  const {scene, view} = context;
  const before = slippedFrom(view);
  const row = rowUnderCursor(context);
  if (before === undefined || row === undefined || isJudged(presentTriage(scene), before)) return undefined;
  const says = say`the finding that was here is gone; ${does} ${findingInWords(row)}`;
  return {kind: 'view', view: settledView(view), says};
}

/** What the count leaves out: muted findings, rules that could not judge everything, and machines without metrics. */
function noteText(
  scene: Pick<Scene, 'store' | 'preferences' | 'hasPrometheus'>,
  judged: FindingsSource | undefined,
): SafeText | undefined {
  const mutedCount = judged?.found.muted.length ?? 0;
  const statelessCount = statelessMachineCount(scene.store);
  const words = [
    mutedCount === 0 ? undefined : say`${mutedCount} muted`,
    // The title has those that could not be read.
    statelessCount === 0 ? undefined : say`${safeText(formatCounted(statelessCount, 'machine'))} of unknown state`,
    // Before the lists the title says "so far", and 80 columns have no room for more.
    areListsAwaited(scene)
      ? undefined
      : uncheckedWords(scene, unjudgedCount(judged?.found.unknown.filter(({isAwaited}) => !isAwaited) ?? [])),
  ];
  const told = words.filter(each => each !== undefined);
  return told.length === 0 ? undefined : joinSafe(told, ', ');
}

/**
 * How many rules are not checked, unless that is only because of metrics or of lists that are still to come. With both,
 * why machines have no metrics is left out, as 80 columns have no room for it.
 */
function uncheckedWords(scene: Pick<Scene, 'store' | 'preferences'>, ruleCount: number): SafeText | undefined {
  const machines = unreadWords(scene);
  const statuses = TRIAGE_LISTS.map(({feed}) => scene.store.get(feed).status);
  const others = [creditFeed, deletedUsageFeed].map(feed => scene.store.get<unknown>(feed).status);
  const isOfMetrics = machines !== undefined && !statuses.includes('failed');
  if (ruleCount === 0 || isOfMetrics || [...statuses, ...others].includes('waiting')) return machines;
  const rules = say`${safeText(formatCounted(ruleCount, 'check'))} not run`;
  return machines === undefined ? rules : say`${rules}, ${unmeasuredWords(scene)}`;
}

/**
 * How many machines cannot be judged by the rules about metrics, and whether waiting may bring more findings; short
 * enough for 80 columns.
 */
export function unreadWords(scene: Pick<Scene, 'store' | 'preferences'>): SafeText | undefined {
  const {pendingCount, unaskedCount, failedCount} = unreadMetrics(scene);
  if (pendingCount + unaskedCount + failedCount === 0) return undefined;
  const failed = failedCount > 0 ? [say`${failedCount} failed`] : [];
  const limit = unaskedCount > 0 ? [say`limit ${scene.preferences.judgedMachineCount}`] : [];
  const others = pendingCount > 0 ? [say`${pendingCount} to come`] : limit;
  const why = joinSafe([...failed, ...others], ', ');
  return say`${unmeasuredWords(scene)}: ${why}`;
}

function unmeasuredWords(scene: Pick<Scene, 'store' | 'preferences'>): SafeText {
  const {pendingCount, unaskedCount, failedCount} = unreadMetrics(scene);
  return say`${safeText(formatCounted(pendingCount + unaskedCount + failedCount, 'machine'))} without metrics`;
}

/** Says that nothing needs attention only if everything that could was read and judged. */
function emptyLine(scene: Scene): Line {
  if (isJudgedWhole(scene.store)) {
    const except: Line = [{text: exceptUnread(scene), tone: 'warning'}];
    return unjudgedMachines(scene.store).length > 0
      ? [{text: ` ${calmWords(scene)}`}, ...except]
      : [{text: ` ${scene.theme.glyphs.check} ${calmWords(scene)} now`, tone: 'good'}, ...except];
  }
  const missing = TRIAGE_LISTS.find(({feed}) => lastValue(scene.store.get(feed)) === undefined);
  if (missing !== undefined) return missingLine(scene, missing.feed, missing.what);
  const {pendingCount} = unreadMetrics(scene);
  const metrics = awaitedText(scene, `the metrics of ${formatCounted(pendingCount, 'machine')}`);
  return [{text: pendingCount > 0 ? ` ${metrics}` : ' checking what was read…', tone: 'dim'}];
}
