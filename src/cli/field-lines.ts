import {safeText} from '../domain/safe-text.ts';
import {jsonText, withoutSecrets} from './json-text.ts';

/** Every field of a record on a line of its own, under the service's names: `flavor.cpu  28`, `labels.0  prod`. */
export function fieldLines(raw: unknown, {showsSecrets}: {readonly showsSecrets: boolean}): readonly string[] {
  const fields = flattened(showsSecrets ? raw : withoutSecrets(raw), '');
  const width = Math.max(0, ...fields.map(({path}) => path.length));
  return fields.map(({path, value}) => `${path.padEnd(width)}  ${valueText(value, showsSecrets)}`.trimEnd());
}

type Field = {readonly path: string; readonly value: unknown};

function flattened(value: unknown, path: string): readonly Field[] {
  const isBranch = typeof value === 'object' && value !== null && !JSON.isRawJSON(value) && !('reveal' in value);
  const entries = isBranch ? Object.entries(value) : [];
  if (entries.length === 0) return [{path: safeText(path === '' ? 'value' : path), value}];
  return entries.flatMap(([name, field]) => flattened(field, path === '' ? name : `${path}.${name}`));
}

/** Text without its quotes; everything else as JSON writes it. */
function valueText(value: unknown, showsSecrets: boolean): string {
  return typeof value === 'string' ? safeText(value) : jsonText(value, {showsSecrets});
}
