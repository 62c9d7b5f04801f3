import {describe, expect, it} from 'vitest';
import {clusterId} from '../../../src/domain/cluster.ts';
import {environmentId} from '../../../src/domain/environment.ts';
import {type KeyPair, keyPairId} from '../../../src/domain/key-pair.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {KEY_PAIR_ACTIONS} from '../../../src/panes/catalogue/pane.tsx';
import {keyPairs} from '../../../src/resources/key-pairs.ts';
import {clustersFeed} from '../../../src/state/clusters.ts';
import {environmentsFeed} from '../../../src/state/environments.ts';
import {keyPairsFeed} from '../../../src/state/key-pairs.ts';
import {machinesFeed} from '../../../src/state/machines.ts';
import {detailOf, rowsOf} from '../../resources/a-resource.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';
import {aReadScene, keysOf, listed, questionOf, questionText, read, submitted, textsOf} from '../a-read-scene.ts';

const PRODUCTION = safeText('production');
const TEAM: KeyPair = {id: keyPairId(21_915), name: safeText('team'), environmentName: PRODUCTION};
/** An ed25519 key of 32 zeros: well formed, and nobody's. */
const PUBLIC_KEY = `ssh-ed25519 ${Buffer.concat([
  Buffer.of(0, 0, 0, 11),
  Buffer.from('ssh-ed25519'),
  Buffer.of(0, 0, 0, 32),
  Buffer.alloc(32),
]).toString('base64')}`;

function machine(id: number, keyPairName: string, environmentName = PRODUCTION) {
  return aVirtualMachine({id, keyPairName: safeText(keyPairName), environmentName});
}

const scene = aReadScene([
  listed(keyPairsFeed, [TEAM, {id: keyPairId(2), name: safeText('solo'), environmentName: safeText('research')}]),
  listed(environmentsFeed, [
    {id: environmentId(1), name: PRODUCTION},
    {id: environmentId(2), name: safeText('research')},
  ]),
  read(machinesFeed, aListing([machine(1, 'team'), machine(2, 'team'), machine(3, 'team', safeText('research'))])),
  listed(clustersFeed, [
    {
      id: clusterId(9),
      name: safeText('k8s-inf'),
      status: 'ACTIVE',
      statusText: safeText('ACTIVE'),
      environmentName: PRODUCTION,
      keyPairName: safeText('team'),
      nodeGroups: [],
      nodes: [],
      hasKubeConfig: false,
    },
  ]),
]);
const row = rowsOf(keyPairs, scene)?.find(({keyPair}) => keyPair.id === TEAM.id);
if (row === undefined) throw new Error('the key pair has no row');

const KEY_PAIR_KEYS = keysOf(KEY_PAIR_ACTIONS);

describe('the use of a key pair', () => {
  it('counts only machines of its own environment, since names are unique only there', () => {
    expect(row.machineNames).toEqual(['gpu-1', 'gpu-2']);
    expect(row.clusterNames).toEqual(['k8s-inf']);
    expect(detailOf(keyPairs, row, scene)).toContain('2: gpu-1  gpu-2');
  });

  it('is unknown while the machines are unknown, which is not the same as none', () => {
    const unread = aReadScene([listed(keyPairsFeed, [TEAM])]);
    const [alone] = rowsOf(keyPairs, unread) ?? [];
    expect(alone?.machineNames).toBeUndefined();
    const question = alone && questionOf(KEY_PAIR_KEYS.remove?.run(alone, unread));
    expect(question && questionText(question)).toContain('is unknown');
  });

  it('is shown before it is deleted, and its name is required', () => {
    const question = questionOf(KEY_PAIR_KEYS.remove?.run(row, scene));
    expect(question.answer).toEqual({kind: 'text', what: 'name', expected: 'team'});
    expect(questionText(question)).toContain('2 machines in production use it.');
    expect(questionText(question)).toContain('Existing machines keep the key');
    expect(questionText(question)).toContain('1 cluster, whose new nodes may need it: k8s-inf.');
  });
});

describe('importing a key pair', () => {
  const make = (values: Record<string, string>) => submitted(KEY_PAIR_KEYS.create?.run(scene), values);

  it('sends the public key on one line, to the chosen environment', () => {
    const {question} = make({name: 'laptop', environment: 'research', key: ` ${PUBLIC_KEY}  ines@laptop `});
    expect(question?.steps[0].action).toEqual({
      kind: 'key-pair.import',
      spec: {name: 'laptop', environmentName: 'research', publicKey: `${PUBLIC_KEY} ines@laptop`},
    });
  });

  it('refuses a private key with a warning, and asks nothing', () => {
    const check = make({name: 'laptop', key: '-----BEGIN OPENSSH PRIVATE KEY----- b3BlbnNzaC1rZXktdjE'});
    expect(check.question).toBeUndefined();
    expect(check.mistakes.key).toContain('PRIVATE');
    expect(check.notes[0]).toEqual([{text: ' A PRIVATE KEY WAS PASTED ', tone: 'loud'}]);
  });

  it('rejects a name that is taken in that environment, but not one taken in another', () => {
    expect(make({name: 'team', environment: 'production', key: PUBLIC_KEY}).mistakes).toHaveProperty('name');
    expect(make({name: 'team', environment: 'research', key: PUBLIC_KEY}).mistakes).toEqual({});
  });

  it('accepts a key of any length', () => {
    const outcome = KEY_PAIR_KEYS.create?.run(scene);
    const field = outcome?.kind === 'form' ? outcome.form.fields.find(({key}) => key === 'key') : undefined;
    // An RSA key of 16,384 bits is 2,780 characters on its line.
    expect(field?.maxLength).toBeGreaterThanOrEqual(2780);
  });

  it('names the environment that must be created first, and the keys that create it', () => {
    const outcome = KEY_PAIR_KEYS.create?.run(aReadScene([listed(environmentsFeed, [])]));
    const checked =
      outcome?.kind === 'form' ? outcome.form.check({name: 'team', environment: '', key: PUBLIC_KEY}) : undefined;
    expect(checked?.mistakes).toEqual({environment: 'no environments'});
    expect(textsOf(checked?.notes ?? [])).toContain('First create an environment: esc, then :environments and n.');
  });
});

describe('renaming a key pair', () => {
  const rename = (name: string) => submitted(KEY_PAIR_KEYS.edit?.run(row, scene), {name});

  it('requires a new name that is free', () => {
    expect(rename('crew').question?.steps[0].action).toEqual({kind: 'key-pair.rename', id: 21_915, name: 'crew'});
    expect(rename('team').mistakes).toEqual({name: 'it already has this name'});
    expect(rename(' ').mistakes).toHaveProperty('name');
    expect(rename('solo').mistakes).toEqual({});
  });
});

describe('copying a key pair', () => {
  it('gives the public key, or the name when the service left the key out', () => {
    const publicKey = safeText(PUBLIC_KEY);
    expect(KEY_PAIR_KEYS.copy?.({...row, keyPair: {...TEAM, publicKey}})).toBe(PUBLIC_KEY);
    expect(KEY_PAIR_KEYS.copy?.(row)).toBe('team');
  });
});
