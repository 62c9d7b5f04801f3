import {describe, expect, it} from 'vitest';
import {safeText} from '../../../src/domain/safe-text.ts';
import {type MachineStatus, virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {withList} from '../../../src/panes/list/collection-view.ts';
import {FleetMap} from '../../../src/panes/machines/fleet-map-box.tsx';
import {machinesPane} from '../../../src/panes/machines/pane.tsx';
import {machinesPart} from '../../../src/panes/machines/rows.ts';
import {FIRST_CHOICE, type MapColour} from '../../../src/panes/machines/view.ts';
import {GLYPH_SETS, type GlyphSetName} from '../../../src/terminal/glyphs.ts';
import {createTheme, PALETTES} from '../../../src/ui/theme.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {shownLines} from '../../support/shown-lines.ts';
import {aKnownScene} from '../a-known-scene.ts';

type Shown = {
  readonly count: number;
  readonly marked: readonly number[];
  readonly glyphs?: GlyphSetName;
  readonly filterText?: string;
  readonly colour?: MapColour;
  readonly statuses?: readonly MachineStatus[];
};

/** The map on 80 × 24 of so many machines m-0001, m-0002 …, without colours: by state, and all active, if not said. */
function mapOf({
  count,
  marked,
  glyphs = 'unicode',
  filterText = '',
  colour = 'state',
  statuses = ['ACTIVE'],
}: Shown): string {
  const machines = Array.from({length: count}, (_, index) =>
    aVirtualMachine({
      id: index + 1,
      name: safeText(`m-${String(index + 1).padStart(4, '0')}`),
      environmentName: safeText('lab'),
      status: statuses[index % statuses.length] ?? 'ACTIVE',
    }),
  );
  const theme = createTheme({palette: PALETTES.dark, glyphs: GLYPH_SETS[glyphs], depth: 'none'});
  const scene = aKnownScene({machines}, {size: {columns: 80, rows: 24}, theme});
  const map = {...FIRST_CHOICE.map, isOpen: true, colour} as const;
  const view = withList(
    {...machinesPane.initialView, own: {...FIRST_CHOICE, map}},
    {...machinesPart.initialView, filterText, markedIds: new Set(marked.map(virtualMachineId))},
  );
  return shownLines(<FleetMap scene={scene} view={view} />, 80).join('\n');
}

// On 80 × 24 this many machines are drawn with their names, apart, close, and two in a character.
const [NAMED, APART, CLOSE, HALVES] = [9, 60, 500, 2000];

describe('a mark on the map', () => {
  it.each<[string, number, GlyphSetName, string]>([
    ['before the name', NAMED, 'unicode', '▲●m-0002   '],
    ['before the name', NAMED, 'narrow-safe', '▴*m-0002   '],
    ['before the name', NAMED, 'ascii', '^*m-0002   '],
    ['behind the cell', APART, 'unicode', ' ▲ ▲●▲ ▲ '],
    ['behind the cell', APART, 'narrow-safe', ' ▴ ▴*▴ ▴ '],
    ['behind the cell', APART, 'ascii', ' ^ ^*^ ^ '],
    ['in place of the cell', CLOSE, 'unicode', 'lab ▲●▲▲'],
    ['in place of the cell', CLOSE, 'narrow-safe', 'lab ▴*▴▴'],
    ['in place of the cell', CLOSE, 'ascii', 'lab ^*^^'],
    ['in place of both cells', HALVES, 'unicode', 'lab ●:::'],
    ['in place of both cells', HALVES, 'narrow-safe', 'lab *:::'],
    ['in place of both cells', HALVES, 'ascii', 'lab *:::'],
  ])('is a sign, so that it shows without colours: %s of %i machines (%s)', (_, count, glyphs, expected) => {
    expect(mapOf({count, glyphs, marked: [2]})).toContain(expected);
    expect(mapOf({count, glyphs, marked: []})).not.toContain(expected);
  });

  it('stands for either machine of a character', () => {
    expect(mapOf({count: HALVES, marked: [1, 4, 7, 8]})).toContain('lab ●●:●:');
  });

  it('stays on a machine that the filter hides, which is counted in the title', () => {
    const shown = mapOf({count: CLOSE, marked: [2], filterText: 'm-0001'});
    expect(shown).toContain('1 marked, 1 hidden');
    expect(shown).toContain('lab ▲●..');
  });
});

describe('the legend of the map', () => {
  it('explains every sign that is drawn, and no other', () => {
    const cpu = mapOf({
      count: APART,
      marked: [2],
      filterText: 'm-00',
      colour: 'cpu',
      statuses: ['ACTIVE', 'SHUTOFF', 'ERROR'],
    });
    expect(cpu).toContain('tenths of the CPU in use: 0-7, 7-8 busy (75%), 9 nearly full (90%)');
    expect(cpu).toContain('· not measured  ■ SHUTOFF  ✖ ERROR  ● marked ');
    const none = mapOf({count: APART, marked: [], colour: 'cpu'});
    expect(none).toContain('· not measured ');
    expect(none).not.toMatch(/SHUTOFF|marked|filter/);
    expect(mapOf({count: APART, marked: [], statuses: ['HIBERNATED', 'STARTING']})).toMatch(
      / ◔ HIBERNATED {2}△ starting *│/,
    );
    expect(mapOf({count: APART, marked: [], filterText: 'm-0001'})).toContain('. not in the filter');
  });

  it('is whole at 80 columns, whatever is drawn', () => {
    const statuses = [
      'ACTIVE',
      'SHUTOFF',
      'HIBERNATED',
      'ERROR',
      'STARTING',
      'STOPPING',
      'REBOOTING',
      'UNKNOWN',
    ] as const;
    for (const count of [NAMED, APART, CLOSE, HALVES]) {
      for (const colour of ['cpu', 'gpu', 'waste', 'state'] as const) {
        const shown = mapOf({count, marked: [1], filterText: '!m-0003', colour, statuses});
        expect(shown.split('\n').slice(1).join('\n')).not.toContain('…');
        expect(shown).toMatch(/machines .* 1 marked/);
        expect(shown).toContain('● marked');
      }
    }
  });

  it('leaves counting what is out of sight to the edge', () => {
    const lines = mapOf({count: 10 * HALVES, marked: []}).split('\n');
    const drawn = lines.slice(1, -2).join('').match(/[:▲]/g)?.length ?? 0;
    expect(lines.at(-1)).toContain(`+${(10 * HALVES - 2 * drawn).toLocaleString('en-US')} machines`);
  });
});
