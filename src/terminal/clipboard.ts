import type {SafeText} from '../domain/safe-text.ts';

/**
 * Terminals refuse long clipboard texts, some of them silently, from 74,994 bytes on. Names and addresses are far
 * shorter.
 */
const MAX_BYTES = 4096;

/**
 * The sequence that puts text on the clipboard of the person's own computer, through SSH as well (OSC 52). To be sent
 * only when a key asks for it. Undefined if the text is too long, because part of an address would be misleading.
 */
export function clipboardSequence(...lines: readonly SafeText[]): string | undefined {
  const bytes = Buffer.from(lines.join('\n'), 'utf8');
  return bytes.length > MAX_BYTES ? undefined : `\u001b]52;c;${bytes.toString('base64')}\u0007`;
}
