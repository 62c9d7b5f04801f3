import {describe, expect, test} from 'vitest';
import {ACTIONS, type KnownKind} from '../../src/actions/actions.ts';
import {candidate, missingFor, questionFor, reasonAgainstAll} from '../../src/actions/question/question-for.ts';
import type {Candidate} from '../../src/actions/question/assessment.ts';
import type {Question} from '../../src/actions/question/question.ts';
import {questionDialog} from '../../src/app/overlay/question-box.tsx';
import {accessKeyCommand} from '../../src/cli/commands/access-key.ts';
import {openAccount} from '../../src/cli/account.ts';
import {actionGroup} from '../../src/cli/operations/action-commands.ts';
import {bucketCommand} from '../../src/cli/commands/bucket.ts';
import {clusterCommand} from '../../src/cli/commands/cluster.ts';
import type {BuildCommand} from '../../src/cli/command-io.ts';
import {consoleCommand} from '../../src/cli/commands/console.ts';
import {environmentCommand} from '../../src/cli/commands/environment.ts';
import {firewallCommand} from '../../src/cli/commands/firewall.ts';
import {keyPairCommand} from '../../src/cli/commands/key-pair.ts';
import {ruleCommand} from '../../src/cli/commands/rule.ts';
import {vmCommand} from '../../src/cli/commands/vm.ts';
import {volumeCommand} from '../../src/cli/commands/volume.ts';
import {type Action, typeOf} from '../../src/domain/action.ts';
import {type CloudResource, nameOf, type ResourceType} from '../../src/domain/cloud-resource.ts';
import {parseSshConnection} from '../../src/domain/own-connection.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {lastValue} from '../../src/domain/snapshot.ts';
import {epochMs} from '../../src/domain/time.ts';
import type {Scene} from '../../src/panes/pane.ts';
import {meFeed, organizationFeed, permissionsFeed} from '../../src/state/account.ts';
import {lastSeen} from '../../src/resources/resources.ts';
import {usageFeed} from '../../src/state/billing.ts';
import {flavorsFeed, imagesFeed, priceBookFeed, regionsFeed, stocksFeed} from '../../src/state/catalogue.ts';
import {clustersFeed, masterFlavorsFeed} from '../../src/state/clusters.ts';
import {contractsFeed} from '../../src/state/contracts.ts';
import {environmentsFeed, quotaFeed} from '../../src/state/environments.ts';
import {firewallsFeed, protocolsFeed} from '../../src/state/firewalls.ts';
import {keyPairsFeed} from '../../src/state/key-pairs.ts';
import {machinesFeed, metricsFeed, observedMachines} from '../../src/state/machines.ts';
import {accessKeysFeed, bucketsFeed} from '../../src/state/object-storage.ts';
import {volumesFeed} from '../../src/state/volumes.ts';
import {dialogLines} from '../../src/ui/dialog.tsx';
import {textOf} from '../../src/ui/text.ts';
import {aScene} from '../app/a-scene.ts';
import {IDLE} from '../panes/a-known-scene.ts';
import {creationForm} from '../panes/a-read-scene.ts';
import {openSimulator} from '../support/simulator.ts';
import {sweepOf} from '../support/tier.ts';
import {commandIo, run} from './a-command.ts';

const ipCommand = actionGroup('ip');
const callbackCommand = actionGroup('callback');

const MOMENT = Date.UTC(2026, 10, 20, 20, 58, 12);
const ENVIRONMENT = {
  // Prevents the line of progress, which a busy machine would show before the question.
  TERM: 'dumb',
  SKYDECK_NOW: new Date(MOMENT).toISOString(),
  // The session came in at the public address of bastion.
  SSH_CONNECTION: '198.51.100.7 50000 198.18.0.10 22',
};

/** An action of the deck, on the resource of this name. */
type Wanted = Omit<Action, 'id'> & {readonly kind: KnownKind; readonly of?: string};

type Case = readonly [
  command: BuildCommand,
  line: string | readonly string[],
  ...wanted: readonly (Wanted | ((scene: Scene) => Wanted))[],
];

const HOOK = safeText('https://hooks.example/two');

const PUBLIC_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHS5S8h7pOqSyLMPhx69nJMbEa0GwEXXwRdF6N5MkwO7 ana@laptop';
const SSH = {direction: 'ingress', protocol: 'tcp', etherType: 'IPv4', portRangeMin: 22, portRangeMax: 22};
/** Stands for the id of the first rule of what the command names last. */
const RULE_OF = '<rule>';

/** What a person types, and the same actions by the keys of the deck. */
const CASES: {readonly [Kind in KnownKind]?: readonly Case[]} = {
  'vm.start': [[vmCommand, 'start train-03', {kind: 'vm.start', of: 'train-03'}]],
  'vm.stop': [
    [vmCommand, 'stop bastion', {kind: 'vm.stop', of: 'bastion'}],
    [vmCommand, 'stop train-02', {kind: 'vm.stop', of: 'train-02'}],
    [
      vmCommand,
      'stop bastion train-02 train-03 postgres-main',
      {kind: 'vm.stop', of: 'bastion'},
      {kind: 'vm.stop', of: 'train-02'},
      {kind: 'vm.stop', of: 'train-03'},
      {kind: 'vm.stop', of: 'postgres-main'},
    ],
  ],
  'vm.hard-reboot': [[vmCommand, 'hard-reboot etl-01', {kind: 'vm.hard-reboot', of: 'etl-01'}]],
  'vm.hibernate': [
    [vmCommand, 'hibernate infer-04', {kind: 'vm.hibernate', of: 'infer-04', retainsIp: true}],
    [vmCommand, 'hibernate infer-04 --release-ip', {kind: 'vm.hibernate', of: 'infer-04', retainsIp: false}],
    [
      vmCommand,
      'hibernate infer-04 train-02 --release-ip',
      {kind: 'vm.hibernate', of: 'infer-04', retainsIp: false},
      {kind: 'vm.hibernate', of: 'train-02', retainsIp: false},
    ],
  ],
  'vm.restore': [[vmCommand, 'restore dev-ines', {kind: 'vm.restore', of: 'dev-ines'}]],
  'vm.delete': [
    [vmCommand, 'delete train-02', {kind: 'vm.delete', of: 'train-02'}],
    [
      vmCommand,
      'delete train-02 postgres-main bastion',
      {kind: 'vm.delete', of: 'train-02'},
      {kind: 'vm.delete', of: 'postgres-main'},
      {kind: 'vm.delete', of: 'bastion'},
    ],
  ],
  'vm.resize': [
    [vmCommand, 'resize train-02 --flavor n3-L40x1', {kind: 'vm.resize', of: 'train-02', flavorName: 'n3-L40x1'}],
    [vmCommand, 'resize train-02 --flavor n0-none', {kind: 'vm.resize', of: 'train-02', flavorName: 'n0-none'}],
    [
      vmCommand,
      'resize train-02 bastion --flavor n3-L40x1',
      {kind: 'vm.resize', of: 'train-02', flavorName: 'n3-L40x1'},
      {kind: 'vm.resize', of: 'bastion', flavorName: 'n3-L40x1'},
    ],
  ],
  'vm.create': [
    [
      vmCommand,
      'create gpu-90 --environment production-ca --flavor n3-L40x1 --key-pair ci-deploy --image Ubuntu --public-ip --count 2',
      {
        kind: 'vm.create',
        spec: {
          name: safeText('gpu-90'),
          environmentName: 'production-ca',
          flavorName: 'n3-L40x1',
          keyPairName: 'ci-deploy',
          imageName: 'Ubuntu',
          count: 2,
          assignsFloatingIp: true,
          randomizesPorts: true,
        },
      },
    ],
  ],
  'vm.set-labels': [
    [vmCommand, 'label etl-01 --set a,b', {kind: 'vm.set-labels', of: 'etl-01', labels: ['a', 'b']}],
    [
      vmCommand,
      'label etl-01 bastion --set a,b',
      {kind: 'vm.set-labels', of: 'etl-01', labels: ['a', 'b']},
      {kind: 'vm.set-labels', of: 'bastion', labels: ['a', 'b']},
    ],
  ],
  'vm.set-callback': [
    [
      callbackCommand,
      `set bastion --url ${HOOK}`,
      {kind: 'vm.set-callback', of: 'bastion', url: HOOK, isUpdate: false},
    ],
  ],
  'vm.remove-callback': [[callbackCommand, 'remove etl-01', {kind: 'vm.remove-callback', of: 'etl-01'}]],
  'vm.request-console': [[consoleCommand, 'etl-01', {kind: 'vm.request-console', of: 'etl-01'}]],
  'vm.request-logs': [[vmCommand, 'logs etl-01 --lines 50', {kind: 'vm.request-logs', of: 'etl-01', lineCount: 50}]],
  'vm.attach-ip': [
    [ipCommand, 'attach etl-01', {kind: 'vm.attach-ip', of: 'etl-01'}],
    [
      ipCommand,
      'attach etl-01 bastion train-02',
      {kind: 'vm.attach-ip', of: 'etl-01'},
      {kind: 'vm.attach-ip', of: 'bastion'},
      {kind: 'vm.attach-ip', of: 'train-02'},
    ],
  ],
  'vm.detach-ip': [
    [ipCommand, 'detach bastion', {kind: 'vm.detach-ip', of: 'bastion'}],
    [
      ipCommand,
      'detach bastion infer-04',
      {kind: 'vm.detach-ip', of: 'bastion'},
      {kind: 'vm.detach-ip', of: 'infer-04'},
    ],
  ],
  'vm.attach-volumes': [
    [
      volumeCommand,
      'attach scratch-3 --vm bastion',
      scene => ({kind: 'vm.attach-volumes', of: 'bastion', volumeIds: [idOf('volume', 'scratch-3', scene)]}),
    ],
  ],
  'vm.detach-volumes': [
    [
      volumeCommand,
      'detach backups --vm backup-gateway',
      scene => ({kind: 'vm.detach-volumes', of: 'backup-gateway', volumeIds: [idOf('volume', 'backups', scene)]}),
    ],
  ],
  'vm.add-rule': [
    [
      ruleCommand,
      'add --vm etl-01 --cidr 0.0.0.0/0 --port 22',
      {kind: 'vm.add-rule', of: 'etl-01', rule: {...SSH, remoteIpPrefix: safeText('0.0.0.0/0')}},
    ],
  ],
  'vm.remove-rule': [
    [
      ruleCommand,
      ['remove', RULE_OF, '--vm', 'bastion'],
      scene => ({kind: 'vm.remove-rule', of: 'bastion', ...firstRule('vm', 'bastion', scene)}),
    ],
  ],
  'firewall.add-rule': [
    [
      ruleCommand,
      'add --firewall edge --cidr 10.0.0.0/8 --port 22',
      {kind: 'firewall.add-rule', of: 'edge', rule: {...SSH, remoteIpPrefix: safeText('10.0.0.0/8')}},
    ],
  ],
  'firewall.remove-rule': [
    [
      ruleCommand,
      ['remove', RULE_OF, '--firewall', 'office-ssh'],
      scene => ({kind: 'firewall.remove-rule', of: 'office-ssh', ...firstRule('firewall', 'office-ssh', scene)}),
    ],
  ],
  'firewall.create': [
    [
      firewallCommand,
      'create fw-90 --environment production-ca',
      scene => ({
        kind: 'firewall.create',
        spec: {name: safeText('fw-90'), environmentId: idOf('environment', 'production-ca', scene)},
      }),
    ],
  ],
  'firewall.delete': [
    [firewallCommand, 'delete web', {kind: 'firewall.delete', of: 'web'}],
    [
      firewallCommand,
      'delete web lab-old',
      {kind: 'firewall.delete', of: 'web'},
      {kind: 'firewall.delete', of: 'lab-old'},
    ],
  ],
  'firewall.set-attachments': [
    [
      firewallCommand,
      'attach lab-old bastion',
      scene => ({kind: 'firewall.set-attachments', of: 'lab-old', machineIds: [idOf('vm', 'bastion', scene)]}),
    ],
  ],
  'cluster.create': [
    [
      clusterCommand,
      [
        'create',
        'k8s-90',
        '--environment=production-ca',
        '--key-pair=ci-deploy',
        '--kubernetes-version=1.35.1',
        '--master-flavor=n1-cpu-medium',
        '--group=name=pool flavor=n3-L40x1 count=2',
      ],
      {
        kind: 'cluster.create',
        spec: {
          name: safeText('k8s-90'),
          environmentName: 'production-ca',
          keyPairName: 'ci-deploy',
          kubernetesVersion: '1.35.1',
          masterFlavorName: 'n1-cpu-medium',
          nodeGroups: [{name: 'pool', flavorName: 'n3-L40x1', count: 2}],
        },
      },
    ],
  ],
  'cluster.delete': [[clusterCommand, 'delete serve', {kind: 'cluster.delete', of: 'serve'}]],
  'cluster.reconcile': [[clusterCommand, 'reconcile serve', {kind: 'cluster.reconcile', of: 'serve'}]],
  'volume.create': [
    [
      volumeCommand,
      'create data-90 --environment production-ca --size 100',
      {
        kind: 'volume.create',
        spec: {name: safeText('data-90'), environmentName: 'production-ca', sizeGb: 100, volumeType: 'Cloud-SSD'},
      },
    ],
  ],
  'volume.delete': [
    [volumeCommand, 'delete scratch-3', {kind: 'volume.delete', of: 'scratch-3'}],
    [
      volumeCommand,
      'delete scratch-3 backups',
      {kind: 'volume.delete', of: 'scratch-3'},
      {kind: 'volume.delete', of: 'backups'},
    ],
  ],
  'key-pair.import': [
    [
      keyPairCommand,
      'import laptop --environment production-ca --public-key -',
      {
        kind: 'key-pair.import',
        spec: {name: safeText('laptop'), environmentName: 'production-ca', publicKey: safeText(PUBLIC_KEY)},
      },
    ],
  ],
  'key-pair.rename': [
    [keyPairCommand, 'rename ci-deploy ci', {kind: 'key-pair.rename', of: 'ci-deploy', name: safeText('ci')}],
  ],
  'key-pair.delete': [[keyPairCommand, 'delete ci-deploy', {kind: 'key-pair.delete', of: 'ci-deploy'}]],
  'environment.create': [
    [
      environmentCommand,
      'create lab --region CANADA-1',
      {kind: 'environment.create', spec: {name: safeText('lab'), regionName: safeText('CANADA-1')}},
    ],
  ],
  'environment.rename': [
    [
      environmentCommand,
      'rename research-ca lab',
      {kind: 'environment.rename', of: 'research-ca', name: safeText('lab')},
    ],
  ],
  'environment.delete': [[environmentCommand, 'delete research-ca', {kind: 'environment.delete', of: 'research-ca'}]],
  'access-key.create': [
    [
      accessKeyCommand,
      'create --region CANADA-1',
      {kind: 'access-key.create', spec: {regionName: safeText('CANADA-1')}},
    ],
  ],
  'access-key.delete': [
    [
      accessKeyCommand,
      'delete 803',
      scene => ({
        kind: 'access-key.delete',
        of: nameOf(thingOf('access-key', each => 'id' in each && each.id === 803, scene)),
      }),
    ],
  ],
  'bucket.delete': [
    [
      bucketCommand,
      'delete scratch',
      {kind: 'bucket.delete', of: 'scratch', name: safeText('scratch'), regionName: safeText('CANADA-1')},
    ],
  ],
};

/** What the panes read while a person looks at the resources and the forms. */
const SHOWN = [
  machinesFeed,
  usageFeed,
  flavorsFeed,
  stocksFeed,
  imagesFeed,
  priceBookFeed,
  contractsFeed,
  environmentsFeed,
  keyPairsFeed,
  firewallsFeed,
  protocolsFeed,
  volumesFeed,
  clustersFeed,
  masterFlavorsFeed,
  bucketsFeed,
  accessKeysFeed,
  meFeed,
  organizationFeed,
  permissionsFeed,
  regionsFeed,
];

/** A cloud in which no time passes, and the deck's scene once all panes have read it. */
async function openBoth() {
  const simulator = await openSimulator({
    startedAt: MOMENT,
    wallClock: () => MOMENT,
    rateLimitPerMinute: 'off',
  });
  const place = {simulator, env: ENVIRONMENT};
  await run(callbackCommand, 'set etl-01 --url https://hooks.example/one --yes', place);
  const opened = await openAccount(commandIo(place).io, {color: false}, {canOperate: true});
  if (!opened.ok) throw new Error(opened.mistake);
  const {session} = opened.account;
  for (const feed of SHOWN) await session.poller.readNow<unknown>(feed);
  for (const {id, status} of observedMachines(session.store) ?? []) {
    if (status === 'ACTIVE') await session.poller.readNow(metricsFeed(id, '1h'));
  }
  for (const {id} of lastValue(session.store.get(environmentsFeed))?.records ?? []) {
    await session.poller.readNow(quotaFeed(id));
  }
  session.poller.stop();
  const scene = aScene({
    store: session.store,
    operations: IDLE,
    now: epochMs(MOMENT),
    ownConnection: parseSshConnection(ENVIRONMENT.SSH_CONNECTION),
  });
  return {place, scene};
}

describe('the command line and the deck', () => {
  test('ask the same question before every kind of action', async () => {
    const {place, scene} = await openBoth();
    const dryShapes = new Set<string>();
    for (const [command, line, ...wanted] of Object.values(CASES).flat()) {
      const candidates = wanted.map(each => candidateFor(typeof each === 'function' ? each(scene) : each, scene));
      const ruleId = candidates[0]?.action.ruleId;
      const words = (typeof line === 'string' ? line.split(' ') : line).map(word =>
        word === RULE_OF ? `${ruleId}` : word,
      );
      const refusal = reasonAgainstAll(candidates);
      if (refusal !== undefined) {
        const refused = await run(command, words, {...place, stdin: PUBLIC_KEY, answers: ['']});
        const isMissing = candidates.some(({action, subject}) => missingFor(action, subject, scene) !== undefined);
        expect(refused, words.join(' ')).toMatchObject({exitCode: isMissing ? 4 : 1, questions: []});
        expect(refused.stderr, words.join(' ')).toContain(refusal);
        continue;
      }
      const question = questionFor(candidates, scene);
      if (question === undefined) throw new Error(`nothing is asked before ${words.join(' ')}`);
      const {stderr, questions} = await run(command, words, {...place, stdin: PUBLIC_KEY, answers: ['']});
      const asked = stderr.split('\n').slice(0, -2);
      expect(asked, words.join(' ')).toEqual(linesOf(question));
      const dialog = drawn(question, scene);
      for (const told of asked) expect(dialog, words.join(' ')).toContain(squeezed(told));
      const expected = question.answer.kind === 'key' ? 'y' : question.answer.expected;
      expect(questions[0], words.join(' ')).toContain(` Type ${expected} to send`);
      const parts = [
        ['what happens', factOf(question, 'What happens')],
        ['cost', factOf(question, 'What it costs')],
        ['warning', warningsOf(question)],
        ['undo', factOf(question, 'Undo')],
      ] as const;
      // A dry run prints the same question: each shape of it once.
      const counts = [candidates, question.steps, ...parts.map(([, texts]) => texts)].map(each =>
        Math.min(each.length, 2),
      );
      const shape = `${candidates[0]?.action.id === undefined} ${counts}`;
      if (sweepOf({sample: dryShapes.has(shape), deep: false})) continue;
      dryShapes.add(shape);
      const dry = await run(command, [...words, '--dry-run'], {...place, stdin: PUBLIC_KEY});
      const lines = dry.stderr.split('\n').slice(0, -1);
      const refused = lines.filter(each => each.includes(': not sent: '));
      expect(dry.exitCode, words.join(' ')).toBe(refused.length === 0 ? 0 : 1);
      // Refused are exactly those that the question leaves out.
      expect(refused, words.join(' ')).toHaveLength(candidates.length - question.steps.length);
      const said = lines.filter(each => !refused.includes(each));
      const wantedLines = parts.flatMap(([label, texts]) => texts.map(text => ({label, text})));
      expect(said, words.join(' ')).toHaveLength(wantedLines.length);
      for (const [index, {label, text}] of wantedLines.entries()) {
        expect(said[index]?.startsWith(`skydeck: ${label}: `), said[index]).toBe(true);
        expect(said[index]?.endsWith(`: ${text}`), `${said[index]}, not ${text}`).toBe(true);
      }
    }
  });

  test('ask the same question before machines filled in by form and given to a command', async () => {
    const {place, scene} = await openBoth();
    const {question} = creationForm('vm', scene).check({
      name: 'gpu-91',
      count: '3',
      environment: 'research-ca',
      flavor: 'n3-L40x1',
      image: 'Ubuntu Server 24.04 LTS (Noble Numbat)',
      keyPair: 'research-ca-team',
      publicIp: 'yes',
      sshFrom: '0.0.0.0/0',
      labels: 'team, night, team',
      callback: HOOK,
      volume: 'none',
    });
    if (question === undefined) throw new Error('the form asks nothing');
    const words = [
      ...['create', 'gpu-91', '--count', '3', '--environment', 'research-ca', '--flavor', 'n3-L40x1', '--public-ip'],
      ...['--image', 'Ubuntu Server 24.04 LTS (Noble Numbat)', '--key-pair', 'research-ca-team'],
      ...['--rule', 'tcp 22 0.0.0.0/0', '--label', 'team', '--label', 'night', '--label', 'team'],
      ...['--callback-url', HOOK],
    ];
    const {stderr} = await run(vmCommand, words, {...place, answers: ['']});
    expect(stderr.split('\n').slice(0, -2)).toEqual(linesOf(question));
  });

  test('are compared for every kind that has a command', () => {
    const without = [...ACTIONS.keys()].filter(kind => !(kind in CASES));
    // `firewall attach` does the same from the other side.
    expect(without).toEqual(['vm.set-firewalls']);
  });
});

function candidateFor({of, ...action}: Wanted, scene: Scene): Candidate {
  if (of === undefined) return candidate(action, undefined, scene);
  const subject = thingOf(typeOf(action.kind), each => nameOf(each) === of, scene);
  return candidate('id' in subject ? {...action, id: subject.id} : action, subject, scene);
}

function thingOf(type: ResourceType, isWanted: (subject: CloudResource) => boolean, {store}: Scene): CloudResource {
  const subject = lastSeen(store, type).find(isWanted);
  if (subject === undefined) throw new Error(`there is no such ${type}`);
  return subject;
}

function idOf(type: ResourceType, name: string, scene: Scene): number {
  const subject = thingOf(type, each => nameOf(each) === name, scene);
  return 'id' in subject ? subject.id : 0;
}

function firstRule(type: ResourceType, name: string, scene: Scene) {
  const subject = thingOf(type, each => nameOf(each) === name, scene);
  const [rule] = 'rules' in subject ? subject.rules : [];
  return {ruleId: rule?.id, rule};
}

/** The question in the lines of a command, without mentions of the keys of the deck. */
function linesOf({title, facts}: Question): readonly string[] {
  return [
    title,
    ...facts.flatMap(({label, lines}) => [`  ${label}`, ...lines.map(line => `    ${withoutKeys(textOf(line))}`)]),
  ];
}

function factOf({facts}: Question, label: string): readonly string[] {
  return (facts.find(fact => fact.label === label)?.lines ?? []).map(line => withoutKeys(textOf(line)));
}

/** The warnings that are shown in a warning colour. */
function warningsOf({facts}: Question): readonly string[] {
  const warnings = facts.find(({label}) => label === 'Warnings')?.lines ?? [];
  const loud = warnings.filter(line => line.some(({tone}) => tone === 'danger' || tone === 'warning'));
  return loud.map(line => withoutKeys(textOf(line)));
}

/** Everything that the dialog shows, on one line, since it folds its lines differently. */
function drawn(question: Question, scene: Scene): string {
  const lines = dialogLines(questionDialog(question, {columns: 200, rows: 100}, scene)).map(textOf);
  return withoutKeys(squeezed(lines.map(line => line.replace(/[│╭╮╰╯─]/g, ' ')).join(' ')));
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function withoutKeys(text: string): string {
  return text.replace(/ \((?:[a-zA-Z] )?[a-zA-Z]\)/g, '').replace('; down lists', '; --dry-run lists');
}
