import {type SafeText, safeText, say} from './safe-text.ts';

/**
 * An address as it may be kept: where it leads, and a mark that tells it from another one. Whatever stands behind the
 * host can be a password, as it is with most chat services.
 */
export function redactedUrl(url: SafeText): SafeText {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#@]*)/i.exec(url);
  const host = origin?.[1] ?? '';
  return say`${safeText(host)}/…${fingerprint(url)}`;
}

/** Whether the address found is the one wanted, which may be known in its redacted form alone. */
export function isSameUrl(wanted: SafeText, found: SafeText): boolean {
  return wanted === found || wanted === redactedUrl(found);
}

/** FNV-1a over 32 bits: enough to tell two addresses of one person apart, too short to get one back. */
function fingerprint(text: string): SafeText {
  let hash = 0x811c9dc5;
  for (const unit of text) {
    hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return safeText(hash.toString(16).padStart(8, '0'));
}
