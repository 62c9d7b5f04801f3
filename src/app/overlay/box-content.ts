import type {SafeText} from '../../domain/safe-text.ts';
import type {Line} from '../../ui/text.ts';
import type {Deck} from '../deck.ts';
import {helpLines} from '../help.ts';
import {type PaletteEntry, paletteEntries, probablyMeant} from '../palette.ts';
import type {Outstanding} from '../writes.ts';
import type {Overlay} from './overlay.ts';

/** What a box shows besides the scene: what keys and commands would do now, and what leaving would end. */
export type BoxContent =
  | {readonly kind: 'help'; readonly lines: readonly Line[]}
  | {
      readonly kind: 'palette';
      readonly entries: readonly PaletteEntry[];
      /** The name that was probably meant, if there are no entries. */
      readonly meant: SafeText | undefined;
    }
  | {readonly kind: 'leave'; readonly outstanding: Outstanding};

export function boxContent(deck: Deck, overlay: Overlay | undefined): BoxContent | undefined {
  switch (overlay?.kind) {
    case 'help':
      return {kind: 'help', lines: helpLines(deck, overlay.input.text)};
    case 'palette': {
      const typed = overlay.input.text;
      const entries = paletteEntries(deck, typed);
      return {kind: 'palette', entries, meant: entries.length === 0 ? probablyMeant(deck, typed) : undefined};
    }
    case 'leave':
      return {kind: 'leave', outstanding: deck.writes.outstanding()};
    default:
      return undefined;
  }
}
