import {describe, expect, test} from 'vitest';
import {idleVerdict, mayBeIdle, quietTime} from '../../../src/domain/money/idle.ts';
import {PRICES} from '../../../src/domain/money/prices.ts';
import {type WasteInput, wasteOf} from '../../../src/domain/money/waste.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import type {Series} from '../../../src/domain/series.ts';
import {DAY_MS, epochMs, HOUR_MS, MINUTE_MS} from '../../../src/domain/time.ts';
import {type VirtualMachine, virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {type Volume, volumeId} from '../../../src/domain/volume.ts';
import {aRecord, dollars, NOW, perHour} from './a-usage-record.ts';

const FLAVOR = {name: safeText('n3-H100x1'), cpuCount: 28, gpuCount: 1, gpuModel: safeText('H100'), ramGb: 100};

function machine(id: number, fields: Partial<VirtualMachine> = {}): VirtualMachine {
  return {
    id: virtualMachineId(id),
    name: safeText(`vm-${id}`),
    status: 'ACTIVE',
    statusText: safeText('ACTIVE'),
    flavor: FLAVOR,
    volumes: [],
    rules: [],
    labels: [],
    createdAt: epochMs(NOW - 20 * DAY_MS),
    ...fields,
  };
}

function volume(id: number, fields: Partial<Volume> = {}): Volume {
  return {
    id: volumeId(id),
    name: safeText(`disk-${id}`),
    status: 'AVAILABLE',
    statusText: safeText('available'),
    sizeGb: 1000,
    attachments: [],
    createdAt: epochMs(NOW - 31 * DAY_MS),
    ...fields,
  };
}

function waste(fields: Partial<WasteInput>) {
  return wasteOf({
    live: [],
    machines: [],
    volumes: [],
    areWhole: {machines: true, volumes: true, usage: true},
    verdicts: new Map(),
    idleMs: 7 * DAY_MS,
    stoppedAt: new Map(),
    prices: PRICES,
    keep: [],
    now: NOW,
    ...fields,
  });
}

const record = (id: number, fields = {}) => aRecord({resourceId: id, rate: perHour('2'), ...fields});
const told = ({waste: all}: ReturnType<typeof waste>) => all.map(({kind, resourceId}) => `${kind} ${resourceId}`);

describe('what is unknown to the waste', () => {
  const {rate: _rate, ...unpriced} = record(1);
  const whole = {machines: true, volumes: true, usage: true};
  test.each<[string, Partial<WasteInput>, readonly string[]]>([
    ['nothing', {}, []],
    ['no machines', {machines: undefined}, ['machines unknown']],
    ['no volumes', {volumes: undefined}, ['volumes unknown']],
    ['some machines', {areWhole: {...whole, machines: false}}, ['part of the machines unknown']],
    ['some volumes', {areWhole: {...whole, volumes: false}}, ['part of the volumes unknown']],
    ['some usage', {areWhole: {...whole, usage: false}}, ['part of the usage unknown']],
    [
      'a machine without a rate',
      {machines: [machine(1, {status: 'SHUTOFF'})], live: [unpriced]},
      ['1 item of unknown price'],
    ],
  ])('is named, since more may be wasted: %s', (_name, fields, unknown) => {
    expect(waste(fields).unknown).toEqual(unknown);
  });
});

describe('the kinds of waste that cannot be told', () => {
  const whole = {machines: true, volumes: true, usage: true};
  const working = {verdict: 'active'} as const;
  const running = {machines: [machine(1), machine(2)], live: [record(1), record(2)]};
  const judged = {verdicts: new Map([[1, working]])};
  const ofMachines = ['idle', 'stopped-but-billed', 'kept-address'];
  test.each<[string, Partial<WasteInput>, readonly string[]]>([
    ['with all read', {...running, ...judged}, []],
    ['without running machines', {}, []],
    ['before any activity was read', running, ['idle']],
    ['without machines', {machines: undefined}, [...ofMachines, 'ghost', 'unmetered']],
    ['without volumes', {...running, ...judged, volumes: undefined}, ['unattached-volume', 'ghost', 'unmetered']],
    [
      'with a part of the machines',
      {...running, ...judged, areWhole: {...whole, machines: false}},
      [...ofMachines, 'ghost', 'unmetered'],
    ],
    [
      'with a part of the volumes',
      {...running, ...judged, areWhole: {...whole, volumes: false}},
      ['unattached-volume', 'ghost', 'unmetered'],
    ],
    ['with a part of the usage', {...running, ...judged, areWhole: {...whole, usage: false}}, ['ghost', 'unmetered']],
  ])('%s', (_name, fields, unknown) => {
    expect([...waste(fields).unknownKinds]).toEqual(unknown);
  });
});

describe('wasteOf', () => {
  test('ranks by money wasted so far: rate × time since then', () => {
    const machines = [machine(1, {status: 'SHUTOFF'}), machine(2), machine(3, {status: 'SHUTOFF'})];
    const found = waste({
      machines,
      live: [record(1), record(2), record(3, {rate: perHour('9')})],
      stoppedAt: new Map([
        [1, epochMs(NOW - 10 * HOUR_MS)],
        [3, epochMs(NOW - 2 * HOUR_MS)],
      ]),
      verdicts: new Map([
        [
          2,
          {
            verdict: 'idle',
            rule: 'long',
            since: epochMs(NOW - 24 * HOUR_MS),
            confidence: 'high',
            activeRatio: 0.01,
            areGpusIdle: false,
          },
        ],
      ]),
    });
    expect(found.waste.map(({kind, resourceId, soFar}) => [kind, resourceId, soFar])).toEqual([
      ['idle', 2, dollars('48')],
      ['stopped-but-billed', 1, dollars('20')],
      ['stopped-but-billed', 3, dollars('18')],
    ]);
    expect(found.waste[0]?.evidence).toMatch(
      /no host-side activity for 24 h: active in 1% of the time.*GPU load is not reported/,
    );
  });

  test('counts a volume that has been unattached for a week, at its metered rate', () => {
    const volumes = [
      volume(1),
      volume(2, {updatedAt: epochMs(NOW - 6 * DAY_MS)}),
      volume(3, {status: 'IN_USE', attachments: [{machineId: virtualMachineId(1)}]}),
    ];
    const found = waste({
      volumes,
      live: [1, 2, 3].map(id => record(id, {resourceType: safeText('volume'), rate: perHour('0.1')})),
    });
    expect(found.waste).toMatchObject([
      {kind: 'unattached-volume', resourceId: 1, rate: perHour('0.1'), soFar: dollars('74.4')},
    ]);
  });

  test('counts a volume that is not metered at its list price', () => {
    const found = waste({volumes: [volume(1)], prices: {...PRICES, storagePerGb: perHour('0.0001')}});
    expect(found.waste).toMatchObject([
      {kind: 'unattached-volume', resourceId: 1, rate: perHour('0.1'), soFar: dollars('74.4')},
    ]);
  });

  test('counts the address that a hibernated machine keeps', () => {
    const hibernated = machine(1, {status: 'HIBERNATED', floatingIp: safeText('198.51.100.7')});
    const without = machine(2, {status: 'HIBERNATED'});
    const found = waste({machines: [hibernated, without], live: [record(1), record(2)]});
    expect(found.waste).toMatchObject([
      {kind: 'kept-address', resourceId: 1, rate: perHour('0.00672043'), soFar: undefined},
    ]);
  });

  test('finds what is billed but gone and what exists but is not billed, unless it is young', () => {
    const young = {createdAt: epochMs(NOW - 5 * MINUTE_MS)};
    const input = {
      machines: [machine(1), machine(4, young), machine(5)],
      live: [record(1), record(2), record(3, young)],
    };
    expect(told(waste(input))).toEqual(['ghost 2', 'unmetered 5']);
    // Nothing is known to be missing from a list that is not complete.
    expect(told(waste({...input, areWhole: {machines: false, volumes: true, usage: false}}))).toEqual([]);
    expect(told(waste({...input, live: [record(2, {isExcludedFromBilling: true})], machines: []}))).toEqual([]);
  });

  test('reports a stopped machine from the first minute, even without a rate, but not a free one or a node of a cluster', () => {
    const off = (id: number, fields: Partial<VirtualMachine> = {}) => machine(id, {status: 'SHUTOFF', ...fields});
    const machines = [off(1), off(2), off(3), off(4, {clusterId: 31}), off(5), off(6, {hasUnreadCluster: true})];
    const stoppedAt = new Map([
      [1, NOW],
      [2, epochMs(NOW - 10 * MINUTE_MS)],
    ]);
    const live = [record(1), record(2), record(3, {rate: perHour('0')}), record(4), record(6)];
    expect(told(waste({machines, live, stoppedAt}))).toEqual([
      'stopped-but-billed 2',
      'stopped-but-billed 1',
      'stopped-but-billed 5',
    ]);
  });

  test('knows machines that are excluded from billing as free: neither stopped nor idle are they waste, nor unknown', () => {
    const idle = {verdict: 'idle', rule: 'long', activeRatio: 0, areGpusIdle: false, confidence: 'high'} as const;
    const found = waste({
      machines: [machine(1, {status: 'SHUTOFF'}), machine(2), machine(3)],
      live: [1, 2, 3].map(id => record(id, {isExcludedFromBilling: true})),
      verdicts: new Map([[2, {...idle, since: epochMs(NOW - 8 * DAY_MS)}]]),
    });
    expect({told: told(found), unknown: found.unknown, unjudged: found.unjudgedCount}).toEqual({
      told: [],
      unknown: [],
      unjudged: 0,
    });
  });

  test('is at least what is known while a machine is in an unknown state, unless nothing is billed for it', () => {
    const stateless = (id: number) => machine(id, {status: 'UNKNOWN', statusText: safeText('')});
    const found = waste({
      machines: [stateless(1), stateless(2), machine(3)],
      live: [record(1), record(2, {isExcludedFromBilling: true}), record(3)],
    });
    expect(found.unknown).toEqual(['1 machine of unknown state']);
    expect([...found.unknownKinds].sort()).toEqual(['idle', 'kept-address', 'stopped-but-billed']);
  });

  test('is at least what is known while it is unknown whether a hibernated machine keeps an address', () => {
    const unread = (id: number, status: VirtualMachine['status']) => machine(id, {status, hasUnreadAddress: true});
    const machines = [unread(1, 'HIBERNATED'), unread(2, 'ACTIVE'), unread(3, 'HIBERNATED')];
    const live = [record(1), record(2), record(3, {isExcludedFromBilling: true})];
    const found = waste({machines: [...machines, machine(4, {status: 'HIBERNATED'})], live: [...live, record(4)]});
    expect([found.waste, found.unknown]).toEqual([[], ['address of 1 hibernated machine unknown']]);
    // The running machine has no verdict.
    expect([...found.unknownKinds].sort()).toEqual(['idle', 'kept-address']);
  });

  test('does not speak of the GPU load of a machine without GPUs', () => {
    const idle = {verdict: 'idle', rule: 'long', activeRatio: 0, areGpusIdle: false, confidence: 'medium'} as const;
    const found = waste({
      machines: [machine(1, {flavor: {...FLAVOR, gpuCount: 0}})],
      live: [record(1)],
      verdicts: new Map([[1, {...idle, since: epochMs(NOW - 8 * DAY_MS)}]]),
    });
    expect(found.waste.map(({evidence}) => evidence)).toEqual([
      'no host-side activity for 8 d: active in 0% of the time',
    ]);
  });

  test('reports a ghost even when it is kept on purpose, as it has no owner', () => {
    const keep = [{resourceType: 'vm' as const, resourceId: 2, until: epochMs(NOW + DAY_MS)}];
    expect(told(waste({live: [record(2)], keep}))).toEqual(['ghost 2']);
  });

  test('leaves out what is kept on purpose, until its date', () => {
    const input = {machines: [machine(1, {status: 'SHUTOFF'})], live: [record(1)]};
    const keep = (until: number) => [{resourceType: 'vm' as const, resourceId: 1, until: epochMs(until)}];
    const kept = waste({...input, keep: keep(NOW + DAY_MS)});
    expect([told(kept), kept.kept.length]).toEqual([[], 1]);
    expect(told(waste({...input, keep: keep(NOW)}))).toEqual(['stopped-but-billed 1']);
  });
});

const STEP = 5 * MINUTE_MS;

/** The cores in use over the last `days`, as the service's counter of nanoseconds. */
function cores(
  at: (hoursAgo: number) => number,
  {days = 15, misses = (hours: number): boolean => hours < 0} = {},
): Series {
  const samples: {sampledAt: ReturnType<typeof epochMs>; value: number}[] = [];
  let value = 1e15;
  for (let moment = NOW - days * DAY_MS; moment <= NOW; moment += STEP) {
    value += at((NOW - moment) / HOUR_MS) * (STEP / 1000) * 1e9;
    if (!misses((NOW - moment) / HOUR_MS)) samples.push({sampledAt: epochMs(moment), value: Math.round(value)});
  }
  return samples;
}

describe('idleVerdict', () => {
  const WINDOWS = {now: NOW, idleMs: 7 * DAY_MS, quietMs: DAY_MS};
  const verdict = (cpu: Series, memoryRatio?: number) =>
    idleVerdict(
      {
        cpu,
        ...(memoryRatio === undefined
          ? {}
          : {memory: Array.from(cpu, ({sampledAt}) => ({sampledAt, value: memoryRatio * 100 * 1024 ** 3}))}),
      },
      FLAVOR,
      WINDOWS,
    );

  test.each<[string, Series, object]>([
    ['never used', cores(() => 0.05), {verdict: 'idle', rule: 'long', confidence: 'high'}],
    [
      'that finished two days ago',
      cores(hours => (hours > 48 ? 5 : 0.05)),
      {verdict: 'idle', rule: 'went-quiet', confidence: 'medium', since: NOW - 48 * HOUR_MS - STEP},
    ],
    ['with one busy host thread, 3.6 % of 28', cores(() => 1), {verdict: 'active'}],
    ['with a job of half an hour each night', cores(hours => (hours % 24 < 0.51 ? 2 : 0.05)), {verdict: 'active'}],
    [
      'with updates of ten minutes each day',
      cores(hours => (hours % 24 > 5 && hours % 24 < 5.17 ? 2 : 0.05)),
      {verdict: 'idle', rule: 'long'},
    ],
    [
      'quiet for three days, and quiet a week ago too',
      cores(hours => (hours > 72 && hours < 144 ? 5 : 0.05)),
      {verdict: 'quiet'},
    ],
    ['that works again since minutes ago', cores(hours => (hours < 0.13 ? 2 : 0.05)), {verdict: 'active'}],
    ['twelve hours old', cores(() => 0.05, {days: 0.5}), {verdict: 'unknown'}],
    ['three days old', cores(() => 0.05, {days: 3}), {verdict: 'quiet'}],
    [
      'with a quarter of its samples missing',
      cores(() => 0.05, {misses: hours => hours % 24 < 6}),
      {verdict: 'unknown'},
    ],
    ['with nothing measured', [], {verdict: 'unknown'}],
  ])('of a machine %s', (_, cpu, expected) => {
    expect(verdict(cpu)).toMatchObject(expected);
  });

  test('has high confidence when memory is nearly empty, and low when most of it is in use', () => {
    const done = cores(hours => (hours > 48 ? 5 : 0.05));
    expect(verdict(done, 0.04)).toMatchObject({confidence: 'high'});
    expect(verdict(done, 0.7)).toMatchObject({confidence: 'low'});
  });

  test('is only quiet for a machine that works now and then with most of its memory in use', () => {
    expect(
      verdict(
        cores(hours => (Math.floor(hours * 12) % 40 === 3 ? 2 : 0.05)),
        0.7,
      ),
    ).toMatchObject({verdict: 'quiet'});
  });
});

test.each([
  ['no metrics were read', undefined, 40, true],
  ['too little was measured', {verdict: 'unknown'}, 40, true],
  ['it is quiet, and no more than a day was measured', {verdict: 'quiet', isLongMeasured: false}, 40, true],
  ['it is quiet, but was not in the days before', {verdict: 'quiet', isLongMeasured: true}, 40, false],
  ['it works', {verdict: 'active'}, 40, false],
  ['it is too young to be idle', undefined, 6, false],
] as const)('decides whether a machine may still prove to be idle: %s', (_, verdict, ageDays, expected) => {
  const whole = verdict?.verdict === 'quiet' ? {...verdict, since: NOW, activeRatio: 0} : verdict;
  const createdAt = epochMs(NOW - ageDays * DAY_MS);
  expect(mayBeIdle(whole, {createdAt, now: NOW, idleMs: 7 * DAY_MS})).toBe(expected);
});

describe('the time that a machine has been quiet', () => {
  const AN_HOUR = {days: 1 / 24};
  const hourOf = (coresAt: (hours: number) => number) => ({
    cpu: cores(coresAt, AN_HOUR),
    networkOut: cores(() => 0, AN_HOUR),
  });
  const run = (fromHours: number, toHours: number, isActive: boolean) => ({
    startedAt: NOW - fromHours * HOUR_MS,
    endedAt: NOW - toHours * HOUR_MS,
    isActive,
  });
  const quiet = (runs: readonly ReturnType<typeof run>[], coresAt = (_: number) => 0.05) =>
    quietTime(hourOf(coresAt), FLAVOR, {now: NOW, runs});

  test('is at least the hour that was read, when nothing else is known', () => {
    expect(quiet([])).toEqual({since: NOW - HOUR_MS, isAtLeast: true});
  });

  test('goes back through earlier knowledge to the last activity', () => {
    const since = NOW - 5 * HOUR_MS;
    expect(quiet([run(9, 5, true), run(5, 1, false)])).toEqual({since, isAtLeast: false});
    expect(quiet([run(5, 1, false)])).toEqual({since, isAtLeast: true});
    // A cron job of a few seconds does not count as activity.
    expect(quiet([run(5, 3, false), run(3, 2.999, true), run(2.999, 1, false)])).toEqual({since, isAtLeast: true});
    // What was not measured may hide work.
    expect(quiet([run(9, 3, false)])).toEqual({since: NOW - HOUR_MS, isAtLeast: true});
  });

  test('is what the idle rule says, if it says something, and undefined for a machine that works', () => {
    const idleSince = epochMs(NOW - 4 * DAY_MS);
    const runs = [run(200, 96, true), run(96, 1, false)];
    expect(
      quietTime(
        hourOf(() => 0.05),
        FLAVOR,
        {now: NOW, runs, idleSince},
      ),
    ).toEqual({
      since: idleSince,
      isAtLeast: false,
    });
    expect(quiet([], () => 9)).toBeUndefined();
  });
});
