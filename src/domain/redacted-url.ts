import {type SafeText, safeText, say} from './safe-text.ts';

/**
 * A URL in a form that may be stored: where it leads, and a mark that distinguishes it from others. What follows the
 * host can be a password, as with most chat services.
 */
export function redactedUrl(url: SafeText): SafeText {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#@]*)/i.exec(url);
  const host = origin?.[1] ?? '';
  return say`${safeText(host)}/\u2026${fingerprint(url)}`;
}

/** Whether the URL found is the wanted one, of which only the redacted form may be known. */
export function isSameUrl(wanted: SafeText, found: SafeText): boolean {
  return wanted === found || wanted === redactedUrl(found);
}

/** FNV-1a with 32 bits: enough to distinguish two URLs of one person, too short to recover one. */
function fingerprint(text: string): SafeText {
  let hash = 0x811c9dc5;
  for (const unit of text) {
    hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return safeText(hash.toString(16).padStart(8, '0'));
}
