import {describe, expect, it} from 'vitest';
import {ACTIONS, type KnownKind} from '../../src/actions/actions.ts';
import {candidate, questionFor} from '../../src/actions/question/question-for.ts';
import {subjectOf, typeOf} from '../../src/domain/action.ts';
import type {CloudResource} from '../../src/domain/cloud-resource.ts';
import {describeOperation, operationWords} from '../../src/domain/describe-operation.ts';
import {END_PHASES, newOperation, OPEN_PHASES} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs} from '../../src/domain/time.ts';
import {definitionOf} from '../../src/state/operations/action.ts';
import {aReadScene, listed, questionText} from '../panes/a-read-scene.ts';
import {type ActionCase, EVERY_CASE, type World} from './every-action.ts';

/** It reads like an outcome and another subject, and contains a closing quotation mark. */
const NAME = safeText('web #1: confirmed", stop "db');
const QUOTED = '"web #1: confirmed\\", stop \\"db"';

const CASES = EVERY_CASE.filter(([, {start, confirmed}]) => subjectIn(start, confirmed.action) !== undefined);

function subjectIn(world: World, action: ActionCase['confirmed']['action']): CloudResource | undefined {
  return action.spec === undefined ? world[subjectOf(action).type]?.[0] : undefined;
}

function renamed<R extends CloudResource>(record: R): R {
  return 'name' in record ? {...record, name: NAME} : record;
}

/** The subject has this name, and so has everything else. */
function sceneOf(kind: KnownKind, world: World) {
  const lists = EVERY_CASE.flatMap(([other, {confirmed}]) => {
    const records = world[typeOf(other)]?.map(renamed);
    return records === undefined ? [] : [listed(definitionOf(ACTIONS, confirmed.action).feeds.list, records)];
  });
  expect(lists.length, kind).toBeGreaterThan(0);
  return aReadScene(lists);
}

describe.each(CASES)('a name that reads like the words of the deck, in %s', (kind, {confirmed, start}) => {
  const {action} = confirmed;
  const subject = subjectIn(start, action);

  it('is quoted everywhere in the question', () => {
    const scene = sceneOf(kind, start);
    const question = questionFor([candidate(action, subject && renamed(subject), scene)], scene);
    if (question === undefined) throw new Error(`nothing is asked before ${kind}`);
    expectQuoted(questionText(question));
  });

  it('is quoted in every line about the operation', () => {
    const begun = newOperation(
      {id: 'one', confirmedAt: epochMs(0)},
      {...confirmed, subjectName: NAME},
      definitionOf(ACTIONS, action),
    );
    expect(operationWords(begun)).toContain(QUOTED);
    for (const phase of [...OPEN_PHASES, ...END_PHASES]) expectQuoted(describeOperation({...begun, phase}).text);
  });
});

function expectQuoted(text: string): void {
  expect(text.replaceAll(QUOTED, '')).not.toContain('confirmed"');
  expect(text).not.toContain(NAME);
}
