/** How thick the line from the middle of a cell to each side is: 0 none, 1 light, 2 heavy, 3 double. */
type Arms = readonly [up: number, right: number, down: number, left: number];

// U+2500–U+257F, four digits (up, right, down, left) for each; `....` are dashed, round and diagonal, drawn below.
const ARMS = `
0101 0202 1010 2020 .... .... .... .... .... .... .... .... 0110 0210 0120 0220
0011 0012 0021 0022 1100 1200 2100 2200 1001 1002 2001 2002 1110 1210 2110 1120
2120 2210 1220 2220 1011 1012 2011 1021 2021 2012 1022 2022 0111 0112 0211 0212
0121 0122 0221 0222 1101 1102 1201 1202 2101 2102 2201 2202 1111 1112 1211 1212
2111 1121 2121 2112 2211 1122 1221 2212 1222 2122 2221 2222 .... .... .... ....
0303 3030 0310 0130 0330 0013 0031 0033 1300 3100 3300 1003 3001 3003 1310 3130
3330 1013 3031 3033 0313 0131 0333 1303 3101 3303 1313 3131 3333 .... .... ....
.... .... .... .... 0001 1000 0100 0010 0002 2000 0200 0020 0201 1020 0102 2010
`
  .trim()
  .split(/\s+/);

const FIRST = 0x2500;

const DASHES: Readonly<Record<string, {isVertical: boolean; weight: number; count: number}>> = {
  '┄': {isVertical: false, weight: 1, count: 3},
  '┅': {isVertical: false, weight: 2, count: 3},
  '┆': {isVertical: true, weight: 1, count: 3},
  '┇': {isVertical: true, weight: 2, count: 3},
  '┈': {isVertical: false, weight: 1, count: 4},
  '┉': {isVertical: false, weight: 2, count: 4},
  '┊': {isVertical: true, weight: 1, count: 4},
  '┋': {isVertical: true, weight: 2, count: 4},
  '╌': {isVertical: false, weight: 1, count: 2},
  '╍': {isVertical: false, weight: 2, count: 2},
  '╎': {isVertical: true, weight: 1, count: 2},
  '╏': {isVertical: true, weight: 2, count: 2},
};

const THICKNESS = {light: 1, heavy: 3};
const DOUBLE_GAP = 2;

export type Size = {readonly width: number; readonly height: number};

/** The outline of a box-drawing character in a cell, as SVG path data to be filled; undefined for any other character. */
export function boxDrawingPath(char: string, size: Size): string | undefined {
  const dashes = DASHES[char];
  if (dashes !== undefined) return dashedPath(dashes, size);
  const round = roundPath(char, size) ?? diagonalPath(char, size);
  if (round !== undefined) return round;
  const digits = ARMS[(char.codePointAt(0) ?? 0) - FIRST];
  if (digits === undefined || digits.startsWith('.')) return undefined;
  const [up = 0, right = 0, down = 0, left = 0] = [...digits].map(Number);
  return armsPath([up, right, down, left], size);
}

function armsPath(arms: Arms, {width, height}: Size): string {
  const [up, right, down, left] = arms;
  const [middleX, middleY] = [Math.floor(width / 2), Math.floor(height / 2)];
  // An arm reaches over the middle as far as the lines across it are thick, so that corners are filled.
  const acrossVertical = Math.max(reach(up), reach(down));
  const acrossHorizontal = Math.max(reach(left), reach(right));
  const parts = [
    ...strokes(up).map(([from, to]) => rectangle(middleX + from, 0, middleX + to, middleY + 1 + acrossHorizontal)),
    ...strokes(down).map(([from, to]) => rectangle(middleX + from, middleY - acrossHorizontal, middleX + to, height)),
    ...strokes(left).map(([from, to]) => rectangle(0, middleY + from, middleX + 1 + acrossVertical, middleY + to)),
    ...strokes(right).map(([from, to]) => rectangle(middleX - acrossVertical, middleY + from, width, middleY + to)),
  ];
  return parts.join('');
}

/** The lines of an arm across its direction, from the middle pixel's near edge at 0 to its far edge at 1. */
function strokes(weight: number): readonly (readonly [number, number])[] {
  if (weight === 1) return [[0, THICKNESS.light]];
  if (weight === 2) return [[-1, THICKNESS.heavy - 1]];
  return weight === 3
    ? [
        [-DOUBLE_GAP + 1, -DOUBLE_GAP + 2],
        [DOUBLE_GAP - 1, DOUBLE_GAP],
      ]
    : [];
}

function reach(weight: number): number {
  return weight === 0 || weight === 1 ? 0 : 1;
}

function dashedPath(
  {isVertical, weight, count}: {isVertical: boolean; weight: number; count: number},
  size: Size,
): string {
  const length = isVertical ? size.height : size.width;
  const middle = Math.floor((isVertical ? size.width : size.height) / 2);
  const step = length / count;
  return strokes(weight)
    .flatMap(([from, to]) =>
      Array.from({length: count}, (_, index) => {
        const [start, end] = [step * (index + 0.15), step * (index + 0.85)];
        return isVertical
          ? rectangle(middle + from, start, middle + to, end)
          : rectangle(start, middle + from, end, middle + to);
      }),
    )
    .join('');
}

/** A quarter ring between two sides, one pixel thick, which meets the light straight lines of the cells around. */
function roundPath(char: string, {width, height}: Size): string | undefined {
  const corner = '╭╮╯╰'.indexOf(char);
  if (corner === -1) return undefined;
  const isRight = corner === 0 || corner === 3;
  const isDown = corner === 0 || corner === 1;
  const [x, y] = [Math.floor(width / 2), Math.floor(height / 2)];
  const radius = Math.min(x, y);
  const sideX = isRight ? width : 0;
  const sideY = isDown ? height : 0;
  // The arc runs from the vertical line to the horizontal one; both edges of the line turn around one centre.
  const centreX = isRight ? x + 1 + radius : x - radius;
  const centreY = isDown ? y + 1 + radius : y - radius;
  const [innerX, outerX] = isRight ? [x + 1, x] : [x, x + 1];
  const [innerY, outerY] = isDown ? [y + 1, y] : [y, y + 1];
  const turn = isRight === isDown ? 1 : 0;
  return (
    `M${outerX} ${sideY}L${outerX} ${centreY}A${radius + 1} ${radius + 1} 0 0 ${turn} ${centreX} ${outerY}L${sideX} ${outerY}` +
    `L${sideX} ${innerY}L${centreX} ${innerY}A${radius} ${radius} 0 0 ${1 - turn} ${innerX} ${centreY}L${innerX} ${sideY}Z`
  );
}

function diagonalPath(char: string, {width, height}: Size): string | undefined {
  const rising = `M0 ${height}L0 ${height - 1}L${width - 0.5} 0L${width} 0L${width} 1L0.5 ${height}Z`;
  const falling = `M0 0L0.5 0L${width} ${height - 1}L${width} ${height}L${width - 0.5} ${height}L0 1Z`;
  if (char === '╱') return rising;
  if (char === '╲') return falling;
  return char === '╳' ? rising + falling : undefined;
}

export function rectangle(left: number, top: number, right: number, bottom: number): string {
  return `M${left} ${top}H${right}V${bottom}H${left}Z`;
}
