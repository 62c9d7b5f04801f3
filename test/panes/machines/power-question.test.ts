import {describe, expect, it} from 'vitest';
import {isQuestionVisible} from '../../../src/app/question-box.tsx';
import type {PowerAct} from '../../../src/domain/act.ts';
import {PRICES, type Prices, pricesWith} from '../../../src/domain/cost.ts';
import type {Flavor} from '../../../src/domain/flavor.ts';
import {DEFAULT_PREFERENCES} from '../../../src/domain/preferences.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import type {MachineMetrics} from '../../../src/domain/series.ts';
import type {VirtualMachine} from '../../../src/domain/virtual-machine.ts';
import type {Question} from '../../../src/panes/command.ts';
import {powerQuestion} from '../../../src/panes/machines/power-question.ts';
import {textOf} from '../../../src/ui/text.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {A_FLAVOR, aKnownScene, aUsageRecord, busyMetrics} from '../a-known-scene.ts';

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
  }: {
    readonly metrics?: MachineMetrics;
    readonly stock?: boolean;
    readonly prices?: Prices;
  } = {},
): Question {
  const machine = aVirtualMachine({id: 7, name: safeText('train-02'), flavor: A_FLAVOR, ...fields});
  const known = {
    machines: [machine],
    usage: [aUsageRecord(7, '1')],
    metrics: metrics === undefined ? new Map() : new Map([[machine.id, metrics]]),
    ...(stock === undefined ? {} : {flavors: [offer({isInStock: stock})]}),
  };
  const scene = aKnownScene(known, {preferences: {...DEFAULT_PREFERENCES, prices}});
  return powerQuestion(actOf(kind, machine), machine, scene);
}

function actOf(kind: Kind, {id}: VirtualMachine): PowerAct {
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
  return (question.facts.find(candidate => candidate.label === label)?.lines ?? []).map(textOf).join('\n');
}

const KEY = {kind: 'key'};
const NAME = {kind: 'text', what: 'name', expected: 'train-02'};

describe('where a person knows that a stopped machine is billed for its storage alone', () => {
  it('does not say that stopping saves nothing', () => {
    expect(fact(ask('stop'), 'What it costs')).toContain('stopping saves nothing');
    const prices = pricesWith({perHourByFlavor: {}, billingByState: {SHUTOFF: 'storage'}});
    expect(fact(ask('stop', {}, {prices}), 'What it costs')).toMatch(
      /^now \$1\.00\/h {2}after \$0\.0\d+\/h {2}\(saves/,
    );
  });
});

describe('the room it needs', () => {
  it.each<Kind>([
    'stop',
    'hard-reboot',
    'hibernate',
    'release',
  ])('is that of 80×24, with a name of fifty characters and all that a machine can lose: %s', kind => {
    const name = safeText('nightly-regression-suite-runner-for-driver-r570-01');
    const flavor = {...A_FLAVOR, ephemeralDiskGb: 6500};
    const question = ask(kind, {name, floatingIp: ADDRESS, flavor, contractId: 118}, {metrics: BUSY, stock: false});
    expect(isQuestionVisible(question, {columns: 80, rows: 24}, aKnownScene({machines: []}))).toBe(true);
  });
});

describe('the weight of the answer', () => {
  it.each<[Kind, Fields, MachineMetrics | undefined, object]>([
    ['stop', {}, QUIET, KEY],
    ['stop', {}, undefined, KEY],
    ['stop', {}, BUSY, NAME],
    ['hard-reboot', {}, BUSY, NAME],
    ['hibernate', {}, BUSY, NAME],
    ['hibernate', {floatingIp: ADDRESS}, QUIET, KEY],
    ['release', {floatingIp: ADDRESS}, QUIET, NAME],
    ['release', {}, QUIET, KEY],
    ['start', {status: 'SHUTOFF'}, BUSY, KEY],
    ['restore', {status: 'HIBERNATED'}, BUSY, KEY],
  ])('of %s on %o follows from what would be lost', (kind, fields, metrics, expected) => {
    expect(ask(kind, fields, metrics === undefined ? {} : {metrics}).answer).toEqual(expected);
  });

  it.each([
    ['训练', safeText('训练')],
    ['nothing at all', safeText('')],
    ['letters with accents', safeText('entraînement')],
  ])('is the id where a name of %s has no keys', (_, name) => {
    expect(ask('stop', {name}, {metrics: BUSY}).answer).toEqual({kind: 'text', what: 'id', expected: '7'});
  });
});

describe('what it costs', () => {
  it('says of a stop that it saves nothing', () => {
    const costs = fact(ask('stop'), 'What it costs');
    expect(costs).toContain('SHUTOFF is billed like ACTIVE: stopping saves nothing.');
    expect(costs).toMatch(/now \$1\.00\/h {2}after \$1\.00\/h {2}\(saves nothing\)/);
  });

  it('says of hibernation what disk and address cost on, which is cents', () => {
    // 100 GB at $0.000096774 are $0.0096774; with the address at $0.00672043 they are $0.01639783.
    expect(fact(ask('hibernate'), 'What it costs')).toMatch(/now \$1\.00\/h {2}after \$0\.0097\/h {2}\(saves \$0\.99/);
    const kept = fact(ask('hibernate', {floatingIp: ADDRESS}), 'What it costs');
    expect(kept).toMatch(/after \$0\.016/);
    const released = fact(ask('release', {floatingIp: ADDRESS}), 'What it costs');
    expect(released).toMatch(/after \$0\.0097/);
    expect(kept).not.toContain('saves nothing');
  });

  it('says where a contract may be paid all the same, but not where nothing is saved', () => {
    const warning = 'It is under a contract: the saving is anything from $0 to that.';
    expect(fact(ask('hibernate', {contractId: 12}), 'What it costs')).toContain(warning);
    expect(fact(ask('hibernate'), 'What it costs')).not.toContain(warning);
    expect(fact(ask('stop', {contractId: 12}), 'What it costs')).not.toContain(warning);
  });

  it('says where a price was published and not metered', () => {
    const note = 'The full rate is a published price';
    expect(fact(ask('restore', {status: 'HIBERNATED'}), 'What it costs')).toContain(note);
    expect(fact(ask('stop'), 'What it costs')).not.toContain(note);
  });
});

describe('what needs care', () => {
  const care = (...asked: Parameters<typeof ask>) => {
    const question = ask(...asked);
    return fact(question, 'Needs care') || fact(question, 'Right now');
  };

  it('is the work that would be cut off, with its figures', () => {
    // 4 of 16 processors, 64 of 128 GB.
    expect(care('stop', {}, {metrics: BUSY})).toMatch(/^It is WORKING right now: cpu 25\s?%, memory 50\s?%\.$/);
    expect(care('stop', {}, {metrics: QUIET})).toMatch(/^It is quiet: .*nothing of the GPU\.$/);
    expect(care('stop')).toContain('unknown: no metrics yet');
    expect(care('restore', {status: 'HIBERNATED'}, {metrics: BUSY})).not.toContain('WORKING');
  });

  it('is called care only where there is something to take care of', () => {
    const labels = (question: Question) => question.facts.map(({label}) => label);
    expect(labels(ask('stop', {}, {metrics: QUIET}))).toContain('Right now');
    expect(labels(ask('stop', {}, {metrics: BUSY}))).toContain('Needs care');
    expect(labels(ask('start', {status: 'SHUTOFF'}))).not.toContain('Needs care');
  });

  it('is an ephemeral disk, which only hibernation loses', () => {
    const flavor = {...A_FLAVOR, ephemeralDiskGb: 750};
    expect(care('hibernate', {flavor})).toContain('750 GB of ephemeral disk are lost.');
    expect(care('stop', {flavor})).not.toContain('ephemeral');
    expect(care('hibernate')).not.toContain('ephemeral');
  });

  it.each<[Kind, Fields]>([
    ['hibernate', {}],
    ['restore', {status: 'HIBERNATED'}],
  ])('is the stock of the flavor before %s', (kind, fields) => {
    expect(care(kind, fields, {stock: false})).toContain('n3-L40x1 is out of stock');
    expect(care(kind, fields, {stock: true})).toContain('n3-L40x1 is in stock now');
    expect(care(kind, fields)).toContain('Whether n3-L40x1 is free to come back to is unknown.');
  });

  it('is no stock where no hardware is given back', () => {
    expect(care('stop', {}, {stock: false})).not.toContain('stock');
  });

  it('is the stock of the machine’s own region', () => {
    const machine = aVirtualMachine({flavor: A_FLAVOR, regionName: safeText('CANADA-1')});
    const flavors = [
      offer({regionName: safeText('NORWAY-1'), isInStock: true}),
      offer({id: 2, regionName: safeText('CANADA-1'), isInStock: false}),
    ];
    const question = powerQuestion(actOf('hibernate', machine), machine, aKnownScene({machines: [machine], flavors}));
    expect(fact(question, 'Needs care')).toContain('out of stock');
  });

  it('is a machine without a graphics card, and a name that hides something', () => {
    expect(care('hibernate', {flavor: {...A_FLAVOR, gpuCount: 0}})).toContain('usually refuses');
    expect(care('hibernate')).not.toContain('usually refuses');
    expect(care('start', {status: 'SHUTOFF', name: safeText('train\u202e02')})).toContain(
      'name holds hidden or control characters',
    );
  });
});

describe('what happens', () => {
  it('says that the address is given away for ever, where there is one', () => {
    expect(fact(ask('release', {floatingIp: ADDRESS}), 'What happens')).toContain('192.0.2.7 is given away for ever');
    expect(fact(ask('hibernate', {floatingIp: ADDRESS}), 'What happens')).not.toContain('given away');
    expect(fact(ask('release'), 'What happens')).not.toContain('given away');
  });

  it.each<[Kind, string]>([
    ['start', 'start'],
    ['stop', 'stop'],
    ['hard-reboot', 'hard-reboot'],
    ['hibernate', 'hibernate?retain_ip=true'],
    ['release', 'hibernate?retain_ip=false'],
    ['restore', 'hibernate-restore'],
  ])('tells the call of %s', (kind, call) => {
    expect(fact(ask(kind), 'Calls')).toBe(`1: GET /core/virtual-machines/7/${call}\nsent once and never repeated`);
  });

  it('is one step, with the state in which the machine was shown', () => {
    const question = ask('release', {floatingIp: ADDRESS});
    expect(question.title).toBe('hibernate train-02  #7');
    expect(question.steps).toEqual([
      {act: {kind: 'vm.hibernate', id: 7, retainsIp: false}, subjectName: 'train-02', status: 'ACTIVE'},
    ]);
  });
});

describe('the cheaper choice', () => {
  it('is to hibernate where one would stop, as a whole question of its own', () => {
    const question = ask('stop', {}, {metrics: BUSY});
    expect(question.alternatives.map(({key}) => key)).toEqual(['tab']);
    const [choice] = question.alternatives;
    expect(choice?.title).toMatch(/^hibernate instead: \$0\.0097\/h, saves \$0\.99/);
    expect(choice?.question.steps).toMatchObject([{act: {kind: 'vm.hibernate', retainsIp: true}}]);
    expect(choice?.question.answer).toEqual(NAME);
  });

  it.each<[string, Kind, Fields]>([
    ['nothing is stopped', 'hard-reboot', {}],
    ['the flavor cannot hibernate', 'stop', {flavor: {...A_FLAVOR, hasNoHibernation: true}}],
    ['the state does not allow it', 'stop', {status: 'ERROR'}],
  ])('is not offered where %s', (_, kind, fields) => {
    expect(ask(kind, fields).alternatives).toEqual([]);
  });
});
