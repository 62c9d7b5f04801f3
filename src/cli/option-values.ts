import {InvalidArgumentError} from 'commander';

/** The parser of an option that may be given more than once. */
export function repeated(text: string, texts: readonly string[]): readonly string[] {
  return [...texts, text];
}

/** The parser of an option that takes a whole number within bounds. */
export function wholeNumber(low: number, high: number): (text: string) => number {
  return text => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= low && value <= high) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${low} to ${high}.`);
  };
}
