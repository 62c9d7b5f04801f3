import {type Endpoint, endsInOperation, type OperationEndpoint} from './endpoint.ts';

/** A path as sent, in the one spelling that was also checked. */
export type NormalisedPath = {
  readonly path: string;
  /** What came after a `?`. */
  readonly query: readonly (readonly [string, string])[];
  /** The read of the interface table it matches; undefined for an operation and for anything unknown. */
  readonly read: Endpoint | undefined;
  /** The operation of the table that it matches: how it answers. */
  readonly operation: OperationEndpoint<never> | undefined;
};

/** Servers decode once, some twice; a path that still changes after this many rounds is refused. */
const MAX_DECODINGS = 3;
const MAX_PATH_LENGTH = 2048;

/**
 * Normalises a path: no dot segments, no double or backward slashes, no needless percent-encoding, no version prefix,
 * and the interface's own capitals. The path that is checked is the one that is sent, so no other spelling of an
 * operation can pass for a read. Undefined for text that cannot be a path.
 */
export function normalisePath(
  written: string,
  method: string,
  {endpoints, basePath}: {readonly endpoints: readonly Endpoint[]; readonly basePath: string},
): NormalisedPath | undefined {
  const [pathText = '', queryText = '', ...rest] = written.split('?');
  if (rest.length > 0 || /[#\s\p{Cc}]/u.test(written) || written.length > MAX_PATH_LENGTH) return undefined;
  const segments = segmentsOf(pathText);
  if (segments === undefined || segments.length === 0) return undefined;
  const base = basePath.split('/').filter(segment => segment !== '');
  const isPrefixed = base.length > 0 && base.every((segment, index) => segments[index] === segment);
  const own = isPrefixed ? segments.slice(base.length) : segments;
  const reads = endpoints.filter(({effect}) => effect === 'read');
  const read = method === 'GET' ? reads.find(({template}) => isOf(template, own)) : undefined;
  const path = read === undefined ? plainPath(own) : spelledAs(read.template, own);
  const isRead = read !== undefined && !endsInOperation(path);
  const operations = endpoints.flatMap(endpoint => (endpoint.effect === 'operation' ? [endpoint] : []));
  const operation = operations.find(each => each.method === method && isOf(each.template, own));
  return {path, query: [...new URLSearchParams(queryText)], read: isRead ? read : undefined, operation};
}

function segmentsOf(pathText: string): readonly string[] | undefined {
  const segments: string[] = [];
  const decoded = decodedWhole(pathText)?.replaceAll('\\', '/');
  if (decoded === undefined) return undefined;
  for (const segment of decoded.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') segments.pop();
    else segments.push(segment);
  }
  return segments;
}

/** Decoded until nothing changes: a slash or dot may be encoded more than once. */
function decodedWhole(text: string): string | undefined {
  let decoded = text;
  for (let count = 0; count < MAX_DECODINGS; count += 1) {
    try {
      const next = decodeURIComponent(decoded);
      if (next === decoded) return /[?#\p{Cc}]/u.test(decoded) ? undefined : decoded;
      decoded = next;
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** An id must be a number; a name may be anything. Literal segments are compared without regard to case. */
function isOf(template: string, segments: readonly string[]): boolean {
  const parts = partsOf(template);
  return (
    parts.length === segments.length &&
    parts.every((part, index) => {
      const segment = segments[index] ?? '';
      if (!part.startsWith('{')) return part === segment.toLowerCase();
      return isNumbered(part) ? /^[1-9]\d{0,15}$/.test(segment) : true;
    })
  );
}

/** `{id}` and similar are numbers; a job and a name are text. */
function isNumbered(part: string): boolean {
  return /^\{(?:id|ruleId|nodeId|contractId)\}$/.test(part);
}

function spelledAs(template: string, segments: readonly string[]): string {
  const parts = partsOf(template).map((part, index) => (part.startsWith('{') ? (segments[index] ?? '') : part));
  return plainPath(parts);
}

function plainPath(segments: readonly string[]): string {
  return `/${segments.map(segment => encodeURIComponent(segment.toWellFormed())).join('/')}`;
}

function partsOf(template: string): readonly string[] {
  return template.split('/').filter(part => part !== '');
}
