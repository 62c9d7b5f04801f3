import {describe, expect, it} from 'vitest';
import {safeText} from '../../../src/domain/safe-text.ts';
import {epochMs, monotonicMs} from '../../../src/domain/time.ts';
import type {CommandResult} from '../../../src/panes/command.ts';
import {contractsPart} from '../../../src/panes/billing/lists.ts';
import {machinesPane} from '../../../src/panes/machines/pane.tsx';
import {machinesPart} from '../../../src/panes/machines/rows.ts';
import type {Scene} from '../../../src/panes/pane.ts';
import type {ListView, RowId} from '../../../src/panes/list/resource-list.tsx';
import {openPane} from '../../../src/panes/pane.ts';
import {volumesPane} from '../../../src/panes/volumes/pane.tsx';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {machinesFeed} from '../../../src/state/machines.ts';
import {createStore} from '../../../src/state/store.ts';
import {volumesFeed} from '../../../src/state/volumes.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';
import {shownLines} from '../../support/shown-lines.ts';
import {A_FLAVOR, aContract, aKnownScene, aUsageRecord, busyMetrics, NOW} from '../a-known-scene.ts';
import {aReadScene, listed} from '../a-read-scene.ts';
import {aVolume} from '../volumes/a-volume.ts';

const MACHINES = [
  aVirtualMachine({id: 1, name: safeText('alpha'), flavor: {...A_FLAVOR, gpuModel: safeText('A100')}}),
  aVirtualMachine({id: 2, name: safeText('beta')}),
  aVirtualMachine({id: 3, name: safeText('gamma'), flavor: {...A_FLAVOR, gpuModel: safeText('H100')}}),
];

const HOUR = 3_600_000;
const SORTED = [
  {id: 1, createdAt: epochMs(NOW - 90 * 24 * HOUR), gpuCount: 8, imageName: safeText('Ubuntu 24.04')},
  {id: 2, createdAt: epochMs(NOW - 20 * 24 * HOUR), gpuCount: 4, imageName: safeText('Ubuntu 22.04')},
  {id: 3, createdAt: epochMs(NOW - 5 * 24 * HOUR), gpuCount: 1, imageName: safeText('Debian 12')},
].map(({gpuCount, ...machine}) => aVirtualMachine({...machine, flavor: {...A_FLAVOR, gpuCount}}));

function openScene(): Scene {
  const usage = [aUsageRecord(1, '1'), aUsageRecord(2, '3'), aUsageRecord(3, '2')];
  return {...aKnownScene({machines: MACHINES, usage}), hasChosen: true};
}

function titleOf(view: Partial<ListView<RowId>>, scene = openScene()): string {
  const place = {columns: 80, rows: 10};
  return (
    shownLines(
      <machinesPart.list.Box scene={scene} view={{...machinesPart.initialView, ...view}} place={place} />,
      80,
    )[0] ?? ''
  );
}

it.each([
  [80, true],
  [36, false],
])('the title of a list says its own order if there is room for all of it: %i columns', (columns, isSaid) => {
  const scene = aKnownScene({contracts: [aContract(3, {id: 1}), aContract(5, {id: 2})]});
  const {List, initialView} = contractsPart;
  const titleIn = (view: Partial<ListView<RowId>>) =>
    shownLines(
      <List scene={scene} view={{...initialView, ...view, own: undefined}} place={{columns, rows: 10}} />,
      columns,
    )[0];
  expect(titleIn({})).toMatch(isSaid ? /contracts 2 of 2 {2}next end first / : /contracts 2 of 2 ─/);
  expect(titleIn({sortKey: 'id', isDescending: true})).not.toContain('first');
});

it.each(['cpu>10', '!cpu>10'])('says of how many the figure is not known now if nothing matches: %s', filterText => {
  const STALE_MS = 40 * 60_000;
  const stale = {
    ...busyMetrics(4),
    cpu: [0, 1, 2].map(minute => ({sampledAt: epochMs(NOW - STALE_MS + minute * 60_000), value: minute * 60 * 4e9})),
  };
  const metrics = new Map([[virtualMachineId(1), stale]]);
  const scene = {...aKnownScene({machines: MACHINES, metrics}), hasChosen: true};
  const place = {columns: 80, rows: 10};
  const lineFor = (text: string) =>
    shownLines(
      <machinesPart.list.Box scene={scene} view={{...machinesPart.initialView, filterText: text}} place={place} />,
      80,
    ).join('\n');
  expect(lineFor(filterText)).toContain('no matches: cpu is not known now for 3 of 3 machines; esc clears the filter');
  // Their names rule out the two others.
  expect(lineFor(`${filterText} alpha`)).toContain('cpu is not known now for 1 of 3 machines');
  expect(lineFor(`${filterText} nobody`)).toContain(`no matches for /${filterText} nobody (3 machines)`);
});

describe('a saved list', () => {
  it('gives ages in seconds, as the name of the column says', () => {
    const volumes = [aVolume({createdAt: epochMs(NOW - 7_638_066_000)})];
    const pane = openPane(volumesPane);
    const {columns, rows} = pane.table(aReadScene([listed(volumesFeed, volumes)]));
    expect(rows[0]?.[columns.indexOf('age_seconds')]).toBe(7_638_066);
  });
});

describe('marked rows', () => {
  const markedIds = new Set([1, 2]);

  it('are counted in the title with what they cost together', () => {
    // $1 and $3 an hour.
    expect(titleOf({markedIds})).toContain('2 marked $4.00/h');
    expect(titleOf({})).not.toContain('marked');
  });

  it('are shown to cost at least the sum of the known prices', () => {
    const scene = {...aKnownScene({machines: MACHINES, usage: [aUsageRecord(1, '1')]}), hasChosen: true};
    expect(titleOf({markedIds}, scene)).toContain('2 marked at least $1.00/h');
    const free = {...aKnownScene({machines: MACHINES, usage: [aUsageRecord(1, '0')]}), hasChosen: true};
    expect(titleOf({markedIds}, free)).toContain('2 marked cost unknown');
  });
});

it('says that a filter with a mistake is not applied, since all rows are shown', () => {
  expect(titleOf({filterText: 'state!=active'})).toContain('3 of 3 /state!=active not applied');
  expect(titleOf({filterText: 'alpha'})).not.toContain('not applied');
});

it('says from the first failure on why a list is not newer; while nothing can be read, the status bar says it', () => {
  const store = createStore();
  store.writeValue(machinesFeed, aListing(MACHINES), monotonicMs(1));
  store.writeFailure(machinesFeed, {kind: 'timed-out', afterMs: 15_000}, monotonicMs(2));
  const failure = {kind: 'timed-out', afterMs: 15_000} as const;
  const away = {status: 'down', failure, since: monotonicMs(2), retryAt: monotonicMs(9), attemptCount: 1} as const;
  const scene = {...openScene(), store};
  expect(titleOf({}, scene)).toMatch(/ not read: timed out after 15 s /);
  expect(titleOf({}, {...scene, health: {...away, goodAnswerCount: 0}})).not.toContain('not read');
  store.writeValue(machinesFeed, aListing(MACHINES), monotonicMs(3));
  expect(titleOf({}, scene)).not.toContain('not read');
});

function press(pane: ReturnType<typeof openPane>, scene: Scene, ...keys: readonly string[]) {
  let outcome: CommandResult = {kind: 'done'};
  for (const key of keys) {
    const menuId: string | undefined = outcome.kind === 'menu' ? outcome.menuId : undefined;
    const commands: readonly (typeof pane.commands)[number][] | undefined =
      menuId === undefined ? pane.commands : pane.menus.find(({id}) => id === menuId)?.offered(scene);
    const command: (typeof pane.commands)[number] | undefined = commands?.find(each => each.keys.includes(key));
    outcome = command?.run(scene) ?? {kind: 'done'};
    pane.adjust(scene);
  }
  return outcome;
}

describe('a wide list', () => {
  it('says so in its title, and how many columns do not fit', () => {
    expect(titleOf({isWide: false})).not.toContain('wide');
    expect(titleOf({isWide: true})).toMatch(/ wide, \d+ columns out of sight ─/);
  });
});

describe('moving the cursor', () => {
  it('reads no row again that is not visible, even with a filter', () => {
    let readCount = 0;
    const machines = Array.from({length: 30}, (_, index) => aVirtualMachine({id: index + 1}));
    const hidden = Object.defineProperty(aVirtualMachine({id: 31}), 'createdAt', {
      get: () => {
        readCount += 1;
        return epochMs(0);
      },
    });
    const scene = {...aKnownScene({machines: [...machines, hidden]}), hasChosen: true};
    const view = {filterText: 'age>1d', sortKey: 'id'};
    titleOf(view, scene);
    readCount = 0;
    expect(titleOf({...view, cursorId: 2, cursorIndex: 1}, scene)).toContain('/age>1d');
    expect(readCount).toBe(0);
  });
});

describe('sorting', () => {
  it('works by a hidden column too, which the title names', () => {
    const view = {sortKey: 'gpu', isDescending: true};
    const rows = machinesPart.list.shown({scene: openScene(), view: {...machinesPart.initialView, ...view}}).rows;
    expect(rows.map(({machine}) => machine.id)).toEqual([3, 1, 2]);
    expect(titleOf(view)).toContain('by GPU↓');
    expect(titleOf({sortKey: 'cost', isDescending: true})).not.toContain('by $/h');
  });

  it.each([
    ['age', 'AGE↓', ['90d', '20d', '5d']],
    ['gpus', 'GPUS↓', ['8', '4', '1']],
    ['image', 'IMAGE↓', ['Ubuntu 24.04', 'Ubuntu 22.04', 'Debian 12']],
  ])('by a hidden column shows it with its arrow, in place of the least important one: %s', (sortKey, title, values) => {
    const scene = {...aKnownScene({machines: SORTED}), hasChosen: true};
    const linesOf = (view: Partial<ListView<RowId>>) =>
      shownLines(
        <machinesPart.list.Box
          scene={scene}
          view={{...machinesPart.initialView, ...view}}
          place={{columns: 80, rows: 10}}
        />,
        80,
      );
    const lines = linesOf({sortKey, isDescending: true});
    expect(linesOf({})[1]).not.toContain(title.slice(0, -1));
    expect(lines[1]).toContain(title);
    expect(lines[1]).toMatch(/NAME .*STATE .*CPU 1h .*\$\/h/);
    values.forEach((value, index) => {
      expect(lines[2 + index]).toMatch(new RegExp(` ${value}[ │]`));
    });
  });

  it('puts the cursor on the first row, and says when the order is reversed', () => {
    const scene = openScene();
    const pane = openPane(machinesPane);
    pane.adjust(scene);
    press(pane, scene, 'j');
    expect(pane.trail(scene)).toEqual(['machines', 'gamma']);
    expect(press(pane, scene, 'o', 'n')).toEqual({kind: 'say', text: 'sorted by name, ascending'});
    expect(pane.trail(scene)).toEqual(['machines', 'alpha']);
    expect(press(pane, scene, 'o', 'n')).toEqual({kind: 'say', text: 'order reversed: by name, descending'});
    expect(pane.trail(scene)).toEqual(['machines', 'gamma']);
    expect(press(pane, scene, 'O')).toEqual({kind: 'say', text: 'order reversed: by name, ascending'});
    expect(pane.trail(scene)).toEqual(['machines', 'alpha']);
  });

  it('returns to the order that the list opened with', () => {
    const scene = openScene();
    const pane = openPane(machinesPane);
    const ids = () => pane.table(scene).rows.map(([id]) => id);
    const opened = ids();
    press(pane, scene, 'o', 'n');
    expect(ids()).not.toEqual(opened);
    expect(press(pane, scene, 'o', '-')).toEqual({kind: 'say', text: 'in the default order'});
    expect(ids()).toEqual(opened);
  });

  it('has a letter of its own for every column, and none that closes the menu', () => {
    for (const pane of [machinesPane, volumesPane].map(definition => openPane(definition as typeof machinesPane))) {
      const menu = pane.menus.find(({id}) => id === 'sort');
      const letters = menu?.offered(openScene()).map(({keys}) => keys[0]) ?? [];
      expect(letters.length).toBeGreaterThan(5);
      expect(new Set(letters).size).toBe(letters.length);
      expect(letters).not.toContain('q');
      expect(letters).not.toContain('');
    }
  });

  it('works in the list of volumes as in that of machines', () => {
    const volumes = [10, 30, 20].map((sizeGb, index) => aVolume({id: index + 1, name: safeText(`v${index}`), sizeGb}));
    const scene = {...aReadScene([listed(volumesFeed, volumes)]), hasChosen: true};
    const pane = openPane(volumesPane);
    pane.adjust(scene);
    expect(press(pane, scene, 'o', 's')).toMatchObject({kind: 'say'});
    press(pane, scene, 'o', 'i');
    const sizes = () => pane.table(scene).rows.map(row => row[pane.table(scene).columns.indexOf('size')]);
    press(pane, scene, 'o', sizeLetter(pane, scene));
    expect(sizes()).toEqual([30, 20, 10]);
  });
});

function sizeLetter(pane: ReturnType<typeof openPane>, scene: Scene): string {
  const menu = pane.menus.find(({id}) => id === 'sort');
  return menu?.offered(scene).find(({title}) => title === 'size')?.keys[0] ?? '';
}

describe('a filter', () => {
  it('says in which column its words are, when that column is hidden', () => {
    expect(titleOf({filterText: 'H100'})).toContain('/H100  in GPU');
    expect(titleOf({filterText: 'gamma'})).not.toContain(' in ');
  });

  it('explains when it cannot match, since too little is known or text is compared with a number', () => {
    const metrics = new Map(MACHINES.slice(0, 1).map(({id}) => [id, busyMetrics(0.01)] as const));
    const scene = aKnownScene({machines: MACHINES, metrics});
    const lines = (filterText: string) =>
      shownLines(
        <machinesPart.list.Box
          scene={scene}
          view={{...machinesPart.initialView, filterText}}
          place={{columns: 100, rows: 6}}
        />,
        100,
      ).join('\n');
    expect(lines('quiet>2h')).toContain(
      'no matches: of 1 it is only known that quiet is 1h00+: nothing older was read',
    );
    expect(lines('quiet>10m')).toContain('alpha');
    // Text compared with a number used to match nothing, without a message.
    expect(lines('flavor>4')).toContain('flavor is text, which > and < cannot compare; write flavor:text');
    // The model is text; how many there are is a column of its own.
    expect(lines('gpu>4')).toContain('gpu is text, which > and < cannot compare; write gpus>4');
    expect(lines('gpus>0')).not.toContain('no matches');
    expect(lines('gpus>99')).toContain('no matches for /gpus>99 (3 machines)');
  });
});

describe('marks', () => {
  it('are copied in the form that a command takes', () => {
    const scene = openScene();
    const pane = openPane(machinesPane);
    pane.adjust(scene);
    expect(press(pane, scene, 'c')).toEqual({kind: 'copy', text: 'beta'});
    expect(press(pane, scene, '*', 'c')).toEqual({kind: 'copy', text: 'beta gamma alpha'});
  });
});
