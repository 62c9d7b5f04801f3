import {describe, expect, it} from 'vitest';
import {safeText, say} from '../../../src/domain/safe-text.ts';
import {monthSoFar, todaySoFar} from '../../../src/domain/billing-history.ts';
import {ratePerHour, rational, usd} from '../../../src/domain/money.ts';
import {parseStockCount, type Stock} from '../../../src/domain/stock.ts';
import {DAY_MS, epochMs, MINUTE_MS, monotonicMs} from '../../../src/domain/time.ts';
import type {Finding} from '../../../src/domain/triage/finding.ts';
import type {MachineMetrics} from '../../../src/domain/series.ts';
import {type VirtualMachine, virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {overviewLayout, withWholeText} from '../../../src/panes/overview/layout.ts';
import {Clusters} from '../../../src/panes/overview/clusters.tsx';
import {Events} from '../../../src/panes/overview/events.tsx';
import {Fleet} from '../../../src/panes/overview/fleet.tsx';
import {Money} from '../../../src/panes/overview/money.tsx';
import {detailLines, Preview, previewRows, previewTextRows} from '../../../src/panes/overview/preview.tsx';
import {FINDING_COLUMNS, type FindingRow} from '../../../src/resources/findings.ts';
import type {Scene} from '../../../src/panes/pane.ts';
import {organizationFeed} from '../../../src/state/account.ts';
import {deletedUsageFeed, historyFeed, usageFeed} from '../../../src/state/billing.ts';
import {stocksFeed} from '../../../src/state/catalogue.ts';
import type {NodeStatus} from '../../../src/domain/cluster.ts';
import {environmentId} from '../../../src/domain/environment.ts';
import {environmentsFeed, quotaFeed} from '../../../src/state/environments.ts';
import {type Firewall, firewallId} from '../../../src/domain/firewall.ts';
import {clustersFeed} from '../../../src/state/clusters.ts';
import {createStore, type WritableStore} from '../../../src/state/store.ts';
import {clusterId} from '../../../src/domain/cluster.ts';
import {anOperation} from '../../actions/an-operation.ts';
import {EVERY_ACTION} from '../../actions/every-action.ts';
import {shownLines} from '../../support/shown-lines.ts';
import {aCluster} from '../a-catalogue.ts';
import {aReadScene, listed, read} from '../a-read-scene.ts';
import {eventsFeed, machinesFeed} from '../../../src/state/machines.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';
import {A_FLAVOR, aKnownScene, aUsageRecord, busyMetrics, NOW} from '../a-known-scene.ts';

// High enough for all parts; at 80×24 the events are left out.
const NARROW = overviewLayout({columns: 80, rows: 30});
const WIDE = overviewLayout({columns: 120, rows: 31});
const NARROW_AND_LOW = overviewLayout({columns: 80, rows: 20});
const THREE = overviewLayout({columns: 200, rows: 46});

function partsText(scene: Scene, layout: typeof WIDE): string {
  const parts = [Money, Fleet, Clusters, Events];
  return parts.flatMap(Part => shownLines(<Part scene={scene} layout={layout} />, 120)).join('\n');
}

it.each([
  ['narrow', NARROW],
  ['wide', WIDE],
])('counts nothing and claims no calm before anything was read (%s)', (_name, layout) => {
  const text = partsText(aKnownScene({}), layout);
  expect(text).toMatch(/burn +unknown/);
  expect(text).not.toMatch(/machines 0|clusters 0|no machines|no clusters|no events|\$0/);
});

it('begins what is unknown of clusters and stock in one column', () => {
  const lines = shownLines(<Clusters scene={aKnownScene({})} layout={NARROW} />, 80);
  expect(lines.slice(1).map(line => /^ *\S+ \S+/.exec(line)?.[0])).toEqual([' reading the', ' reading the']);
});

it.each([
  ['narrow', NARROW],
  ['wide', WIDE],
])('says that an empty account is empty (%s)', (_name, layout) => {
  const text = partsText(aKnownScene({machines: [], clusters: []}), layout);
  expect(text).toMatch(/no machines[\s\S]*no clusters[\s\S]*no recent events/);
});

it.each([
  ['narrow', {columns: 80, rows: 20}],
  ['wide', {columns: 120, rows: 31}],
])('shows the waste as "at least" until the metrics of all running machines were read (%s)', (_name, size) => {
  const machines = [
    aVirtualMachine({id: 1, name: safeText('gpu-1'), status: 'SHUTOFF', flavor: A_FLAVOR}),
    aVirtualMachine({id: 2, name: safeText('gpu-2'), status: 'ACTIVE', flavor: A_FLAVOR}),
  ];
  const usage = [aUsageRecord(1, '25.60'), aUsageRecord(2, '1')];
  const shownWith = (metrics: ReadonlyMap<VirtualMachine['id'], MachineMetrics>) =>
    shownLines(
      <Money scene={aKnownScene({volumes: [], machines, usage, metrics})} layout={overviewLayout(size)} />,
      size.columns,
    );
  expect(shownWith(new Map()).join('\n')).toMatch(/waste +at least \$25\.60\/h/);
  expect(shownWith(new Map([[virtualMachineId(2), busyMetrics(4, {hours: 24})]])).join('\n')).toMatch(
    /waste +\$25\.60\/h/,
  );
});

it('shows the newest days of the month when not all have room', () => {
  const now = epochMs(Date.UTC(2026, 10, 29, 12));
  const usage = [
    {...aUsageRecord(1, '1'), createdAt: epochMs(Date.UTC(2026, 10, 1))},
    // Today costs far more than any day before.
    {...aUsageRecord(2, '100'), createdAt: epochMs(Date.UTC(2026, 10, 29))},
  ];
  const scene = aReadScene([listed(usageFeed, usage), listed(deletedUsageFeed, [])], {now});
  const perDay = shownLines(<Money scene={scene} layout={WIDE} />, 120).find(line => line.includes('per day')) ?? '';
  // Of 42 cells inside the edges the label takes 14, and one is a margin.
  expect(/per day +(\S+) *│/u.exec(perDay)?.[1]).toBe(`${'▁'.repeat(26)}▇`);
});

it('what the month ends at if nothing changes is without the ends of contracts until these were read', () => {
  const scene = aReadScene([listed(usageFeed, [aUsageRecord(1, '1')]), listed(deletedUsageFeed, [])]);
  const line = shownLines(<Money scene={scene} layout={WIDE} />, 120).find(each => each.includes('if unchanged'));
  expect(line).toMatch(/\$244 without contract ends/);
});

describe.each([
  ['narrow', NARROW],
  ['wide', WIDE],
])('today and the month (%s)', (_name, layout) => {
  // A machine at $100 an hour has run for one hour; the provider has billed 90.
  const usage = listed(usageFeed, [aUsageRecord(1, '100')]);
  const deleted = listed(deletedUsageFeed, []);
  const bills = [monthSoFar(NOW), todaySoFar(NOW)].map(period =>
    listed(historyFeed(period), [{billedCost: usd(rational(90n, 1n))}]),
  );
  const noBills = [monthSoFar(NOW), todaySoFar(NOW)].map(period => listed(historyFeed(period), []));
  const failed = (store: WritableStore) => {
    for (const period of [monthSoFar(NOW), todaySoFar(NOW)]) {
      store.writeFailure(historyFeed(period), {kind: 'cut', detail: safeText('reset')}, monotonicMs(100_000));
    }
  };
  const moneyOf = (scene: Scene) => shownLines(<Money scene={scene} layout={layout} />, 120).join('\n');

  it('are marked as estimates until the bills were read', () => {
    const text = moneyOf(aReadScene([usage]));
    expect(text).toMatch(/today +~\$100\.00/);
    expect(text).toMatch(/month +~\$100\.00/);
    expect(text).toContain('reading bills…');
  });

  it('show what was billed without a mark', () => {
    const yesterday = {
      startsAt: epochMs(todaySoFar(NOW).startsAt - DAY_MS),
      endsAt: todaySoFar(NOW).startsAt,
    };
    const text = moneyOf(aReadScene([usage, deleted, ...bills, listed(historyFeed(yesterday), [])]));
    expect(text).toMatch(/today +\$90\.00/);
    expect(text).toMatch(/month +\$90\.00/);
    expect(text).not.toMatch(/~|reading bills|estimated/);
  });

  it('are called estimates when there is no bill or it cannot be read', () => {
    const unbilled = moneyOf(aReadScene([usage, deleted, ...noBills]));
    expect(unbilled).toMatch(/month +~\$100\.00/);
    expect(unbilled).toMatch(/estimated/);
    expect(moneyOf(aReadScene([usage, deleted, failed]))).toMatch(/estimated/);
  });

  it('keep a bill that cannot be read again, with its age', () => {
    const text = moneyOf(
      aReadScene([usage, deleted, ...bills, failed], {monotonicNow: monotonicMs(100_000 + 12 * MINUTE_MS)}),
    );
    expect(text).toMatch(/month +\$\d+\.\d\d/);
    expect(text).not.toContain('~');
    expect(text).toContain('billed 12m ago');
  });
});

it('lists the cluster in trouble first, and counts those that do not fit', () => {
  const calm = Array.from({length: 12}, (_, index) => aCluster({id: index + 1, name: safeText(`calm-${index}`)}));
  const broken = aCluster({id: 99, name: safeText('broken'), status: 'ERROR', statusText: safeText('ERROR')});
  const lines = shownLines(<Clusters scene={aKnownScene({clusters: [...calm, broken]})} layout={NARROW} />, 120);
  const names = lines.join('\n').match(/broken|calm-\d+/g) ?? [];
  expect(names[0]).toBe('broken');
  expect(lines.join('\n')).toContain(`+${13 - names.length} more`);
});

it('shows the full reason why a cluster is in trouble', () => {
  const statusReason = safeText('1 of 2 workers is not ready: embed-worker-1 has not been heard from for 26 minutes');
  const cluster = aCluster({id: 1, name: safeText('embed'), statusText: safeText('RECONCILING'), statusReason});
  const text = shownLines(<Clusters scene={aKnownScene({clusters: [cluster]})} layout={WIDE} />, 120).join(' ');
  expect(text.replaceAll(/[│ ]+/g, ' ')).toContain(statusReason);
});

it('counts the machines by their signs, each sign once', () => {
  const statuses = ['ACTIVE', 'HIBERNATING', 'SHUTOFF', 'STOPPING', 'ACTIVE'] as const;
  const machines = statuses.map((status, id) => aVirtualMachine({id, status, statusText: safeText(status)}));
  const [title = ''] = shownLines(<Fleet scene={aKnownScene({machines})} layout={WIDE} />, 120);
  expect(title).toMatch(/machines 5 {2}▲2 ▽2 ■1 /);
});

it('names a group by the first part of its names, with digits inside it kept', () => {
  const machines = ['k8s-batch-0', 'k8s-batch-1', 'train07'].map((name, id) =>
    aVirtualMachine({id, name: safeText(name)}),
  );
  const text = shownLines(<Fleet scene={aKnownScene({machines})} layout={WIDE} />, 120).join('\n');
  expect(text).toMatch(/│ k8s +2\/2/);
  expect(text).toMatch(/│ train +1\/1/);
});

it.each([
  ['NARROW', NARROW],
  ['WIDE', WIDE],
])('keeps the name of a large group separate from its count: %s', (_name, layout) => {
  const machines = Array.from({length: 20}, (_, id) =>
    aVirtualMachine({id, name: safeText(`hyperparam-sweep-${id}`), status: 'ACTIVE'}),
  );
  const text = shownLines(<Fleet scene={aKnownScene({machines})} layout={layout} />, 120).join('\n');
  expect(text).toMatch(/hyperparam +20\/20/);
});

it('shows the groups of the fleet, those in trouble first, and says what is not known of them', () => {
  const machine = (id: number, name: string, status: 'ACTIVE' | 'ERROR') =>
    aVirtualMachine({id, name: safeText(name), status, flavor: A_FLAVOR});
  const machines = [machine(1, 'web-1', 'ACTIVE'), machine(2, 'web-2', 'ACTIVE'), machine(3, 'etl-1', 'ERROR')];
  const usage = [aUsageRecord(1, '3'), aUsageRecord(2, '2'), aUsageRecord(3, '0')];
  // Four of sixteen cores, and half the memory; nothing was read of the second machine.
  const metrics = new Map([[virtualMachineId(1), busyMetrics(4)]]);
  const shown = shownLines(<Fleet scene={aKnownScene({machines, usage, metrics})} layout={WIDE} />, 120);
  const [first, second] = shown.filter(line => /etl|web/.test(line)).map(line => line.replaceAll(/[│ ]+/g, ' ').trim());
  expect(first).toMatch(/^etl 0\/1 – ·+ 0\.00 1 ERROR$/);
  expect(second).toMatch(/^web 2\/2 25% [▁-█]+ 5\.00 ok, 1 read$/);
});

it('lists a group with a machine in ERROR before one whose machines are only off, whatever they cost', () => {
  const machine = (id: number, name: string, status: 'ERROR' | 'SHUTOFF') =>
    aVirtualMachine({id, name: safeText(name), status, statusText: safeText(status), flavor: A_FLAVOR});
  const machines = [machine(1, 'train-1', 'SHUTOFF'), machine(2, 'ci-1', 'SHUTOFF'), machine(3, 'etl-1', 'ERROR')];
  const usage = [aUsageRecord(1, '25'), aUsageRecord(2, '2'), aUsageRecord(3, '0')];
  const lines = shownLines(<Fleet scene={aKnownScene({machines, usage})} layout={WIDE} />, 120);
  expect(lines.flatMap(line => /etl|train|ci/.exec(line) ?? [])).toEqual(['etl', 'train', 'ci']);
});

it('says at 80 columns which figure is CPU and which is memory, and at 60 keeps the states whole', () => {
  const machines = [
    aVirtualMachine({id: 1, name: safeText('web-1'), status: 'ACTIVE', flavor: A_FLAVOR}),
    aVirtualMachine({id: 2, name: safeText('web-2'), status: 'SHUTOFF', statusText: safeText('SHUTOFF')}),
  ];
  // Four of sixteen cores, and half the memory.
  const scene = aKnownScene({machines, metrics: new Map([[virtualMachineId(1), busyMetrics(4)]])});
  const lineAt = (columns: number) => {
    const layout = overviewLayout({columns, rows: 20});
    return shownLines(<Fleet scene={scene} layout={layout} />, columns).find(line => line.includes('web'));
  };
  expect(lineAt(80)).toMatch(/web +1\/2 +cpu +25% [▁-█]+ +mem +50% .*1 SHUTOFF/);
  expect(lineAt(60)).toMatch(/web +1\/2 +25% [▁-█]+ +50% .*1 SHUTOFF/);
});

it('shows the load of a group from machines that were read some minutes ago', () => {
  const machines = [1, 2].map(id =>
    aVirtualMachine({id, name: safeText(`web-${id}`), status: 'ACTIVE', flavor: A_FLAVOR}),
  );
  // Samples every five seconds up to four minutes ago: the next reading of the overview is still to come.
  const cpu = Array.from({length: 24}, (_, index) => ({
    sampledAt: epochMs(NOW - 4 * MINUTE_MS - (23 - index) * 5_000),
    value: index * 4e9 * 5,
  }));
  const scene = aKnownScene({machines, metrics: new Map([[virtualMachineId(1), {...busyMetrics(4), cpu}]])});
  const shown = shownLines(<Fleet scene={scene} layout={WIDE} />, 120).find(line => line.includes('web')) ?? '';
  expect(shown).toMatch(/web +2\/2 +25%.*ok, 1 read/);
});

it.each([
  ['narrow', NARROW, 'stock L40 0 H100 12+'],
  ['wide', WIDE, 'stock L40 0 H100 12+'],
  [
    'three columns',
    overviewLayout({columns: 200, rows: 46}),
    'GPU REGION FREE IN 7 D MACHINES BY GPUS L40 CANADA-1 0 – H100 CANADA-1 2 – H100 NORWAY-1 10+ –',
  ],
])('shows the stock with the scarcest first (%s)', (_name, layout, expected) => {
  const stock = (model: string, region: string, count: string): Stock => {
    const available = parseStockCount(count);
    return {
      model: safeText(model),
      regionName: safeText(region),
      configurations: [],
      ...(available === undefined ? {} : {available}),
    };
  };
  const scene = aKnownScene({clusters: []});
  const records = [stock('H100', 'NORWAY-1', '10+'), stock('H100', 'CANADA-1', '2'), stock('L40', 'CANADA-1', '0')];
  const store = createStore();
  store.writeValue(stocksFeed, {records, quarantined: []}, monotonicMs(0));
  store.writeValue(clustersFeed, {records: [], quarantined: []}, monotonicMs(0));
  const text = shownLines(<Clusters scene={{...scene, store}} layout={layout} />, 120).join(' ');
  expect(text.replaceAll(/[│ ]+/g, ' ')).toContain(expected);
});

it('says how full the environments with the most machines are', () => {
  const names = ['production', 'research', 'lab', 'empty'].map(name => safeText(name));
  const machines = [0, 0, 0, 1, 1, 2].map((index, id) =>
    aVirtualMachine({id: id + 1, ...(names[index] === undefined ? {} : {environmentName: names[index]})}),
  );
  const store = createStore();
  const scene = {...aKnownScene({}), store};
  store.writeValue(clustersFeed, {records: [], quarantined: []}, monotonicMs(0));
  store.writeValue(machinesFeed, aListing(machines), monotonicMs(0));
  const environments = names.map((name, index) => ({id: environmentId(index + 1), name}));
  store.writeValue(environmentsFeed, {records: environments, quarantined: []}, monotonicMs(0));
  for (const [index, currentCount] of [200, 12, 3, 0].entries()) {
    store.writeValue(quotaFeed(environmentId(index + 1)), {currentCount, maxCount: 250}, monotonicMs(0));
  }
  const textOf = (layout: typeof WIDE) =>
    shownLines(<Clusters scene={scene} layout={layout} />, 120)
      .join(' ')
      .replaceAll(/[│ ]+/g, ' ');
  expect(textOf(THREE)).toMatch(/machines production 200 of 250 \S+ research 12 of 250 \S+ lab 3 of 250/);
  expect(textOf(THREE)).not.toContain('empty');
  // One line has room only for what is nearly full.
  expect(textOf(NARROW)).toMatch(/production 200 of 250/);
  expect(textOf(NARROW)).not.toContain('research');
});

it('counts the workers of a cluster as its pane does, and says what the others are doing', () => {
  const node = (id: number, status: NodeStatus) => ({
    id,
    role: 'worker' as const,
    roleText: safeText('worker'),
    status,
    statusText: safeText(status),
  });
  const cluster = aCluster({
    id: 1,
    name: safeText('batch'),
    statusText: safeText('CREATING'),
    nodeGroups: [{name: safeText('a100'), count: 4, firewallIds: []}],
    nodes: [node(1, 'ACTIVE'), node(2, 'PRE_ACTIVE'), node(3, 'ERROR')],
  });
  const text = shownLines(<Clusters scene={aKnownScene({clusters: [cluster]})} layout={WIDE} />, 120).join(' ');
  expect(text.replaceAll(/[│ ]+/g, ' ')).toContain('batch CREATING 1/4 active (1 PRE_ACTIVE, 1 ERROR)');
});

it('shows with a finding about a firewall the machines that it exposes', () => {
  const machines = [aVirtualMachine({id: 7, name: safeText('web-7'), status: 'ACTIVE', flavor: A_FLAVOR})];
  const firewall: Firewall = {
    id: firewallId(3),
    name: safeText('edge'),
    status: 'SUCCESS',
    statusText: safeText('SUCCESS'),
    rules: [],
    attachments: [{machineId: virtualMachineId(7), machineName: safeText('web-7')}],
  };
  const row = aRow({subject: {type: 'firewall', id: 3, name: safeText('edge')}});
  const scene = aKnownScene({machines, firewalls: [firewall]});
  expect(shownLines(<Preview scene={scene} layout={THREE} row={row} />, 200).join('\n')).toMatch(/web-7 +▲ ACTIVE/);
});

it.each<[string, typeof WIDE, number, RegExp]>([
  ['before its words', NARROW_AND_LOW, 1, /CPU 24h [·▁-█]+ 25% +no host-side activity\s+f hibernate +Hibernate it/],
  [
    'before its words, however many',
    NARROW_AND_LOW,
    9,
    /CPU 24h [·▁-█]+ 25% +no host-side activity; [\s\S]*…\s*\n *f hibernate +Hibernate it/,
  ],
  ['in a line when the words leave little room', WIDE, 3, /CPU 24h [·▁-█]+ 25%/],
  ['with an axis when there is room', WIDE, 1, /CPU 24h +last 25% +max 25%[^\n]*\n[^\n]*100%┤/],
  ['with an axis in three columns', THREE, 3, /CPU 24h +last 25% +max 25%[^\n]*\n[^\n]*100%┤/],
])('draws the evidence of a finding %s', (_name, layout, wordLines, expected) => {
  const machines = [aVirtualMachine({id: 1, name: safeText('web-1'), status: 'ACTIVE', flavor: A_FLAVOR})];
  // Four of sixteen cores.
  const scene = aKnownScene({machines, metrics: new Map([[virtualMachineId(1), busyMetrics(4)]])});
  const evidence = Array.from({length: wordLines}, () => safeText('no host-side activity'));
  const row = aRow({chart: 'cpu', evidence});
  const text = shownLines(<Preview scene={scene} layout={layout} row={row} />, 200).join('\n');
  expect(text).toMatch(expected);
});

it('marks the cost of a finding of which a part is unknown', () => {
  const rate = ratePerHour(rational(9n, 1n));
  const cost = FINDING_COLUMNS.find(({key}) => key === 'cost');
  const row = {...aRow({}), rate, isRateAtLeast: true};
  expect([row, {...row, isRateAtLeast: false}].map(each => cost?.value(each)?.text)).toEqual(['9.00+', '9.00']);
});

it('shows all evidence of every machine of a line', () => {
  const proven = (id: number, ...evidence: string[]) =>
    aRow({subject: {type: 'vm', id, name: safeText(`web-${id}`)}, evidence: evidence.map(each => safeText(each))})
      .findings[0];
  const findings = [proven(1, 'quiet for 1 h', 'its GPUs were idle'), proven(2, 'quiet for 2 h')] as const;
  const row: FindingRow = {...aRow({}), fold: 'folded', findings};
  const scene = aKnownScene({machines: []});
  const shown = (layout: typeof WIDE) =>
    shownLines(<Preview scene={scene} layout={layout} row={row} />, 200).join('\n');
  expect(shown(WIDE)).toMatch(/web-1 {2}quiet for 1 h; its GPUs were idle[\s\S]*web-2 {2}quiet for 2 h/);
  // Without room for a box, each has a line.
  expect(shown(NARROW_AND_LOW)).toContain('web-1  quiet for 1 h');
  const column = FINDING_COLUMNS.find(({key}) => key === 'evidence');
  expect(column?.value(row)?.text).toBe('web-1: quiet for 1 h; web-2: quiet for 2 h');
});

it('shows beside the bars of a finding the present value, not the average of the last of them', () => {
  const machines = [aVirtualMachine({id: 1, name: safeText('web-1'), status: 'ACTIVE', flavor: A_FLAVOR})];
  // Four of sixteen cores, until none worked in the last twenty minutes: the counter stood still.
  const cpu = Array.from({length: 24 * 60 + 1}, (_, minute) => ({
    sampledAt: epochMs(NOW - (24 * 60 - minute) * 60_000),
    value: Math.min(minute, 24 * 60 - 20) * 60 * 4e9,
  }));
  const metrics = new Map([[virtualMachineId(1), {...busyMetrics(4), cpu}]]);
  const scene = aKnownScene({machines, metrics});
  const row = aRow({chart: 'cpu', evidence: [safeText('no host-side activity')]});
  const textIn = (layout: typeof WIDE) =>
    shownLines(<Preview scene={scene} layout={layout} row={row} />, layout.preview.columns).join('\n');
  expect(textIn(NARROW_AND_LOW)).toMatch(/CPU 24h [·▁-█]+ 0% /);
  // The bins are of twelve minutes, so the highest is no higher than the highest sample.
  expect(textIn(WIDE)).toMatch(/CPU 24h +last 0% +max 25% +min 0%/);
});

it('gives no present value in the chart of a finding when nothing recent was measured', () => {
  const machines = [aVirtualMachine({id: 1, name: safeText('web-1'), status: 'ACTIVE', flavor: A_FLAVOR})];
  // Four of sixteen cores, the last sample two hours ago.
  const cpu = Array.from({length: 22 * 12 + 1}, (_, index) => ({
    sampledAt: epochMs(NOW - 24 * 3_600_000 + index * 300_000),
    value: index * 300 * 4e9,
  }));
  const metrics = new Map([[virtualMachineId(1), {...busyMetrics(4), cpu}]]);
  const row = aRow({chart: 'cpu', evidence: [safeText('no metrics for 2 h')]});
  const text = shownLines(<Preview scene={aKnownScene({machines, metrics})} layout={WIDE} row={row} />, 60).join('\n');
  expect(text).toMatch(/CPU 24h +max 25% +min 25%/);
  expect(text).not.toContain('last');
});

describe('the advice of a finding', () => {
  const scene = aKnownScene({machines: []});
  const credit = {
    evidence: [safeText('$0 ÷ $8.40/h lasts 40 h')],
    advice: safeText('Add credit.'),
    commands: [say`skydeck get credit`],
    fixes: [],
  };

  it('is plain text, before the command, which is dim', () => {
    const spans = detailLines(aRow(credit), scene, 100).flat();
    const toneOf = (words: string) => spans.find(({text}) => text.includes(words))?.tone ?? 'text';
    expect([toneOf('Add credit.'), toneOf('skydeck get credit')]).toEqual(['text', 'dim']);
    for (const layout of [NARROW_AND_LOW, WIDE]) {
      const text = shownLines(<Preview scene={scene} layout={layout} row={aRow(credit)} />, 120).join('\n');
      expect(text).toMatch(/[ │]Add credit\. {2}skydeck get credit/);
    }
    // The key that asks about it stays first, since it is pressed and not read.
    const [, ...lines] = shownLines(<Preview scene={scene} layout={NARROW_AND_LOW} row={aRow({})} />, 80);
    expect(lines.join('\n')).toContain('f hibernate  Hibernate it.');
  });
});

describe('the finding under the cursor, in 80 columns', () => {
  const shownOf = (evidence: string, advice: string) =>
    shownLines(
      <Preview
        scene={aKnownScene({machines: []})}
        layout={NARROW_AND_LOW}
        row={aRow({evidence: [safeText(evidence)], advice: safeText(advice)})}
      />,
      80,
    )
      .slice(1)
      .map(line => line.trimEnd());
  const words = (count: number, word: string) => Array.from({length: count}, () => word).join(' ');

  it('keeps in its title what is wrong, and both ends of a long name', () => {
    const name = safeText(`nightly-regression-suite-${'of-the-research-team-'.repeat(3)}07`);
    const row = {
      ...aRow({subject: {type: 'vm', id: 1, name}}),
      what: safeText('no GPU activity for hours, billed'),
      where: name,
    };
    const scene = aKnownScene({machines: []});
    const [title] = shownLines(<Preview scene={scene} layout={NARROW_AND_LOW} row={row} />, 80);
    expect(title).toMatch(/ no GPU activity for hours, billed: "?nightly-\S*…\S*-07"? /);
  });

  it('shows its evidence above its advice, both in full', () => {
    expect(shownOf(words(12, 'quiet'), words(25, 'read'))).toEqual([
      ` ${words(12, 'quiet')}`,
      ` f hibernate  ${words(13, 'read')}`,
      ` ${words(12, 'read')}`,
    ]);
  });

  it('shows the advice right after the evidence when both are complete only that way', () => {
    const shown = shownOf(words(14, 'quiet'), words(23, 'read'));
    expect(shown).toHaveLength(3);
    expect(shown.join(' ').match(/quiet/g)).toHaveLength(14);
    expect(shown.join(' ').match(/read/g)).toHaveLength(23);
    expect(shown.join(' ')).toContain('quiet  f hibernate  read');
  });

  it('keeps the key visible when both do not fit, and marks what is cut', () => {
    const [proof, ...rest] = shownOf(words(60, 'quiet'), words(23, 'read'));
    expect(proof).toMatch(/^ quiet .*…$/);
    expect(rest.join(' ')).toMatch(/^ f hibernate {2}read .* read$/);
  });
});

it.each([
  ['80×40', {columns: 80, rows: 36}],
  ['120×35', {columns: 120, rows: 31}],
])('shows the whole cause of a finding while the list of findings needs few rows, at %s', (_name, size) => {
  const evidence = Array.from({length: 8}, (_, index) =>
    safeText(`${index + 1} new: sweep-${index}-*, started by Ines Albrecht`),
  );
  const row = aRow({
    evidence: [...evidence, safeText('the last of the evidence')],
    advice: safeText('Ask Ines first.'),
  });
  const layout = overviewLayout(size, {findingCount: 1, previewRows: place => previewRows([row], place)});
  const text = shownLines(<Preview scene={aKnownScene({machines: []})} layout={layout} row={row} />, size.columns).join(
    ' ',
  );
  for (const words of ['8 new: sweep-7-*, started by', 'the last of the evidence', 'Ask Ines first.']) {
    expect(text.replaceAll(/[│ \n]+/g, ' ')).toContain(words);
  }
});

it('lists among the recent events what began to be billed', () => {
  const usage = [
    {...aUsageRecord(7, '25.60'), createdAt: epochMs(NOW - 3_600_000)},
    {...aUsageRecord(8, '1'), createdAt: epochMs(NOW - 5 * 86_400_000)},
  ];
  const text = shownLines(<Events scene={aKnownScene({machines: [], usage})} layout={WIDE} />, 120).join('\n');
  expect(text).toMatch(/1h00 gpu-7 +billing began/);
  expect(text).not.toContain('gpu-8');
});

it('names who did what is among the recent events, if the line has room for it', () => {
  const machine = aVirtualMachine({id: 7, name: safeText('gpu-7'), status: 'SHUTOFF', flavor: A_FLAVOR});
  const event = {
    occurredAt: epochMs(NOW - 3_600_000),
    reason: safeText('InstanceStopSuccess'),
    message: safeText('Instance was stopped.'),
    userId: 31,
  };
  const users = [{id: 31, name: safeText('Ines Albrecht'), grantedRoles: []}];
  const scene = aReadScene([
    read(machinesFeed, aListing([machine])),
    read(organizationFeed, {id: 1, name: safeText('acme'), users}),
    listed(eventsFeed(machine.id), [event]),
  ]);
  const shownIn = (columns: number) =>
    shownLines(<Events scene={scene} layout={{...WIDE, events: {columns, rows: 8}}} />, columns).join('\n');
  // 7 cells of age, 5 of the name, 2 blanks, 21 of the message, 15 of the member with its blanks, 2 edges.
  expect(shownIn(52)).toContain('1h00 gpu-7  Instance was stopped.  Ines Albrecht');
  expect(shownIn(51)).toMatch(/1h00 gpu-7 {2}Instance was stopped\. +│/);
});

it('tells of the operation that is under way on the subject of a finding instead of advice to send it', () => {
  const operation = anOperation('op-1', EVERY_ACTION['cluster.delete'].confirmed, NOW);
  const row = aRow({
    subject: {type: 'cluster', id: 40, name: safeText('k8s')},
    advice: safeText('Delete it and create it again.'),
    fixes: [{kind: 'cluster.delete', id: clusterId(40)}],
    commands: [safeText('skydeck cluster delete 40')],
  });
  const shownWith = (open: readonly (typeof operation)[], layout: typeof WIDE) => {
    const scene: Scene = {
      ...aKnownScene({machines: [], clusters: []}),
      operations: {openOn: () => open[0], all: () => open, version: () => open.length},
    };
    return shownLines(<Preview scene={scene} layout={layout} row={row} />, 120)
      .join(' ')
      .replaceAll(/[│ \n]+/g, ' ');
  };
  for (const layout of [WIDE, overviewLayout({columns: 80, rows: 20})]) {
    expect(shownWith([], layout)).toContain('f delete Delete it and create it again.');
    const told = shownWith([operation], layout);
    expect(told).toContain('delete cluster k8s #40: checking');
    expect(told).not.toMatch(/Delete it|f delete|skydeck cluster delete/);
  }
});

it('draws no chart when no metrics were read, or when the finding has none', () => {
  const machines = [aVirtualMachine({id: 1, name: safeText('web-1'), status: 'ACTIVE', flavor: A_FLAVOR})];
  const read = aKnownScene({machines, metrics: new Map([[virtualMachineId(1), busyMetrics(4)]])});
  const textOf = (scene: Scene, row: FindingRow) =>
    shownLines(<Preview scene={scene} layout={WIDE} row={row} />, 200).join('\n');
  expect(textOf(aKnownScene({machines}), aRow({chart: 'cpu'}))).not.toContain('24h');
  const ofVolume = aRow({subject: {type: 'volume', id: 1, name: safeText('scratch')}});
  expect(textOf(read, ofVolume)).not.toContain('24h');
});

function aRow(rest: Partial<Finding>): FindingRow {
  const finding: Finding = {
    rule: 'idle',
    severity: 'warning',
    subject: {type: 'vm', id: 1, name: safeText('web-1')},
    summary: safeText('idle and billed'),
    evidence: [safeText('no host-side activity')],
    advice: safeText('Hibernate it.'),
    commands: [],
    fixes: [{kind: 'vm.hibernate', id: 1, retainsIp: true}],
    ...rest,
  };
  return {
    key: 'idle vm 1',
    severity: 'warning',
    what: finding.summary,
    where: finding.subject.name,
    since: undefined,
    rate: undefined,
    isRateAtLeast: false,
    fold: undefined,
    findings: [finding],
    mutes: [],
    now: epochMs(0),
  };
}

it('writes states in whole words, and counts those that do not fit, beside figures of thousands of machines', () => {
  const statuses = ['ERROR', 'SHUTOFF', 'HIBERNATED'] as const;
  const machines = Array.from({length: 1200}, (_, id) => {
    const status = id < 90 ? (statuses[id % 3] ?? 'ACTIVE') : 'ACTIVE';
    return aVirtualMachine({id, name: safeText(`train-${id}`), status, statusText: safeText(status), flavor: A_FLAVOR});
  });
  const usage = machines.map(({id}) => aUsageRecord(id, '25.60'));
  const scene = aKnownScene({machines, usage});
  const [titles = '', line = ''] = shownLines(<Fleet scene={scene} layout={WIDE} />, 60).slice(1);
  // Machines in ERROR have no rate: 1,170 times $25.60. The figure ends below the end of its title.
  expect(line).toMatch(/train +1110\/1200 +– +29,952\.00\+ {2}30 ERROR {2}\+2 more *│/);
  expect(line.indexOf('+ ')).toBe(titles.indexOf('$/h') + '$/h'.length - 1);
});

it.each([
  ['narrow', NARROW_AND_LOW],
  ['wide', WIDE],
])('counts the machines of the groups without room, not their lines (%s)', (_name, layout) => {
  // Two in each of twenty groups.
  const machines = Array.from({length: 40}, (_, id) =>
    aVirtualMachine({id, name: safeText(`${String.fromCharCode(97 + (id % 20))}-${id}`)}),
  );
  const lines = shownLines(<Fleet scene={aKnownScene({machines})} layout={layout} />, layout.fleet.columns);
  const groupCount = lines.filter(line => / [a-t] +2\/2/.test(line)).length;
  expect(groupCount).toBeGreaterThan(0);
  expect(lines.join('\n')).toContain(`+${40 - 2 * groupCount} machines`);
});

it('shows a new account the steps to its first machine', () => {
  const scene = aKnownScene({machines: []});
  const environment = {id: environmentId(1), name: safeText('lab'), regionName: safeText('NORWAY-1')};
  const store = createStore();
  store.writeValue(machinesFeed, aListing([]), monotonicMs(0));
  store.writeValue(environmentsFeed, {records: [environment], quarantined: []}, monotonicMs(0));
  const steps = (known: Scene) => shownLines(<Preview scene={known} layout={WIDE} row={undefined} />, 60).join('\n');
  expect(steps(scene)).toMatch(
    /first steps[\s\S]*1 an environment +:environments, then n[\s\S]*2 a key pair +:key-pairs, then n[\s\S]*3 a machine +2, then n/,
  );
  expect(steps({...scene, store})).toMatch(/✔ an environment[\s\S]*2 a key pair/);
});

it('keeps the graphs of the groups visible when one further down is in many states', () => {
  const busy = Array.from({length: 12}, (_, id) =>
    aVirtualMachine({id, name: safeText(`${'abcdefghijkl'[id]}-1`), status: 'ACTIVE', flavor: A_FLAVOR}),
  );
  const hidden = (['HIBERNATED', 'HIBERNATING', 'RESTORING'] as const).map((status, index) =>
    aVirtualMachine({id: 20 + index, name: safeText(`zzz-${index}`), status, statusText: safeText(status)}),
  );
  const usage = busy.map(({id}) => aUsageRecord(id, '5'));
  const lines = shownLines(<Fleet scene={aKnownScene({machines: [...busy, ...hidden], usage})} layout={WIDE} />, 60);
  expect(lines.join('\n')).not.toContain('zzz');
  expect(lines[2]).toMatch(/a +1\/1 +– ·{6,} .*5\.00 {2}ok/);
});

it('names in full what is wasted, and cuts the words about it', () => {
  const usage = [{...aUsageRecord(7, '25.60'), name: safeText('ghost-weekend')}];
  const scene = aKnownScene({machines: [], usage, volumes: []});
  const layout = {...WIDE, money: {columns: 44, rows: 20}};
  const text = shownLines(<Money scene={scene} layout={layout} />, 44).join('\n');
  expect(text).toMatch(/ ghost-weekend {2}billed, .*… +25\.60/);
});

it.each([
  ['NARROW', NARROW],
  ['WIDE', WIDE],
])('marks a burn rate that lacks what has no price: %s', (_, layout) => {
  const burn = (usage: Parameters<typeof aKnownScene>[0]['usage']) =>
    shownLines(<Money scene={aKnownScene({machines: [], usage: usage ?? []})} layout={layout} />, 120)
      .join('\n')
      .match(/\$\d[\d.]*\/h\+?/)?.[0];
  expect(burn([aUsageRecord(1, '4')])).toBe('$4.00/h');
  expect(burn([aUsageRecord(1, '4'), aUsageRecord(2, undefined)])).toBe('$4.00/h+');
});

it('lists the costliest waste first, and says how many more there are and where', () => {
  const names = ['ghost-a', 'ghost-b', 'ghost-c', 'ghost-d'].map(name => safeText(name));
  // The cheaper, the longer it has been billed: what was lost so far runs the other way.
  const usage = names.map((name, index) => ({
    ...aUsageRecord(index + 1, String(10 ** index)),
    createdAt: epochMs(NOW - 10 ** (5 - index) * 60_000),
    name,
  }));
  const scene = aKnownScene({machines: [], usage, volumes: []});
  const linesOf = (rows: number) =>
    shownLines(<Money scene={scene} layout={{...WIDE, money: {columns: 44, rows}}} />, 44).flatMap(
      line => /ghost-\w|\+\d more.*?(?= *│)/.exec(line) ?? [],
    );
  const all = [...Array(20).keys()].map(index => linesOf(12 + index));
  const full = all.find(lines => lines.length === 4 && !lines.some(line => line.startsWith('+')));
  const cut = all.find(lines => lines.length === 3);
  expect(full).toEqual(['ghost-d', 'ghost-c', 'ghost-b', 'ghost-a']);
  expect(cut).toEqual(['ghost-d', 'ghost-c', '+2 more in 5 Billing']);
});

it('says at 80 columns beside today and the month that they are estimates, not beside the runway', () => {
  const scene = aReadScene([
    listed(usageFeed, [aUsageRecord(1, '100')]),
    listed(deletedUsageFeed, []),
    ...[monthSoFar(NOW), todaySoFar(NOW)].map(period => listed(historyFeed(period), [])),
  ]);
  const [, first, second] = shownLines(<Money scene={scene} layout={NARROW} />, 80);
  expect(first).toMatch(/month ~\$100\.00 {2}estimated/);
  expect(second).not.toContain('estimated');
});

it('shows a long cause whole at 80×24, and gives up its chart first', () => {
  const machines = [aVirtualMachine({id: 1, name: safeText('web-1'), status: 'ACTIVE', flavor: A_FLAVOR})];
  const scene = aKnownScene({machines, metrics: new Map([[virtualMachineId(1), busyMetrics(4)]])});
  const shownOf = (evidence: string) => {
    const row = aRow({chart: 'cpu', evidence: [safeText(evidence)], advice: safeText('Ask Mira Solberg first.')});
    const layout = withWholeText(NARROW_AND_LOW, previewTextRows(row, 80));
    return shownLines(<Preview scene={scene} layout={layout} row={row} />, 80)
      .join(' ')
      .replaceAll(/ +/g, ' ');
  };
  // Three lines of 78 cells have room for these with the advice, but not beside a chart of a third of a line.
  const fitting = `${'24 new machines '.repeat(11)}last`;
  expect(shownOf(fitting)).toContain(`${fitting} f hibernate Ask Mira Solberg first.`);
  expect(shownOf(fitting)).not.toContain('CPU 24h');
  const long = `${'24 new machines '.repeat(20)}last`;
  expect(shownOf(long)).toContain(`${long} f hibernate Ask Mira Solberg first.`);
  expect(shownOf('24 new machines')).toContain('CPU 24h');
});
