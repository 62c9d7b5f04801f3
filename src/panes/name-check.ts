/** The service's limit on every name a person chooses. */
export const MAX_NAME_LENGTH = 50;

/** What is wrong with a name that is to be given, or undefined. The service refuses a second one of the same kind. */
export function checkName(name: string, taken: readonly string[]): string | undefined {
  const trimmed = name.trim();
  if (trimmed === '') return 'a name is needed';
  const {length} = [...trimmed];
  if (length > MAX_NAME_LENGTH) return `${length} characters, at most ${MAX_NAME_LENGTH}`;
  return taken.includes(trimmed) ? 'there is one of this name already' : undefined;
}
