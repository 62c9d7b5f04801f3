import {nameRemarks, type SafeText} from '../domain/safe-text.ts';
import type {Line} from '../ui/text.ts';

/** What is odd about a name, beside which a question shows the id. */
export function nameLines(name: SafeText): readonly Line[] {
  return nameRemarks(name).map(text => [{text, tone: 'warning'} as const]);
}
