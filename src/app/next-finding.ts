import type {Question} from '../actions/question/question.ts';
import {countedWords} from '../domain/listed-words.ts';
import {safeText, type SafeText, say} from '../domain/safe-text.ts';
import {type Finding, subjectInWords} from '../domain/triage/finding.ts';
import {findingKey} from '../domain/triage/mute.ts';
import {askAboutFix, fixesOf, fixReason, fixWord} from '../panes/overview/fix.ts';
import {acknowledged} from '../panes/overview/mute-commands.ts';
import {type PaneTarget, targetOf} from '../panes/overview/target.ts';
import {KEYS} from '../actions/keys.ts';
import {placeOf} from '../resources/resources.ts';
import {calmWords, exceptUnread, isJudgedWhole, presentTriage} from '../state/triage.ts';
import type {Deck} from './deck.ts';
import {carryOut, withHiddenCount} from './run-pane-command.ts';

/** Opens the subject of the next finding, and says what was found. */
export function showNextFinding(deck: Deck): void {
  const {findings} = presentTriage(deck.scene());
  const finding = deck.lastFindings.next(findings);
  if (finding === undefined) {
    const scene = deck.scene();
    const isCalm = isJudgedWhole(scene.store);
    const calm = say`${calmWords(scene)}${exceptUnread(scene)}`;
    return deck.notify(isCalm ? calm : say`nothing found yet: not everything was read`);
  }
  const target = targetOf(finding, deck.scene().store);
  deck.lastFindings.ledTo([finding], target);
  deck.goTo(target.paneId, target);
  deck.choose();
  const {summary, subject, severity} = finding;
  const position = findings.indexOf(finding) + 1;
  const fix = fixWord({findings: [finding]});
  const key = fix === undefined ? say`` : say`; ${KEYS.fix}: ${fix}`;
  deck.notify(
    say`${position} of ${findings.length}, ${safeText(severity)}: ${summary} (${subjectInWords(subject)})${key}`,
    severity === 'critical' ? 'danger' : severity === 'warning' ? 'warning' : 'text',
  );
}

/**
 * The findings that led to where the person is, as far as they still stand; undefined if the person is elsewhere by
 * now.
 */
function ledHere(deck: Deck): readonly Finding[] | undefined {
  const {place} = deck.lastFindings;
  const pane = deck.pane();
  if (place === undefined || place.paneId !== pane.id || !pane.standsOn(place)) return undefined;
  return presentTriage(deck.scene()).findings.filter(finding => deck.lastFindings.has(finding));
}

/** No finding led to where the person is. */
export function isElsewhere(deck: Deck): boolean {
  return ledHere(deck) === undefined;
}

/** The findings that led here; otherwise those about the marked objects, or about the one under the cursor, if any. */
function foundHere(deck: Deck): readonly Finding[] | undefined {
  return ledHere(deck) ?? foundByHand(deck);
}

function foundByHand(deck: Deck): readonly Finding[] | undefined {
  const pane = deck.pane();
  const marked = pane.markedIds();
  const found = presentTriage(deck.scene()).findings.filter(({subject: {type, id}}) => {
    const place = placeOf(type, id);
    if (place?.paneId !== pane.id) return false;
    return marked.size === 0 ? pane.standsOn(place) : marked.has(place.objectId);
  });
  return found.length === 0 ? undefined : found;
}

/** Why there is no finding to act on here; undefined if there is. */
export function noFindingReason(deck: Deck): SafeText | undefined {
  const findings = foundHere(deck);
  if (findings === undefined) return say`no finding is about this; ${KEYS.nextFinding} goes to the next one`;
  return findings.length === 0 ? say`the finding that led here has ended or is muted` : undefined;
}

/** Why there is nothing to fix here; undefined if there is. */
export function noFixReason(deck: Deck): SafeText | undefined {
  const findings = foundHere(deck) ?? [];
  const [first] = findings;
  if (first === undefined) return noFindingReason(deck);
  const scene = deck.scene();
  return fixesOf({findings}).length === 0 ? say`no action fixes this. ${first.advice}` : fixReason({findings}, scene);
}

/** Asks about the action that fixes what was found here. */
export function fixFinding(deck: Deck): void {
  const findings = foundHere(deck) ?? [];
  if (hasSlipped(deck, findings, say`${KEYS.fix} again asks about`)) return;
  const scene = deck.scene();
  const asked = askAboutFix({findings}, scene);
  if (asked.kind !== 'ask') return carryOut(deck, asked);
  const pane = deck.pane();
  const question = withMarkedCount(asked.question, {marked: pane.markedIds(), findings});
  carryOut(deck, {...asked, question: withHiddenCount(question, pane.hiddenMarkedIds(scene))});
}

/** It asks about all that was found, whatever is marked: if not all of it is, the title says so. */
function withMarkedCount(
  question: Question,
  {marked, findings}: {readonly marked: ReadonlySet<number | string>; readonly findings: readonly Finding[]},
): Question {
  const ids = [...new Set(question.steps.map(({action: {id}}) => id))];
  const markedCount = ids.filter(id => id !== undefined && marked.has(id)).length;
  if (ids.length < 2 || markedCount === ids.length) return question;
  const ofFound = findings.length === 1 ? say`of this finding` : say`of these findings`;
  const ofMarked = markedCount === 0 ? say`` : say`, ${markedCount} of them marked`;
  return {
    ...question,
    title: say`${question.title} ${ofFound}${ofMarked}`,
    alternatives: question.alternatives.map(each => ({
      ...each,
      question: withMarkedCount(each.question, {marked, findings}),
    })),
  };
}

/** Mutes what was found here until it gets worse or starts again. */
export function acknowledgeFinding(deck: Deck): void {
  const findings = foundHere(deck) ?? [];
  const [first, ...others] = findings;
  if (first === undefined || hasSlipped(deck, findings, say`${KEYS.mute} again acknowledges`)) return;
  const words = others.length === 0 ? subjectInWords(first.subject) : countedWords(findings.length, say`finding`);
  carryOut(deck, acknowledged({findings, words}, {scene: deck.scene()}));
}

/** As in the overview: the cursor came to another row without a key, and the first key that would act on it says so. */
function hasSlipped(deck: Deck, [first]: readonly Finding[], does: SafeText): boolean {
  if (first === undefined || !deck.pane().settle()) return false;
  deck.notify(say`the row that was here is gone; ${does} ${subjectInWords(first.subject)}`);
  return true;
}

/**
 * Owns which findings the person was led to last, and where. The next one follows wherever they went in between, and
 * the fix key applies to these findings while the person is still there.
 */
export class LastFindings {
  #keys: ReadonlySet<string> = new Set();
  #place: PaneTarget | undefined;

  get place(): PaneTarget | undefined {
    return this.#place;
  }

  /** The finding after the last one, in order and then from the start; the first if that one is gone. */
  next(findings: readonly Finding[]): Finding | undefined {
    return findings[findings.findLastIndex(finding => this.has(finding)) + 1] ?? findings[0];
  }

  ledTo(findings: readonly Finding[], place: PaneTarget): void {
    this.#keys = new Set(findings.map(findingKey));
    this.#place = place;
  }

  /** The machines that the findings name now, and did not name when the person was led to them, all marked. */
  namedSince(findings: readonly Finding[]): readonly number[] {
    const marked = new Set(this.#place?.markedIds);
    const named = findings.filter(finding => this.has(finding)).flatMap(({machineIds = []}) => machineIds);
    return marked.size === 0 ? [] : named.filter(id => !marked.has(id));
  }

  has(finding: Finding): boolean {
    return this.#keys.has(findingKey(finding));
  }
}
