/** The service's limit on every name a person chooses. */
export const MAX_NAME_LENGTH = 50;

/** What is wrong with a name that is to be given, or undefined. The service refuses a second one of the same kind. */
export function checkName(name: string, taken: readonly string[]): string | undefined {
  const trimmed = name.trim();
  if (trimmed === '') return 'a name is needed';
  const {length} = [...trimmed];
  if (length > MAX_NAME_LENGTH) return `${length} characters, at most ${MAX_NAME_LENGTH}`;
  return taken.includes(trimmed) ? 'this name is already taken' : undefined;
}

/** The service takes no longer one. */
export const MAX_URL_LENGTH = 250;

/** What is wrong with an address that the service is to call; an empty one is none. */
export function checkCallback(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (!/^https?:\/\/[^\s/]+\S*$/i.test(trimmed)) return 'an address like https://host/path';
  return trimmed.length > MAX_URL_LENGTH ? `${trimmed.length} characters, at most ${MAX_URL_LENGTH}` : undefined;
}

/** The words between the commas, each once. */
export function labelsIn(text: string): readonly string[] {
  return [...new Set(text.split(',').map(word => word.trim()))].filter(word => word !== '');
}

/** A whole number within bounds, or undefined. */
export function countIn(text: string | undefined, least: number, most: number): number | undefined {
  const trimmed = text?.trim() ?? '';
  const count = Number(trimmed);
  return /^\d+$/.test(trimmed) && count >= least && count <= most ? count : undefined;
}
