import {describe, expect, it} from 'vitest';
import {candidate, questionFor} from '../../../src/actions/question/question-for.ts';
import type {PowerAction} from '../../../src/actions/machines/power.ts';
import type {Question} from '../../../src/actions/question/question.ts';
import type {UsageRecord} from '../../../src/domain/billing.ts';
import {type Contract, expirationPolicy} from '../../../src/domain/contract.ts';
import type {Flavor} from '../../../src/domain/flavor.ts';
import {PRICES, type Prices, pricesWith} from '../../../src/domain/money/prices.ts';
import {DEFAULT_PREFERENCES} from '../../../src/domain/preferences.ts';
import {rational} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import type {MachineMetrics} from '../../../src/domain/series.ts';
import {epochMs, HOUR_MS} from '../../../src/domain/time.ts';
import type {VirtualMachine} from '../../../src/domain/virtual-machine.ts';
import type {Scene} from '../../../src/panes/pane.ts';
import {textOf} from '../../../src/ui/text.ts';
import {isQuestionVisible} from '../../app/a-scene.ts';
import {A_FLAVOR, aContract, aKnownScene, aUsageRecord, busyMetrics} from '../../panes/a-known-scene.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';

type Fields = Partial<Omit<VirtualMachine, 'id'>>;
type Kind = 'start' | 'stop' | 'hard-reboot' | 'hibernate' | 'release' | 'restore';
const BUSY = busyMetrics(4);
const QUIET = busyMetrics(0.01);
const ADDRESS = safeText('192.0.2.7');

/** The question about a machine called train-02, metered at a dollar an hour. */
function ask(
  kind: Kind,
  fields: Fields = {},
  {
    metrics,
    stock,
    prices = PRICES,
    usage = [aUsageRecord(7, '1')],
    contracts,
  }: {
    readonly usage?: readonly UsageRecord[];
    readonly contracts?: readonly Contract[];
    readonly metrics?: MachineMetrics;
    readonly stock?: boolean;
    readonly prices?: Prices;
  } = {},
): Question {
  const machine = aVirtualMachine({id: 7, name: safeText('train-02'), flavor: A_FLAVOR, ...fields});
  const known = {
    machines: [machine],
    usage,
    ...(contracts === undefined ? {} : {contracts}),
    metrics: metrics === undefined ? new Map() : new Map([[machine.id, metrics]]),
    ...(stock === undefined ? {} : {flavors: [offer({isInStock: stock})]}),
  };
  const scene = aKnownScene(known, {preferences: {...DEFAULT_PREFERENCES, prices}});
  return powerQuestion(actionOf(kind, machine), machine, scene);
}

function powerQuestion(action: PowerAction, machine: VirtualMachine, scene: Scene): Question {
  const question = questionFor([candidate(action, machine, scene)], scene);
  if (question === undefined) throw new Error(`nothing is asked before ${action.kind}`);
  return question;
}

function actionOf(kind: Kind, {id}: VirtualMachine): PowerAction {
  switch (kind) {
    case 'hibernate':
    case 'release':
      return {kind: 'vm.hibernate', id, retainsIp: kind === 'hibernate'};
    default:
      return {kind: `vm.${kind}`, id};
  }
}

function offer(rest: Partial<Flavor>): Flavor {
  return {id: 1, name: A_FLAVOR.name, labels: [], ...rest};
}

function fact(question: Question, label: string): string {
  return (question.facts.find(each => each.label === label)?.lines ?? []).map(textOf).join('\n');
}

/** 4,000 GB in all. */
const VOLUMES = [
  {volumeId: 1, name: safeText('checkpoints-02'), sizeGb: 3000, status: safeText('ATTACHED')},
  {volumeId: 2, name: safeText('scratch'), sizeGb: 1000, status: safeText('ATTACHED')},
];

const WITH_DISK = {...A_FLAVOR, ephemeralDiskGb: 6500};
const KEY = {kind: 'key'};
const NAME = {kind: 'text', what: 'name', expected: 'train-02'};

describe('when the settings say that a stopped machine is billed for its storage only', () => {
  it('does not say that stopping saves nothing', () => {
    expect(fact(ask('stop'), 'What it costs')).toContain('stopping saves nothing');
    const prices = pricesWith({perHourByFlavor: {}, billingByState: {SHUTOFF: 'storage'}});
    expect(fact(ask('stop', {}, {prices}), 'What it costs')).toMatch(
      /^now \$1\.00\/h {2}after \$0\.0\d+\/h {2}\(saves/,
    );
  });
});

describe('a machine with our own SSH session', () => {
  const own = {clientAddress: safeText('203.0.113.9'), serverPort: 22, serverAddress: ADDRESS};
  const machine = aVirtualMachine({id: 7, name: safeText('train-02'), flavor: A_FLAVOR, floatingIp: ADDRESS});
  const askAbout = (kind: Kind, ownConnection = own) =>
    powerQuestion(actionOf(kind, machine), machine, aKnownScene({machines: [machine]}, {ownConnection}));

  it.each<Kind>(['stop', 'hard-reboot', 'hibernate'])('requires its full name for %s, and says why', kind => {
    expect(fact(askAbout(kind), 'Warnings')).toContain(`Your own SSH session is connected to ${ADDRESS}`);
    expect(askAbout(kind).answer).toEqual(NAME);
  });

  it('is not assumed when the session is connected to another machine', () => {
    const elsewhere = {...own, serverAddress: safeText('198.51.100.1')};
    expect(fact(askAbout('stop', elsewhere), 'Warnings')).not.toContain('Your own SSH session');
    expect(askAbout('stop', elsewhere).answer).toEqual(KEY);
  });
});

describe('the space that a question needs', () => {
  it.each<Kind>([
    'stop',
    'hard-reboot',
    'hibernate',
    'release',
  ])('is at most 80×24, with a name of fifty characters and everything that a machine can lose: %s', kind => {
    const name = safeText('nightly-regression-suite-runner-for-driver-r570-01');
    const flavor = {...A_FLAVOR, ephemeralDiskGb: 6500};
    const fields = {name, floatingIp: ADDRESS, flavor, contractId: 118, volumes: VOLUMES};
    const question = ask(kind, fields, {metrics: BUSY, stock: false, contracts: [aContract(5)]});
    expect(isQuestionVisible(question, {columns: 80, rows: 24}, aKnownScene({machines: []}))).toBe(true);
  });
});

describe('the required answer', () => {
  it('to hibernate a machine with an ephemeral disk is its full name, and the undo says that the disk stays lost', () => {
    expect(fact(ask('hibernate', {flavor: WITH_DISK}), 'Undo')).toMatch(
      /^restore it \(.*\), while its flavor is in stock; its ephemeral disk stays lost$/,
    );
    expect(fact(ask('hibernate'), 'Undo')).toMatch(/, while its flavor is in stock$/);
    expect(fact(ask('release', {flavor: WITH_DISK, floatingIp: ADDRESS}), 'Undo')).toMatch(
      /; it gets a new address; its ephemeral disk stays lost$/,
    );
  });

  it.each<[Kind, Fields, MachineMetrics | undefined, object]>([
    ['stop', {}, QUIET, KEY],
    ['stop', {}, undefined, KEY],
    ['stop', {}, BUSY, NAME],
    ['hard-reboot', {}, BUSY, NAME],
    ['hibernate', {}, BUSY, NAME],
    ['hibernate', {floatingIp: ADDRESS}, QUIET, KEY],
    ['hibernate', {flavor: WITH_DISK}, QUIET, NAME],
    ['stop', {flavor: WITH_DISK}, QUIET, KEY],
    ['hard-reboot', {flavor: WITH_DISK}, QUIET, KEY],
    ['release', {floatingIp: ADDRESS}, QUIET, NAME],
    ['release', {}, QUIET, KEY],
    ['release', {hasUnreadAddress: true}, QUIET, NAME],
    ['start', {status: 'SHUTOFF'}, BUSY, KEY],
    ['restore', {status: 'HIBERNATED'}, BUSY, KEY],
  ])('for %s on %o depends on what would be lost', (kind, fields, metrics, expected) => {
    expect(ask(kind, fields, metrics === undefined ? {} : {metrics}).answer).toEqual(expected);
  });

  it.each([
    ['训练', safeText('训练')],
    ['empty', safeText('')],
    ['one with accents', safeText('entraînement')],
  ])('is the id when the name is %s', (_, name) => {
    expect(ask('stop', {name}, {metrics: BUSY}).answer).toEqual({kind: 'text', what: 'words', expected: 'id 7'});
  });
});

describe('a name that could be mistaken for another', () => {
  it.each([
    ['train-01  #793388', 'stop "train-01␣␣#793388"  #7'],
    ['train-01\u2003#793388', 'stop "train-01<U+2003>#793388"  #7'],
    ['train-01 ', 'stop "train-01␣"  #7'],
  ])('%j is quoted in the title, with a warning, and the id must be typed', (name, title) => {
    for (const metrics of [QUIET, BUSY]) {
      const question = ask('stop', {name: safeText(name)}, {metrics});
      expect(question.title).toBe(title);
      expect(question.answer).toEqual({kind: 'text', what: 'words', expected: 'id 7'});
      expect(fact(question, 'Warnings')).toContain('Its name');
    }
  });
});

describe('metrics that are an hour old', () => {
  const frozen = (metrics: MachineMetrics): MachineMetrics => ({
    ...metrics,
    ...Object.fromEntries(
      Object.entries(metrics).map(([name, samples]) => [
        name,
        [...samples].map(sample => ({...sample, sampledAt: epochMs(sample.sampledAt - HOUR_MS)})),
      ]),
    ),
  });

  it.each<[string, MachineMetrics, object]>([
    ['was working', BUSY, NAME],
    ['was quiet', QUIET, KEY],
  ])('require the same answer as before for a machine that %s', (_, metrics, expected) => {
    const question = ask('stop', {}, {metrics: frozen(metrics)});
    expect(fact(question, 'Warnings')).toContain('unknown: its newest sample is 1h');
    expect(question.answer).toEqual(expected);
  });
});

describe('the cost of an action', () => {
  it('says that stopping saves nothing', () => {
    const costs = fact(ask('stop'), 'What it costs');
    expect(costs).toContain('SHUTOFF is billed like ACTIVE: stopping saves nothing.');
    expect(costs).toMatch(/now \$1\.00\/h {2}after \$1\.00\/h {2}\(no change in cost\)/);
  });

  it('says that starting saves nothing by itself, and what hibernating would save then', () => {
    // $1.00 less the $0.0097 of 100 GB of disk.
    expect(fact(ask('start', {status: 'SHUTOFF'}), 'What it costs')).toContain(
      'Starting alone saves nothing; hibernating next saves $0.99/h.',
    );
    const flavor = {...A_FLAVOR, hasNoHibernation: true};
    expect(fact(ask('start', {status: 'SHUTOFF', flavor}), 'What it costs')).not.toContain('hibernating');
  });

  it('shows what disk and address continue to cost during hibernation', () => {
    // 100 GB at $0.000096774 are $0.0096774; with the address at $0.00672043 they are $0.01639783.
    expect(fact(ask('hibernate'), 'What it costs')).toMatch(/now \$1\.00\/h {2}after \$0\.0097\/h {2}\(saves \$0\.99/);
    const kept = fact(ask('hibernate', {floatingIp: ADDRESS}), 'What it costs');
    expect(kept).toMatch(/after \$0\.016/);
    const released = fact(ask('release', {floatingIp: ADDRESS}), 'What it costs');
    expect(released).toMatch(/after \$0\.0097/);
    expect(kept).not.toMatch(/saves nothing|no change in cost/);
  });

  it('names the volumes that stay and what they are billed, apart from the figures of the machine', () => {
    const volumes = VOLUMES.slice(0, 1);
    // 3,000 GB × $0.000096774 = $0.290322 an hour; with the other 1,000 GB $0.387096.
    expect(fact(ask('hibernate', {volumes}), 'What it costs').split('\n')).toEqual([
      'now $1.00/h  after $0.0097/h  (saves $0.99/h)',
      'Its volume stays, billed at $0.29/h: checkpoints-02',
    ]);
    expect(fact(ask('stop', {volumes: VOLUMES}), 'What it costs')).toContain(
      'Its 2 volumes stay, billed at $0.39/h: checkpoints-02, scratch',
    );
    const metered = {...aUsageRecord(1, '0.25'), resourceType: safeText('volume')};
    expect(fact(ask('hibernate', {volumes}, {usage: [aUsageRecord(7, '1'), metered]}), 'What it costs')).toContain(
      'Its volume stays, billed at $0.25/h',
    );
  });

  it('does not call a volume free when its price is unknown', () => {
    const volumes = [{name: safeText('mystery'), status: safeText('ATTACHED')}];
    expect(fact(ask('hibernate', {volumes}), 'What it costs')).toContain(
      'Its volume stays, billed at an unknown price: mystery',
    );
    const nameless = [{name: safeText(''), status: safeText('ATTACHED')}];
    expect(fact(ask('hibernate', {volumes: nameless}), 'What it costs')).toMatch(/billed at an unknown price$/);
    expect(fact(ask('hibernate', {volumes: [...volumes, ...nameless]}), 'What it costs')).toMatch(
      /Its 2 volumes stay, billed at an unknown price: mystery and 1 without a name$/,
    );
  });

  it('calls a saving under a contract an upper limit, and says why', () => {
    const why = '  less if a contract is charged anyway';
    expect(fact(ask('hibernate', {contractId: 118}), 'What it costs')).toContain(`(saves up to $0.99/h)${why}`);
    expect(fact(ask('hibernate'), 'What it costs')).toContain('(saves $0.99/h)');
    expect(fact(ask('stop', {contractId: 118}), 'What it costs')).toContain('(no change in cost)');
    for (const question of [ask('hibernate'), ask('stop', {contractId: 118})])
      expect(fact(question, 'What it costs')).not.toContain('contract');
  });

  it('says that a failed machine is free now and would be billed', () => {
    // The published price of its one L40 is a dollar an hour.
    const stop = fact(ask('stop', {status: 'ERROR', statusText: safeText('ERROR')}, {usage: []}), 'What it costs');
    expect(stop).toContain('ERROR is billed $0.00/h and SHUTOFF in full: stopping costs more.');
    expect(stop).toContain('now $0.00/h  after $1.00/h  (costs $1.00/h more)');
    expect(stop).not.toMatch(/saves nothing|no change in cost/);
  });

  it('says before a restore that a machine without an address may get a new one, which is billed', () => {
    // $1 for the L40 and $0.00672043 for the address.
    const restore = fact(ask('restore', {status: 'HIBERNATED'}, {usage: []}), 'What it costs');
    expect(restore).toContain('A new public address may be given, billed at $0.0067/h: $1.01/h then.');
    const kept = fact(ask('restore', {status: 'HIBERNATED', floatingIp: ADDRESS}, {usage: []}), 'What it costs');
    expect(kept).not.toContain('new public address');
  });

  it('says when a price is the published one and not metered', () => {
    const note = 'The full rate is the published price';
    expect(fact(ask('restore', {status: 'HIBERNATED'}), 'What it costs')).toContain(note);
    expect(fact(ask('stop'), 'What it costs')).not.toContain(note);
  });

  it('says when a price that is not metered comes from a contract or from the settings', () => {
    const terms = {kind: 'percent', percent: rational(30n, 1n)} as const;
    const discounts = [{resourceName: A_FLAVOR.name, terms, statusText: safeText('active')}];
    const covered = {status: 'HIBERNATED', contractId: 118} as const;
    // Seventy percent of a dollar.
    const contract = fact(ask('restore', covered, {contracts: [aContract(20, {discounts})]}), 'What it costs');
    expect(contract).toContain('after $0.70/h');
    expect(contract).toContain('The full rate is the price of its contract, not a metered one.');
    const prices = pricesWith({perHourByFlavor: {[A_FLAVOR.name]: 3}, billingByState: {}});
    const own = fact(ask('restore', {status: 'HIBERNATED'}, {prices}), 'What it costs');
    expect(own).toContain('after $3.00/h');
    expect(own).toContain('The full rate is the price in your settings, not a metered one.');
    expect(contract + own).not.toContain('published');
  });
});

describe('the warnings', () => {
  const care = (...asked: Parameters<typeof ask>) => {
    const question = ask(...asked);
    return fact(question, 'Warnings') || fact(question, 'Right now');
  };

  it('include the work that would be interrupted, with its figures', () => {
    // 4 of 16 processors, 64 of 128 GB.
    expect(care('stop', {}, {metrics: BUSY})).toMatch(/^It is WORKING right now: cpu 25\s?%, memory 50\s?%\.$/);
    expect(care('stop', {}, {metrics: QUIET})).toMatch(/^It is quiet: .*GPU load is not reported by this API\.$/);
    expect(care('stop')).toContain('unknown: no metrics yet');
    expect(care('restore', {status: 'HIBERNATED'}, {metrics: BUSY})).not.toContain('WORKING');
  });

  it('are labelled "Warnings", and what is merely so is not', () => {
    const labels = (question: Question) => question.facts.map(({label}) => label);
    expect(labels(ask('stop', {}, {metrics: QUIET}))).toContain('Right now');
    expect(labels(ask('stop', {}, {metrics: BUSY}))).toContain('Warnings');
    expect(labels(ask('start', {status: 'SHUTOFF'}))).not.toContain('Warnings');
  });

  it('include an ephemeral disk, which only hibernation loses', () => {
    const flavor = {...A_FLAVOR, ephemeralDiskGb: 750};
    expect(care('hibernate', {flavor})).toContain('750 GB of ephemeral disk will be lost.');
    expect(care('stop', {flavor})).not.toContain('ephemeral');
    expect(care('hibernate')).not.toContain('ephemeral');
  });

  it('include before a restore that the ephemeral disk will be empty', () => {
    const asleep = {status: 'HIBERNATED'} as const;
    const {ephemeralDiskGb: _, ...unknown} = A_FLAVOR;
    expect(care('restore', {...asleep, flavor: {...A_FLAVOR, ephemeralDiskGb: 750}})).toContain(
      '750 GB of ephemeral disk will be empty.',
    );
    expect(care('restore', {...asleep, flavor: unknown})).toContain('Its ephemeral disk, if any, will be empty.');
    expect(care('restore', asleep)).not.toContain('ephemeral');
  });

  it.each<[Kind, Fields]>([
    ['hibernate', {}],
    ['restore', {status: 'HIBERNATED'}],
  ])('include the stock of the flavor before %s', (kind, fields) => {
    expect(care(kind, fields, {stock: false})).toContain('n3-L40x1 is out of stock');
    expect(fact(ask(kind, fields, {stock: true}), 'Right now')).toContain('n3-L40x1 is in stock now');
    expect(care(kind, fields)).toContain('Whether n3-L40x1 is in stock for a restore is unknown.');
  });

  it('include no stock when no hardware is released', () => {
    expect(care('stop', {}, {stock: false})).not.toContain('stock');
  });

  it('use the stock of the machine’s own region', () => {
    const machine = aVirtualMachine({flavor: A_FLAVOR, regionName: safeText('CANADA-1')});
    const flavors = [
      offer({regionName: safeText('NORWAY-1'), isInStock: true}),
      offer({id: 2, regionName: safeText('CANADA-1'), isInStock: false}),
    ];
    const question = powerQuestion(
      actionOf('hibernate', machine),
      machine,
      aKnownScene({machines: [machine], flavors}),
    );
    expect(fact(question, 'Warnings')).toContain('out of stock');
  });

  it('include a machine without a GPU, and a name with hidden characters', () => {
    expect(care('hibernate', {flavor: {...A_FLAVOR, gpuCount: 0}})).toContain('usually refuses');
    expect(care('hibernate')).not.toContain('usually refuses');
    expect(care('start', {status: 'SHUTOFF', name: safeText('train\u202e02')})).toContain(
      'name has hidden or control characters',
    );
  });
});

describe('the contract of a machine', () => {
  const KINDS: readonly [Kind, Fields][] = [
    ['start', {status: 'SHUTOFF'}],
    ['stop', {}],
    ['hard-reboot', {}],
    ['hibernate', {}],
    ['restore', {status: 'HIBERNATED'}],
  ];

  it.each(KINDS)('is shown in the question to %s with its end and its policy', (kind, fields) => {
    const care = fact(ask(kind, {...fields, contractId: 118}, {contracts: [aContract(5.5)]}), 'Warnings');
    expect(care).toContain('Contract #118 ends in 5 days, then DELETES what it covers.');
    expect(fact(ask(kind, fields, {contracts: [aContract(5.5)]}), 'Warnings')).not.toContain('ontract');
  });

  it.each<[string, readonly Contract[] | undefined, string]>([
    ['was not read', undefined, 'Under contract #118; its end and policy are not loaded yet.'],
    ['has another id', [aContract(5, {id: 119})], 'Under contract #118; its end and policy are not loaded yet.'],
    ['ends today', [aContract(0.25)], 'Contract #118 ends in 6h00, then DELETES what it covers.'],
    ['has ended', [aContract(-2)], 'Contract #118 ended 2d ago, then DELETES what it covers.'],
    ['has no end', [aContract(undefined)], 'Contract #118 has no known end, then DELETES what it covers.'],
    [
      'continues at market price',
      [aContract(1, {expirationPolicy: expirationPolicy(1)})],
      'Contract #118 ends in 1 day, then market price.',
    ],
    [
      'has an unknown policy',
      [aContract(9, {expirationPolicy: expirationPolicy(7)})],
      'Contract #118 ends in 9 days; what happens to its resources then is unknown.',
    ],
  ])('is described when it %s', (_, contracts, told) => {
    const known = contracts === undefined ? {} : {contracts};
    expect(fact(ask('stop', {contractId: 118}, known), 'Warnings')).toContain(told);
  });

  it('makes the saving of the cheaper choice an upper limit', () => {
    const [choice] = ask('stop', {contractId: 118}).alternatives;
    expect(choice?.title).toBe('hibernate instead: $0.0097/h, saves up to $0.99/h');
  });
});

describe('what happens', () => {
  it('says that the address is released permanently, if there is one', () => {
    expect(fact(ask('release', {floatingIp: ADDRESS}), 'What happens')).toContain('192.0.2.7 is released permanently');
    expect(fact(ask('hibernate', {floatingIp: ADDRESS}), 'What happens')).toContain('public address 192.0.2.7 stay');
    expect(fact(ask('release'), 'What happens')).not.toContain('released');
  });

  it('names an address that could not be read, whether it is kept or lost', () => {
    const unread = {hasUnreadAddress: true} as const;
    expect(fact(ask('release', unread), 'What happens')).toContain('could not be read, is released permanently');
    expect(fact(ask('hibernate', unread), 'What happens')).toContain(
      'addresses stay; its public one could not be read',
    );
  });

  it('says at most and at least where the cost depends on an address that could not be read, and what it adds', () => {
    const unread = {hasUnreadAddress: true} as const;
    const line = 'Its public address could not be read: if it has one, that is billed at $0.0067/h.';
    expect(fact(ask('hibernate', unread), 'What it costs').split('\n')).toEqual([
      // A root disk of 100 GB at $0.000096774 and an address at $0.00672043: $0.0163978 an hour.
      'now $1.00/h  after at most $0.0164/h  (saves at least $0.98/h)',
      line,
    ]);
    expect(fact(ask('release', unread), 'What it costs')).toBe('now $1.00/h  after $0.0097/h  (saves $0.99/h)');
    const restored = fact(ask('restore', {...unread, status: 'HIBERNATED'}), 'What it costs');
    expect(restored).toContain(line);
    expect(restored).not.toContain('A new public address');
  });

  it.each<[Kind, string]>([
    ['start', 'start'],
    ['stop', 'stop'],
    ['hard-reboot', 'hard-reboot'],
    ['hibernate', 'hibernate?retain_ip=true'],
    ['release', 'hibernate?retain_ip=false'],
    ['restore', 'hibernate-restore'],
  ])('shows the call of %s', (kind, call) => {
    expect(fact(ask(kind), 'Calls')).toBe(`1: GET /core/virtual-machines/7/${call}\nsent once, never retried`);
  });

  it('says that restoring does not bring a released address back', () => {
    expect(fact(ask('release', {floatingIp: ADDRESS}), 'Undo')).toContain('it gets a new address');
    expect(fact(ask('hibernate', {floatingIp: ADDRESS}), 'Undo')).not.toContain('new address');
  });

  it('is one step, with the status in which the machine was shown', () => {
    const question = ask('release', {floatingIp: ADDRESS});
    expect(question.title).toBe('hibernate train-02  #7');
    expect(question.steps).toEqual([
      {
        action: {kind: 'vm.hibernate', id: 7, retainsIp: false},
        subjectName: 'train-02',
        status: 'ACTIVE',
        facts: {
          flavorName: 'n3-L40x1',
          isUnderContract: false,
          named: new Map([
            ['its address', ADDRESS],
            ['its ephemeral disk', '0 GB'],
          ]),
          cost: {words: '$0.0097/h afterwards, saves $0.99/h', rates: expect.any(Array)},
        },
      },
    ]);
  });
});

describe('the cheaper choice', () => {
  it('is to hibernate instead of stopping, as a complete question of its own', () => {
    const question = ask('stop', {}, {metrics: BUSY});
    expect(question.alternatives.map(({key}) => key)).toEqual(['tab']);
    const [choice] = question.alternatives;
    expect(choice?.title).toMatch(/^hibernate instead: \$0\.0097\/h, saves \$0\.99/);
    expect(choice?.question.steps).toMatchObject([{action: {kind: 'vm.hibernate', retainsIp: true}}]);
    expect(choice?.question.answer).toEqual(NAME);
  });

  it.each<[string, Kind, Fields]>([
    ['nothing is stopped', 'hard-reboot', {}],
    ['the flavor cannot hibernate', 'stop', {flavor: {...A_FLAVOR, hasNoHibernation: true}}],
    ['the machine has no GPU', 'stop', {flavor: {...A_FLAVOR, gpuCount: 0, hasNoHibernation: false}}],
    ['the state does not allow it', 'stop', {status: 'ERROR'}],
  ])('is not offered when %s', (_, kind, fields) => {
    expect(ask(kind, fields).alternatives).toEqual([]);
  });
});
