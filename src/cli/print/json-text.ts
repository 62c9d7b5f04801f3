import {isHidden} from '../../api/hidden-fields.ts';
import {MARK, MAX_MARKS} from '../../domain/safe-text.ts';

/** Replaces a secret. */
const REDACTED = '[redacted]';

/** Fields of the interface that contain secrets, compared without regard to case and hyphens. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'kube_config',
  'kubeconfig',
  'secret_key',
  'secret',
  'private_key',
  'password',
  'admin_password',
  'vnc_url',
  'user_data',
  'token',
  'api_key',
  'install_command',
]);
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

// Line ends between fields belong to the layout; inside strings the serialiser has already escaped them.
const HIDDEN = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** More combining marks than any script needs; such stacks draw over the lines above. */
const MARK_TOO_MANY = new RegExp(`${MARK.source}(?<=${MARK.source}{${MAX_MARKS + 1}})`, 'gu');

export type JsonOptions = {readonly showsSecrets: boolean; readonly isIndented?: boolean};

/**
 * A value as JSON that is safe on a terminal: characters it would obey, hide, reorder or pile up are written as
 * `\uXXXX`, which parses to the same value. Numbers kept as text are printed with all their digits.
 */
export function jsonText(value: unknown, {showsSecrets, isIndented = false}: JsonOptions): string {
  const text = JSON.stringify(shownValue(value, showsSecrets), undefined, isIndented ? 2 : undefined) ?? 'null';
  return escapedForTerminal(text, escaped);
}

/** A value with its secrets removed, or with everything the client has hidden. */
export function shownValue(value: unknown, showsSecrets: boolean): unknown {
  return showsSecrets ? revealed(value) : withoutSecrets(value);
}

/** Serialised text without any character that a terminal would obey, hide, reorder or pile up. */
export function escapedForTerminal(text: string, escapeOf: (character: string) => string): string {
  return text.replaceAll(HIDDEN, escapeOf).replaceAll(MARK_TOO_MANY, escapeOf);
}

/** The values the client has hidden in its records, unchanged. */
function revealed(value: unknown): unknown {
  if (isHidden(value)) return value.reveal();
  if (Array.isArray(value)) return value.map(revealed);
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, revealed(field)]));
}

/** The same value with every secret replaced; absent secrets stay absent, since null says something too. */
export function withoutSecrets(value: unknown): unknown {
  if (isHidden(value)) return REDACTED;
  if (typeof value === 'string') return PRIVATE_KEY.test(value) ? REDACTED : value;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, isSecret(name, field) ? REDACTED : withoutSecrets(field)]),
  );
}

/** The console's address is inside an object of the same name, which is not a secret itself. */
function isSecret(name: string, value: unknown): boolean {
  const isField = SECRET_FIELDS.has(name.toLowerCase().replaceAll('-', '_'));
  return isField && (name.toLowerCase() === 'vnc_url' ? typeof value === 'string' : value !== null) && value !== '';
}

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map(index => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');
}
