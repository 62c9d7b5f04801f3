import type {Finding} from '../domain/triage/finding.ts';
import {findingKey} from '../domain/triage/mute.ts';
import type {PaneTarget} from '../panes/overview/target.ts';

/**
 * Owns which findings the person was led to last, and where. The next one follows wherever they went in between, and
 * the fix key applies to these findings while the person is still there.
 */
export class FindingTour {
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
