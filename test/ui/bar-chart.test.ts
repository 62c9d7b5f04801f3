import {expect, it} from 'vitest';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {type Bar, barChart} from '../../src/ui/bar-chart.ts';
import {textOf} from '../../src/ui/text.ts';

const OPTIONS = {
  width: 12,
  height: 5,
  format: (value: number) => String(value).padStart(2),
  glyphs: GLYPH_SETS.unicode,
};

function drawn(bars: readonly Bar[], line?: number): readonly string[] {
  return barChart(bars, {
    ...OPTIONS,
    ...(line === undefined ? {} : {line: {value: line, tone: 'warning'}}),
  }).map(each => textOf(each).trimEnd());
}

const bar = (value: number | undefined, fields: Partial<Bar> = {}): Bar => ({value, label: '', ...fields});

it('a bar chart draws values upwards from zero, and nothing for an unknown value', () => {
  // Four rows for a value of eight: each row stands for two.
  expect(drawn([bar(8), bar(4), bar(1), bar(undefined)])).toEqual([' 8┤█', '  │█', '  │█ █', ' 0┤█ █ ▄', '']);
});

it('a bar chart draws a less certain value in whole cells of a lighter glyph, at least one', () => {
  const light = [
    bar(8, {fill: 'half'}),
    bar(5.1, {fill: 'light'}),
    bar(4.9, {fill: 'light'}),
    bar(0.1, {fill: 'half'}),
  ];
  expect(drawn(light)).toEqual([' 8┤▒', '  │▒ ░', '  │▒ ░ ░', ' 0┤▒ ░ ░ ▒', '']);
});

it('a bar chart draws above an estimate how high it may become', () => {
  expect(drawn([bar(2, {mayReach: 8}), bar(2)])).toEqual([' 8┤┊┊┊', '  │┊┊┊', '  │┊┊┊', ' 0┤███ ███', '']);
});

it('a bar chart hatches the part of an estimate by which it may turn out lower', () => {
  // Rows of two: the middle of the second is at three, that of the first at one.
  expect(drawn([bar(5, {mayFallTo: 2.9}), bar(8)])).toEqual([
    ' 8┤    ███',
    '  │▄▄▄ ███',
    '  ││││ ███',
    ' 0┤███ ███',
    '',
  ]);
  expect(drawn([bar(5, {mayFallTo: 3}), bar(8)])).toEqual([' 8┤    ███', '  │▄▄▄ ███', '  │███ ███', ' 0┤███ ███', '']);
});

it('a bar chart draws a line to compare the bars with, where they leave room', () => {
  // Rows of one and a half: five is in the highest, two fills one and a third.
  expect(drawn([bar(2), bar(6)], 5)).toEqual([' 6┤┄┄┄┄███', '  │    ███', '  │▃▃▃ ███', ' 0┤███ ███', '']);
});

it('a bar chart labels a marked bar before its neighbours, and as many of the others as have room', () => {
  const days = (isMarked: boolean) =>
    ['28', '29!', '30', '31'].map((label, day) => bar(8, {label, isMarked: isMarked && day === 1}));
  const labels = (bars: readonly Bar[]) =>
    barChart(bars, {...OPTIONS, width: 14})
      .map(each => textOf(each))
      .at(-1);
  expect(labels(days(true))).toBe('     29! 31   ');
  expect(labels(days(false))).toBe('   28  30     ');
});
