import {hasEscapes, hasMixedScripts, type SafeText} from '../domain/safe-text.ts';
import type {Line} from '../ui/text.ts';

/** What is odd about a name, beside which a question shows the id: it may have been made to look like another one. */
export function nameLines(name: SafeText): readonly Line[] {
  return [
    ...(hasEscapes(name)
      ? [[{text: 'Its name holds hidden or control characters, shown here in their place.', tone: 'warning'} as const]]
      : []),
    ...(hasMixedScripts(name)
      ? [[{text: 'Its name mixes alphabets that look alike: compare the id.', tone: 'warning'} as const]]
      : []),
  ];
}
