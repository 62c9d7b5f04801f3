import {describe, expect, it} from 'vitest';
import {type Firewall, firewallId} from '../../../src/domain/firewall.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs, SECOND_MS} from '../../../src/domain/time.ts';
import type {SecurityRule} from '../../../src/domain/virtual-machine.ts';
import {portWords} from '../../../src/domain/security-rule.ts';
import type {Mute} from '../../../src/domain/triage/mute.ts';
import {overviewPane} from '../../../src/panes/overview/pane.tsx';
import {findingsPart} from '../../../src/panes/overview/findings-part.ts';
import {fixWord} from '../../../src/panes/overview/fix.ts';
import {exposures} from '../../../src/panes/overview/exposure.tsx';
import {reachText} from '../../../src/resources/rules.ts';
import {fleetGroups, stateGroups} from '../../../src/panes/overview/fleet-groups.ts';
import {findingColumns, MUTED_FILTER} from '../../../src/panes/overview/rows.ts';
import {listView} from '../../../src/panes/list/collection-view.ts';
import type {Scene} from '../../../src/panes/pane.ts';
import {LIST_VIEW, type ListView, type RowId} from '../../../src/panes/list/resource-list.tsx';
import type {Finding} from '../../../src/domain/triage/finding.ts';
import {Preview} from '../../../src/panes/overview/preview.tsx';
import {overviewLayout} from '../../../src/panes/overview/layout.ts';
import type {FindingRow} from '../../../src/resources/findings.ts';
import {columnsInSight, layoutColumns} from '../../../src/ui/table.ts';
import {shownLines} from '../../support/shown-lines.ts';
import {aScene} from '../../app/a-scene.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {aCluster} from '../a-catalogue.ts';
import {aKnownScene, aRule, aUsageRecord, dollarsPerHour, NOW} from '../a-known-scene.ts';

/** The rows of the list that match the filter, in this order, with some lines unfolded. */
function shownRows(
  scene: Scene,
  {unfolded = new Set(), ...view}: Partial<ListView<RowId>> & {readonly unfolded?: ReadonlySet<string>} = {},
) {
  return findingsPart.shownRows(scene, {...LIST_VIEW, ...view, own: {unfolded}});
}

function aFirewall(rules: readonly SecurityRule[], machineCount: number): Firewall {
  return {
    id: firewallId(5),
    name: safeText('bastion'),
    status: 'SUCCESS',
    statusText: safeText('SUCCESS'),
    rules,
    attachments: Array.from({length: machineCount}, (_, index) => ({machineName: safeText(`gpu-${index}`)})),
  };
}

const HTTPS = aRule({portRangeMin: 443, portRangeMax: 443});
const INSIDE = aRule({remoteIpPrefix: safeText('10.0.0.0/8')});
const PING = {direction: safeText('ingress'), protocol: safeText('icmp'), remoteIpPrefix: safeText('0.0.0.0/0')};

describe('exposures', () => {
  it('may not be all until machines and firewalls were both read', () => {
    const gapCount = (known: Parameters<typeof aKnownScene>[0]) => exposures(aKnownScene(known)).gaps.length;
    expect(gapCount({})).toBe(2);
    expect(gapCount({machines: []})).toBe(1);
    expect(gapCount({firewalls: []})).toBe(1);
    expect(exposures(aKnownScene({machines: [], firewalls: []}))).toEqual({places: [], gaps: []});
  });

  it('say when rules could not be read, and not that nothing is open', () => {
    const machines = [aVirtualMachine({id: 1, hasUnreadRules: true})];
    const firewalls = [{...aFirewall([], 1), hasUnreadRules: true as const}];
    const {places, gaps} = exposures(aKnownScene({machines, firewalls}));
    expect(places).toEqual([]);
    expect(gaps.map(line => line.map(({text}) => text).join(''))).toEqual([
      ' the rules of 1 firewall could not be read',
      ' the rules of 1 machine could not be read',
    ]);
  });

  it('list the firewalls first and then the machines, with each port once, web servers included', () => {
    const machines = [
      aVirtualMachine({id: 1, name: safeText('gpu-1'), rules: [aRule(), aRule({id: 502}), HTTPS, INSIDE]}),
      aVirtualMachine({id: 2, rules: [INSIDE, aRule({direction: safeText('egress')})]}),
    ];
    expect(exposures(aKnownScene({machines, firewalls: [aFirewall([HTTPS], 3)]})).places).toEqual([
      {where: 'bastion', ports: 'tcp/443', machineCount: 3},
      {where: 'gpu-1', ports: 'tcp/22, tcp/443', machineCount: 1},
    ]);
  });
});

it.each([
  [0, '? machines', 'warning'],
  [1, '1+ machines', 'warning'],
])('does not count the machines of a firewall that were not read: %i known', (count, reach, severity) => {
  const firewall = {...aFirewall([aRule()], count), hasUnreadAttachments: true as const};
  const scene = aKnownScene({machines: [], firewalls: [firewall]});
  expect(exposures(scene).places.map(reachText)).toEqual([reach]);
  expect(shownRows(scene).map(row => row.severity)).toEqual([severity]);
});

describe('the columns of what needs attention', () => {
  /** The widths without the edges of the box and what comes before the first column. */
  const widthsOf = (status: 'ERROR' | 'SHUTOFF', columns: number) => {
    const machines = [aVirtualMachine({id: 1, name: safeText('k8s-batch-worker-2'), status})];
    const rows = shownRows(aKnownScene({machines}));
    expect(rows).toHaveLength(1);
    return Object.fromEntries(
      layoutColumns(findingColumns(LIST_VIEW, rows, 80), columns - 5).map(({column, width}) => [column.key, width]),
    );
  };

  it.each([80, 72])('show the names of cluster nodes in full at %i columns', columns => {
    expect(widthsOf('ERROR', columns).where).toBeGreaterThanOrEqual('k8s-batch-worker-2'.length);
  });

  it('show a long name in full beside the evidence in a wide terminal', () => {
    const name = 'H100 training, third quarter';
    const rows = shownRows(aKnownScene({machines: [aVirtualMachine({name: safeText(name), status: 'ERROR'})]}));
    const placed = layoutColumns(findingColumns(LIST_VIEW, rows, 140), 135);
    expect(placed.find(({column}) => column.key === 'where')?.width).toBeGreaterThanOrEqual(name.length);
    expect(placed.map(({column}) => column.key)).toContain('evidence');
  });

  it.each([
    [80, ['type']],
    [144, ['type', 'id', 'rule']],
  ])('include in the wide list of %i cells what the usual one has no room for: %j', (columns, more) => {
    const rows = shownRows(aKnownScene({machines: [aVirtualMachine({status: 'ERROR'})]}));
    const keysIn = (isWide: boolean) =>
      layoutColumns(findingColumns({isWide}, rows, columns), columns - 5).map(({column}) => column.key);
    expect(keysIn(false)).not.toEqual(expect.arrayContaining(['type']));
    expect(keysIn(true)).toEqual(expect.arrayContaining(more));
  });

  it('share too little room so that names stay whole before summaries that the preview shows whole', () => {
    const name = 'H100 training, third quarter';
    const machines = [name, 'a', 'b', 'c'].map((each, index) =>
      aVirtualMachine({id: index + 1, name: safeText(each), status: index === 0 ? 'SHUTOFF' : 'ERROR'}),
    );
    const rows = shownRows(aKnownScene({machines}));
    // Gutter, severity, age, cost, fix and the blanks take 27 of 79 cells, so 52 are left for 26 and 28.
    const placed = layoutColumns(findingColumns(LIST_VIEW, rows, 79), 79 - 3);
    expect(Object.fromEntries(placed.map(({column, width}) => [column.key, width]))).toMatchObject({
      what: 'SHUTOFF but billed in full'.length - 2,
      where: name.length,
    });
  });

  it('show the whole summary before names get more room than they need', () => {
    expect(widthsOf('SHUTOFF', 80).what).toBe('SHUTOFF but billed in full'.length);
  });
});

describe('findingRows', () => {
  const what = (known: Parameters<typeof aKnownScene>[0], filterText = '') =>
    shownRows(aKnownScene(known), {filterText}).map(
      ({severity, what: told, where}) => `${severity} ${told} @ ${where}`,
    );

  it('warn of ports that are open to the world, but not of web servers, pings and ports open only inside', () => {
    const open = aVirtualMachine({id: 1, name: safeText('gpu-1'), rules: [aRule()]});
    expect(what({machines: [open]})).toEqual(['warning tcp/22 open to the world @ gpu-1']);
    expect(what({machines: [{...open, rules: [HTTPS, INSIDE, PING]}]})).toEqual([]);
    expect(what({machines: [], firewalls: [aFirewall([aRule()], 2)]})).toEqual([
      'warning tcp/22 open to the world @ bastion',
    ]);
    expect(what({machines: [], firewalls: [aFirewall([HTTPS], 2)]})).toEqual([]);
  });

  it('are narrowed by the filter, unless it is invalid', () => {
    const machines = [
      aVirtualMachine({id: 1, name: safeText('gpu-1'), status: 'SHUTOFF'}),
      aVirtualMachine({id: 2, name: safeText('gpu-2'), status: 'ERROR'}),
    ];
    const usage = [aUsageRecord(1, '3'), aUsageRecord(2, '1')];
    const [off, failed] = ['warning SHUTOFF but billed in full @ gpu-1', 'warning machine in ERROR @ gpu-2'];
    expect(what({machines, usage})).toEqual([off, failed]);
    expect(what({machines, usage}, 'what:error')).toEqual([failed]);
    expect(what({machines, usage}, 'cost>2')).toEqual([off]);
    expect(what({machines, usage}, 'nonsense:1')).toEqual([off, failed]);
    // A severity has the same name here as in skydeck triage, beside the short one of the column.
    expect(what({machines, usage}, 'severity:warning')).toEqual([off, failed]);
    expect(what({machines, usage}, 'severity:warn')).toEqual([off, failed]);
    expect(what({machines, usage}, 'severity:critical')).toEqual([]);
  });
});

describe('the age of a finding', () => {
  it('counts each second of the first minute, and then the minutes', () => {
    const opened = aFirewall([aRule({createdAt: epochMs(NOW)})], 1);
    const scene = aKnownScene({firewalls: [opened], machines: [aVirtualMachine({id: 1, name: safeText('gpu-0')})]});
    const ages = Array.from({length: 150}, (_, second) => {
      const now = epochMs(NOW + second * SECOND_MS);
      const rows = shownRows({...scene, now});
      const row = rows.find(({since}) => since !== undefined);
      return row?.since === undefined ? undefined : Math.floor((row.now - row.since) / SECOND_MS);
    });
    expect(ages.slice(0, 60)).toEqual(Array.from({length: 60}, (_, second) => second));
    for (const [second, age = 0] of ages.entries()) {
      expect(age).toBeLessThanOrEqual(second);
      expect(age).toBeGreaterThan(second - 15);
      if (second >= 60) expect(age).toBeGreaterThanOrEqual(60);
    }
  });

  it('leaves a pane without a new finding still', () => {
    const still = (createdAt: number) =>
      overviewPane.isStill?.({
        scene: aKnownScene(
          {firewalls: [aFirewall([aRule({createdAt: epochMs(createdAt)})], 1)], machines: [aVirtualMachine({id: 1})]},
          {size: {columns: 120, rows: 31}},
        ),
        view: overviewPane.initialView,
      });
    expect(still(NOW - 3_600_000)).toBe(true);
    expect(still(NOW - 30_000)).toBe(false);
  });
});

describe('several similar findings', () => {
  const machines = [1, 2, 3].map(id => aVirtualMachine({id, name: safeText(`sweep-${id}`), status: 'ERROR'}));
  const shown = (unfolded: ReadonlySet<string>) =>
    shownRows(aKnownScene({machines}), {unfolded}).map(({where, fold}) => `${fold} ${where}`);

  it('are one line, and are listed one by one below it when it is unfolded', () => {
    const [line] = shownRows(aKnownScene({machines}));
    expect(shown(new Set())).toEqual(['folded sweep-* (3)']);
    expect(shown(new Set([line?.key ?? '']))).toEqual([
      'unfolded sweep-* (3)',
      'member sweep-1',
      'member sweep-2',
      'member sweep-3',
    ]);
  });
});

describe('the list in another order', () => {
  /** Three similar ones at $1, $2 and $3 an hour, which are one line, and another finding at $4. */
  const machines = [1, 2, 3, 4].map(id =>
    aVirtualMachine({id, name: safeText(id === 4 ? 'alone' : `sweep-${id}`), status: id === 4 ? 'SHUTOFF' : 'ERROR'}),
  );
  const scene = aKnownScene({machines, usage: [1, 2, 3, 4].map(id => aUsageRecord(id, String(id)))});
  const line = shownRows(scene).find(({fold}) => fold === 'folded')?.key ?? '';
  const places = (view: Partial<ListView<RowId>>) =>
    shownRows(scene, {...view, unfolded: new Set([line])}).map(({where}) => where);

  it('keeps the members of a line below it, whatever their own values are', () => {
    const sweep = ['sweep-* (3)', 'sweep-3', 'sweep-2', 'sweep-1'];
    expect(places({sortKey: 'cost', isDescending: true})).toEqual([...sweep, 'alone']);
    expect(places({sortKey: 'cost', isDescending: false})).toEqual(['alone', ...sweep]);
    expect(places({sortKey: 'where', isDescending: false})).toEqual(['alone', ...sweep]);
  });

  it('sorts severities from the worst, not by their names', () => {
    const known = aKnownScene({
      machines: [aVirtualMachine({id: 2, status: 'ERROR'})],
      firewalls: [aFirewall([aRule()], 0)],
      clusters: [aCluster({status: 'ERROR', statusText: safeText('ERROR')})],
    });
    const severities = (isDescending: boolean) => [
      ...new Set(shownRows(known, {sortKey: 'severity', isDescending}).map(({severity}) => severity)),
    ];
    expect(severities(true)).toEqual(['critical', 'warning', 'notice']);
    expect(severities(false)).toEqual(['notice', 'warning', 'critical']);
  });
});

describe('stateGroups', () => {
  it('are unknown until the machines were read', () => {
    expect(stateGroups(aScene())).toBeUndefined();
    expect(stateGroups(aKnownScene({machines: []}))).toEqual([]);
  });

  it('are sorted from the largest', () => {
    const machines = ([1, 2, 3] as const).map(id => aVirtualMachine({id, status: id === 1 ? 'SHUTOFF' : 'ACTIVE'}));
    expect(stateGroups(aKnownScene({machines}))).toEqual([
      {status: 'ACTIVE', word: 'ACTIVE', count: 2},
      {status: 'SHUTOFF', word: 'SHUTOFF', count: 1},
    ]);
  });
});

it('counts a machine that is excluded from billing as free in its group, and not as one of unknown cost', () => {
  const machines = ['serve-master-1', 'serve-worker-1', 'web-1'].map((name, index) =>
    aVirtualMachine({id: index + 1, name: safeText(name)}),
  );
  const usage = [{...aUsageRecord(1, undefined), isExcludedFromBilling: true}, aUsageRecord(2, '2')];
  const scene = aKnownScene({machines, usage});
  expect(fleetGroups(scene)).toMatchObject([
    {name: 'serve', rate: dollarsPerHour('2'), hasUnpriced: false},
    {name: 'web', rate: undefined, hasUnpriced: true},
  ]);
});

it.each<[string, SecurityRule]>([
  ['tcp/22', aRule()],
  ['udp/1-100', aRule({protocol: safeText('udp'), portRangeMin: 1, portRangeMax: 100})],
  ['any', {protocol: safeText('any')}],
  ['unknown', {}],
])('shortens the ports of a rule to %s', (expected, rule) => {
  expect(portWords(rule)).toBe(expected);
});

it('puts the cursor on the common line when it was on one of its findings that is now folded', () => {
  const machines = [1, 2, 3, 4].map(id => aVirtualMachine({id, name: safeText(`web-${id}`), status: 'ERROR'}));
  const scene = {...aKnownScene({machines}), size: {columns: 120, rows: 31}, hasChosen: true};
  const view = {...overviewPane.initialView, own: {unfolded: new Set([shownRows(scene)[0]?.key ?? ''])}};
  const [line, , , third] = shownRows(scene, view.own).map(({key}) => key);
  const there = {...view, lists: [{...listView(view), cursorId: third, cursorIndex: 3}]};
  const onThird = overviewPane.adjust({scene, view: there});
  expect(listView(onThird).cursorId).toBe(third);
  const folded = overviewPane.adjust({scene, view: overviewPane.back(onThird) ?? onThird});
  expect([listView(folded).cursorId, listView(folded).cursorIndex]).toEqual([line, 0]);
});

it('has the worst finding in sight when it is opened again, unless the cursor was moved', () => {
  const named = (status: 'ERROR' | 'SHUTOFF', first: number, count: number) =>
    Array.from({length: count}, (_, index) =>
      aVirtualMachine({id: first + index, name: safeText(`web-${first + index}`), status}),
    );
  const sceneOf = (machines: ReturnType<typeof named>) => ({
    ...aKnownScene({machines}),
    size: {columns: 80, rows: 22},
    hasChosen: true,
  });
  const stopped = named('SHUTOFF', 1, 3);
  const calm = sceneOf(stopped);
  const worse = sceneOf([...stopped, ...named('ERROR', 10, 30)]);
  const own = {unfolded: new Set([calm, worse].flatMap(scene => shownRows(scene).map(({key}) => key)))};
  const atTop = overviewPane.adjust({scene: calm, view: {...overviewPane.initialView, own}});
  const left = overviewPane.adjust({scene: worse, view: atTop});
  // While it is looked at, the cursor stays on its finding.
  expect(listView(left).cursorIndex).toBeGreaterThan(30);
  const opened = (view: typeof atTop) =>
    listView(overviewPane.adjust({scene: worse, view: overviewPane.chosenAgain?.(view) ?? view}));
  expect(opened(atTop)).toMatchObject({cursorIndex: 0, offset: 0});
  const onThird = {...atTop, lists: [{...listView(atTop), cursorIndex: 2, cursorId: shownRows(worse, own)[2]?.key}]};
  expect(opened({...onThird, lists: [{...listView(onThird), offset: 2}]})).toMatchObject({cursorIndex: 2, offset: 0});
});

it('names the action that fixes a finding, and none when it is muted', () => {
  const machines = [aVirtualMachine({id: 1, name: safeText('web-1'), status: 'ERROR'})];
  const [row] = shownRows(aKnownScene({machines}));
  expect(row && fixWord(row)).toBe('hard reboot');
  const mute: Mute = {kind: 'acknowledged', finding: 'machine-in-error vm 1', severity: 'warning', at: NOW};
  const [muted] = shownRows(aKnownScene({machines}, {mutes: [mute]}));
  expect(muted?.mutes).toEqual([mute]);
  expect(muted && fixWord(muted)).toBeUndefined();
});

it('previews what is muted before the keys for it', () => {
  const machines = ['etl-03', 'etl-04', 'etl-05'].map((name, index) =>
    aVirtualMachine({id: index + 1, name: safeText(name), status: 'ERROR'}),
  );
  const mutes = [1, 2, 3].map(
    (id): Mute => ({kind: 'acknowledged', finding: `machine-in-error vm ${id}`, severity: 'warning', at: NOW}),
  );
  const scene = aKnownScene({machines}, {mutes});
  const [several] = shownRows(scene);
  const [, alone] = shownRows(scene, {unfolded: new Set([several?.key ?? ''])});
  const previewOf = (row: FindingRow | undefined, size: {readonly columns: number; readonly rows: number}) => {
    const [, ...lines] = shownLines(<Preview scene={scene} layout={overviewLayout(size)} row={row} />, size.columns);
    return lines.map(line => line.replaceAll('│', '').trim()).filter(line => /^[\w]/.test(line));
  };
  const found = previewOf(several, {columns: 120, rows: 31});
  expect(found.slice(0, 3).map(line => line.slice(0, 6))).toEqual(['etl-03', 'etl-04', 'etl-05']);
  expect(found[3]).toBe('A lists all again  enter lists them');
  for (const size of [
    {columns: 80, rows: 22},
    {columns: 120, rows: 31},
  ]) {
    expect(previewOf(several, size).at(-1)).toContain('A lists all again');
    // What belongs to it follows where there is room.
    const ofOne = previewOf(alone, size);
    expect(ofOne.findIndex(line => line.startsWith('acknowledged; A lists it again'))).toBeGreaterThan(0);
  }
});

it('lists muted findings one by one when the filter asks for them, and nothing else', () => {
  const machines = ['etl-03', 'etl-04', 'etl-05'].map((name, index) =>
    aVirtualMachine({id: index + 1, name: safeText(name), status: 'ERROR'}),
  );
  const mutes = [1, 2].map(
    (id): Mute => ({kind: 'acknowledged', finding: `machine-in-error vm ${id}`, severity: 'warning', at: NOW}),
  );
  const shown = shownRows(aKnownScene({machines}, {mutes}), {filterText: MUTED_FILTER});
  expect(shown.map(({what, where}) => `${what} @ ${where}`)).toEqual([
    'muted: 2 acknowledged @ 2 findings',
    'machine in ERROR @ etl-03',
    'machine in ERROR @ etl-04',
  ]);
});

it.each([
  // The header, the tabs and the status bar take four rows.
  ['80×24', {columns: 80, rows: 20}, false],
  ['80×18, where the preview has no room', {columns: 80, rows: 14}, true],
])('shows what the columns cut below the list only if no preview says it: %s', (_name, size, isShown) => {
  const name = safeText(`nightly-regression-suite-${'of-the-research-team-'.repeat(2)}07`);
  const machines = [aVirtualMachine({id: 1, name, status: 'ERROR', statusText: safeText('ERROR')})];
  const scene = {...aKnownScene({machines}), size};
  const place = {columns: 80, rows: 8};
  const view = {...findingsPart.initialView, own: {unfolded: new Set<string>()}};
  const lines = shownLines(<findingsPart.List scene={scene} view={view} place={place} />, 80);
  expect(lines.slice(2).some(line => /^│ +WHERE /.test(line))).toBe(isShown);
});

it('shows evidence beside the findings at 200 columns, and an age at 100', () => {
  const row = (what: string, where: string): FindingRow => {
    const finding: Finding = {
      rule: 'idle',
      severity: 'warning',
      subject: {type: 'vm', id: 1, name: safeText(where)},
      summary: safeText(what),
      evidence: [safeText('no host-side activity for a day')],
      advice: safeText('Hibernate it.'),
      commands: [],
      fixes: [{kind: 'vm.hibernate', id: 1, retainsIp: true}],
    };
    const own = {key: what, severity: finding.severity, what: finding.summary, where: safeText(where)};
    return {
      ...own,
      since: NOW,
      rate: undefined,
      isRateAtLeast: false,
      fold: undefined,
      findings: [finding],
      mutes: [],
      now: NOW,
    };
  };
  // As long as those of the account in use.
  const rows = [row('w'.repeat(36), 'n'.repeat(24)), row('w'.repeat(50), 'n'.repeat(40))];
  const keysAt = (columns: number) => {
    const width = overviewLayout({columns, rows: 46}).attention.columns - 2;
    return columnsInSight(findingColumns(LIST_VIEW, rows, width), width).map(({key}) => key);
  };
  expect(keysAt(200)).toContain('evidence');
  expect(keysAt(100)).toContain('since');
  // There it would cut the names.
  expect(keysAt(99)).not.toContain('evidence');
});
