import {say} from '../domain/safe-text.ts';
import type {Deck} from './deck.ts';
import type {OpenSecret} from './overlay.ts';
import {copiedText, isLostByClosing, readingOf} from './one-time-secret.ts';
import {KEYS} from '../actions/keys.ts';

/** A log is longer than any screen; its real end is found when it is drawn. */
const STEPS: Readonly<Record<string, number>> = {up: 1, k: 1, down: -1, j: -1};

/** Copies, scrolls and closes. Every other key does nothing, so that none closes it by mistake. */
export function pressSecret(deck: Deck, open: OpenSecret, key: string): void {
  const shown = readingOf(open, deck.scene().store, deck.now());
  if (key === 'esc') {
    if (!isLostByClosing(open)) {
      // The warning of the first press no longer applies.
      if (open.isWarned) deck.notify(say`closed`);
      return deck.setOverlay(undefined);
    }
    deck.notify(say`this secret is not shown again: ${KEYS.copy} copies it, ${KEYS.back} again closes it`, 'warning');
    return deck.setOverlay({...open, isWarned: true});
  }
  if (key === 'ctrl-s') return deck.notify(say`what is shown here is not saved`, 'warning');
  if (key === KEYS.copy) {
    const text = copiedText(shown);
    if (text === undefined) return deck.notify(say`nothing to copy here`);
    deck.host.copy(text);
    // What was copied is a credential, so the message does not repeat it.
    deck.notify(say`copied`);
    return deck.setOverlay({...open, isCopied: true});
  }
  const lineCount = shown.status === 'lines' ? shown.lines.length : 0;
  const offset = scrolled(open.offset, key, lineCount, deck.scene().size.rows);
  if (offset !== open.offset) deck.setOverlay({...open, offset});
}

/** Counted from the end of the log, where the newest lines are. */
function scrolled(offset: number, key: string, lineCount: number, rows: number): number {
  const page = Math.max(1, rows - 2);
  const pages: Readonly<Record<string, number>> = {pageup: page, 'ctrl-b': page, pagedown: -page, 'ctrl-f': -page};
  const last = Math.max(0, lineCount - page);
  if (key === 'g' || key === 'home') return last;
  if (key === 'G' || key === 'end') return 0;
  const step = STEPS[key] ?? pages[key] ?? 0;
  return Math.min(Math.max(0, offset + step), last);
}
