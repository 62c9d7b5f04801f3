import type {SafeText} from '../domain/safe-text.ts';

/** What a notification shows of it; terminals cut longer ones anyway. */
const MAX_CHARACTERS = 200;

/** The sequence by which a terminal shows a notification on its own machine, through SSH as well. */
export function notificationSequence(text: SafeText, style: 'osc9' | 'osc777'): string {
  const shown = [...text].slice(0, MAX_CHARACTERS).join('');
  // A semicolon ends a field of this one.
  return style === 'osc9' ? `\u001b]9;${shown}\u0007` : `\u001b]777;notify;skydeck;${shown.replaceAll(';', ',')}\u0007`;
}
