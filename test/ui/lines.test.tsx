import {render} from 'ink-testing-library';
import {describe, expect, it} from 'vitest';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {Lines} from '../../src/ui/lines.tsx';
import {createTheme} from '../../src/ui/theme.ts';

const theme = createTheme({depth: 'none', background: 'dark', glyphs: GLYPH_SETS.unicode});

describe('Lines', () => {
  it('shows its lines cut and padded, one under the other', () => {
    const {lastFrame} = render(<Lines lines={[[{text: 'a long line'}], [{text: 'short'}]]} width={6} theme={theme} />);
    expect(lastFrame()).toBe('a lon…\nshort');
  });
});
