import {describe, expect, it} from 'vitest';
import {recordOf} from '../../src/actions/actions.ts';
import {candidate} from '../../src/actions/question/question-for.ts';
import type {Action} from '../../src/domain/action.ts';
import type {CloudResource} from '../../src/domain/cloud-resource.ts';
import {describeOperation} from '../../src/domain/describe-operation.ts';
import type {History, Observation} from '../../src/domain/observation.ts';
import {afterObservation, afterReply, afterSending, type Operation} from '../../src/domain/operation.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs, MINUTE_MS, monotonicMs} from '../../src/domain/time.ts';
import {type VirtualMachine, virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {anOperation} from './an-operation.ts';
import {EVERY_ACTION} from './every-action.ts';
import {environmentId} from '../../src/domain/environment.ts';
import {aReadScene} from '../panes/a-read-scene.ts';
import {aFirewall, aMachine, aVolume, environment, keyPair} from './some-things.ts';

const text = safeText;
const FIVE: Action = {
  kind: 'vm.create',
  spec: {
    name: text('node'),
    environmentName: text('prod'),
    flavorName: text('n3-L40x1'),
    keyPairName: text('laptop'),
    count: 3,
  },
};

function machines(...all: readonly (readonly [name: string, status: VirtualMachine['status']])[]): VirtualMachine[] {
  return all.map(([name, status], index) => aMachine({id: virtualMachineId(index + 1), name: text(name), status}));
}

function look(records: readonly CloudResource[], startedAt = 20): Observation<CloudResource> {
  return {startedAt: monotonicMs(startedAt), records, isWhole: true};
}

const UNSEEN: History<CloudResource> = {confirmedAt: epochMs(1_700_000_000_000), hasSeenTransition: false};

function evidence(action: Action, records: readonly CloudResource[], history: Partial<History<CloudResource>> = {}) {
  return recordOf(action).evidence(action, look(records), {...UNSEEN, ...history});
}

describe('several machines created at once', () => {
  it.each<[string, readonly VirtualMachine[], object]>([
    ['none exists', [], {kind: 'unchanged'}],
    [
      'one is being created',
      machines(['node-1', 'BUILD'], ['node-2', 'ACTIVE'], ['node-3', 'ACTIVE']),
      {kind: 'transition'},
    ],
    ['all are active', machines(['node-1', 'ACTIVE'], ['node-2', 'ACTIVE'], ['node-3', 'ACTIVE']), {kind: 'target'}],
    [
      'one has failed',
      machines(['node-1', 'ACTIVE'], ['node-2', 'ERROR'], ['node-3', 'ACTIVE']),
      {kind: 'elsewhere', detail: '1 of 3: it is ERROR'},
    ],
    [
      'one was never created',
      machines(['node-1', 'ACTIVE'], ['node-2', 'ACTIVE']),
      {kind: 'transition', unlessLate: '2 of 3 were created'},
    ],
    [
      'others have similar names',
      machines(['node', 'CREATING'], ['node-x', 'ERROR'], ['nodes', 'ERROR']),
      {kind: 'transition'},
    ],
  ])('give the right evidence when %s', (_name, records, expected) => {
    expect(evidence(FIVE, records)).toEqual(expected);
  });

  it('are identified by the ids in the answer, if it has any, whatever their names', () => {
    const records = machines(['a', 'ACTIVE'], ['b', 'ACTIVE'], ['c', 'BUILD'], ['node-1', 'ERROR']);
    expect(evidence(FIVE, records, {result: {kind: 'created', ids: [1, 2, 3]}})).toEqual({kind: 'transition'});
  });

  it('are contradicted when some were never created, but only once it is late', () => {
    const accepted = afterReply(
      afterSending(anOperation('op-1', {action: FIVE, subjectName: text('node')}, UNSEEN.confirmedAt), monotonicMs(1)),
      undefined,
    );
    const two = machines(['node-1', 'ACTIVE'], ['node-2', 'ACTIVE']);
    const at = (operation: Operation, minutes: number) => afterObservation(operation, look(two, minutes * MINUTE_MS));
    const early = at(at(accepted, 5), 10);
    expect(early.phase).toBe('in-progress');
    expect(at(at(early, 16), 17)).toMatchObject({phase: 'CONTRADICTED', detail: '2 of 3 were created'});
  });

  it('are not created when one of the names is taken', () => {
    expect(recordOf(FIVE).precondition(FIVE, look(machines(['node-2', 'ACTIVE'])))).toBe(
      'machine node-2 already exists, #1',
    );
    expect(recordOf(FIVE).precondition(FIVE, look(machines(['node-b', 'ACTIVE'])))).toBeUndefined();
  });
});

describe('a single machine', () => {
  const one = {...FIVE, spec: {...FIVE.spec, count: 1}} as Action;
  const made = (...ids: readonly number[]) => ({result: {kind: 'created' as const, ids}});

  it('is not proven by something else that has the id in the answer', () => {
    expect(evidence(one, machines(['somebody-elses', 'ACTIVE']), made(1))).toEqual({kind: 'nothing'});
    expect(evidence(one, machines(['node', 'ACTIVE']), made(1))).toEqual({kind: 'target'});
  });

  it('is not proven by an answer with more ids than were asked for', () => {
    expect(evidence(one, machines(['node', 'ACTIVE'], ['b', 'ACTIVE']), made(1, 2))).toEqual({kind: 'nothing'});
  });
});

describe('an access key, which has no name', () => {
  const {action} = EVERY_ACTION['access-key.create'].confirmed;
  const [made] = EVERY_ACTION['access-key.create'].end['access-key'] ?? [];
  if (made === undefined) throw new Error('Expected an access key.');

  it('is recognised because it did not exist before', () => {
    expect(evidence(action, [made], {before: look([made], 1)}).kind).toBe('unchanged');
    expect(evidence(action, [made], {before: look([], 1)}).kind).toBe('target');
  });

  it('is recognised by its creation time when it is unknown what existed before', () => {
    expect(evidence(action, [made]).kind).toBe('target');
    expect(evidence(action, [{...made, createdAt: epochMs(UNSEEN.confirmedAt - 60_000)}]).kind).toBe('unchanged');
    const {createdAt: _unknown, ...timeless} = made;
    expect(evidence(action, [timeless]).kind).toBe('unchanged');
  });

  it('of another region or description is not the same one', () => {
    const {before} = {before: look([], 1)};
    expect(evidence(action, [{...made, regionName: text('NORWAY-1')}], {before}).kind).toBe('unchanged');
    expect(evidence(action, [{...made, description: text('backups')}], {before}).kind).toBe('unchanged');
  });

  it('says that its secret half is lost when the answer was', () => {
    const sent = afterSending(
      {...anOperation('op-1', EVERY_ACTION['access-key.create'].confirmed, UNSEEN.confirmedAt), before: look([], 1)},
      monotonicMs(2),
    );
    const unknown = afterReply(sent, {kind: 'cut', detail: text('why')});
    const found = afterObservation(afterObservation(unknown, look([made], 30)), look([made], 31));
    expect(found.phase).toBe('CONFIRMED');
    expect(describeOperation(found)).toEqual({
      text: 'create access key in CANADA-1: confirmed; the secret key did not arrive; delete it and create another',
      tone: 'warning',
    });
    const {result} = EVERY_ACTION['access-key.create'];
    if (result === undefined) throw new Error('Expected what the answer carries.');
    const answered = afterReply(sent, undefined, result);
    const kept = afterObservation(afterObservation(answered, look([made], 30)), look([made], 31));
    expect(describeOperation(kept).text).toBe('create access key in CANADA-1: confirmed');
  });
});

describe('a name that is unique within its environment', () => {
  const [prod, research] = [text('prod'), text('research')];
  const publicKey = text('ssh-ed25519 AAAA');
  const volumeType = text('Cloud-SSD');
  const places = {here: 70, elsewhere: 71};

  it.each<[string, Action, (place: keyof typeof places) => CloudResource]>([
    [
      'key pair',
      {kind: 'key-pair.import', spec: {name: text('laptop'), environmentName: prod, publicKey}},
      place => ({...keyPair, environmentName: place === 'here' ? prod : research}),
    ],
    [
      'volume',
      {kind: 'volume.create', spec: {name: text('data'), environmentName: prod, sizeGb: 100, volumeType}},
      place => aVolume({environmentName: place === 'here' ? prod : research}),
    ],
    [
      'firewall',
      {kind: 'firewall.create', spec: {name: text('edge'), environmentId: environmentId(70)}},
      place => aFirewall({environmentId: places[place]}),
    ],
  ])('of a %s is taken in its own environment only, and what has it elsewhere is not its own', (_what, action, has) => {
    const {precondition} = recordOf(action);
    expect(precondition(action, look([has('here')]))).toContain('already exists, #');
    expect(precondition(action, look([has('elsewhere')]))).toBeUndefined();
    const history = {before: look([], 1)};
    expect(evidence(action, [has('elsewhere')], history).kind).toBe('unchanged');
    expect(evidence(action, [has('here')], history).kind).toBe('target');
  });
});

describe('what a form checks beside its field', () => {
  const long = text('x'.repeat(51));

  it.each<[Action, CloudResource | undefined, string]>([
    [{kind: 'key-pair.rename', id: keyPair.id, name: long}, keyPair, 'name: 51 characters, at most 50'],
    [{kind: 'environment.rename', id: environmentId(70), name: long}, environment, 'name: 51 characters, at most 50'],
    [
      {kind: 'access-key.create', spec: {regionName: text('CANADA-1'), description: text('x'.repeat(251))}},
      undefined,
      'description: 251 characters, at most 250',
    ],
  ])('is checked for a command too: %j', (action, subject, reason) => {
    expect(candidate(action, subject, aReadScene([])).reason).toBe(reason);
  });
});
