import {expect, it} from 'vitest';
import {callOf} from '../../src/actions/actions.ts';
import {candidatesOf, questionFor} from '../../src/actions/question/question-for.ts';
import type {Action} from '../../src/domain/action.ts';
import {type ClusterSpec, DEPLOYMENT_MODES, type NodeGroupSpec} from '../../src/domain/cluster.ts';
import type {FirewallSpec} from '../../src/domain/firewall.ts';
import {imageId} from '../../src/domain/image.ts';
import type {KeyPairSpec} from '../../src/domain/key-pair.ts';
import type {AccessKeySpec} from '../../src/domain/object-storage.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {secret} from '../../src/domain/secret.ts';
import type {MachineSpec} from '../../src/domain/virtual-machine.ts';
import type {VolumeSpec} from '../../src/domain/volume.ts';
import {environmentsFeed} from '../../src/state/environments.ts';
import {aReadScene, listed, textsOf} from '../panes/a-read-scene.ts';
import {environment, rule} from './some-things.ts';

const text = safeText;
const callbackUrl = text('https://hooks.example/events');
const description = text('for the nightly runs');

const MACHINES: Required<MachineSpec> = {
  name: text('gpu-7'),
  environmentName: text('prod'),
  flavorName: text('n3-L40x1'),
  keyPairName: text('laptop'),
  count: 31,
  imageName: text('Ubuntu 24.04'),
  volumeName: text('scratch'),
  createsBootableVolume: true,
  assignsFloatingIp: true,
  randomizesPorts: false,
  labels: [text('nightly'), text('team-a')],
  userData: secret('#cloud-config\nruncmd: [é]\n'),
  callbackUrl,
  rules: [rule],
};
const GROUP: Required<NodeGroupSpec> = {
  name: text('pool'),
  flavorName: text('n3-H100x8'),
  count: 41,
  minCount: 37,
  maxCount: 59,
};
const CLUSTER: Required<ClusterSpec> = {
  name: text('k8s'),
  environmentName: text('prod'),
  keyPairName: text('laptop'),
  kubernetesVersion: text('1.35.1'),
  masterFlavorName: text('n1-cpu-medium'),
  masterCount: 2,
  deploymentMode: DEPLOYMENT_MODES[0],
  imageName: text('Ubuntu 24.04'),
  nodeFlavorName: text('n3-L40x1'),
  nodeCount: 51,
  nodeGroups: [GROUP],
};
const VOLUME: Required<VolumeSpec> = {
  name: text('data'),
  environmentName: text('prod'),
  sizeGb: 120,
  volumeType: text('Cloud-SSD'),
  description,
  imageId: imageId(17),
  callbackUrl,
};
const FIREWALL: Required<FirewallSpec> = {name: text('edge'), environmentId: environment.id, description};
const ACCESS_KEY: Required<AccessKeySpec> = {regionName: text('CANADA-1'), description};
const KEY_PAIR: Required<KeyPairSpec> = {
  name: text('laptop'),
  environmentName: text('prod'),
  publicKey: text('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE4LRfHely/pjveeIvixoOYjESsHpSziGL5CwRAso79u ana@desk home'),
};

/** What the question says of a field that is not shown as it is sent. */
const OTHERWISE: Readonly<Record<string, string>> = {
  environment_id: 'firewall in prod',
  assign_floating_ip: 'public IP',
  enable_port_randomization: 'public IP without port randomization',
  create_bootable_volume: 'root disk on its own volume',
  // 14 bytes, 9, a letter of 2, and 2.
  user_data: '27 bytes of user data',
  security_rules: 'ingress tcp/22 10.0.0.0/8',
  size: '120 GB',
  // From `ssh-keygen -l` of OpenSSH 9.
  public_key: 'ssh-ed25519 SHA256:nfxXtTBNosmtjoQzVTqG7oZ8dmkhVmykB0CWRl6qUPw ana@desk home',
  master_count: '2 masters',
  // Groups are of workers.
  role: 'pool: ',
};

/** Each field of a body with the words that must be in the question. */
function fieldsOf(body: object): readonly (readonly [field: string, words: string])[] {
  return Object.entries(body).flatMap(([field, value]): readonly (readonly [string, string])[] => {
    const words = OTHERWISE[field];
    if (words !== undefined) return [[field, words]];
    if (!Array.isArray(value)) return [[field, `${value}`]];
    return value.flatMap(each => (typeof each === 'object' ? fieldsOf(each) : [[field, `${each}`] as const]));
  });
}

/** What a question says, without the paths of its calls. */
function questionOn(action: Action): string {
  const known = aReadScene([listed(environmentsFeed, [environment])]);
  const question = questionFor(candidatesOf([action], known), known);
  if (question === undefined) throw new Error('no question');
  const facts = question.facts.filter(({label}) => label !== 'Calls');
  return [question.title, ...facts.map(({lines}) => textsOf(lines))].join('\n');
}

it.each<Action>([
  {kind: 'vm.create', spec: MACHINES},
  {kind: 'cluster.create', spec: CLUSTER},
  {kind: 'volume.create', spec: VOLUME},
  {kind: 'firewall.create', spec: FIREWALL},
  {kind: 'access-key.create', spec: ACCESS_KEY},
  {kind: 'key-pair.import', spec: KEY_PAIR},
  {kind: 'environment.create', spec: {name: text('prod'), regionName: text('NORWAY-1')}},
])('the question before $kind names each field that is sent', action => {
  const {body} = callOf(action);
  if (typeof body !== 'object' || body === null) throw new Error('no body');
  const asked = questionOn(action);
  const unnamed = fieldsOf(body).filter(([, words]) => !asked.includes(words));
  expect(unnamed).toEqual([]);
});

it('the question before creating machines says that the service randomizes ports unless it is told not to', () => {
  const {randomizesPorts: _without, ...rest} = MACHINES;
  for (const spec of [rest, {...rest, randomizesPorts: true}]) {
    expect(questionOn({kind: 'vm.create', spec})).toContain('public IP with port randomization');
  }
});
