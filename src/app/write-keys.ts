import {joinSafe, say} from '../domain/safe-text.ts';
import {commandOf, curlOf} from '../state/act-command.ts';
import {isArmed} from './confirm.ts';
import type {Deck} from './deck.ts';
import type {Overlay} from './overlay.ts';

/** A single deliberate `y` after the dialog could be read allows writes; every other key does not. */
export function pressUnlock(
  deck: Deck,
  overlay: Extract<Overlay, {kind: 'unlock'}>,
  key: string,
  isAlone: boolean,
): void {
  if (key !== 'y') return deck.setOverlay(undefined);
  if (!isAlone || !isArmed(overlay, deck.now())) return;
  deck.setOverlay(undefined);
  if (deck.writes.unlock(deck.now())) deck.notify(say`writes are allowed for 15 minutes; W locks them`, 'warning');
}

/** The calls of a dry run can be taken along, and that is all. */
export function pressCalls(deck: Deck, overlay: Extract<Overlay, {kind: 'calls'}>, key: string): void {
  const line = {c: commandOf, u: curlOf}[key];
  if (line === undefined) {
    if (key === 'esc' || key === 'q' || key === 'enter') deck.setOverlay(undefined);
    return;
  }
  const {steps} = overlay;
  deck.host.copy(
    joinSafe(
      steps.map(({act}) => line(act)),
      ' && ',
    ),
  );
  deck.notify(steps.length === 1 ? say`copied the line` : say`copied ${steps.length} lines`);
}

/** What was agreed to and not sent is taken up again by a key of its own, not by one among others typed ahead. */
export function pressPlan(deck: Deck, {plan}: Extract<Overlay, {kind: 'plan'}>, key: string, isAlone: boolean): void {
  if (key === 'esc' || key === 'q') return deck.setOverlay(undefined);
  if (key === 'x') return plan.cancel();
  if (key === 'r' && isAlone && !plan.resume()) deck.notify(say`there is nothing left that could be sent`, 'warning');
}
