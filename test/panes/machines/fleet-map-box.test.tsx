import {describe, expect, it} from 'vitest';
import {safeText} from '../../../src/domain/safe-text.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {withList} from '../../../src/panes/list/collection-view.ts';
import {FleetMap} from '../../../src/panes/machines/fleet-map-box.tsx';
import {machinesPane} from '../../../src/panes/machines/pane.tsx';
import {machinesPart} from '../../../src/panes/machines/rows.ts';
import {FIRST_CHOICE} from '../../../src/panes/machines/view.ts';
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
};

/** The map on 80 × 24 of so many active machines m-0001, m-0002 … by state, without colours. */
function mapOf({count, marked, glyphs = 'unicode', filterText = ''}: Shown): string {
  const machines = Array.from({length: count}, (_, index) =>
    aVirtualMachine({
      id: index + 1,
      name: safeText(`m-${String(index + 1).padStart(4, '0')}`),
      environmentName: safeText('lab'),
      status: 'ACTIVE',
    }),
  );
  const theme = createTheme({palette: PALETTES.dark, glyphs: GLYPH_SETS[glyphs], depth: 'none'});
  const scene = aKnownScene({machines}, {size: {columns: 80, rows: 24}, theme});
  const map = {...FIRST_CHOICE.map, isOpen: true, colour: 'state'} as const;
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
