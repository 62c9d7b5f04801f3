import {RESOURCE_WORDS, stemOf} from '../cloud-resource.ts';
import {hourlyUsd, isPositive, type Rate, sumRates} from '../money.ts';
import {joinSafe, type SafeText, safeText, say} from '../safe-text.ts';
import type {EpochMs} from '../time.ts';
import {
  type Finding,
  type KnownAccount,
  SEVERITIES,
  type Severity,
  subjectInWords,
  type TriageRule,
} from './finding.ts';
import {findingKey, type Mute, muteOf} from './mute.ts';
import {TRIAGE_RULES} from './rules.ts';

export type Triage = {
  /** Worst first, and within a severity the costliest. */
  readonly findings: readonly Finding[];
  /** What a person has acknowledged, snoozed, or keeps on purpose. */
  readonly muted: readonly MutedFinding[];
  /** Rules that could not judge all they should, and why. */
  readonly unknown: readonly UnjudgedRule[];
};

type UnjudgedRule = {
  readonly rule: string;
  readonly reason: SafeText;
  /** What it lacks is being read for the first time: nothing failed. */
  readonly isAwaited?: boolean | undefined;
};

export type MutedFinding = {readonly finding: Finding; readonly mute: Mute};

/** Everything that needs a person's attention now. */
export function triage(account: KnownAccount, rules: readonly TriageRule[] = TRIAGE_RULES): Triage {
  const verdicts = rules.map(({id: rule, judge, needsState}) => ({
    rule,
    ...judge(account),
    unjudged: needsState === true ? account.unjudgedMachines : [],
  }));
  const all = verdicts
    .flatMap(({rule, findings}) => findings.map((finding): Finding => withCost({...finding, rule})))
    .sort(byUrgency);
  const waste = new Set(rules.flatMap(({id, isWaste}) => (isWaste === true ? [id] : [])));
  const {now, preferences} = account;
  const kept = preferences.keep.map((each): Mute => ({kind: 'kept', at: now, ...each}));
  const mutes = [...account.mutes, ...kept];
  const judged = all.map(finding => ({
    finding,
    mute: muteOf(finding, {mutes, isWaste: waste.has(finding.rule), now}),
  }));
  return {
    findings: judged.flatMap(({finding, mute}) => (mute === undefined ? [finding] : [])),
    muted: judged.flatMap(({finding, mute}) => (mute === undefined ? [] : [{finding, mute}])),
    unknown: verdicts.flatMap(({rule, cannotJudge = [], isAwaited, unjudged}) => [
      ...[cannotJudge].flat().map(reason => ({rule, reason, isAwaited})),
      ...unjudged.map(reason => ({rule, reason})),
    ]),
  };
}

/** What was not checked and why, each reason once: `idle, growing memory: the metrics of 5 machines were not read`. */
export function unjudgedWords(unknown: Triage['unknown']): readonly SafeText[] {
  return [...Map.groupBy(unknown, ({reason}) => reason)].map(([reason, checks]) =>
    safeText(`${checks.map(({rule}) => ruleWords(rule)).join(', ')}: ${reason}`),
  );
}

function ruleWords(ruleId: string): string {
  return TRIAGE_RULES.find(({id}) => id === ruleId)?.looksFor ?? ruleId.replaceAll('-', ' ');
}

/** The names of the rules that could not judge everything. */
export function unjudgedNames(unknown: Triage['unknown']): readonly SafeText[] {
  return [...new Set(unknown.map(({rule}) => rule))].map(rule => safeText(ruleWords(rule)));
}

/** How many rules could not judge everything. */
export function unjudgedCount(unknown: Triage['unknown']): number {
  return new Set(unknown.map(({rule}) => rule)).size;
}

/** A finding without a present cost shows no rate: a node being created, a machine in ERROR. */
function withCost({rate, isRateAtLeast, ...finding}: Finding): Finding {
  if (rate === undefined || !isPositive(rate)) return finding;
  return {...finding, rate, ...(isRateAtLeast === true ? {isRateAtLeast} : {})};
}

/** `2 acknowledged, 1 kept`. */
export function mutedWords(muted: readonly MutedFinding[]): SafeText {
  const byKind = Map.groupBy(muted, ({mute}) => mute.kind);
  return joinSafe(
    [...byKind].map(([kind, each]) => say`${each.length} ${safeText(kind)}`),
    ', ',
  );
}

/** The waste that a person may keep on purpose. */
export function isWasteRule(ruleId: string): boolean {
  return TRIAGE_RULES.some(({id, isWaste}) => id === ruleId && isWaste === true);
}

function byUrgency(left: Finding, right: Finding): number {
  return (
    rankOf(left.severity) - rankOf(right.severity) ||
    costOf(right.rate) - costOf(left.rate) ||
    findingKey(left).localeCompare(findingKey(right))
  );
}

function rankOf(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

function costOf(rate: Rate | undefined): number {
  return rate === undefined ? 0 : hourlyUsd(rate);
}

/** The same finding on several objects; a single one is a group of one. */
export type FindingGroup = {
  readonly key: string;
  readonly severity: Severity;
  readonly summary: SafeText;
  /** The object's name, or what the names have in common with the count: `etl-* (12)`. */
  readonly where: SafeText;
  readonly findings: readonly [Finding, ...Finding[]];
  /** The earliest of all. */
  readonly since: EpochMs | undefined;
} & FindingsCost;

type FindingsCost = {
  /** The sum of all rates that are known; undefined where none is. */
  readonly rate: Rate | undefined;
  /** It lacks a part of unknown cost. */
  readonly isRateAtLeast: boolean;
};

/** Fewer than this are listed one by one. */
const MIN_ALIKE = 3;

/** One line for each group of similar findings, in the order of the worst in each group. */
export function alikeFindings(findings: readonly Finding[]): readonly FindingGroup[] {
  const alike = Map.groupBy(
    findings,
    finding => `${finding.severity} ${finding.rule} ${finding.subject.type} ${finding.summary} ${wayOf(finding)}`,
  );
  const groups = [...alike].flatMap(([key, members]): readonly FindingGroup[] =>
    members.length < MIN_ALIKE
      ? members.flatMap(finding => groupOf(findingKey(finding), [finding]))
      : groupOf(key, members),
  );
  return groups.sort(
    (left, right) =>
      rankOf(left.severity) - rankOf(right.severity) ||
      costOf(right.rate) - costOf(left.rate) ||
      left.key.localeCompare(right.key),
  );
}

/** How it is fixed, as the words of its command: a node of a cluster is not hibernated like other machines. */
function wayOf({commands: [command]}: Finding): string {
  return command?.split(' ').slice(0, 3).join(' ') ?? '';
}

function groupOf(key: string, members: readonly Finding[]): readonly FindingGroup[] {
  const [first, ...others] = members;
  if (first === undefined) return [];
  const moments = members.flatMap(({since}) => since ?? []);
  return [
    {
      key,
      severity: first.severity,
      summary: first.summary,
      where: others.length === 0 ? first.subject.name : manyWords(members),
      findings: [first, ...others],
      since: moments.length === 0 ? undefined : moments.reduce((oldest, each) => (each < oldest ? each : oldest)),
      ...costOfAll(members),
    },
  ];
}

/** What the subjects of these findings cost together now. Each counts once, and the account includes all others. */
export function costOfAll(findings: readonly Finding[]): FindingsCost {
  const costing = findings.filter(({rate}) => rate !== undefined);
  const account = costing.find(({subject}) => subject.type === 'account');
  const counted = account === undefined ? costing : [account];
  const bySubject = new Map(counted.map(({subject, rate}) => [`${subject.type} ${subject.id}`, rate]));
  return {
    rate: bySubject.size === 0 ? undefined : sumRates([...bySubject.values()].flatMap(rate => rate ?? [])),
    isRateAtLeast: counted.some(({isRateAtLeast}) => isRateAtLeast === true),
  };
}

/** The names of all subjects, or as many as are wanted: `etl-01, web and 3 more`. */
export function memberNames(
  findings: readonly Finding[],
  {maxCount, withIds = false}: {readonly maxCount: number; readonly withIds?: boolean},
): SafeText {
  const names = findings.slice(0, maxCount).map(({subject}) => {
    const name = subjectInWords(subject);
    return withIds && subject.id !== undefined ? say`${name} #${subject.id}` : name;
  });
  const moreCount = findings.length - names.length;
  return moreCount > 0 ? say`${joinSafe(names, ', ')} and ${moreCount} more` : joinSafe(names, ', ');
}

/** Of several findings, the first evidence of this many. */
const MAX_PROVEN = 3;

/** All evidence of one finding; of several, the first of each of a few, with its name. Undefined if there is none. */
export function evidenceWords(findings: readonly Finding[]): SafeText | undefined {
  if (findings.length === 1) {
    const [evidence = []] = findings.map(finding => finding.evidence);
    return evidence.length === 0 ? undefined : joinSafe(evidence, '; ');
  }
  const proofs = findings.flatMap(({subject, evidence: [proof]}) =>
    proof === undefined ? [] : [say`${subjectInWords(subject)}: ${proof}`],
  );
  const moreCount = proofs.length - MAX_PROVEN;
  const named = joinSafe(proofs.slice(0, MAX_PROVEN), '; ');
  return proofs.length === 0 ? undefined : moreCount > 0 ? say`${named}; and ${moreCount} more` : named;
}

/** The commands whose last argument before the options may be several ids. */
const TAKES_SEVERAL = /^skydeck (?:(?:vm|volume|firewall|cluster|ip) [a-z-]+|get events) \d+(?: --(?!wait=)[a-z-]+)*$/;

/**
 * The best command of one finding, or of all: one command for those it takes together, each of the others after the one
 * before it. Undefined if no finding has a command.
 */
export function commandForAll(findings: readonly Finding[]): SafeText | undefined {
  const each = findings.flatMap(({subject: {id}, commands: [command]}) => (command === undefined ? [] : {command, id}));
  const alike = Map.groupBy(each, ({command, id}) => {
    const isOneForSeveral = command.split(' && ').every(step => TAKES_SEVERAL.test(step) && step.includes(` ${id}`));
    return isOneForSeveral ? command.replaceAll(` ${id}`, ' ID') : command;
  });
  const commands = [...alike].map(([pattern, members]) =>
    safeText(pattern.replaceAll(' ID', ` ${members.map(({id}) => id).join(' ')}`)),
  );
  return commands.length === 0 ? undefined : joinSafe(commands, ' && ');
}

/** For example `hyperparam-sweep-* (20)` if the names differ only in their number, otherwise `20 machines`. */
function manyWords(members: readonly Finding[]): SafeText {
  const stems = new Set(members.map(({subject}) => stemOf(subject.name)));
  const [stem = ''] = stems;
  const {type} = members[0]?.subject ?? {type: 'service' as const};
  return stems.size === 1 && stem !== ''
    ? say`${safeText(`${stem}*`)} (${members.length})`
    : say`${members.length} ${pluralOf(type)}`;
}

function pluralOf(type: Finding['subject']['type']): SafeText {
  if (type === 'service') return say`lists`;
  return type === 'account' ? say`accounts` : RESOURCE_WORDS[type].many;
}
