import {assert} from '../domain/assert.ts';
import {type SafeText, say} from '../domain/safe-text.ts';

type CheckedUrl = {readonly ok: true; readonly url: URL} | {readonly ok: false; readonly mistake: SafeText};

/**
 * Checks a base URL: https, or plain http on this computer; only scheme, host, port and path. The error never repeats
 * the text, which may contain a password.
 */
export function checkBaseUrl(text: string): CheckedUrl {
  const url = URL.parse(text);
  if (url === null) {
    const lacksScheme = text !== '' && URL.canParse(`https://${text}`);
    const mistake = lacksScheme
      ? say`the base URL has no https:// in front (http:// is accepted on this computer)`
      : say`the base URL is not a URL`;
    return {ok: false, mistake};
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return {ok: false, mistake: say`the base URL must start with https://`};
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return {ok: false, mistake: say`the base URL must use https; plain http would show the key to the network`};
  }
  if (url.username !== '' || url.password !== '') {
    return {ok: false, mistake: say`the base URL must not contain a user name or a password`};
  }
  if (/[?#]/.test(text)) return {ok: false, mistake: say`the base URL must not contain a query or a fragment`};
  return {ok: true, url};
}

/** The one origin and path the key may be sent to. */
export type Pin = {readonly origin: string; readonly basePath: string};

export function pinTo(baseUrl: string): Pin {
  const checked = checkBaseUrl(baseUrl);
  assert(checked.ok, 'a base URL that was not checked');
  return {origin: checked.url.origin, basePath: checked.url.pathname.replace(/\/+$/, '')};
}

/** Concatenated, because resolving a path against a base that ends in `/v1` would drop the `/v1`. */
export function urlAt(pin: Pin, pathAndQuery: string): URL {
  assert(pathAndQuery.startsWith('/'), 'a path that does not start with a slash');
  return new URL(`${pin.origin}${pin.basePath}${pathAndQuery}`);
}

/**
 * Whether the key may be sent to a URL: same origin, below its path, and encrypted unless it stays on this computer.
 */
export function isPinned(pin: Pin, url: URL): boolean {
  const isPrivate = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  return isPrivate && url.origin === pin.origin && url.pathname.startsWith(`${pin.basePath}/`);
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
