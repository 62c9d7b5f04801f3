import {stripVTControlCharacters} from 'node:util';
import {Box} from 'ink';
import {render} from 'ink-testing-library';
import {describe, expect, it} from 'vitest';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {Dialog, type DialogProps, dialogLines, isDialogCut} from '../../src/ui/dialog.tsx';
import {Lines} from '../../src/ui/lines.tsx';
import {textOf} from '../../src/ui/text.ts';
import {createTheme, PALETTES} from '../../src/ui/theme.ts';

const theme = createTheme({depth: 'none', palette: PALETTES.dark, glyphs: GLYPH_SETS.ascii});

function propsFor(over: Partial<DialogProps> = {}): DialogProps {
  return {
    title: 'STOP gpu-7',
    lines: [[{text: 'Disks and addresses stay.'}], [{text: 'Still $25.60/h.'}]],
    choices: [
      {key: 'y', label: 'stop'},
      {key: 'esc', label: 'cancel'},
    ],
    columns: 60,
    rows: 12,
    theme,
    ...over,
  };
}

describe('dialogLines', () => {
  it('shows the title, how to cancel, the text and the choices', () => {
    expect(dialogLines(propsFor()).map(textOf)).toEqual([
      '+- STOP gpu-7 --- esc = no -+',
      '| Disks and addresses stay. |',
      '| Still $25.60/h.           |',
      '|                           |',
      '| [y] stop   [esc] cancel   |',
      '+---------------------------+',
    ]);
  });

  it('puts choices below each other when they do not fit side by side', () => {
    const choices = ['one', 'two', 'three'].map(key => ({key, label: 'a rather long way to go on'}));
    const lines = dialogLines(propsFor({choices, columns: 50})).map(textOf);
    expect(lines.filter(line => line.includes('a rather long way')).length).toBe(3);
  });

  it('never grows beyond the terminal, and reports when it is cut', () => {
    const lines = Array.from({length: 30}, (_, row) => [{text: `line ${row}`}]);
    expect(dialogLines(propsFor({lines})).length).toBe(12);
    expect(isDialogCut(propsFor({lines}))).toBe(true);
    expect(isDialogCut(propsFor())).toBe(false);
    expect(isDialogCut(propsFor({columns: 20}))).toBe(true);
  });

  it('takes the whole width when its edges would be next to those of the pane', () => {
    const widthAt = (columns: number) =>
      textOf(dialogLines(propsFor({columns, maxWidth: 76, lines: [[{text: 'x'.repeat(72)}]]}))[0] ?? []).length;
    expect([77, 80, 81, 82, 100].map(widthAt)).toEqual([77, 80, 81, 76, 76]);
  });

  it('keeps the choices when the text is cut', () => {
    const lines = Array.from({length: 30}, (_, row) => [{text: `line ${row}`}]);
    expect(dialogLines(propsFor({lines})).map(textOf).join('\n')).toContain('[y] stop');
  });
});

describe('Dialog', () => {
  it('is drawn in the middle, over content that stays mounted', () => {
    const {lastFrame} = render(
      <Box width={60} height={12}>
        <Lines lines={Array.from({length: 12}, () => [{text: '.'.repeat(60)}])} width={60} theme={theme} />
        <Dialog {...propsFor()} />
      </Box>,
    );
    const lines = stripVTControlCharacters(lastFrame() ?? '').split('\n');
    expect(lines.length).toBe(12);
    expect([lines[2], lines[9]]).toEqual(['.'.repeat(60), '.'.repeat(60)]);
    expect(lines[3]).toMatch(/^\.{15}\+- STOP gpu-7 -+ esc = no -\+\.{16}$/);
  });
});
