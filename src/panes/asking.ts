import {questionFor} from '../actions/ask.ts';
import type {Candidate} from '../actions/assessment.ts';
import type {CommandResult} from './command.ts';
import type {Scene} from './pane.ts';

/** The question about what was chosen; nothing where nothing of it can be sent. */
export function asking(candidates: readonly Candidate[], scene: Scene): CommandResult {
  const question = questionFor(candidates, scene);
  return question === undefined ? {kind: 'done'} : {kind: 'ask', question};
}
