import {candidate, questionFor, reasonAgainst} from '../actions/ask.ts';
import type {Candidate} from '../actions/assessment.ts';
import type {Action} from '../domain/action.ts';
import type {CloudResource} from '../domain/cloud-resource.ts';
import type {SafeText} from '../domain/safe-text.ts';
import type {CommandResult} from './command.ts';
import type {Scene} from './pane.ts';

/** The question about what was chosen; nothing where nothing of it can be sent. */
export function asking(candidates: readonly Candidate[], scene: Scene): CommandResult {
  const question = questionFor(candidates, scene);
  return question === undefined ? {kind: 'done'} : {kind: 'ask', question};
}

type Meant = {readonly action: Action; readonly subject: CloudResource};

/** The key that asks about an action on a row: off for the reason why it cannot be sent now. */
export function rowAction<Row>(meantBy: (row: Row) => Meant): {
  readonly reason: (row: Row, scene: Scene) => SafeText | undefined;
  readonly run: (row: Row, scene: Scene) => CommandResult;
} {
  return {
    reason: (row, scene) => {
      const {action, subject} = meantBy(row);
      return reasonAgainst(action, subject, scene);
    },
    run: (row, scene) => {
      const {action, subject} = meantBy(row);
      return asking([candidate(action, subject, scene)], scene);
    },
  };
}
