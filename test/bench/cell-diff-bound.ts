import {type CellGrid, type GridCell, type Look, PLAIN_LOOK} from './cell-grid.ts';

/**
 * The fewest bytes on the wire that turn one screen into another, among all ways that
 * - write each changed cell once, in reading order, and besides only up to `MAX_REWRITTEN` cells before one, where that
 *   is shorter than a jump, and what an erasure took;
 * - move by CUP, CHA, CUU, CUD, CUF, CUB, CNL, carriage return or backspace, or by a carriage return and line feeds
 *   (two bytes a line: the kernel's terminal puts a return before each feed);
 * - change colours by one SGR sequence between two cells: what differs, or a reset and what stays;
 * - blank a line from anywhere on by one EL, and write again what is to stand behind;
 * - blank cells side by side by one ECH, which leaves the cursor before them.
 * Leaves out what few programs send: inserting, deleting and scrolling of cells or lines, ED, REP, synchronized updates.
 */
export function minimalDiffBytes(before: CellGrid, after: CellGrid): number {
  const looks = [...new Set([before.pen, PLAIN_LOOK, ...after.lines.flat().map(({look}) => look)])];
  // A cursor after the last column stays there until the next character wraps.
  const {row: penRow, column} = before.cursor;
  const start: Pen = {
    row: penRow,
    column: column < after.columns ? column : undefined,
    costs: new Map([[before.pen.key, 0]]),
  };
  let pens: readonly Pen[] = [start];
  let hasChanged = false;
  for (const [row, line] of after.lines.entries()) {
    const changed = changedColumns(before.lines[row] ?? [], line);
    if (changed.length === 0) continue;
    hasChanged = true;
    pens = writeLine({row, line, changed, looks, columns: after.columns}, pens);
  }
  return hasChanged ? Math.min(...pens.flatMap(({costs}) => [...costs.values()])) : 0;
}

/** Where writing continues, and what it cost to get there for each current look. */
type Pen = {
  readonly row: number;
  /** Undefined after the last column, where terminals differ. */
  readonly column: number | undefined;
  readonly costs: Costs;
};
type Costs = ReadonlyMap<string, number>;

type LineChange = {
  readonly row: number;
  readonly line: readonly GridCell[];
  readonly changed: readonly number[];
  readonly looks: readonly Look[];
  readonly columns: number;
};

const MAX_REWRITTEN = 12;
const ERASE_BYTES = 3;

/** The cheaper of changing cells in place, and of erasing from a column on and writing again what was lost. */
function writeLine(change: LineChange, pens: readonly Pen[]): readonly Pen[] {
  const {line, changed, row} = change;
  const written = line.flatMap((cell, column) => (isPlainBlank(cell) ? [] : [column]));
  const erasing = eraseStarts(change).flatMap(start => {
    const kept = writeRuns(
      change,
      changed.filter(column => column < start),
      pens,
    );
    const erased: Pen = {row, column: start, costs: added(toBlank(change, arrive(change, kept, start)), ERASE_BYTES)};
    return writeRuns(
      change,
      written.filter(column => column >= start),
      [erased],
    );
  });
  return merged([...writeRuns(change, changed, pens), ...erasing]);
}

/** Where an erasure can pay: at the start of the line, and at every blank up to a changed one in a run of blanks. */
function eraseStarts({line, changed}: LineChange): readonly number[] {
  const starts = new Set([0]);
  for (const column of changed) {
    for (let start = column; isPlainBlank(line[start]) && !starts.has(start); start -= 1) starts.add(start);
  }
  return [...starts];
}

/** Of pens at one position only the cheapest matters, for each look. */
function merged(pens: readonly Pen[]): readonly Pen[] {
  const byColumn = new Map<number | undefined, Pen>();
  for (const pen of pens) {
    const known = byColumn.get(pen.column);
    byColumn.set(pen.column, known === undefined ? pen : {...pen, costs: cheaper(known.costs, pen.costs)});
  }
  return [...byColumn.values()];
}

type Run = {readonly first: number; readonly end: number};

function writeRuns(change: LineChange, changed: readonly number[], pens: readonly Pen[]): readonly Pen[] {
  return partsOf(change, changed).reduce<readonly Pen[]>((reached, {isBlank, columns}) => {
    const written = runsOf(columns).reduce((before, run) => writeRun(change, run, before), reached);
    if (!isBlank) return written;
    return merged([...written, ...eraseCells(change, columns, reached)]);
  }, pens);
}

function writeRun(change: LineChange, run: Run, pens: readonly Pen[]): readonly Pen[] {
  const costs = writeCells(change, run, arrive(change, pens, run.first));
  return [{row: change.row, column: run.end < change.columns ? run.end : undefined, costs}];
}

/** From the first to the last of these blanks, including all blanks between them. */
function eraseCells(change: LineChange, columns: readonly number[], pens: readonly Pen[]): readonly Pen[] {
  const [first = 0] = columns;
  const count = (columns.at(-1) ?? first) + 1 - first;
  const bytes = `\u001b[${count === 1 ? '' : count}X`.length;
  return [{row: change.row, column: first, costs: added(toBlank(change, arrive(change, pens, first)), bytes)}];
}

type Part = {readonly isBlank: boolean; readonly columns: number[]};

/** The changed cells, split where blanks begin or end. Blanks are one part if only blanks are between them. */
function partsOf({line}: LineChange, changed: readonly number[]): readonly Part[] {
  const parts: Part[] = [];
  for (const column of changed) {
    const isBlank = isPlainBlank(line[column]);
    const last = parts.at(-1);
    const from = last?.columns.at(-1) ?? column;
    const isJoined = last?.isBlank === isBlank && (!isBlank || line.slice(from, column).every(isPlainBlank));
    if (last !== undefined && isJoined) last.columns.push(column);
    else parts.push({isBlank, columns: [column]});
  }
  return parts;
}

/** The cheapest way to reach a cell, for each look. */
function arrive(change: LineChange, pens: readonly Pen[], column: number): Costs {
  const {row} = change;
  const ways = pens.flatMap(pen => {
    const found = [added(pen.costs, moveBytes(pen, {row, column}))];
    const gap = pen.column === undefined ? 0 : column - pen.column;
    if (pen.row === row && pen.column !== undefined && gap > 0 && gap <= MAX_REWRITTEN) {
      found.push(writeCells(change, {first: pen.column, end: column}, pen.costs));
    }
    if (pen.row !== row && pen.column !== undefined && gap > 0 && gap <= MAX_REWRITTEN) {
      const there = added(pen.costs, jump(Math.abs(row - pen.row)));
      found.push(writeCells(change, {first: pen.column, end: column}, there));
    }
    if (row >= pen.row && column <= MAX_REWRITTEN) {
      const start = added(pen.costs, returnBytes(row - pen.row));
      found.push(writeCells(change, {first: 0, end: column}, start));
    }
    return found;
  });
  return ways.reduce(cheaper);
}

function writeCells({line, looks}: LineChange, {first, end}: Run, costs: Costs): Costs {
  let reached = costs;
  for (const {text, look} of line.slice(first, end)) {
    if (text === '') continue;
    const fitting = looks.filter(candidate => (text === ' ' ? isSameOnBlank(candidate, look) : candidate === look));
    reached = added(changeLook(reached, fitting, looks), Buffer.byteLength(text));
  }
  return reached;
}

function toBlank({looks}: LineChange, costs: Costs): Costs {
  return changeLook(
    costs,
    looks.filter(candidate => isSameOnBlank(candidate, PLAIN_LOOK)),
    looks,
  );
}

function changeLook(costs: Costs, wanted: readonly Look[], looks: readonly Look[]): Costs {
  const known = looks.flatMap(look => {
    const cost = costs.get(look.key);
    return cost === undefined ? [] : [{look, cost}];
  });
  return new Map(
    wanted.map(look => [look.key, Math.min(...known.map(({look: from, cost}) => cost + sgrBytes(from, look)))]),
  );
}

/** The shorter of: the differences, and a reset with everything that stays. */
function sgrBytes(from: Look, to: Look): number {
  if (from === to) return 0;
  const key = `${from.key} ${to.key}`;
  const known = sgrSizes.get(key);
  if (known !== undefined) return known;
  const fresh = [...to.attributes, to.foreground, to.background].filter(code => code !== '');
  // An empty parameter is a zero, which resets.
  const reset = fresh.length === 0 ? '' : `;${fresh.join(';')}`;
  const size = '\u001b[m'.length + Math.min(reset.length, changedCodes(from, to).join(';').length);
  sgrSizes.set(key, size);
  return size;
}

const sgrSizes = new Map<string, number>();
/** Bold and faint share one code that ends both. */
const OFF_CODES: Readonly<Record<string, string>> = {'1': '22', '2': '22', '3': '23', '4': '24', '7': '27', '9': '29'};

function changedCodes(from: Look, to: Look): readonly string[] {
  const ended = from.attributes.filter(code => !to.attributes.includes(code));
  const off = new Set(ended.map(code => OFF_CODES[code] ?? ''));
  const kept = from.attributes.filter(code => !off.has(OFF_CODES[code] ?? ''));
  return [
    ...off,
    ...to.attributes.filter(code => !kept.includes(code)),
    ...(from.foreground === to.foreground ? [] : [to.foreground || '39']),
    ...(from.background === to.background ? [] : [to.background || '49']),
  ];
}

function moveBytes(from: {readonly row: number; readonly column: number | undefined}, to: Place): number {
  const absolute = `\u001b[${to.row === 0 && to.column === 0 ? '' : place(to)}H`.length;
  const rowsDown = to.row - from.row;
  const ways = [absolute];
  if (rowsDown >= 0) {
    ways.push(returnBytes(rowsDown) + alongRow(0, to.column));
  }
  if (rowsDown === 0) ways.push(`\u001b[${to.column === 0 ? '' : to.column + 1}G`.length);
  if (from.column !== undefined) ways.push(jump(Math.abs(rowsDown)) + alongRow(from.column, to.column));
  return Math.min(...ways);
}

/** To the start of this line or a later one: a return, line feeds, or CNL. */
function returnBytes(rowsDown: number): number {
  return rowsDown === 0 ? 1 : Math.min(2 * rowsDown, jump(rowsDown));
}

type Place = {readonly row: number; readonly column: number};

function place({row, column}: Place): string {
  return column === 0 ? String(row + 1) : `${row + 1};${column + 1}`;
}

function alongRow(from: number, to: number): number {
  if (from === to) return 0;
  const byJump = Math.min(jump(Math.abs(to - from)), `\u001b[${to === 0 ? '' : to + 1}G`.length);
  return to < from ? Math.min(byJump, from - to, to === 0 ? 1 : byJump) : byJump;
}

/** A relative movement. A count of one is omitted. */
function jump(count: number): number {
  return count === 0 ? 0 : `\u001b[${count === 1 ? '' : count}C`.length;
}

function cheaper(left: Costs, right: Costs): Costs {
  const keys = new Set([...left.keys(), ...right.keys()]);
  const least = (key: string): number => Math.min(left.get(key) ?? Infinity, right.get(key) ?? Infinity);
  return new Map([...keys].map(key => [key, least(key)]));
}

function added(costs: Costs, bytes: number): Costs {
  return new Map([...costs].map(([key, cost]) => [key, cost + bytes]));
}

/** Whether blanks written with the two looks are indistinguishable. */
function isSameOnBlank(candidate: Look, wanted: Look): boolean {
  return candidate.background === wanted.background && seen(candidate) === seen(wanted);
}

function seen({attributes, foreground}: Look): string {
  const visible = attributes.filter(code => ['4', '7', '9'].includes(code));
  return visible.length === 0 ? '' : `${visible.join(';')}/${foreground}`;
}

function isPlainBlank(cell: GridCell | undefined): boolean {
  return cell?.text === ' ' && cell.look === PLAIN_LOOK;
}

function changedColumns(before: readonly GridCell[], after: readonly GridCell[]): readonly number[] {
  return after.flatMap(({text, look}, column) => {
    const old = before[column];
    return old?.text === text && old.look.key === look.key ? [] : [column];
  });
}

function runsOf(columns: readonly number[]): readonly Run[] {
  const runs: {first: number; end: number}[] = [];
  for (const column of columns) {
    const last = runs.at(-1);
    if (last?.end === column) last.end += 1;
    else runs.push({first: column, end: column + 1});
  }
  return runs;
}
