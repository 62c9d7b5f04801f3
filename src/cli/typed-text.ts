import type {Command, Option} from 'commander';
import {alteration, type SafeText, safeText, say} from '../domain/safe-text.ts';

/**
 * What is wrong with an argument or option, by its name: text that would not be sent as it was written. A file is named
 * and not sent, so its path may be anything.
 */
export function typedMistake(
  command: Command,
  options: readonly Option[],
  given: readonly unknown[],
): SafeText | undefined {
  const written = [
    ...command.registeredArguments.map((argument, index) => [argument.name(), given[index]] as const),
    ...options
      .filter(({flags}) => !flags.endsWith('<file>'))
      .map(option => [option.long ?? option.flags, command.getOptionValue(option.attributeName())] as const),
  ];
  for (const [field, value] of written) {
    for (const text of [value].flat()) {
      const altered = typeof text === 'string' ? alteration(text) : undefined;
      if (altered !== undefined) return say`${safeText(field)}: ${altered}`;
    }
  }
  return undefined;
}
