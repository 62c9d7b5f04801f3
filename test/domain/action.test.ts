import {describe, expect, it} from 'vitest';
import {type Action, type Subject, subjectKey, subjectOf} from '../../src/domain/action.ts';

import {safeText} from '../../src/domain/safe-text.ts';
import {EVERY_CASE} from '../actions/every-action.ts';

describe('subjectOf', () => {
  it.each(EVERY_CASE)('of %s has the type that the name of the action begins with', (kind, {confirmed}) => {
    expect(subjectOf(confirmed.action).type).toBe(kind.split('.')[0]);
  });

  it('is the name when there is no id yet, and the region when there is no name', () => {
    const creation = (action: Action) => subjectOf(action);
    expect(creation({kind: 'environment.create', spec: {name: safeText('prod'), regionName: safeText('X')}})).toEqual({
      type: 'environment',
      name: 'prod',
    });
    expect(creation({kind: 'access-key.create', spec: {regionName: safeText('CANADA-1')}})).toEqual({
      type: 'access-key',
      name: 'CANADA-1',
    });
  });
});

describe('subjectKey', () => {
  it('is different for every subject', () => {
    const subjects: readonly Subject[] = [
      {type: 'vm', id: 7},
      {type: 'vm', id: 8},
      {type: 'firewall', id: 7},
      {type: 'vm', name: safeText('7')},
      {type: 'vm', name: safeText('gpu')},
      {type: 'bucket', name: safeText('a'), regionName: safeText('b')},
      {type: 'bucket', name: safeText('a","b')},
      {type: 'bucket', name: safeText('a')},
    ];
    expect(new Set(subjects.map(subjectKey)).size).toBe(subjects.length);
  });
});
