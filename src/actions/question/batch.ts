import {nameOf, statusOf} from '../../domain/cloud-resource.ts';
import {totalFurther} from '../../domain/cost.ts';
import {sumRates} from '../../domain/money.ts';
import {nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {formatCounted, formatSavings} from '../../ui/format.ts';
import type {Line, Span} from '../../ui/text.ts';
import {alikeLines, nodeDoubtLines} from './action-question.ts';
import {recordOf, shownSubject, undoLine} from '../actions.ts';
import type {Alternative, Candidate, ManyAssessment, Wording} from './assessment.ts';
import {wordOf} from '../define.ts';
import type {AssessmentInput} from './assessment-input.ts';
import {type Fact, fact, factIfAny, isLoud, nameLines, type Question, someNames, warningFacts} from './question.ts';
import {lateEffectLines} from '../sent.ts';

/** Above this number, more than any terminal has rows, they are only counted. */
const MAX_LISTED = 60;
/** With this many names visible, the rest of the question keeps its names. */
const ENOUGH_LISTED = 4;
const MAX_REASONS = 3;
/** Beside its labels a box of 80 columns has this much room. */
const SHORT_LINE_CELLS = 62;

/** Those that can be sent, and those that are skipped. */
type SplitBatch = {readonly sent: readonly [Candidate, ...Candidate[]]; readonly skipped: readonly Candidate[]};
/** How much is shown in full. */
type Detail = {readonly wording: Wording; readonly isSkippedCounted: boolean};

type BatchQuestion = Required<Pick<Question, 'title' | 'facts' | 'shorterFacts' | 'answer'>> & {
  readonly alternatives: readonly Alternative[];
};

/**
 * The question before a batch: each subject by name, the total cost, warnings, and what is skipped. First in full, then
 * in shorter forms down to one that fits 80×24. Answered by the verb and the count, so that nobody confirms another
 * number than they read.
 */
export function batchQuestion(batch: SplitBatch, known: AssessmentInput): BatchQuestion {
  const {sent} = batch;
  const [first] = sent;
  const long = assessmentOf(sent, known, 'long');
  const short = assessmentOf(sent, known, 'short');
  const undo = undoLine(long.undo, first.action, shownSubject(first.action, first.subject, known), known);
  const all = Math.min(sent.length, MAX_LISTED);
  const enough = Math.min(all, ENOUGH_LISTED);
  const stages: readonly (Detail & {readonly least: number})[] = [
    {wording: 'long', isSkippedCounted: false, least: enough},
    {wording: 'long', isSkippedCounted: true, least: enough},
    {wording: 'short', isSkippedCounted: true, least: 1},
  ];
  const [facts = [], ...shorterFacts] = stages.flatMap(({least, ...detail}) => {
    const assessment = detail.wording === 'long' ? long : short;
    const [happens, rest] = [assessment.happens ?? [], factsOf(assessment, batch, detail)];
    return countdown(all, least).map(listed => [
      fact('happens', [...subjectLines(sent, listed), ...happens]),
      ...rest,
      fact('undo', [undo]),
    ]);
  });
  const verb = long.verb ?? recordOf(first.action).verb;
  return {
    title: long.verb === undefined ? titleOf(sent) : say`${verb}: ${safeText(counted(sent))}`,
    facts,
    shorterFacts,
    answer: {kind: 'text', what: 'words', expected: say`${verb} ${sent.length}`},
    alternatives: long.alternatives ?? [],
  };
}

/** For example `attach a public address to 3 machines`, if the words fit all subjects and do not name one of them. */
function titleOf(sent: SplitBatch['sent']): SafeText {
  const [{action}] = sent;
  const {verb, words, wordsAfter} = recordOf(action);
  const described = words?.(action);
  const isForAll = sent.every(each => words?.(each.action) === described);
  const isOfOne = described === say`${verb} ${wordOf(action)}`;
  const what = say`${described === undefined || !isForAll || isOfOne ? verb : described} ${safeText(counted(sent))}`;
  const after = wordsAfter?.(action);
  return after !== undefined && sent.every(each => wordsAfter?.(each.action) === after) ? say`${what} ${after}` : what;
}

function assessmentOf(sent: SplitBatch['sent'], known: AssessmentInput, wording: Wording): ManyAssessment {
  const record = recordOf(sent[0].action);
  const assessment = record.assessMany?.(sent, known, wording) ?? fromEach(sent, known, wording);
  const warnings = [
    ...nodeDoubtLines(sent),
    ...lateEffectLines(sent, known),
    ...(assessment.warnings ?? []),
    ...alikeLines(sent, known),
  ];
  return {...assessment, warnings};
}

/** For records without words for many: the words of each, merged where several share them. */
function fromEach(sent: SplitBatch['sent'], known: AssessmentInput, wording: Wording): ManyAssessment {
  const {assess} = recordOf(sent[0].action);
  const each = sent.map(({action, subject}) => ({
    name: subject === undefined ? say`` : nameOf(subject),
    assessment: assess(action, subject, known),
  }));
  const partLines = (part: 'happens' | 'costs' | 'warnings', prefixOfAll = '') =>
    together(
      each.map(({name, assessment}) => ({name, lines: assessment[part] ?? []})),
      {wording, prefixOfAll},
    );
  const odd = each.map(({name}) => ({name, lines: nameLines(name)}));
  return {
    happens: partLines('happens'),
    costs: [...partLines('costs', 'each '), ...sumLines(sent, known)],
    warnings: [...partLines('warnings'), ...together(odd, {wording, prefixOfAll: ''})],
    undo: each[0]?.assessment.undo ?? '',
  };
}

/** What all of them save together, which no single line says. */
function sumLines(sent: SplitBatch['sent'], known: AssessmentInput): readonly Line[] {
  const changes = sent.flatMap(({action, subject}) => recordOf(action).costChange?.(action, subject, known) ?? []);
  const rates = changes.flatMap(({savings}) => savings ?? []);
  if (rates.length === 0) return [];
  const isUncertain = changes.some(({savingIsUncertain}) => savingIsUncertain);
  const further = totalFurther(changes.filter(({savings}) => savings !== undefined));
  const unknown = changes.length - rates.length;
  return [
    [
      {text: `all together: ${formatSavings(sumRates(rates), isUncertain, further)}`, tone: 'money'},
      {text: further === 'unknown' ? '  without parts whose cost is unknown' : '', tone: 'warning'},
      {text: unknown === 0 ? '' : `  without ${unknown} of unknown price`, tone: 'warning'},
    ],
  ];
}

type NamedLines = {readonly name: SafeText; readonly lines: readonly Line[]};

/** Equal words only once, with the names of all they apply to. */
function together(
  namedLines: readonly NamedLines[],
  {wording, prefixOfAll}: {readonly wording: Wording; readonly prefixOfAll: string},
): readonly Line[] {
  const every = namedLines.flatMap(({name, lines}) => lines.map(line => ({name, line})));
  const alike = [...Map.groupBy(every, ({line}) => line.map(({text}) => text).join('')).values()];
  return alike.flatMap((group): readonly Line[] => {
    const [first] = group;
    if (first === undefined || (wording === 'short' && !isLoud(first.line))) return [];
    if (group.length === namedLines.length) return [[{text: prefixOfAll}, ...first.line]];
    const whose = wording === 'short' && group.length > 1 ? `${group.length} of them` : someNames(group);
    return [[{text: `${whose}: `, tone: 'strong'}, ...first.line]];
  });
}

/** Where a batch stops, as `stopReason` has it. */
const RULES =
  'one after the other; it stops at the first whose outcome is unknown, if the service asks to wait (429) and if it refuses the key (401, 403)';
const SHORT_RULES = 'one by one; stops at an unknown outcome, 429, 401 or 403';

/** The facts between the list of what is sent and its undo. */
function factsOf({costs = [], warnings = []}: ManyAssessment, {sent, skipped}: SplitBatch, detail: Detail) {
  const lines = [...warnings, ...skippedLines(skipped, detail.isSkippedCounted)];
  const isShort = detail.wording === 'short';
  const rules = isShort ? SHORT_RULES : RULES;
  const calls: Line = [{text: `${sent.length}, ${rules}`, tone: 'dim'}];
  const facts: readonly Fact[] = [
    ...factIfAny('costs', costs),
    ...warningFacts(lines),
    fact('calls', [isShort ? calls : [...calls, downLists('them')]]),
  ];
  return facts;
}

function countdown(from: number, to: number): readonly number[] {
  return Array.from({length: from - to + 1}, (_, index) => from - index);
}

/** Each by name and state; requests are shown by a dry run. */
function subjectLines(sent: readonly Candidate[], listed: number): readonly Line[] {
  const shown = sent.length <= listed ? sent : sent.slice(0, listed - 1);
  const lines = shown.map(({action, subject}): Line => {
    const [name, state] = subject === undefined ? ['', ''] : [nameOf(subject), statusOf(subject)?.statusText ?? ''];
    return [
      {text: `${nameInWords(safeText(name))}${action.id === undefined ? '' : ` #${action.id}`} `, tone: 'strong'},
      {text: state, tone: 'dim'},
    ];
  });
  const hidden = sent.length - shown.length;
  if (hidden === 0) return lines;
  const which = shown.length === 0 ? counted(sent) : `and ${hidden} more`;
  return [...lines, [{text: which, tone: 'dim'}, downLists('all')]];
}

/** How to see what the question has no room for. */
function downLists(what: string): Span {
  return {text: `; down lists ${what}`, inCommand: `; --dry-run lists ${what}`, tone: 'dim'};
}

/** Why subjects are skipped, the most frequent reason first, each once with their names; or all in one short line. */
export function skippedLines(skipped: readonly Candidate[], isCounted = false): readonly Line[] {
  if (skipped.length === 0) return [];
  if (isCounted) return [[{text: skippedInShort(skipped)}]];
  const groups = groupedBy(skipped, ({reason}) => `${reason}`).slice(0, MAX_REASONS);
  const each = groups.map(([reason, group]): Line => {
    const named = group.flatMap(({subject}) => (subject === undefined ? [] : [{name: nameOf(subject)}]));
    return [{text: `skipped: ${named.length === 0 ? '' : `${someNames(named)}: `}${reason}`}];
  });
  const more = skipped.length - countOf(groups);
  return more === 0 ? each : [...each, [{text: `and ${more} more ${more === 1 ? 'is' : 'are'} skipped`}]];
}

/** What explains a reason after a colon or comma, and the id of the cluster, are left out. */
function shortReason({reason}: Candidate): string {
  return `${reason}`.replace(/[:,] .*/, '').replace(/\bcluster #\d+/, 'a cluster');
}

const NOUN_OF_OWNER = /^an? (\w+)( of .*)/;

/** `nodes of a cluster`, `a node of a cluster`, `already SHUTOFF`, `their flavor n1 cannot hibernate`. */
function reasonOf(reason: string, count: number): string {
  if (count === 1) return reason;
  const [, noun, owner] = NOUN_OF_OWNER.exec(reason) ?? [];
  if (noun !== undefined) return `${noun}s${owner}`;
  return reason.replace(/^its /, 'their ').replace(/^it has /, 'they have ');
}

/** `12 are nodes of a cluster`, `1 is a node of a cluster`, `3 already SHUTOFF`, `2 whose flavor n1 cannot hibernate`. */
function countedReason(reason: string, count: number): string {
  if (NOUN_OF_OWNER.test(reason)) return `${count} ${count === 1 ? 'is' : 'are'} ${reasonOf(reason, count)}`;
  return `${count} ${reason.replace(/^its /, 'whose ').replace(/^it has /, 'with ')}`;
}

/** As many short reasons as fit a line, at least one. */
function skippedInShort(skipped: readonly Candidate[]): string {
  const groups = groupedBy(skipped, shortReason);
  const [[only] = ['']] = groups;
  if (groups.length === 1) return `${skipped.length} skipped: ${reasonOf(only, skipped.length)}`;
  const texts = countdown(Math.min(groups.length, MAX_REASONS), 1).map(shown => {
    const counts = groups.slice(0, shown).map(([reason, {length}]) => countedReason(reason, length));
    const others = skipped.length - countOf(groups.slice(0, shown));
    const rest = others === 0 ? [] : [`${others} for other reasons`];
    return `${skipped.length} skipped: ${[...counts, ...rest].join('; ')}`;
  });
  return texts.find(text => text.length <= SHORT_LINE_CELLS) ?? texts.at(-1) ?? '';
}

type Group = readonly [reason: string, candidates: readonly Candidate[]];

/** The largest group first. */
function groupedBy(candidates: readonly Candidate[], reasonOf: (candidate: Candidate) => string): readonly Group[] {
  return [...Map.groupBy(candidates, reasonOf)].sort(([, one], [, other]) => other.length - one.length);
}

function countOf(groups: readonly Group[]): number {
  return groups.reduce((sum, [, {length}]) => sum + length, 0);
}

/** For example `3 machines`. */
function counted(candidates: readonly Candidate[]): string {
  const [first] = candidates;
  return formatCounted(candidates.length, first === undefined ? '' : wordOf(first.action));
}
