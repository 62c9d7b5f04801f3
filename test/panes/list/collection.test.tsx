import {describe, expect, it} from 'vitest';
import {environmentId} from '../../../src/domain/environment.ts';
import type {Failure} from '../../../src/domain/failure.ts';
import type {Gpu} from '../../../src/domain/gpu.ts';
import type {Region} from '../../../src/domain/region.ts';
import {safeText, say} from '../../../src/domain/safe-text.ts';
import {lastValue} from '../../../src/domain/snapshot.ts';
import {monotonicMs} from '../../../src/domain/time.ts';
import {collectionPane} from '../../../src/panes/list/collection.tsx';
import {bindPart} from '../../../src/panes/list/part.tsx';
import {openPane, type Pane, type Scene} from '../../../src/panes/pane.ts';
import {LIST_VIEW} from '../../../src/panes/list/resource-list.tsx';
import {SCROLL_START} from '../../../src/panes/scroll.ts';
import {number, text} from '../../../src/resources/column.ts';
import {gpusFeed, regionsFeed} from '../../../src/state/catalogue.ts';
import {quotaFeed} from '../../../src/state/environments.ts';
import {bucketRecordFeed} from '../../../src/state/object-storage.ts';
import {createStore} from '../../../src/state/store.ts';
import {shownLines} from '../../support/shown-lines.ts';
import {aReadScene, failing, listed, read} from '../a-read-scene.ts';

const DETAIL_LINES = 40;
const quota = quotaFeed(environmentId(7));
const record = bucketRecordFeed(safeText('CANADA-1'), safeText('CANADA-1'));

const regionsPart = bindPart<Region>({
  title: say`regions`,
  feed: regionsFeed,
  wants: [{feed: regionsFeed, priority: 1}],
  moreWants: ({store}) => (lastValue(store.get(gpusFeed)) === undefined ? [{feed: gpusFeed, priority: 3}] : []),
  detailWants: ({name}) => (name === 'NORWAY-1' ? [{feed: quota, priority: 2}] : []),
  rows: ({store}) => lastValue(store.get(regionsFeed))?.records,
  idOf: ({name}) => name,
  nameOf: ({name}) => name,
  columns: [
    {key: 'name', title: 'NAME', value: ({name}) => text(name), list: {minWidth: 10}},
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id), list: {minWidth: 4}},
  ],
  detail: ({name}) => Array.from({length: DETAIL_LINES}, (_, index) => [{text: `${name} line ${index}`}]),
  record: ({name}) => (name === 'CANADA-1' ? record : undefined),
  note: () => say`not whole`,
  actions: {
    create: {run: () => ({kind: 'say', text: say`made`})},
    commands: [
      {
        key: 'X',
        title: say`delete`,
        help: 'Deletes it.',
        reason: ({name}) => (name === 'US-1' ? say`US-1 stays` : undefined),
        run: ({name}) => ({kind: 'say', text: say`removed ${name}`}),
      },
    ],
    copy: ({country}) => country,
  },
});

const gpusPart = bindPart<Gpu>({
  title: say`GPUs`,
  feed: gpusFeed,
  wants: [{feed: gpusFeed, priority: 1}],
  rows: ({store}) => lastValue(store.get(gpusFeed))?.records,
  idOf: ({name}) => name,
  nameOf: ({name}) => name,
  columns: [{key: 'model', title: 'MODEL', value: ({name}) => text(name), list: {minWidth: 10}}],
  detail: () => [],
  actions: {open: {run: ({name}) => ({kind: 'say', text: say`opened ${name}`})}},
});

const REGIONS: readonly Region[] = ['CANADA-1', 'NORWAY-1', 'US-1'].map((name, index) => ({
  id: index + 1,
  name: safeText(name),
  country: safeText(name.slice(0, 2)),
}));
const SCENE: Scene = {
  ...aReadScene([listed(regionsFeed, REGIONS), listed(gpusFeed, [{name: safeText('L40'), regionNames: []}])]),
  hasChosen: true,
};

function open(parts = [regionsPart, gpusPart]): Pane {
  return openPane(collectionPane({id: 'places', key: '9', title: say`Places`, aliases: [], parts}));
}

function press(pane: Pane, key: string, scene = SCENE) {
  const command = pane.commands.find(({keys}) => keys.includes(key));
  const reason = command?.disabledReason(scene);
  if (command === undefined || reason !== undefined) return reason;
  const outcome = command.run(scene);
  pane.adjust(scene);
  return outcome;
}

const place = (pane: Pane, scene = SCENE) => pane.trail(scene).join(' ');
const listText = (scene: Scene, filterText = '') =>
  shownLines(
    <regionsPart.List
      scene={scene}
      view={{...LIST_VIEW, filterText, own: undefined}}
      place={{columns: 100, rows: 8}}
    />,
    100,
  ).join('\n');
/** The detail of the regions with its edges. */
const detailOf = (
  place: {readonly columns: number; readonly rows: number},
  {scene = SCENE, offset = 0, isRecord = false} = {},
) =>
  shownLines(
    <regionsPart.Detail
      scene={scene}
      view={{...LIST_VIEW, isRecord, own: undefined}}
      place={place}
      scroll={{...SCROLL_START, offset}}
    />,
    place.columns,
  );

describe('the cursor of a collection', () => {
  it('moves with the keys that move everywhere, in each part separately', () => {
    const pane = open();
    press(pane, 'j');
    expect(place(pane)).toBe('places regions NORWAY-1');
    press(pane, 'tab');
    expect(place(pane)).toBe('places GPUs L40');
    press(pane, 'shift-tab');
    expect(place(pane)).toBe('places regions NORWAY-1');
    press(pane, 'G');
    expect(place(pane)).toBe('places regions US-1');
  });

  it('stays on its object when the order changes', () => {
    const pane = open();
    press(pane, 'j');
    const turned = {...SCENE, store: aReadScene([listed(regionsFeed, [...REGIONS].reverse())]).store};
    pane.adjust(turned);
    press(pane, 'k', turned);
    expect(place(pane, turned)).toBe('places regions US-1');
  });

  it('goes round the parts, and has no keys for them when there is only one', () => {
    const pane = open();
    press(pane, 'tab');
    press(pane, 'tab');
    expect(place(pane)).toContain('regions');
    expect(open([gpusPart]).commands.some(({keys}) => keys.includes('tab'))).toBe(false);
    expect(place(open([gpusPart]))).toBe('places L40');
  });
});

describe('the filter of a collection', () => {
  it('applies to its own part, and is cleared by one step back', () => {
    const pane = open();
    pane.setFilterText('norway');
    pane.adjust(SCENE);
    expect(place(pane)).toBe('places regions NORWAY-1');
    expect(pane.table(SCENE).rows).toEqual([['NORWAY-1', 2]]);
    press(pane, 'tab');
    expect(pane.filterText()).toBe('');
    press(pane, 'tab');
    expect(pane.goBack()).toBe(true);
    expect(pane.filterText()).toBe('');
    expect(pane.goBack()).toBe(false);
  });

  it('compares numbers, and reports as mistakes only columns that no part has', () => {
    const pane = open();
    pane.setFilterText('id>1 !name:US');
    expect(pane.table(SCENE).rows.map(([name]) => name)).toEqual(['NORWAY-1']);
    expect(pane.filterMistake('id>1')).toBeUndefined();
    expect(pane.filterMistake('model:L40')).toBeUndefined();
    expect(pane.filterMistake('nosuch:1')).toContain('nosuch');
  });
});

describe('the detail of a collection', () => {
  it('fills the pane, scrolls to its last line and no further, and is closed by one step back', () => {
    const pane = open();
    press(pane, 'd');
    press(pane, 'G');
    press(pane, 'j');
    expect(place(pane)).toContain('CANADA-1');
    const rows = SCENE.size.rows - 1;
    const lines = detailOf({columns: 100, rows}, {offset: DETAIL_LINES - (rows - 2)});
    expect(lines.at(-2)).toContain(`line ${DETAIL_LINES - 1}`);
    expect(pane.goBack()).toBe(true);
    press(pane, 'j');
    expect(place(pane)).toContain('NORWAY-1');
  });

  it('says once, at the bottom, how many lines do not fit', () => {
    const lines = detailOf({columns: 60, rows: 12});
    // Two of the twelve rows are edges.
    expect(lines.at(-1)).toContain('+30 more');
    expect(lines.filter(line => line.includes('more'))).toHaveLength(1);
  });

  it('shows the full reason why there is no list when the line of the list is too short for it', () => {
    const detail = (columns: number) =>
      detailOf({columns, rows: 8}, {scene: failing(SCENE, regionsFeed)})
        .map(line => line.slice(1, -1).trim())
        .join(' ');
    expect(detail(30)).toMatch(/regions unknown: .*reset/);
    expect(detail(100)).not.toContain('regions unknown');
  });
});

describe('the record of a collection', () => {
  const shown = (scene: Scene) =>
    detailOf({columns: 60, rows: 8}, {scene, isRecord: true}).map(line => line.slice(1, -1).trim());

  it('is read only while it is open, and is closed by one step back', () => {
    const pane = open();
    const wanted = () => pane.wants(SCENE).map(({feed}) => feed.key);
    expect(wanted()).not.toContain(record.key);
    press(pane, 'y');
    expect(wanted()).toContain(record.key);
    expect(pane.goBack()).toBe(true);
    expect(wanted()).not.toContain(record.key);
  });

  it('shows what the service sent, with a line for each field', () => {
    const scene = aReadScene([listed(regionsFeed, REGIONS), read(record, {name: 'CANADA-1', new_field: [7]})]);
    expect(shown(scene)).toEqual(expect.arrayContaining(['{', '"name": "CANADA-1",', '"new_field": [', '7']));
  });

  it('folds what is too long for the screen', () => {
    const note = 'word '.repeat(20).trim();
    const scene = aReadScene([listed(regionsFeed, REGIONS), read(record, {note})]);
    expect(shown(scene).join(' ')).toContain(note);
  });

  it('says why it is missing, and that a part has none', () => {
    const cut: Failure = {kind: 'cut', detail: safeText('reset')};
    const failed = aReadScene([
      listed(regionsFeed, REGIONS),
      store => store.writeFailure(record, cut, monotonicMs(100_000)),
    ]);
    expect(shown(failed).join(' ')).toMatch(/record unknown: .*reset/);
    const pane = open();
    press(pane, 'tab');
    expect(press(pane, 'y')).toBe('the API returns GPUs only as a list, so there is no raw record');
  });
});

describe('the actions of a collection', () => {
  it('run on the row under the cursor, or say why not', () => {
    const pane = open();
    expect(press(pane, 'X')).toEqual({kind: 'say', text: 'removed CANADA-1'});
    press(pane, 'G');
    expect(press(pane, 'X')).toBe('US-1 stays');
    expect(press(pane, 'n')).toEqual({kind: 'say', text: 'made'});
  });

  it('are off in a part without that action, and absent when no part has it', () => {
    const pane = open();
    press(pane, 'tab');
    expect(press(pane, 'X')).toBe('not available for GPUs');
    expect(press(pane, 'n')).toBe('not available for GPUs');
    expect(pane.commands.some(({keys}) => keys.includes('i'))).toBe(false);
  });

  it('open a row that has a place of its own, and show the detail of one that has none', () => {
    const pane = open();
    expect(press(pane, 'enter')).toEqual({kind: 'done'});
    expect(pane.goBack()).toBe(true);
    press(pane, 'tab');
    expect(press(pane, 'enter')).toEqual({kind: 'say', text: 'opened L40'});
  });

  it('copy the text that the part gives, otherwise the name', () => {
    const pane = open();
    expect(press(pane, 'c')).toEqual({kind: 'copy', text: 'CA'});
    press(pane, 'tab');
    expect(press(pane, 'c')).toEqual({kind: 'copy', text: 'L40'});
  });

  it('are all off when there is nothing under the cursor', () => {
    const pane = open();
    const nothing = {...SCENE, store: aReadScene([listed(regionsFeed, [])]).store};
    for (const key of ['enter', 'd', 'c', 'X']) {
      expect(press(pane, key, nothing)).toBe('there is nothing under the cursor');
    }
  });
});

describe('the list of a collection', () => {
  it('distinguishes an empty list, one that is being read, one that failed, and one without matches', () => {
    expect(listText({...SCENE, store: aReadScene([listed(regionsFeed, [])]).store})).toContain(
      'this account has no regions; n creates one',
    );
    expect(listText({...SCENE, store: createStore()})).toContain('reading the regions');
    expect(listText(failing(SCENE, regionsFeed))).toContain('regions unknown');
    expect(listText(SCENE, 'nosuchplace')).toContain('no matches for /nosuchplace (3 regions)');
  });

  it('shows how many of all rows are shown, and why that may not be all', () => {
    expect(listText(SCENE)).toContain('regions 3 of 3  not whole');
    expect(listText(SCENE, 'US')).toContain('regions 1 of 3 /US');
  });
});

describe('a collection', () => {
  const keys = (pane: Pane, scene = SCENE) => pane.wants(scene).map(({feed}) => feed.key);

  it('reads its open part, what that needs at the time, and what the row under the cursor needs', () => {
    const pane = open();
    expect(keys(pane)).toEqual(['regions']);
    press(pane, 'j');
    expect(keys(pane)).toEqual(['regions', quota.key]);
    const early = {...SCENE, store: aReadScene([listed(regionsFeed, REGIONS)]).store};
    expect(keys(pane, early)).toEqual(['regions', 'gpus', quota.key]);
    press(pane, 'tab');
    expect(keys(pane)).toEqual(['gpus']);
  });
});

describe('coming from another pane', () => {
  it('puts the cursor on the object in the first part, whatever the filter was', () => {
    const pane = open();
    pane.setFilterText('norway');
    press(pane, 'tab');
    pane.goTo({objectId: 1});
    expect(pane.filterText()).toBe('');
    expect(place(pane)).toContain('regions');
  });
});

describe('the actions of a collection', () => {
  const menuOf = (pane: Pane) => {
    const menu = pane.menus.find(({id}) => id === 'actions');
    if (menu === undefined) throw new Error('Expected a menu of actions.');
    return menu;
  };
  const offered = (pane: Pane) =>
    menuOf(pane).commands.map(({keys, title, disabledReason}) => [keys[0], title, disabledReason(SCENE)]);

  it('are in one menu, each with its key or why it is off', () => {
    const pane = open();
    expect(press(pane, 'a')).toEqual({kind: 'menu', menuId: 'actions'});
    expect(menuOf(pane).title(SCENE)).toBe('actions for CANADA-1');
    expect(offered(pane)).toEqual([
      ['n', 'new', undefined],
      ['X', 'delete', undefined],
    ]);
    press(pane, 'j');
    press(pane, 'j');
    expect(offered(pane)).toEqual([
      ['n', 'new', undefined],
      ['X', 'delete', 'US-1 stays'],
    ]);
  });

  it('are off when nothing can be done, and a pane without actions has no key for them', () => {
    const pane = open();
    press(pane, 'tab');
    expect(press(pane, 'a')).toBe('no actions for GPUs');
    expect(open([gpusPart]).menus.map(({id}) => id)).toEqual(['sort']);
  });

  it('do the same as their keys', () => {
    const [create, remove] = menuOf(open()).commands;
    expect(create?.run(SCENE)).toEqual({kind: 'say', text: 'made'});
    expect(remove?.run(SCENE)).toEqual({kind: 'say', text: 'removed CANADA-1'});
  });
});
