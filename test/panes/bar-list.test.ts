import {describe, expect, it} from 'vitest';
import {barListLines} from '../../src/panes/bar-list.ts';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {textOf} from '../../src/ui/text.ts';
import {createTheme, PALETTES} from '../../src/ui/theme.ts';

const theme = createTheme({depth: 'none', palette: PALETTES.dark, glyphs: GLYPH_SETS.unicode});
const LONG = 'model-weights-of-everything-that-was-ever-released-to-customers';

describe('barListLines', () => {
  it('shows a whole name when there is room, and leaves half of the line to the bars', () => {
    const amounts = [
      {name: LONG, value: 4, text: '4 TB'},
      {name: 'scratch', value: 1, text: '1 TB'},
    ];
    const wide = barListLines(amounts, 126, theme).map(textOf);
    expect(wide[0]).toContain(`${LONG} `);
    expect(wide[1]).toMatch(/^ scratch +1 TB {2}/);
    const [narrow = ''] = barListLines(amounts, 60, theme).map(textOf);
    expect(narrow.indexOf('4 TB')).toBeLessThan(45);
    expect(narrow).toContain('…');
  });
});
