import {safeText, say} from '../domain/safe-text.ts';
import type {Finding} from '../domain/triage/finding.ts';
import {findingKey} from '../domain/triage/mute.ts';
import {targetOf} from '../panes/overview/target.ts';
import {presentTriage} from '../state/triage.ts';
import type {Deck} from './deck.ts';

/** Owns which finding was shown last, so that the next one follows wherever the person went meanwhile. */
export class FindingTour {
  #shownKey: string | undefined;

  /** The finding after the last one, in their order and around; the first where that one is gone. */
  next(findings: readonly Finding[]): Finding | undefined {
    const shownIndex = findings.findIndex(finding => findingKey(finding) === this.#shownKey);
    const finding = findings[shownIndex + 1] ?? findings[0];
    this.#shownKey = finding === undefined ? undefined : findingKey(finding);
    return finding;
  }
}

/** Opens what the next finding is about, and says what was found. */
export function showNextFinding(deck: Deck): void {
  const {findings} = presentTriage(deck.scene());
  const finding = deck.findingTour.next(findings);
  if (finding === undefined) return deck.notify(say`nothing needs attention`);
  const {paneId, ...target} = targetOf(finding, deck.scene().store);
  deck.goTo(paneId, target);
  deck.choose();
  const {summary, subject, severity} = finding;
  const position = findings.indexOf(finding) + 1;
  deck.notify(
    say`${position} of ${findings.length}, ${safeText(severity)}: ${summary} (${subject.name})`,
    severity === 'critical' ? 'danger' : severity === 'warning' ? 'warning' : 'text',
  );
}
