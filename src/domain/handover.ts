import type {BurnIncident} from './money/anomaly.ts';
import {type BilledSoFar, spentSince, type SpentSource} from './money/billed-day.ts';
import {mergeUsage} from './money/spend.ts';
import {type Rate, type Usd, usdNumber} from './money.ts';
import type {UsageRecord} from './billing.ts';
import {countedWords} from './listed-words.ts';
import {joinSafe, type SafeText, safeText, say} from './safe-text.ts';
import type {EpochMs} from './time.ts';
import {incidentEvidence, incidentSummary} from './triage/burn-anomaly.ts';
import {type Finding, subjectInWords} from './triage/finding.ts';
import {alikeFindings, memberNames, type Triage} from './triage/triage.ts';
import {dollarWords, rateWords} from './triage/words.ts';

/** The content of a handover. */
export type Handover = {
  readonly account: SafeText | undefined;
  readonly now: EpochMs;
  readonly since: EpochMs;
  readonly found: Triage;
  /** What the burn rate rose to and is no longer, if that was in this time. */
  readonly incident?: BurnIncident | undefined;
  /** Operations confirmed here, oldest first; undefined if the journal could not be read. */
  readonly done: readonly Done[] | undefined;
  /** What machines that were hibernated from here, and still are, save by it. */
  readonly savings: {
    readonly rate: Rate;
    readonly machineCount: number;
    /** How many of them are missing in the rate. */
    readonly unpricedCount: number;
    /** A contract may charge some of them all the same. */
    readonly isUncertain: boolean;
  };
  readonly burn: Rate | undefined;
  /** Undefined if usage was not read. */
  readonly cost: Cost | undefined;
};

type Done = {
  readonly at: EpochMs;
  readonly words: SafeText;
  readonly outcome: SafeText;
  readonly isUnsent: boolean;
};

type Cost = {
  /** Undefined where nothing of it is known. */
  readonly total: Usd | undefined;
  readonly source: SpentSource;
  readonly unpricedCount: number;
  readonly lacksDeleted: boolean;
};

/** The total cost since a moment: as billed, or from usage records, which may lack deleted resources. */
export function costSince(
  live: readonly UsageRecord[] | undefined,
  deleted: readonly UsageRecord[] | undefined,
  when: Pick<Handover, 'since' | 'now'> & {readonly billed: BilledSoFar | undefined},
): Cost | undefined {
  if (live === undefined) return undefined;
  const records = mergeUsage(live, deleted ?? []);
  const {spent: total, source, unpricedCount} = spentSince(records, when);
  return {total, source, unpricedCount, lacksDeleted: source === 'usage' && deleted === undefined};
}

/** The handover as lines of Markdown. Characters of names that mean something in Markdown are escaped. */
export function handoverLines({
  account,
  now,
  since,
  found,
  incident,
  done,
  savings,
  burn,
  cost,
}: Handover): readonly string[] {
  const {findings, muted, unknown} = found;
  const sent = done?.filter(({isUnsent}) => !isUnsent);
  const unsent = (done ?? []).filter(({isUnsent}) => isUnsent);
  return [
    `# Handover${account === undefined ? '' : ` of ${plain(account)}`}, ${moment(now)}`,
    '',
    `Since ${moment(since)}.`,
    '',
    `## Open findings (${findings.length})`,
    '',
    ...listOr(
      'none',
      alikeFindings(findings).map(group => findingLine(group, now)),
    ),
    ...(incident?.endedAt === undefined || incident.endedAt < since
      ? []
      : part('## Ended (1)', [
          `- **critical** account: ${[incidentSummary(incident), ...incidentEvidence(incident)].map(plain).join('. ')}`,
        ])),
    ...part(
      `## Muted (${muted.length})`,
      muted.map(
        ({finding, mute}) =>
          `- ${mute.kind}${mute.kind === 'acknowledged' ? '' : ` until ${moment(mute.until)}`}: ${headOf(finding)}`,
      ),
    ),
    ...part(
      `## Not checked (${unknown.length})`,
      unknown.map(({rule, reason}) => `- ${rule}: ${plain(reason)}`),
    ),
    '',
    sent === undefined ? '## Sent from here' : `## Sent from here (${sent.length})`,
    '',
    ...listOr(
      sent === undefined ? 'unknown, since the journal could not be read' : 'nothing',
      (sent ?? []).map(doneLine),
    ),

    ...savingLines(savings),
    ...part(`## Confirmed here, but not sent (${unsent.length})`, unsent.map(doneLine)),
    '',
    '## Cost',
    '',
    ...costLines(cost, burn),
  ];
}

function doneLine({at, words, outcome}: Done): string {
  return `- ${moment(at)} ${plain(words)}: ${plain(outcome)}`;
}

function findingLine(
  {severity, summary, since, rate, findings}: ReturnType<typeof alikeFindings>[number],
  now: EpochMs,
): string {
  const [first, ...others] = findings;
  const facts = [
    ...(since === undefined ? [] : [`since ${since > now ? moment(now) : moment(since)}`]),
    ...(rate === undefined ? [] : [`${rateWords(rate)} now`]),
  ];
  const details = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  const subject = plain(memberNames(findings, {maxCount: MAX_NAMED}));
  // Advice is written for one object.
  const advice = others.length === 0 ? first.advice : say`For each: ${firstLetterSmall(first.advice)}`;
  const sentences = [`${plain(summary)}${details}`, ...causesOf(first), plain(advice)];
  return `- **${severity}** ${subject}: ${sentences.join('. ')}`;
}

/** Longer lists are cut, and the rest counted. */
const MAX_NAMED = 12;

function firstLetterSmall(sentence: SafeText): SafeText {
  return safeText(`${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1)}`);
}

/** A finding about the whole account names its machines only in its evidence. */
function causesOf({machineIds, evidence}: Finding): readonly string[] {
  return machineIds === undefined || evidence.length === 0 ? [] : [plain(joinSafe(evidence, '; '))];
}

function headOf({severity, subject, summary}: Finding): string {
  return `**${severity}** ${plain(subjectInWords(subject))}: ${plain(summary)}`;
}

function savingLines({rate, machineCount, unpricedCount, isUncertain}: Handover['savings']): readonly string[] {
  if (machineCount === 0) return [];
  const what = countedWords(machineCount, say`machine`);
  if (unpricedCount === machineCount) return ['', `${what} hibernated: it is unknown how much that saves`];
  const without = unpricedCount === 0 ? '' : `, without ${unpricedCount} of unknown price`;
  return ['', `${what} hibernated: saves ${isUncertain ? 'up to ' : ''}${rateWords(rate)}${without}`];
}

function costLines(cost: Cost | undefined, burn: Rate | undefined): readonly string[] {
  if (cost === undefined) return ['- unknown: the usage was not read'];
  const without = [
    ...(cost.lacksDeleted ? ['without resources deleted in the meantime'] : []),
    ...(cost.unpricedCount > 0 ? [`without ${countedWords(cost.unpricedCount, say`resource`)} of unknown cost`] : []),
  ];
  const spent = cost.total === undefined ? 'an unknown amount' : dollarWords(usdNumber(cost.total));
  return [
    `- ${spent} since then, ${[SOURCE_WORDS[cost.source], ...without].join(', ')}`,
    ...(burn === undefined ? [] : [`- ${rateWords(burn)} now`]),
  ];
}

const SOURCE_WORDS = {billed: 'as billed by the provider', usage: 'estimated from usage'} as const;

function part(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, '', ...lines];
}

function listOr(nothing: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [`- ${nothing}`] : lines;
}

function moment(at: EpochMs): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

/** A line of the handover for a reader who sees it as it is: names as they are, without the escapes of Markdown. */
export function unescapedLine(line: string): string {
  return line.replaceAll(/\\(.)/gu, '$1');
}

/** Escapes everything in the service's texts that Markdown would interpret: its marks, entities, mentions and links. */
function plain(text: SafeText): string {
  return text.replaceAll(/[\\`*_[\]<>|#~&@]|(?<=:)\/\/|(?<=\bwww)\./g, character => `\\${character}`);
}
