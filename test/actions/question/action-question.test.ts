import {textOf} from '../../../src/ui/text.ts';
import {describe, expect, it} from 'vitest';
import {
  actionQuestion,
  callsFact,
  cannotCreateReason,
  lockReason,
  permissionReason,
} from '../../../src/actions/question/action-question.ts';
import {reasonAgainst} from '../../../src/actions/question/question-for.ts';
import {createCluster} from '../../../src/actions/clusters.ts';
import type {ActionRecord} from '../../../src/actions/define.ts';
import {createEnvironment} from '../../../src/actions/environments.ts';
import {createFirewall} from '../../../src/actions/firewalls.ts';
import {importKeyPair} from '../../../src/actions/key-pairs.ts';
import {createMachines} from '../../../src/actions/machines/creation.ts';
import {createAccessKey} from '../../../src/actions/object-storage.ts';
import {createVolume} from '../../../src/actions/volumes.ts';
import type {Action} from '../../../src/domain/action.ts';
import type {Permission} from '../../../src/domain/permission.ts';
import {safeText, say} from '../../../src/domain/safe-text.ts';
import {monotonicMs} from '../../../src/domain/time.ts';
import {volumeId} from '../../../src/domain/volume.ts';
import type {Scene} from '../../../src/panes/pane.ts';
import {permissionsFeed} from '../../../src/state/account.ts';
import {volumesFeed} from '../../../src/state/volumes.ts';
import {aReadScene, failing, listed, questionText, read, textsOf} from '../../panes/a-read-scene.ts';

const DELETE: Action = {kind: 'volume.delete', id: volumeId(38_112)};
const BASICS = {
  title: say`delete volume scratch`,
  steps: [{action: DELETE, subjectName: safeText('scratch')}],
  happens: [[{text: 'It is gone.'}]],
  undo: [{text: 'none'}],
  answer: {kind: 'key'},
} as const;
const DOWN: Scene['health'] = {
  status: 'down',
  failure: {kind: 'cut', detail: safeText('reset')},
  since: monotonicMs(40_000),
  retryAt: monotonicMs(110_000),
  attemptCount: 3,
  goodAnswerCount: 0,
};

function allowed(...permissions: readonly (readonly [string, string])[]): Permission[] {
  return permissions.map(([method, endpoint]) => ({
    resource: safeText('volumes'),
    method: safeText(method),
    endpoint: safeText(endpoint),
  }));
}

describe('actionQuestion', () => {
  it('shows what happens, costs, warnings, calls and undo, always in this order', () => {
    const question = actionQuestion({
      ...BASICS,
      costs: [[{text: 'saves $0.19/h'}]],
      warnings: [[{text: 'It is in use.', tone: 'warning'}]],
    });
    expect(question.facts.map(({label}) => label)).toEqual([
      'What happens',
      'What it costs',
      'Warnings',
      'Calls',
      'Undo',
    ]);
    expect(question.steps).toEqual(BASICS.steps);
  });

  it('leaves out empty facts, and labels a mere remark "Right now"', () => {
    expect(actionQuestion(BASICS).facts.map(({label}) => label)).toEqual(['What happens', 'Calls', 'Undo']);
    const remark = actionQuestion({...BASICS, warnings: [[{text: 'Nobody uses it.'}]]});
    expect(remark.facts.map(({label}) => label)).toContain('Right now');
  });

  it('keeps what is merely so apart from the warnings', () => {
    const stock = [{text: '12 in stock.'}];
    const {facts} = actionQuestion({...BASICS, warnings: [stock, [{text: 'Quota full.', tone: 'warning'}]]});
    expect(facts.map(({label, lines}) => [label, lines.map(textOf)])).toEqual([
      ['What happens', expect.anything()],
      ['Warnings', ['Quota full.']],
      ['Right now', ['12 in stock.']],
      ['Calls', expect.anything()],
      ['Undo', expect.anything()],
    ]);
  });

  it('warns of a name with characters that a terminal would hide', () => {
    const subjectName = safeText('scratch\u202egnp');
    const question = actionQuestion({...BASICS, steps: [{action: DELETE, subjectName}]});
    expect(questionText(question)).toContain('Warnings');
    expect(questionText(question)).toContain('hidden or control characters');
  });
});

describe('callsFact', () => {
  it('lists the request of each action in order, and says that none is retried', () => {
    const rename: Action = {kind: 'bucket.delete', name: safeText('raw data'), regionName: safeText('CANADA-1')};
    expect(textsOf(callsFact([DELETE, rename]).lines)).toBe(
      [
        '1: DELETE /core/volumes/38112',
        '2: DELETE /object-storage/buckets/raw%20data?region=CANADA-1',
        'each sent once, never retried',
      ].join('\n'),
    );
  });
});

describe('the reasons against an action', () => {
  it('are absent when the session can write, the service answers and nothing is under way', () => {
    expect(reasonAgainst(DELETE, undefined, aReadScene([]))).toBeUndefined();
    expect(cannotCreateReason(aReadScene([]), createVolume)).toBeUndefined();
  });

  it('say that a read-only session has no operations', () => {
    const scene = aReadScene([], {operations: undefined});
    expect(reasonAgainst(DELETE, undefined, scene)).toContain('read-only');
    expect(cannotCreateReason(scene, createVolume)).toContain('read-only');
  });

  it('say that the service is down, and since when', () => {
    const scene = aReadScene([], {health: DOWN, monotonicNow: monotonicMs(100_000)});
    expect(lockReason(scene, {type: 'volume', id: 38_112})).toBe('link down 1m: nothing can be sent');
    expect(cannotCreateReason(scene, createVolume)).toBe('link down 1m: nothing can be sent');
    const failure = {kind: 'service-error', httpStatus: 503, message: safeText('busy')} as const;
    const failing = {...DOWN, failure, failingSince: monotonicMs(10_000)};
    expect(
      cannotCreateReason(aReadScene([], {health: failing, monotonicNow: monotonicMs(130_000)}), createVolume),
    ).toBe('service failing 2m: nothing can be sent');
  });

  it('say that the role does not allow the call, once permissions that name calls are known', () => {
    const without = aReadScene([listed(permissionsFeed, allowed(['GET', '/core/volumes']))]);
    expect(reasonAgainst(DELETE, undefined, without)).toBe(
      'the role of this key does not allow DELETE /core/volumes/38112',
    );
    const having = aReadScene([listed(permissionsFeed, allowed(['DELETE', '/core/volumes/{volume_id}']))]);
    expect(permissionReason(having, DELETE)).toBeUndefined();
    const bare = aReadScene([listed(permissionsFeed, [{resource: safeText('volumes')}])]);
    expect(permissionReason(bare, DELETE)).toBeUndefined();
  });

  it('are absent when the permissions are incomplete, since a missing one may allow the call', () => {
    const records = allowed(['GET', '/core/volumes']);
    const torn = read(permissionsFeed, {records, quarantined: [{id: safeText('12'), fields: [safeText('resource')]}]});
    expect(permissionReason(aReadScene([torn]), DELETE)).toBeUndefined();
    const short = read(permissionsFeed, {records, quarantined: [], incompleteReason: 'repeated-page'});
    expect(permissionReason(aReadScene([short]), DELETE)).toBeUndefined();
  });

  it('include an id of zero, whatever the key may do', () => {
    const nothing: Action = {kind: 'volume.delete', id: volumeId(0)};
    expect(permissionReason(aReadScene([]), nothing)).toBe('its id is 0, which is not a valid id');
  });

  it.each<[string, ActionRecord, string]>([
    ['vm', createMachines, '/core/virtual-machines'],
    ['cluster', createCluster, '/core/clusters'],
    ['firewall', createFirewall, '/core/firewalls'],
    ['volume', createVolume, '/core/volumes'],
    ['key-pair', importKeyPair, '/core/keypairs'],
    ['environment', createEnvironment, '/core/environments'],
    ['access-key', createAccessKey, '/object-storage/access-keys'],
  ])('say before the form for a new %s that the role does not allow it', (_type, record, path) => {
    const without = aReadScene([listed(permissionsFeed, allowed(['GET', path]))]);
    expect(cannotCreateReason(without, record)).toBe(`the role of this key does not allow POST ${path}`);
    expect(cannotCreateReason(aReadScene([listed(permissionsFeed, allowed(['POST', path]))]), record)).toBeUndefined();
  });

  it('treat a list refused with 403 as a missing role when the permissions show nothing', () => {
    const refused = (httpStatus: 401 | 403) => {
      const scene = failing(aReadScene([]), volumesFeed, {kind: 'not-authorised', httpStatus, message: safeText('no')});
      return cannotCreateReason(scene, createVolume);
    };
    expect(refused(403)).toBe('the role of this key may not read volumes');
    expect(refused(401)).toBeUndefined();
    expect(cannotCreateReason(failing(aReadScene([]), volumesFeed), createVolume)).toBeUndefined();
  });
});
