import {unreachable} from './assert.ts';
import {describeReadFailure, type Failure} from './failure.ts';
import {besidesBurn, type Runway, runwayText, soonestMs} from './cost.ts';
import type {BurnIncident} from './money/anomaly.ts';
import {type BilledSoFar, type SpentSince, spentSince} from './money/billed-day.ts';
import {type Rate, type Usd, usdNumber} from './money.ts';
import type {UsageRecord} from './billing.ts';
import {countedWords} from './listed-words.ts';
import {joinSafe, type SafeText, safeText, say} from './safe-text.ts';
import {type EpochMs, momentOf} from './time.ts';
import {incidentEvidence, incidentSummary} from './triage/burn-anomaly.ts';
import {type Severity, subjectInWords} from './triage/finding.ts';
import {alikeFindings, evidenceWords, memberNames, type Triage, unjudgedWords} from './triage/triage.ts';
import {dollarWords, durationWords, minuteWords, rateWords} from './triage/words.ts';

/** The content of a handover. */
export type Handover = {
  readonly account: SafeText | undefined;
  readonly now: EpochMs;
  readonly since: EpochMs;
  readonly found: Triage;
  /** The lists without which more may be found, each with the reason if it failed. */
  readonly unread: readonly {readonly what: SafeText; readonly failure: Failure | undefined}[];
  /** Not every machine could be judged, so more may be found. */
  readonly hasUnjudgedMachines?: boolean;
  /** What the burn rate rose to and is no longer, if that was in this time. */
  readonly incident?: BurnIncident | undefined;
  /** Operations confirmed here, oldest first; undefined if the journal could not be read. */
  readonly done: readonly Done[] | undefined;
  /** Lines of the journal that could not be read: each may have been an operation. */
  readonly unreadableLineCount?: number;
  /** What machines that were hibernated from here, and still are, save by it. */
  readonly savings: {
    readonly rate: Rate;
    readonly machineCount: number;
    /** How many of them are missing in the rate. */
    readonly unpricedCount: number;
    /** A contract may charge some of them all the same. */
    readonly isUncertain: boolean;
  };
  /** What machines cost that are shut off and billed all the same. */
  readonly stopped?: {
    /** The sum of what is known. */
    readonly rate: Rate;
    readonly machineCount: number;
    readonly unpricedCount: number;
  };
  readonly burn: Rate | undefined;
  /** When the usage was read that rates follow from, if that is too long ago for the present. */
  readonly usageAt?: EpochMs | undefined;
  /** The same of the credit. */
  readonly creditAt?: EpochMs | undefined;
  /** What is missing in it, because it has no price. */
  readonly unpricedCount?: number;
  /** Undefined if usage was not read. */
  readonly cost: Cost | undefined;
  /** The prepaid balance; `isOwn` if a person set it, as the service does not say. Undefined if unknown. */
  readonly credit?: {readonly balance: Usd; readonly isOwn: boolean} | undefined;
  /** How long it lasts; undefined if the credit is unknown. */
  readonly runway?: Runway | undefined;
};

type Done = {
  readonly at: EpochMs;
  readonly words: SafeText;
  readonly outcome: SafeText;
  readonly isUnsent: boolean;
};

type Cost = Omit<SpentSince, 'spent'> & {
  /** Undefined if nothing of it is known. */
  readonly total: Usd | undefined;
  readonly lacksDeleted: boolean;
};

/** The total cost since a moment: as billed, or from usage records, which may lack deleted resources. */
export function costSince(
  records: readonly UsageRecord[] | undefined,
  {
    isDeletedRead,
    ...when
  }: Pick<Handover, 'since' | 'now'> & {
    readonly billed: BilledSoFar | undefined;
    readonly isDeletedRead: boolean;
  },
): Cost | undefined {
  if (records === undefined) return undefined;
  const {spent: total, ...spent} = spentSince(records, when);
  return {total, ...spent, lacksDeleted: spent.source === 'usage' && !isDeletedRead};
}

/** A line of the handover. Its texts are as they are shown, without the marks and escapes of Markdown. */
export type HandoverLine =
  | {readonly kind: 'title' | 'heading' | 'text'; readonly text: string}
  | {readonly kind: 'entry'; readonly sentences: readonly string[]}
  | {
      readonly kind: 'finding';
      readonly severity: Severity;
      /** How it is muted; undefined if it is open, or was. */
      readonly muted?: string;
      readonly sentences: readonly string[];
    };

/** A line as Markdown. Characters of names that mean something there are escaped. */
export function markdownOf(line: HandoverLine): string {
  return written(line, escaped);
}

/** A line for a reader who sees it as it is: names without the escapes. */
export function textOf(line: HandoverLine): string {
  return written(line, text => text);
}

/** What the service says may end in a full stop already. */
function inOneLine(sentences: readonly string[]): string {
  return sentences.reduce((line, sentence) => `${line}${line.endsWith('.') ? '' : '.'} ${sentence}`);
}

function written(line: HandoverLine, quote: (text: string) => string): string {
  switch (line.kind) {
    case 'title':
      return `# ${quote(line.text)}`;
    case 'heading':
      return `## ${quote(line.text)}`;
    case 'text':
      return quote(line.text);
    case 'entry':
      return `- ${inOneLine(line.sentences.map(quote))}`;
    case 'finding': {
      const muted = line.muted === undefined ? '' : `${line.muted}: `;
      return `- ${muted}**${line.severity}** ${inOneLine(line.sentences.map(quote))}`;
    }
    default:
      return unreachable(line);
  }
}

/** Escapes everything that Markdown would interpret: its marks, entities, mentions and links. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>|#~&@]|(?<=:)\/\/|(?<=\bwww)\./g, character => `\\${character}`);
}

export function handoverLines({
  account,
  now,
  since,
  found,
  unread,
  hasUnjudgedMachines = false,
  incident,
  done,
  unreadableLineCount = 0,
  savings,
  stopped,
  burn,
  usageAt,
  creditAt,
  unpricedCount = 0,
  cost,
  credit,
  runway,
}: Handover): readonly HandoverLine[] {
  const {findings, muted, unknown} = found;
  const sent = done?.filter(({isUnsent}) => !isUnsent);
  const unsent = (done ?? []).filter(({isUnsent}) => isUnsent);
  const groups = alikeFindings(findings);
  return [
    {kind: 'title', text: `Handover${account === undefined ? '' : ` of ${account}`}, ${minuteWords(now)}`},
    BLANK,
    {kind: 'text', text: `Since ${minuteWords(since)}.`},
    ...part(
      `Open findings${foundCount(found, groups.length, unread.length > 0 || hasUnjudgedMachines)}`,
      listOr(unknown.length === 0 ? 'none' : 'none in what could be checked', [
        ...groups.map(group => findingLine(group, now, usageAt)),
        ...unreadLines(unread),
      ]),
    ),
    ...(incident?.endedAt === undefined || incident.endedAt < since ? [] : part('Ended (1)', [incidentLine(incident)])),
    ...partIfAny('Muted', muted.map(mutedLine)),
    ...partIfAny('Not checked', unjudgedWords(unknown).map(entry)),
    ...part(
      `Sent from here${sentCount(sent, unreadableLineCount)}`,
      listOr(sent === undefined ? 'unknown, since the journal could not be read' : 'nothing', [
        ...(sent ?? []).map(doneLine),
        ...unreadableLines(unreadableLineCount),
      ]),
    ),
    ...savingLines(savings),
    ...(unsent.length === 0 ? [] : part(`Answered yes here, but not sent (${unsent.length})`, unsentLines(unsent))),
    ...part('Cost', [
      ...costLines(cost, {burn, usageAt, unpricedCount}),
      ...stoppedLines(stopped, usageAt),
      ...creditLines({credit, creditAt, runway, usageAt, now}),
    ]),
  ];
}

/** No count while a list or a machine is missing: nothing was found then, or only some. */
function foundCount({findings: {length: count}}: Triage, lineCount: number, isAtLeast: boolean): string {
  if (isAtLeast && count === 0) return '';
  const lines = lineCount === count ? '' : ` in ${countedWords(lineCount, say`line`)}`;
  return ` (${isAtLeast ? 'at least ' : ''}${count}${lines})`;
}

function sentCount(sent: readonly Done[] | undefined, unreadableLineCount: number): string {
  if (sent === undefined) return '';
  if (unreadableLineCount === 0) return ` (${sent.length})`;
  return sent.length === 0 ? '' : ` (at least ${sent.length})`;
}

function unreadableLines(count: number): readonly HandoverLine[] {
  if (count === 0) return [];
  return [entry(`${countedWords(count, say`line`)} of the journal could not be read, so more may have been sent`)];
}

/** Lists that share a reason share a line. */
function unreadLines(unread: Handover['unread']): readonly HandoverLine[] {
  const reasonOf = ({failure}: Handover['unread'][number]) =>
    failure === undefined ? say`not read` : say`not read: ${describeReadFailure(failure)}`;
  return [...Map.groupBy(unread, reasonOf)].map(([reason, lists]) => {
    const names = joinSafe(
      lists.map(({what}) => what),
      ', ',
    );
    return entry(`${names} ${reason}`);
  });
}

const BLANK: HandoverLine = {kind: 'text', text: ''};

function entry(text: string): HandoverLine {
  return {kind: 'entry', sentences: [text]};
}

function doneLine({at, words, outcome}: Done): HandoverLine {
  return entry(`${minuteWords(at)} ${words}: ${outcome}`);
}

/** What was left of a batch shares a line. */
function unsentLines(unsent: readonly Done[]): readonly HandoverLine[] {
  return [...Map.groupBy(unsent, ({outcome}) => outcome).values()].flatMap(alike => {
    const [first, ...others] = alike;
    if (first === undefined || others.length === 0) return alike.map(doneLine);
    const named = joinSafe(
      alike.slice(0, MAX_NAMED).map(({words}) => words),
      ', ',
    );
    const more = alike.length > MAX_NAMED ? say` and ${alike.length - MAX_NAMED} more` : say``;
    return [doneLine({...first, words: say`${countedWords(alike.length, say`action`)}: ${named}${more}`})];
  });
}

function findingLine(
  {severity, summary, since, rate, isRateAtLeast, findings}: ReturnType<typeof alikeFindings>[number],
  now: EpochMs,
  usageAt: Handover['usageAt'],
): HandoverLine {
  const [first, ...others] = findings;
  const facts = [
    ...(since === undefined ? [] : [`since ${since > now ? minuteWords(now) : minuteWords(since)}`]),
    ...(rate === undefined ? [] : [`${isRateAtLeast ? 'at least ' : ''}${rateWords(rate)} ${whenWords(usageAt)}`]),
  ];
  const details = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  const subject = memberNames(findings, {maxCount: MAX_NAMED});
  const proof = evidenceWords(findings);
  const what = `${subject}: ${summary}${details}`;
  // Advice is written for one object.
  const sentences =
    others.length === 0
      ? [proof === undefined ? what : `${what}: ${proof}`, first.advice]
      : [what, ...(proof === undefined ? [] : [proof]), say`For each: ${firstLetterSmall(first.advice)}`];
  return {kind: 'finding', severity, sentences};
}

function incidentLine(incident: BurnIncident): HandoverLine {
  const [summary, ...evidence] = [incidentSummary(incident), ...incidentEvidence(incident)];
  return {kind: 'finding', severity: 'critical', sentences: [`account: ${summary}`, ...evidence]};
}

function mutedLine({finding, mute}: Triage['muted'][number]): HandoverLine {
  const {severity, subject, summary} = finding;
  const muted = mute.kind === 'acknowledged' ? mute.kind : `${mute.kind} until ${minuteWords(mute.until)}`;
  return {kind: 'finding', severity, muted, sentences: [`${subjectInWords(subject)}: ${summary}`]};
}

/** Longer lists are cut, and the rest counted. */
const MAX_NAMED = 12;

function firstLetterSmall(sentence: SafeText): SafeText {
  return safeText(`${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1)}`);
}

function savingLines({rate, machineCount, unpricedCount, isUncertain}: Handover['savings']): readonly HandoverLine[] {
  if (machineCount === 0) return [];
  const what = countedWords(machineCount, say`machine`);
  if (unpricedCount === machineCount) {
    return [BLANK, {kind: 'text', text: `${what} hibernated: it is unknown how much that saves`}];
  }
  const without = unpricedCount === 0 ? '' : `, without ${unpricedCount} of unknown price`;
  const saved = `${isUncertain ? 'up to ' : ''}${rateWords(rate)}${without}`;
  return [BLANK, {kind: 'text', text: `${what} hibernated: saves ${saved}`}];
}

/** `now`, or when an older rate was read. */
function whenWords(usageAt: Handover['usageAt']): string {
  return usageAt === undefined ? 'now' : `as of ${minuteWords(usageAt)}`;
}

function costLines(
  cost: Cost | undefined,
  {burn, usageAt, unpricedCount = 0}: Pick<Handover, 'burn' | 'usageAt' | 'unpricedCount'>,
): readonly HandoverLine[] {
  if (cost === undefined) return [entry('unknown: the usage was not read')];
  const without = [
    ...(cost.lacksDeleted ? ['without resources deleted in the meantime'] : []),
    ...(cost.unpricedCount > 0 ? [`without ${countedWords(cost.unpricedCount, say`resource`)} of unknown cost`] : []),
  ];
  const least = cost.isAtLeast ? 'at least ' : '';
  const spent = cost.total === undefined ? 'an unknown amount' : `${least}${dollarWords(usdNumber(cost.total))}`;
  return [
    entry(`${spent} since then, ${[SOURCE_WORDS[cost.source], ...without].join(', ')}`),
    ...(burn === undefined
      ? []
      : [entry(`${rateWords(burn)} ${whenWords(usageAt)}${withoutUnpriced(unpricedCount)}${notReadSince(usageAt)}`)]),
  ];
}

function notReadSince(at: EpochMs | undefined): string {
  return at === undefined ? '' : ': not read since';
}

function stoppedLines(stopped: Handover['stopped'], usageAt: Handover['usageAt']): readonly HandoverLine[] {
  if (stopped === undefined || stopped.machineCount === 0) return [];
  const {rate, machineCount, unpricedCount} = stopped;
  const what = `${countedWords(machineCount, say`machine`)} ${machineCount === 1 ? 'is' : 'are'} stopped but still billed`;
  if (unpricedCount === machineCount) return [entry(`${what}, at an unknown price`)];
  const without = unpricedCount === 0 ? '' : `, without ${countedWords(unpricedCount, say`machine`)} of unknown price`;
  const at = usageAt === undefined ? '' : ` ${whenWords(usageAt)}`;
  return [entry(`${what}: ${rateWords(rate)}${at}${without}`)];
}

function creditLines({
  credit,
  creditAt,
  runway,
  usageAt,
  now,
}: Pick<Handover, 'credit' | 'creditAt' | 'runway' | 'usageAt' | 'now'>): readonly HandoverLine[] {
  if (credit === undefined) return [entry('credit unknown')];
  const source = credit.isOwn ? ' from the settings' : '';
  return [
    entry(
      `credit ${dollarWords(usdNumber(credit.balance))}${source}${creditAt === undefined ? '' : ` ${whenWords(creditAt)}`}${notReadSince(creditAt)}`,
    ),
    entry(
      `runway ${runwayWords(runway, now)}${usageAt === undefined ? '' : `, at the rate of ${minuteWords(usageAt)}`}`,
    ),
  ];
}

function runwayWords(runway: Runway | undefined, now: EpochMs): string {
  const words = runwayText(runway, durationWords);
  const endsInMs = runway && soonestMs(runway);
  if (runway === undefined || endsInMs === undefined) return words;
  if (runway.leftMs === 0) return `${words}: everything is suspended at $0`;
  const besides = besidesBurn(runway);
  const paused = besides === undefined ? '' : `, with ${besides}`;
  const end = momentOf(now + endsInMs);
  const until = end === undefined ? '' : `, until ${minuteWords(end)}`;
  return `${words}${until}${paused}`;
}

function withoutUnpriced(count: number): string {
  return count === 0 ? '' : `, without ${countedWords(count, say`resource`)} of unknown price`;
}

const SOURCE_WORDS = {billed: 'as billed by the provider', usage: 'estimated from usage'} as const;

function part(title: string, lines: readonly HandoverLine[]): readonly HandoverLine[] {
  return [BLANK, {kind: 'heading', text: title}, BLANK, ...lines];
}

function partIfAny(title: string, lines: readonly HandoverLine[]): readonly HandoverLine[] {
  return lines.length === 0 ? [] : part(`${title} (${lines.length})`, lines);
}

function listOr(nothing: string, lines: readonly HandoverLine[]): readonly HandoverLine[] {
  return lines.length === 0 ? [entry(nothing)] : lines;
}
