import {availableParallelism, cpus, totalmem} from 'node:os';

/** One line of the table. */
export type Figure = {
  readonly group: string;
  readonly name: string;
  /** Undefined if this machine cannot measure it. */
  readonly value: number | undefined;
  readonly unit: Unit;
  /** The value may be at most this. */
  readonly target?: number;
  /** Further information, such as what was compared and how often. */
  readonly note?: string;
};

export type Unit = 'ms' | '×' | 'B' | 'MB' | '%' | 'B/s' | '/min';

const DECIMALS: Readonly<Record<Unit, number>> = {ms: 1, '×': 2, B: 0, MB: 0, '%': 2, 'B/s': 0, '/min': 1};

export function describeMachine(): string {
  const model = cpus()[0]?.model ?? 'unknown processor';
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${process.platform} ${process.arch}, ${availableParallelism()} cores of ${model}, ${memory} GiB, Node ${process.versions.node}`;
}

/** The table as text. The name of a group is only in its first line. */
export function formatTable(figures: readonly Figure[]): string {
  const lines = [
    ['', 'measured', 'value', 'target', '', ''],
    ...figures.map((figure, index) => [
      figures[index - 1]?.group === figure.group ? '' : figure.group,
      figure.name,
      formatValue(figure.value, figure.unit),
      figure.target === undefined ? '' : `≤ ${figure.target} ${figure.unit}`,
      verdict(figure),
      figure.note ?? '',
    ]),
  ];
  const widths = [0, 1, 2, 3, 4].map(column => Math.max(...lines.map(line => line[column]?.length ?? 0)));
  return lines.map(line => formatLine(line, widths)).join('\n');
}

function formatLine(line: readonly string[], widths: readonly number[]): string {
  return line
    .map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === VALUE_COLUMN ? cell.padStart(width) : cell.padEnd(width);
    })
    .join('  ')
    .trimEnd();
}

const VALUE_COLUMN = 2;

function formatValue(value: number | undefined, unit: Unit): string {
  return value === undefined || Number.isNaN(value) ? 'n/a' : `${value.toFixed(DECIMALS[unit])} ${unit}`;
}

/** `met`, `missed`, or empty if there is no target or no value. */
export function verdict({value, target}: Pick<Figure, 'value' | 'target'>): '' | 'met' | 'missed' {
  if (value === undefined || Number.isNaN(value) || target === undefined) return '';
  return value <= target ? 'met' : 'missed';
}
