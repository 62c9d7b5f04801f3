import {unreachable} from '../domain/assert.ts';
import type {UsageRecord} from '../domain/billing.ts';
import {burnRate, isMissed, withoutUsage} from '../domain/cost.ts';
import {memoPer, oncePer} from '../domain/memo.ts';
import {isBurnUnknown} from '../domain/money/usage-flag.ts';
import {lastValue, readAt, type Snapshot} from '../domain/snapshot.ts';
import {MINUTE_MS, type MonotonicMs, SECOND_MS, secondsUntil} from '../domain/time.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';
import type {Scene} from '../panes/pane.ts';
import {outageText} from '../resources/detail.ts';
import {organizationFeed} from '../state/account.ts';
import {changingCount, usageFeed} from '../state/billing.ts';
import {machinesFeed, observedMachines} from '../state/machines.ts';
import type {MetricsSource} from '../state/prometheus-metrics.ts';
import {pacedInterval} from '../state/poller/pace.ts';
import {formatDuration, formatRate, formatUtcMinute, formatUtcTime} from '../ui/format.ts';
import {cutMiddle, type Line, lineWidth, type Span} from '../ui/text.ts';
import type {WriteMode} from './writes.ts';

/** What the header shows that is not in the store: how we are connected, and how many requests we send. */
export type Connection = {
  readonly isSimulated: boolean;
  readonly usedLastMinute: () => number;
  readonly ceilingPerMinute: number;
  readonly latencyMs: () => number | undefined;
  readonly clockOffsetMs: () => number | undefined;
  /** Whether the time shown follows the service's clock. */
  readonly isClockFollowed: () => boolean;
  /** When the oldest request without an answer was sent. */
  readonly waitingSince: () => MonotonicMs | undefined;
  /** Absent if the profile has no Prometheus. */
  readonly metricsSource?: (() => MetricsSource) | undefined;
};

/** A part of the header; if the line is too narrow, the highest number is dropped first. */
type Part = {
  readonly spans: readonly Span[];
  /** The same in fewer cells, for a line that is too narrow without the unimportant parts. */
  readonly short?: readonly Span[];
  /** And in fewer still. */
  readonly shortest?: readonly Span[];
  readonly dropOrder: number;
  readonly side: 'left' | 'right';
};

/** Above this, a part is dropped before others are shortened. */
const LAST_UNIMPORTANT = 5;

/** A long name must not push the money out of the line. */
const MAX_NAME_CELLS = 24;
const SHORT_NAME_CELLS = 14;
/** A clock this far from the service's makes ages and month ends visibly wrong, so it is reported. */
const MAX_CLOCK_SKEW_MS = 2 * MINUTE_MS;

/** One line: account and mode, cost, connection, and age of the data. */
export function headerLine(scene: Scene, connection: Connection, mode: WriteMode, width: number): Line {
  const whole = droppedUntil(headerParts(scene, connection, mode), width, LAST_UNIMPORTANT);
  const parts = partsWidth(whole) > width ? shortened(whole, width) : whole;
  const left = joined(parts.filter(({side}) => side === 'left'));
  const right = joined(parts.filter(({side}) => side === 'right'));
  const gap = Math.max(1, width - lineWidth(left) - lineWidth(right) - 2);
  return [{text: ' '}, ...left, {text: ' '.repeat(gap)}, ...right, {text: ' '}];
}

/** In as few cells as they need, without those that do not fit even so; in more words where there is room left. */
function shortened(parts: readonly Part[], width: number): readonly Part[] {
  const kept = droppedUntil(
    parts.map(part => ({...part, spans: part.shortest ?? part.short ?? part.spans})),
    width,
  );
  const longer = kept.map(part => ({...part, spans: part.short ?? part.spans}));
  return partsWidth(longer) > width ? kept : longer;
}

/** Without the least important parts, as many as do not fit; one stays, and all up to `keptOrder`. */
function droppedUntil(all: readonly Part[], width: number, keptOrder = -1): readonly Part[] {
  let parts = all;
  while (partsWidth(parts) > width && parts.length > 1) {
    const first = parts.reduce((worst, part) => (part.dropOrder > worst.dropOrder ? part : worst));
    if (first.dropOrder <= keptOrder) break;
    parts = parts.filter(part => part !== first);
  }
  return parts;
}

function headerParts(scene: Scene, connection: Connection, mode: WriteMode): readonly Part[] {
  const name = lastValue(scene.store.get(organizationFeed))?.name;
  // Words are not cut in the middle, like a name.
  const nameIn = (cells: number) => (name === undefined ? 'account unknown' : cutMiddle(name, cells));
  return [
    {side: 'left', dropOrder: 8, spans: [{text: 'skydeck', tone: 'title'}]},
    {
      side: 'left',
      dropOrder: 1,
      spans: [{text: nameIn(MAX_NAME_CELLS), tone: 'header'}],
      short: [{text: nameIn(SHORT_NAME_CELLS), tone: 'header'}],
    },
    {side: 'left', dropOrder: 6, spans: [{text: regionsText(scene), tone: 'dim'}]},
    ...badges(scene, connection, mode),
    {side: 'left', dropOrder: 2, spans: burnSpans(scene, 'changing state'), short: burnSpans(scene, 'changing')},
    ...skewParts(connection),
    ...sourceParts(scene, connection),
    requestPart(scene, connection),
    // What is wrong with the link matters more than the age of the data, but not how fast it is.
    {side: 'right', dropOrder: scene.health.status === 'up' ? 4 : 2.2, spans: linkSpans(scene, connection)},
    ...nextTryParts(scene),
    {side: 'right', dropOrder: 2.5, spans: ageSpans(scene)},
    {
      side: 'right',
      dropOrder: 3.5,
      spans: [{text: formatUtcTime(scene.now)}],
      short: [{text: formatUtcMinute(scene.now)}],
    },
  ];
}

/** Modes that change what keys do come first, stand out, and are never left out. */
function badges({monotonicNow}: Scene, connection: Connection, mode: WriteMode): readonly Part[] {
  const left =
    mode.unlockedUntil === undefined ? undefined : formatDuration(Math.max(0, mode.unlockedUntil - monotonicNow));
  const names = [
    ...(connection.isSimulated ? ['SIMULATED'] : []),
    ...(mode.isDryRun ? ['DRY RUN'] : []),
    ...(mode.access === 'locked' ? ['READ-ONLY'] : []),
    ...(left === undefined ? [] : [`WRITES ${left}`]),
  ];
  return names.map(name => ({side: 'left', dropOrder: 0, spans: [{text: ` ${name} `, tone: 'loud'}]}));
}

function regionsText(scene: Scene): string {
  const machines = observedMachines(scene.store);
  return machines === undefined ? NO_REGIONS : regionsOf(machines);
}

const NO_REGIONS = 'region unknown';

// Cached, because the header is drawn at every key and every second, and adding up ten thousand records takes time.
const regionsOf = oncePer((machines: readonly VirtualMachine[]) => {
  const regions = new Set(machines.flatMap(({regionName}) => (regionName === undefined ? [] : [regionName])));
  return regions.size === 0 ? NO_REGIONS : [...regions].sort().join('+');
});
const burnOf = oncePer(({records}: {readonly records: readonly UsageRecord[]}) => ({
  ...burnRate(records),
  isUnknown: isBurnUnknown(records),
}));

/** Machines of which the burn rate knows nothing, because usage has no record of them. */
function unmeteredCount({store, now, preferences: {prices}}: Scene, records: readonly UsageRecord[]): number {
  const machines = observedMachines(store);
  if (machines === undefined) return 0;
  const unmetered = unmeteredOnce(machines, [records], () => withoutUsage(machines, records));
  return unmetered.filter(machine => isMissed(machine, {prices, now})).length;
}

const unmeteredOnce = memoPer<readonly VirtualMachine[], readonly VirtualMachine[]>();

function burnSpans(scene: Scene, changingWords: string): readonly Span[] {
  const snapshot = scene.store.get(usageFeed);
  const usage = lastValue(snapshot);
  if (usage === undefined) return [{text: 'burn unknown', tone: 'dim'}];
  const {rate, isUnknown} = burnOf(usage);
  const unpricedCount = burnOf(usage).unpricedCount + unmeteredCount(scene, usage.records);
  const unpriced = unpricedCount === 0 ? [] : [{text: ` +${unpricedCount} unpriced`, tone: 'warning' as const}];
  const count = changingCount(scene);
  const changing = count === 0 ? [] : [{text: ` ${count} ${changingWords}`, tone: 'warning' as const}];
  return [
    {text: isUnknown ? 'burn unknown' : formatRate(rate), tone: ['money', 'strong']},
    ...burnAgeSpans(snapshot, scene),
    ...unpriced,
    ...changing,
  ];
}

/** The age at the right is that of the machines, which are read more often than usage. */
const NOTED_BURN_AGE_MS = 30 * SECOND_MS;

function burnAgeSpans(snapshot: Snapshot<unknown>, {monotonicNow, preferences}: Scene): readonly Span[] {
  const ageMs = monotonicNow - (readAt(snapshot) ?? monotonicNow);
  if (ageMs < NOTED_BURN_AGE_MS) return [];
  const tone = ageTone(snapshot, ageMs, pacedInterval(usageFeed, preferences));
  return [{text: ` ${formatDuration(ageMs)} old`, tone}];
}

function requestPart(scene: Scene, connection: Connection): Part {
  const used = connection.usedLastMinute();
  const text = `req ${used}/${connection.ceilingPerMinute}`;
  const seconds = readingPauseSeconds(scene);
  // Why the data gets old matters more than how fast the link is.
  if (seconds !== undefined) {
    const resume = `resume in ${seconds}s`;
    const warning = (words: string): readonly Span[] => [{text: words, tone: 'warning'}];
    const spans = warning(`${text}, ${resume}`);
    return {side: 'right', dropOrder: 3, spans, short: warning(`reads ${resume}`), shortest: warning(resume)};
  }
  const tone = used >= connection.ceilingPerMinute ? 'warning' : 'dim';
  return {side: 'right', dropOrder: 5, spans: [{text, tone}]};
}

/** While the budget is used up, one request after the other may leave the minute: a wait this short is no pause. */
const MIN_PAUSE_MS = 2 * SECOND_MS;

/** How long reading pauses because the request budget is used up; undefined if it goes on. */
export function readingPauseSeconds({budgetWait}: Pick<Scene, 'budgetWait'>): number | undefined {
  const waitMs = budgetWait?.(machinesFeed) ?? 0;
  return waitMs < MIN_PAUSE_MS ? undefined : Math.ceil(waitMs / SECOND_MS);
}

/** The source of the machines' metrics, and the age of the newest sample. */
function sourceParts({now}: Scene, {metricsSource}: Connection): readonly Part[] {
  const source = metricsSource?.();
  if (source === undefined || source.status === 'waiting') return [];
  const span: Span =
    source.status === 'giving'
      ? {text: `Prometheus ${formatDuration(Math.max(0, now - source.newestSampledAt))}`, tone: 'dim'}
      : {text: 'Prometheus failing', tone: 'warning'};
  return [{side: 'right', dropOrder: 5, spans: [span]}];
}

/** An answer is late when it takes so long, and so many times what answers took so far. */
const LATE_MS = 3 * SECOND_MS;
const LATE_LATENCIES = 3;

function linkSpans(scene: Scene, connection: Connection): readonly Span[] {
  const {health, monotonicNow, theme} = scene;
  switch (health.status) {
    case 'up': {
      const latencyMs = connection.latencyMs();
      const waitedMs = monotonicNow - (connection.waitingSince() ?? monotonicNow);
      if (waitedMs >= Math.max(LATE_MS, LATE_LATENCIES * (latencyMs ?? 0))) {
        return [{text: `no answer ${formatDuration(waitedMs)}`, tone: 'warning'}];
      }
      if (latencyMs === undefined) return [{text: 'link …', tone: 'dim'}];
      return [
        {text: `${Math.round(latencyMs)}ms `, tone: 'dim'},
        {text: theme.glyphs.live, tone: 'good'},
      ];
    }
    case 'down':
      return [{text: outageText(health, monotonicNow), tone: 'danger'}];
    case 'rate-limited': {
      return [{text: `429, resume in ${secondsUntil(health.retryAt, monotonicNow)}s`, tone: 'danger'}];
    }
    case 'not-authorised':
      return [{text: 'not authorised', tone: 'danger'}];
    default:
      return unreachable(health);
  }
}

/** Pauses grow to a minute, so a restored link may be noticed late; the status line names the key that tries at once. */
function nextTryParts({health, monotonicNow}: Scene): readonly Part[] {
  if (health.status !== 'down') return [];
  const leftMs = health.retryAt - monotonicNow;
  const partOf = (whole: string, short = whole): Part => ({
    side: 'right',
    dropOrder: 2.4,
    spans: [{text: whole, tone: 'warning'}],
    short: [{text: short, tone: 'warning'}],
  });
  const seconds = `${Math.ceil(leftMs / SECOND_MS)}s`;
  return [leftMs > 0 ? partOf(`next try in ${seconds}`, `try in ${seconds}`) : partOf('trying now')];
}

function ageSpans(scene: Scene): readonly Span[] {
  const snapshot = scene.store.get(machinesFeed);
  const at = readAt(snapshot);
  if (at === undefined) return [{text: 'data –', tone: 'dim'}];
  const ageMs = scene.monotonicNow - at;
  return [
    {
      text: `data ${formatDuration(ageMs)}`,
      tone: ageTone(snapshot, ageMs, pacedInterval(machinesFeed, scene.preferences)),
    },
  ];
}

/** Fresh below two intervals, ageing below five, stale after that. */
function ageTone(snapshot: Snapshot<unknown>, ageMs: number, intervalMs: number): 'dim' | 'warning' | 'danger' {
  if (ageMs > 5 * intervalMs) return 'danger';
  return ageMs > 2 * intervalMs || snapshot.status === 'stale' ? 'warning' : 'dim';
}

function skewParts(connection: Connection): readonly Part[] {
  const offsetMs = connection.clockOffsetMs() ?? 0;
  if (Math.abs(offsetMs) < MAX_CLOCK_SKEW_MS) return [];
  const apart = formatDuration(Math.abs(offsetMs));
  const text = connection.isClockFollowed()
    ? `this computer's clock is ${apart} ${offsetMs > 0 ? 'behind' : 'ahead'}`
    : `the service's clock is ${apart} ${offsetMs > 0 ? 'ahead' : 'behind'}: not followed`;
  return [{side: 'left', dropOrder: 7, spans: [{text, tone: 'warning'}]}];
}

function joined(parts: readonly Part[]): Line {
  return parts.flatMap((part, index) => [...(index === 0 ? [] : [{text: '  '}]), ...part.spans]);
}

function partsWidth(parts: readonly Part[]): number {
  // Without a right side, the cell between the sides comes on top of the margins.
  const gap = parts.some(({side}) => side === 'right') ? 0 : 1;
  return parts.reduce((cells, part) => cells + lineWidth(part.spans) + 2, gap);
}
