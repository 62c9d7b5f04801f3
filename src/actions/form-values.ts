/** The service's limit on every name a person chooses. */
export const MAX_NAME_LENGTH = 50;

/** What is wrong with a new name, or undefined. The service refuses two resources of a kind with the same name. */
export function checkName(name: string, taken: readonly string[]): string | undefined {
  const trimmed = name.trim();
  if (trimmed === '') return 'a name is needed';
  const {length} = [...trimmed];
  if (length > MAX_NAME_LENGTH) return `${length} characters, at most ${MAX_NAME_LENGTH}`;
  return taken.includes(trimmed) ? 'this name is already taken' : undefined;
}

/** The service's limit. */
export const MAX_URL_LENGTH = 250;

/** What is wrong with a callback URL; an empty one means none. */
export function checkCallback(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (!/^https?:\/\/[^\s/]+\S*$/i.test(trimmed)) return 'an address like https://host/path';
  return trimmed.length > MAX_URL_LENGTH ? `${trimmed.length} characters, at most ${MAX_URL_LENGTH}` : undefined;
}

/** The comma-separated words, each once. */
export function labelsIn(text: string): readonly string[] {
  return [...new Set(text.split(',').map(word => word.trim()))].filter(word => word !== '');
}

/** An integer within limits, or undefined. */
export function countIn(text: string | undefined, least: number, most: number): number | undefined {
  const trimmed = text?.trim() ?? '';
  const count = Number(trimmed);
  return /^\d+$/.test(trimmed) && count >= least && count <= most ? count : undefined;
}
