import {renderToString} from 'ink';
import {describe, expect, it} from 'vitest';
import {ACTIONS} from '../../../src/actions/actions.ts';
import {workLines} from '../../../src/actions/machines/activity.ts';
import {ZERO_RATE} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs, MINUTE_MS, monotonicMs} from '../../../src/domain/time.ts';
import {chartLines, stripLines} from '../../../src/panes/machine-charts.ts';
import {MACHINES_MENUS} from '../../../src/panes/machines/commands.ts';
import {costLines} from '../../../src/panes/machines/detail-lines.ts';
import {MachineActions, MachineStrip} from '../../../src/panes/machines/detail.tsx';
import {machinesPane} from '../../../src/panes/machines/pane.tsx';
import {MACHINE_COLUMNS, machineRulesPart, machinesPart} from '../../../src/panes/machines/rows.ts';
import {FIRST_CHOICE} from '../../../src/panes/machines/view.ts';
import {withList} from '../../../src/panes/list/collection-view.ts';
import {GLYPH_SETS} from '../../../src/terminal/glyphs.ts';
import {type Line, textOf} from '../../../src/ui/text.ts';
import {createTheme, PALETTES} from '../../../src/ui/theme.ts';
import {LearntActivity} from '../../../src/state/learnt-activity.ts';
import {usageFeed} from '../../../src/state/billing.ts';
import {createStore} from '../../../src/state/store.ts';
import {presentTriage} from '../../../src/state/triage.ts';
import {machineRecordFeed, machinesFeed, metricsFeed} from '../../../src/state/machines.ts';
import type {WritableStore} from '../../../src/state/store.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';
import {shownLines} from '../../support/shown-lines.ts';
import {aFirewall} from '../a-catalogue.ts';
import {A_FLAVOR, aKnownScene, aRule, aUsageRecord, busyMetrics, NOW} from '../a-known-scene.ts';
import {aReadScene, read, textsOf} from '../a-read-scene.ts';

const TRAIN = aVirtualMachine({id: 1, name: safeText('train-01'), flavor: A_FLAVOR});
const SWEEP = aVirtualMachine({id: 2, name: safeText('sweep-02'), flavor: A_FLAVOR});
const WEB = aVirtualMachine({id: 3, name: safeText('web-03'), flavor: A_FLAVOR});
const SCENE = aKnownScene({
  machines: [TRAIN, SWEEP, WEB],
  usage: [aUsageRecord(1, '1'), aUsageRecord(2, '2'), aUsageRecord(3, '3')],
});

/** The cursor is on train-01. */
function marking(...machines: readonly (typeof TRAIN)[]) {
  return {
    scene: SCENE,
    view: withList(machinesPane.initialView, {
      ...machinesPart.initialView,
      cursorId: TRAIN.id,
      markedIds: new Set(machines.map(({id}) => id)),
    }),
  };
}

const strip = (context: ReturnType<typeof marking>) =>
  shownLines(<MachineStrip {...context} place={{columns: 80, rows: 7}} />, 80).at(-1);
const box = (context: ReturnType<typeof marking>) =>
  shownLines(<MachineActions {...context} place={{columns: 48, rows: 16}} />, 48).join('\n');

describe('the actions beside the list', () => {
  it('are for the machine under the cursor when none is marked', () => {
    expect(strip(marking())).toMatch(/^ p x stop: SHUTOFF, still \$1\.00\/h/);
    expect(box(marking())).toMatch(/actions for train-01 .*now +\$1\.00\/h/s);
    expect(strip(marking(TRAIN))).toMatch(/^ p x stop/);
  });

  it('name the marked machine whose figures they show', () => {
    expect(strip(marking(SWEEP))).toMatch(/^ sweep-02: p x stop: SHUTOFF, still \$2\.00\/h/);
    expect(box(marking(SWEEP))).toMatch(/actions for sweep-02 .*still \$2\.00\/h.*now +\$2\.00\/h/s);
  });

  it('begin with what triage found about the machine, and how to end it', () => {
    const off = {...TRAIN, status: 'SHUTOFF', statusText: safeText('SHUTOFF')} as const;
    const scene = aKnownScene({machines: [off, SWEEP], usage: [aUsageRecord(1, '25.60'), aUsageRecord(2, '2')]});
    const context = {...marking(), scene};
    const facts = () => shownLines(<MachineStrip {...context} place={{columns: 80, rows: 7}} />, 80).at(-2);
    expect(facts()).toBe(' n3-L40x1');
    // Only a screen that shows all findings judges again.
    expect(presentTriage(scene).findings.map(({subject}) => subject.name)).toEqual(['train-01']);
    expect(facts()).toMatch(/^ WARN SHUTOFF but billed in full\b.* {2}f fix\b(?!.*n3-L40x1)/);
    expect(box(context)).toMatch(/^│ WARN SHUTOFF but billed in full\b.*f fix/m);
    expect(box({...context, ...marking(SWEEP), scene})).not.toContain('WARN');
  });

  it('no longer show what was found in another state of the machine, until it is judged in this one', () => {
    const store = createStore();
    const at = monotonicMs(100_000);
    const off = {...TRAIN, status: 'SHUTOFF', statusText: safeText('SHUTOFF')} as const;
    store.writeValue(machinesFeed, aListing([off, SWEEP]), at);
    store.writeValue(usageFeed, {records: [aUsageRecord(1, '25.60'), aUsageRecord(2, '2')], quarantined: []}, at);
    const context = {...marking(), scene: aKnownScene({}, {store})};
    presentTriage(context.scene);
    const facts = () => shownLines(<MachineStrip {...context} place={{columns: 80, rows: 7}} />, 80).at(-2);
    expect(facts()).toContain('WARN SHUTOFF but billed');
    store.writeValue(machinesFeed, aListing([TRAIN, SWEEP]), at);
    expect(facts()).toBe(' n3-L40x1');
  });

  it('call a machine excluded from billing free, and no action on it dearer or cheaper', () => {
    const usage = [{...aUsageRecord(1, '0'), isExcludedFromBilling: true}];
    const scene = aKnownScene({machines: [{...TRAIN, status: 'SHUTOFF', statusText: safeText('SHUTOFF')}], usage});
    const [row] = machinesPart.list.shown({scene, view: machinesPart.initialView}).rows;
    const cell = (key: string) => {
      const column = MACHINE_COLUMNS.find(each => each.key === key);
      return row === undefined ? '' : textOf(column?.cell(row, 12, scene.theme) ?? []);
    };
    expect(cell('cost').trim()).toBe('free');
    // The sign of a machine that is stopped but billed.
    expect(cell('state')).not.toContain('$');
    expect(textsOf(costLines(scene, TRAIN))).toMatch(
      /now +free\b.*excluded from billing: no action changes what it costs$/s,
    );
    const stop = ACTIONS.get('vm.stop')?.costChange?.({kind: 'vm.stop', id: TRAIN.id}, TRAIN, scene);
    expect(stop).toMatchObject({before: ZERO_RATE, after: ZERO_RATE, savings: ZERO_RATE});
  });

  it('give the published price of a machine that was last metered while it started, when it was free', () => {
    const scene = aKnownScene({machines: [TRAIN], usage: [aUsageRecord(1, '0')]});
    // One L40 is published at a dollar an hour.
    expect(strip({...marking(), scene})).toMatch(/^ p x stop: SHUTOFF, still \$1\.00\/h/);
    expect(textsOf(costLines(scene, TRAIN))).toMatch(/now +– .*ACTIVE not metered yet/);
  });

  it('show the number of machines when several are marked', () => {
    expect(strip(marking(SWEEP, WEB))).toMatch(/^ 2 marked: p x stop: /);
    expect(box(marking(SWEEP, WEB))).toContain('actions for 2 marked machines');
    expect(box(marking(SWEEP, WEB))).not.toContain('$1.00/h');
  });

  it('show what several marked machines cost or save together, or that it is not known of all', () => {
    const usage = [aUsageRecord(SWEEP.id, '2.00'), aUsageRecord(TRAIN.id, '1.25')];
    const scene = aKnownScene({machines: [SWEEP, TRAIN, WEB], usage});
    // SHUTOFF is billed like ACTIVE.
    expect(strip({...marking(SWEEP, TRAIN), scene})).toContain('p x stop: still $3.25/h');
    const fleet = Array.from({length: 401}, (_, index) => aVirtualMachine({id: index + 1, flavor: A_FLAVOR}));
    const large = aKnownScene({machines: fleet, usage: fleet.map(({id}) => aUsageRecord(id, '1.00'))});
    expect(strip({...marking(...fleet.slice(1)), scene: large})).toContain('400 marked: p x stop: still $400.00/h');
    expect(strip({...marking(...fleet), scene: large})).toMatch(/^ 401 marked: p x stop {2}p/);
  });

  it('name what saves in 80 columns too, however many are marked', () => {
    const fleet = [1, 2, 3].map(id => aVirtualMachine({id, flavor: A_FLAVOR, contractId: 12}));
    const usage = ['25.60', '14.56', '11.20'].map((hourly, index) => aUsageRecord(index + 1, hourly));
    const shown = strip({...marking(...fleet), scene: aKnownScene({machines: fleet, usage})});
    expect(shown).toMatch(/^ 3 marked: p x stop: still \$51\.36\/h {2}p h hibernate: saves up to \$51\.\d\d\/h$/);
  });

  it('begin with what applies to most of the marked machines, so that 80 columns show it', () => {
    const status = 'SHUTOFF' as const;
    const [stopped, ...running] = [1, 2, 3, 4, 5].map(id =>
      aVirtualMachine({
        id,
        flavor: A_FLAVOR,
        ...(id === 1 ? {status, statusText: safeText(status)} : {contractId: 12}),
      }),
    );
    const fleet = [...running, ...(stopped === undefined ? [] : [stopped])];
    const usage = ['25.60', '25.60', '14.56', '14.00', '11.20'].map((hourly, index) => aUsageRecord(index + 1, hourly));
    const shown = strip({...marking(...fleet), scene: aKnownScene({machines: fleet, usage})});
    expect(shown).toMatch(/^ 5 marked: p x stop 4: still \$65\.36\/h {2}p h hibernate 4: saves up to \$65\.\d\d\/h$/);
  });

  it('are in menus that name the same machines', () => {
    const title = (id: string, context: ReturnType<typeof marking>) =>
      MACHINES_MENUS.find(menu => menu.id === id)?.title(context);
    expect(title('power', marking())).toBe('actions for train-01 #1, ACTIVE');
    expect(title('power', marking(SWEEP))).toBe('actions for sweep-02 #2, ACTIVE; resize train-01');
    expect(title('power', marking(SWEEP, WEB))).toBe('actions for 2 marked machines; resize train-01');
    expect(title('actions', marking(TRAIN))).toBe('actions for train-01 #1, ACTIVE');
    expect(title('actions', marking(SWEEP))).toBe('actions for train-01 #1, ACTIVE; power and delete on sweep-02');
  });
});

describe('the saving of the actions of a machine', () => {
  it('is an upper limit under a contract', () => {
    const covered = {...TRAIN, contractId: 118};
    const scene = aKnownScene({machines: [covered], usage: [aUsageRecord(1, '1')]});
    expect(box({...marking(), scene})).toContain('saves up to $0.99/h');
    expect(box(marking())).toContain('saves $0.99/h');
  });

  it('is not shown for a failed machine, which is free', () => {
    const failed = {...TRAIN, status: 'ERROR', statusText: safeText('ERROR')} as const;
    // One L40 is published at a dollar an hour.
    const told = box({...marking(), scene: aKnownScene({machines: [failed], usage: []})});
    expect(told).toMatch(/stop +\$0\.00\/h to \$1\.00\/h/);
    expect(told).toMatch(/hard reboot +\$0\.00\/h to \$1\.00\/h/);
    expect(told).not.toContain('still');
  });
});

describe('the record as JSON', () => {
  const wanted = (columns: number, rows: number) => {
    const context = marking();
    const scene = {...context.scene, size: {columns, rows}};
    const view = {...context.view, own: {...context.view.own, part: 'json' as const}};
    return machinesPane.wants({...context, scene, view}).map(({feed}) => feed.key);
  };

  it('is read of the row under the cursor wherever a panel shows it', () => {
    const {key} = machineRecordFeed(TRAIN.id);
    expect(wanted(120, 31)).toContain(key);
    expect(wanted(80, 20)).not.toContain(key);
  });
});

describe('a machine that is being created', () => {
  it('is said to take no power action, not what the first of them needs', () => {
    const created = {...TRAIN, status: 'BUILD', statusText: safeText('BUILD')} as const;
    const context = {...marking(), scene: aKnownScene({machines: [created], usage: []})};
    expect(strip(context)).toMatch(/^ p: no power action while it is BUILD/);
    expect(box(context)).toContain('no power action while it is BUILD');
    expect(box(context)).not.toContain('must be');
  });
});

describe('the contracts', () => {
  const wanted = (machine: typeof TRAIN) =>
    machinesPane.wants({...marking(), scene: aKnownScene({machines: [machine]})}).map(({feed}) => feed.key);

  it('are read when a machine is under one', () => {
    expect(wanted({...TRAIN, contractId: 118})).toContain('contracts');
    expect(wanted(TRAIN)).not.toContain('contracts');
  });
});

describe('the peak of a graph', () => {
  it('is not below the latest sample', () => {
    // Four of sixteen processors, and eight in the last five minutes; the mean of a bin of fifteen minutes is 33 %.
    const metrics = busyMetrics(4);
    const cpu = [...(metrics.cpu ?? [])].map((sample, index, all) =>
      index === all.length - 1 ? {...sample, value: sample.value + 4e9 * 300} : sample,
    );
    const scene = aKnownScene({machines: [TRAIN], metrics: new Map([[TRAIN.id, {...metrics, cpu}]])});
    expect(textsOf(stripLines(scene, TRAIN, '1h', 40))).toMatch(/CPU .* 50% {2}max 50%/);
  });
});

describe('the title of the strip', () => {
  it('says the state of the machine, as its detail does', () => {
    const machine = {...TRAIN, status: 'SHUTOFF', statusText: safeText('SHUTOFF')} as const;
    const title = (scene: ReturnType<typeof aKnownScene>) =>
      shownLines(<MachineStrip {...marking()} scene={scene} place={{columns: 80, rows: 7}} />, 80)[0];
    expect(title(aKnownScene({machines: [machine]}))).toContain('train-01 #1 ■ SHUTOFF$ ');
    expect(title(aKnownScene({machines: [TRAIN]}))).toContain('train-01 #1 ▲ ACTIVE ');
  });
});

describe('the figures above the charts', () => {
  it('do not change with the window, however old and coarse its reading is', () => {
    // An hour with a burst to twelve of sixteen processors, and a day that was read half an hour ago, in one bin of
    // which the burst is nearly lost.
    const fine = busyMetrics(4);
    const cpu = [...(fine.cpu ?? [])].map((sample, index) => ({
      ...sample,
      value: sample.value + (index >= 6 ? 8e9 * 300 : 0),
    }));
    const coarse = new Map([[TRAIN.id, {...busyMetrics(2), cpu: [...(busyMetrics(2).cpu ?? [])].slice(0, 7)}]]);
    const scene = aKnownScene({
      machines: [TRAIN],
      metrics: new Map([[TRAIN.id, {...fine, cpu}]]),
      longMetrics: {'6h': coarse, '1d': coarse, '30d': coarse},
    });
    for (const window of ['1h', '6h', '1d', '30d'] as const) {
      const [strip] = stripLines(scene, TRAIN, window, 78).map(textOf);
      expect(strip).toMatch(/CPU .* 25% .*max 75%/);
      const [head] = chartLines(scene, TRAIN, window, {columns: 138, rows: 24}).map(textOf);
      expect(head).toContain(`CPU  25% of 16 vCPUs  max 75% in ${window}`);
    }
  });
});

describe('the charts of a machine', () => {
  const metrics = new Map([[TRAIN.id, busyMetrics(8)]]);
  const scene = aKnownScene({machines: [TRAIN], metrics});
  const drawn = (columns: number, rows: number) => chartLines(scene, TRAIN, '1h', {columns, rows}).map(textOf);

  it('have round ticks, and say what the highest value refers to', () => {
    const lines = drawn(138, 24);
    // 8 of 16 processors, 64 of 128 GB; an hour over two columns of 62 cells is 124 bins of 29 seconds.
    expect(lines[0]).toMatch(/CPU {2}50% of 16 vCPUs {2}max 50% in 1h .*<75% . <90% . 90%\+/);
    expect(lines[0]).toContain('MEM  50% of 128 GB  max 50% in 1h (chart: means of 29s)');
    // On ten rows, steps of a quarter would be uneven.
    expect(lines.slice(1, 11).flatMap(line => /^ +(\d+%)/.exec(line)?.[1] ?? [])).toEqual(['100%', '50%', '0%']);
  });

  it('draw both directions of network and disk, with their unit', () => {
    for (const [columns, rows] of [
      [70, 14],
      [118, 30],
    ] as const) {
      const lines = drawn(columns, rows);
      expect(lines.find(line => line.includes('NET'))).toMatch(
        /NET {2}bytes\/s +in .* out .*DISK {2}bytes\/s +read .* write/,
      );
      const names = lines.flatMap(line => /^ +(in|out)\S?│/.exec(line)?.[1] ?? []);
      expect(names).toEqual(['in', 'out']);
    }
  });

  it('name the value of each direction, with the unit behind the last one where room is short', () => {
    expect(drawn(60, 14).find(line => line.includes('DISK'))).toContain('DISK  bytes/s read 0 write 0');
    expect(drawn(58, 14).find(line => line.includes('DISK'))).toContain('DISK  read 0 write 0/s');
  });
});

describe('the strip below the list', () => {
  it('shows only complete actions', () => {
    const told = shownLines(<MachineStrip {...marking()} place={{columns: 80, rows: 7}} />, 80);
    const actions = told.find(line => line.includes('p x')) ?? '';
    expect(actions).not.toMatch(/…| p r $/);
    expect(actions).toMatch(/p x stop: .*p h hibernate: saves/);
  });
});

describe('samples that have stopped arriving', () => {
  const metrics = new Map([[TRAIN.id, busyMetrics(8)]]);
  const sceneAfter = (minutes: number) =>
    aKnownScene({machines: [TRAIN], metrics}, {now: epochMs(NOW + minutes * MINUTE_MS)});
  const colourful = createTheme({depth: '16', palette: PALETTES.dark, glyphs: GLYPH_SETS.unicode});
  const tonesOf = (lines: readonly Line[], text: string) =>
    lines.flat().flatMap(span => (span.text.includes(text) ? [span.tone ?? 'text'] : []));

  it('are dim below the list too once the machines cannot be read', () => {
    const known = [read(machinesFeed, aListing([TRAIN])), read(metricsFeed(TRAIN.id, '1h'), busyMetrics(8))];
    const cut = (store: WritableStore) =>
      store.writeFailure(machinesFeed, {kind: 'cut', detail: safeText('reset')}, monotonicMs(200_000));
    const cpuLine = (readings: typeof known) => {
      const scene = {...aReadScene(readings), theme: colourful};
      const shown = renderToString(<MachineStrip {...marking()} scene={scene} place={{columns: 78, rows: 9}} />, {
        columns: 78,
      });
      return shown.split('\n').find(line => line.includes('CPU'));
    };
    const dim = new RegExp(`\\u001b\\[${colourful.sgr('stale')}m(?:(?!\\u001b\\[22m).)*50%`, 'u');
    expect(cpuLine(known)).not.toMatch(dim);
    expect(cpuLine([...known, cut])).toMatch(dim);
  });

  it('are as old as the newest one, however recently they were read', () => {
    const strip = (minutes: number) => {
      const scene = {...sceneAfter(minutes), theme: colourful};
      return renderToString(<MachineStrip {...marking()} scene={scene} place={{columns: 78, rows: 9}} />, {
        columns: 78,
      });
    };
    expect(strip(3)).toContain(`\u001b[${colourful.sgr('dim')}m1h  3m old`);
    expect(strip(40)).toContain(`\u001b[${colourful.sgr('warning')}m1h  40m old`);
  });

  it('are dimmed, with their age beside the figures', () => {
    const lines = stripLines(sceneAfter(40), TRAIN, '1h', 78);
    // 8 of 16 processors, and 64 of 128 GB.
    expect(textsOf(lines)).toMatch(/CPU .* 40m ago: 50%/);
    expect(textsOf(lines)).toMatch(/MEM .* 40m ago: 50% of 128 GB/);
    expect(textsOf(lines)).toMatch(/NET .*in .* 0 .*out .* 0 +bytes\/s 40m ago/);
    expect(new Set(tonesOf(lines, '40m ago'))).toEqual(new Set(['dim']));
    expect(lines.flat().some(({tone}) => tone === 'series')).toBe(false);
    expect(textsOf(stripLines(sceneAfter(3), TRAIN, '1h', 78))).toMatch(/CPU .* 50% {2}max 50%/);
  });

  it('are old, however recent, on a machine that stopped or started since', () => {
    const stopped = {...TRAIN, status: 'SHUTOFF', statusText: safeText('SHUTOFF')} as const;
    const drawn = (machine: typeof TRAIN | typeof stopped, scene = sceneAfter(3)) => [
      textsOf(stripLines(scene, machine, '1h', 78)),
      textsOf(chartLines(scene, machine, '1h', {columns: 138, rows: 24})),
    ];
    for (const told of drawn(stopped)) {
      expect(told).toMatch(/CPU .*3m ago: 50%/);
      expect(told).not.toContain('max 50%');
    }
    expect(textsOf(stripLines(sceneAfter(3), stopped, '1h', 78))).toMatch(/NET .* bytes\/s 3m ago/);
    // The age beside the figures goes on: a minute later the same samples are drawn anew.
    expect(drawn(stopped, {...sceneAfter(3), now: epochMs(NOW + 4 * MINUTE_MS)})[0]).toMatch(/CPU .*4m ago: 50%/);
    const started = new LearntActivity(undefined);
    const {now} = sceneAfter(3);
    started.learnStates([{...TRAIN, status: 'STARTING'}], epochMs(now - 20_000));
    started.learnStates([TRAIN], epochMs(now - 10_000));
    for (const told of drawn(TRAIN, {...sceneAfter(3), activity: started})) expect(told).toMatch(/CPU .*3m ago: 50%/);
    for (const told of drawn(TRAIN)) expect(told).toMatch(/CPU .*50%.*max 50%/);
  });

  it('keep both directions in a narrow chart', () => {
    const charts = (columns: number) => textsOf(chartLines(sceneAfter(40), TRAIN, '1h', {columns, rows: 18}));
    expect(charts(80)).toContain('DISK  40m ago: bytes/s read 0 write 0');
    expect(charts(68)).toContain('DISK  40m ago: read 0 write 0/s');
  });

  it('are dimmed in the row, with the age in the empty end of the graph', () => {
    const cell = (minutes: number, key: string, width: number) => {
      const [row] = machinesPart.list.shown({scene: sceneAfter(minutes), view: machinesPart.initialView}).rows;
      const column = MACHINE_COLUMNS.find(each => each.key === key);
      return row === undefined ? [] : (column?.cell(row, width, SCENE.theme) ?? []);
    };
    expect(textOf(cell(3, 'cpu', 18))).not.toContain('3m');
    expect(textOf(cell(40, 'cpu', 18))).toMatch(/^ {1,2}50% .{8} 40m$/);
    expect(tonesOf([cell(40, 'cpu', 18)], '50%')).toEqual(['dim']);
    expect(tonesOf([cell(3, 'cpu', 18)], '50%')).toEqual(['text']);
    // 64 of 128 GB; when there is no room for the age, a sign is shown instead.
    expect(textOf(cell(40, 'mem', 6))).toBe(' 50%!');
    expect(textOf(cell(3, 'mem', 6))).toBe(' 50%');
    expect(cell(40, 'in', 6)).toEqual([
      {text: '0', tone: 'dim'},
      {text: '!', tone: 'warning'},
    ]);
    expect(cell(3, 'in', 6)).toEqual([{text: '0', tone: 'text'}]);
  });

  it('are described in a question by their age', () => {
    const told = (minutes: number) => textsOf(workLines(sceneAfter(minutes), TRAIN));
    expect(told(40)).toContain('Whether it is working right now is unknown: its newest sample is 40m old.');
    expect(told(3)).toContain('It is WORKING right now');
  });
});

describe('the rules of a machine', () => {
  const rule = (id: number, direction: string, port: number, prefix: string) =>
    aRule({
      id,
      direction: safeText(direction),
      portRangeMin: port,
      portRangeMax: port,
      remoteIpPrefix: safeText(prefix),
    });
  const rules = [
    rule(1, 'egress', 443, '0.0.0.0/0'),
    rule(2, 'ingress', 22, '198.51.100.0/24'),
    rule(3, 'ingress', 443, '0.0.0.0/0'),
    rule(4, 'ingress', 3306, '0.0.0.0/0'),
  ];
  const scene = aKnownScene({machines: [{...TRAIN, rules}]});
  const view = {...machineRulesPart.initialView, ofId: TRAIN.id, own: FIRST_CHOICE};

  it('begin with the risky one, under the cursor, and end with outgoing ones', () => {
    const told = shownLines(<machineRulesPart.List scene={scene} view={view} place={{columns: 80, rows: 12}} />, 80);
    expect(told.slice(2, 6).map(line => /(?:in|e)gress +tcp +(\d+)/.exec(line)?.[0].replaceAll(/ +/g, ' '))).toEqual([
      'ingress tcp 3306',
      'ingress tcp 22',
      'ingress tcp 443',
      'egress tcp 443',
    ]);
    expect(told[2]).toContain(`${SCENE.theme.glyphs.cursor}`);
  });

  it('are shown with what its own firewalls open to everyone, and not with what other firewalls open', () => {
    const ssh = rule(9, 'ingress', 22, '0.0.0.0/0');
    const attached = (id: number, name: string, status: string) =>
      aFirewall({
        id,
        name: safeText(name),
        rules: [ssh],
        attachments: [{machineId: TRAIN.id, machineName: TRAIN.name, status: safeText(status)}],
      });
    const firewalls = [
      attached(5, 'edge', 'SUCCESS'),
      attached(6, 'old', 'DETACHED'),
      aFirewall({id: 7, name: safeText('other'), rules: [ssh], attachments: []}),
    ];
    const held = aKnownScene({machines: [TRAIN], firewalls});
    const list = shownLines(<machineRulesPart.List scene={held} view={view} place={{columns: 80, rows: 12}} />, 80);
    expect(list.join('\n')).toContain('and firewall edge: tcp/22 open to the world');
    expect(list.join('\n')).not.toMatch(/old|other/);
    const leaving = firewalls.map(each => ({...each, rules: [{...ssh, status: safeText('DELETING')}]}));
    const later = aKnownScene({machines: [TRAIN], firewalls: leaving});
    const told = shownLines(<machineRulesPart.List scene={later} view={view} place={{columns: 100, rows: 12}} />, 100);
    expect(told.join('\n')).toContain('and firewall edge: tcp/22 (DELETING) open to the world');
  });

  it('are not said to be none where they could not be read', () => {
    const unread = aKnownScene({machines: [{...TRAIN, rules: [], hasUnreadRules: true}]});
    const list = shownLines(<machineRulesPart.List scene={unread} view={view} place={{columns: 80, rows: 12}} />, 80);
    expect(list.join('\n')).toContain('its rules could not be read completely');
    expect(list.join('\n')).not.toContain('no rules of its own');
  });

  it.each([[60], [78], [100], [198]])('show their risk in whole words on %i columns', columns => {
    const lines = shownLines(<machineRulesPart.List scene={scene} view={view} place={{columns, rows: 12}} />, columns);
    const told = lines.join('\n');
    expect(told).toMatch(/exposed/);
    expect(told).toMatch(/open \(web\)/);
    expect(told).not.toContain('…');
  });
});
