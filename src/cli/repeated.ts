/** The parser of an option that may be given more than once. */
export function repeated(text: string, texts: readonly string[]): readonly string[] {
  return [...texts, text];
}
