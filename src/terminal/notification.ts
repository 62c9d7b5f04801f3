import type {SafeText} from '../domain/safe-text.ts';

/** The maximum length shown; terminals cut longer notifications anyway. */
const MAX_CHARACTERS = 200;

/** The sequence that makes the terminal show a notification on the person's own computer, through SSH as well. */
export function notificationSequence(text: SafeText, style: 'osc9' | 'osc777'): string {
  const shown = [...text].slice(0, MAX_CHARACTERS).join('');
  // A semicolon separates the fields of this sequence.
  return style === 'osc9' ? `\u001b]9;${shown}\u0007` : `\u001b]777;notify;skydeck;${shown.replaceAll(';', ',')}\u0007`;
}
