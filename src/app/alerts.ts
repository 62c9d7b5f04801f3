import type {AlertPreferences} from '../domain/preferences.ts';
import {joinSafe, type SafeText, safeText, say} from '../domain/safe-text.ts';
import {type DurationMs, MINUTE_MS, type MonotonicMs} from '../domain/time.ts';
import {type Finding, subjectInWords} from '../domain/triage/finding.ts';
import {findingKey} from '../domain/triage/mute.ts';
import {findingRecord} from '../domain/triage/finding-record.ts';

/** How a new critical finding is announced outside the deck. */
export type AlertHost = {
  readonly ring: () => void;
  readonly notify: (text: SafeText, style: 'osc9' | 'osc777') => void;
  /** Runs the person's command with this text on its standard input; returns the reason if it failed. */
  readonly run: (words: readonly string[], input: string) => Promise<string | undefined>;
};

/** A finding that disappears and comes back within this time counts as the same one. */
const GONE_AFTER_MS: DurationMs = 5 * MINUTE_MS;
/** Of many findings at once, this many are passed to the command; the bell rings once for all. */
const MAX_WAITING = 20;
const NAMED = 3;

/**
 * Owns which critical findings were announced, so that each alerts once, and the command that is told of them, one run
 * at a time. Findings present when the deck opened do not alert: they are on its screen.
 */
export class Alerts {
  readonly #preferences: AlertPreferences;
  readonly #host: AlertHost;
  readonly #tell: (trouble: SafeText) => void;
  /** By the finding's key: when it was last there. */
  #known: Map<string, MonotonicMs> | undefined;
  readonly #waiting: Finding[] = [];
  #isRunning = false;

  constructor(preferences: AlertPreferences, host: AlertHost, tell: (trouble: SafeText) => void) {
    this.#preferences = preferences;
    this.#host = host;
    this.#tell = tell;
  }

  get isOn(): boolean {
    const {bell, notification, command} = this.#preferences;
    return bell || notification !== 'off' || command.length > 0;
  }

  /** To be called with all findings after each judgement; `isWhole` once everything they are judged by was read. */
  check(findings: readonly Finding[], {isWhole, now}: {readonly isWhole: boolean; readonly now: MonotonicMs}): void {
    const critical = findings.filter(({severity}) => severity === 'critical');
    if (this.#known === undefined && !isWhole) return;
    const known = this.#known ?? new Map(critical.map(finding => [findingKey(finding), now]));
    const risen = critical.filter(finding => !known.has(findingKey(finding)));
    for (const finding of critical) known.set(findingKey(finding), now);
    for (const [key, seenAt] of known) if (now - seenAt >= GONE_AFTER_MS) known.delete(key);
    this.#known = known;
    if (risen.length > 0) this.#ring(risen);
  }

  #ring(risen: readonly Finding[]): void {
    const {bell, notification, command} = this.#preferences;
    if (bell) this.#host.ring();
    if (notification !== 'off') this.#host.notify(say`skydeck: ${wordsOf(risen)}`, notification);
    if (command.length === 0) return;
    this.#waiting.push(...risen.slice(0, MAX_WAITING - this.#waiting.length));
    void this.#runNext();
  }

  async #runNext(): Promise<void> {
    if (this.#isRunning) return;
    const finding = this.#waiting.shift();
    if (finding === undefined) return;
    this.#isRunning = true;
    const trouble = await this.#host.run(this.#preferences.command, `${JSON.stringify(findingRecord(finding))}\n`);
    this.#isRunning = false;
    if (trouble !== undefined) this.#tell(say`alert command: ${safeText(trouble)}`);
    await this.#runNext();
  }
}

function wordsOf(findings: readonly Finding[]): SafeText {
  const named = findings.slice(0, NAMED).map(({summary, subject}) => say`${subjectInWords(subject)}: ${summary}`);
  const more = findings.length - named.length;
  return joinSafe(more > 0 ? [...named, say`${more} more`] : named, '; ');
}
