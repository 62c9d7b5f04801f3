import {boxDrawingPath, rectangle, type Size} from './box-drawing.ts';

/** A character drawn without a font: path data to be filled, in the coordinates of its cell. */
export type Shape = {
  readonly path: string;
  /** Shades are a thinner ink. */
  readonly opacity: number;
};

/**
 * The shape of a character that must meet its neighbours or fill its cell to the pixel: block elements, box-drawing,
 * braille and the signs of a status column. A font draws them to its own measure, with seams between the cells.
 */
export function glyphShape(char: string, size: Size): Shape | undefined {
  const shade = SHADES[char];
  if (shade !== undefined) return {path: rectangle(0, 0, size.width, size.height), opacity: shade};
  const path = blockPath(char, size) ?? braillePath(char, size) ?? boxDrawingPath(char, size) ?? signPath(char, size);
  return path === undefined ? undefined : {path, opacity: 1};
}

const SHADES: Readonly<Record<string, number>> = {'░': 0.25, '▒': 0.5, '▓': 0.75};

// Parts of the cell as [left, top, right, bottom] in eighths.
type Eighths = readonly [number, number, number, number];
const QUADRANTS = {
  upperLeft: [0, 0, 4, 4],
  upperRight: [4, 0, 8, 4],
  lowerLeft: [0, 4, 4, 8],
  lowerRight: [4, 4, 8, 8],
} as const satisfies Record<string, Eighths>;
const {upperLeft, upperRight, lowerLeft, lowerRight} = QUADRANTS;

const BLOCKS: Readonly<Record<string, readonly Eighths[]>> = {
  '▀': [[0, 0, 8, 4]],
  '█': [[0, 0, 8, 8]],
  '▐': [[4, 0, 8, 8]],
  '▔': [[0, 0, 8, 1]],
  '▕': [[7, 0, 8, 8]],
  '▖': [lowerLeft],
  '▗': [lowerRight],
  '▘': [upperLeft],
  '▙': [upperLeft, lowerLeft, lowerRight],
  '▚': [upperLeft, lowerRight],
  '▛': [upperLeft, upperRight, lowerLeft],
  '▜': [upperLeft, upperRight, lowerRight],
  '▝': [upperRight],
  '▞': [upperRight, lowerLeft],
  '▟': [upperRight, lowerLeft, lowerRight],
  ...Object.fromEntries([...'▁▂▃▄▅▆▇'].map((char, index) => [char, [[0, 7 - index, 8, 8]]])),
  ...Object.fromEntries([...'▏▎▍▌▋▊▉'].map((char, index) => [char, [[0, 0, index + 1, 8]]])),
};

function blockPath(char: string, {width, height}: Size): string | undefined {
  return BLOCKS[char]
    ?.map(([left, top, right, bottom]) =>
      rectangle((left * width) / 8, (top * height) / 8, (right * width) / 8, (bottom * height) / 8),
    )
    .join('');
}

const BRAILLE_FIRST = 0x2800;
const BRAILLE_LAST = 0x28ff;
// Bit n of the code point is dot n + 1; the dots stand in two columns of four, the last row added to Unicode's order.
const BRAILLE_DOTS = [
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 0],
  [1, 1],
  [1, 2],
  [0, 3],
  [1, 3],
] as const;

function braillePath(char: string, {width, height}: Size): string | undefined {
  const codePoint = char.codePointAt(0) ?? 0;
  if (codePoint < BRAILLE_FIRST || codePoint > BRAILLE_LAST) return undefined;
  const radius = Math.min(width / 4, height / 8) * 0.6;
  return BRAILLE_DOTS.filter((_, bit) => ((codePoint >> bit) & 1) === 1)
    .map(([column, row]) => disc((width * (2 * column + 1)) / 4, (height * (2 * row + 1)) / 8, radius))
    .join('');
}

type Sign = (middle: {x: number; y: number; radius: number}) => string;

/** How much of a circle is filled, clockwise from a start in quarters of a turn (0 is the top). */
const FILLED_CIRCLES: Readonly<Record<string, {start: number; quarters: number}>> = {
  '◔': {start: 0, quarters: 1},
  '◑': {start: 0, quarters: 2},
  '◕': {start: 0, quarters: 3},
  '◐': {start: 2, quarters: 2},
  '◒': {start: 1, quarters: 2},
  '◓': {start: 3, quarters: 2},
};

const SIGNS: Readonly<Record<string, Sign>> = {
  '▲': ({x, y, radius}) => polygon([x, y - radius], [x + radius, y + radius], [x - radius, y + radius]),
  '▼': ({x, y, radius}) => polygon([x, y + radius], [x + radius, y - radius], [x - radius, y - radius]),
  '▶': ({x, y, radius}) => polygon([x + radius, y], [x - radius, y + radius], [x - radius, y - radius]),
  '◀': ({x, y, radius}) => polygon([x - radius, y], [x + radius, y + radius], [x + radius, y - radius]),
  '△': ({x, y, radius}) => frame([x, y - radius], [x + radius, y + radius], [x - radius, y + radius]),
  '▽': ({x, y, radius}) => frame([x, y + radius], [x - radius, y - radius], [x + radius, y - radius]),
  '▷': ({x, y, radius}) => frame([x + radius, y], [x - radius, y + radius], [x - radius, y - radius]),
  '◁': ({x, y, radius}) => frame([x - radius, y], [x + radius, y - radius], [x + radius, y + radius]),
  '■': ({x, y, radius}) => rectangle(x - radius, y - radius, x + radius, y + radius),
  '▪': ({x, y, radius}) => rectangle(x - radius / 2, y - radius / 2, x + radius / 2, y + radius / 2),
  '□': ({x, y, radius}) =>
    frame([x - radius, y - radius], [x + radius, y - radius], [x + radius, y + radius], [x - radius, y + radius]),
  '◆': ({x, y, radius}) => polygon([x, y - radius], [x + radius, y], [x, y + radius], [x - radius, y]),
  '◇': ({x, y, radius}) => frame([x, y - radius], [x + radius, y], [x, y + radius], [x - radius, y]),
  '●': ({x, y, radius}) => disc(x, y, radius),
  '○': ({x, y, radius}) => ring(x, y, radius, 1),
  '◎': ({x, y, radius}) => ring(x, y, radius, 1) + ring(x, y, radius / 2, 1),
  '◉': ({x, y, radius}) => ring(x, y, radius, 1) + disc(x, y, radius / 2),
  '◌': ({x, y, radius}) => dottedRing(x, y, radius),
  '✖': ({x, y, radius}) => cross(x, y, radius, 1.3),
  '✗': ({x, y, radius}) => cross(x, y, radius, 0.8),
  '✕': ({x, y, radius}) => cross(x, y, radius, 0.6),
  '✓': ({x, y, radius}) => check(x, y, radius, 1.2),
  '✔': ({x, y, radius}) => check(x, y, radius, 1.8),
};

function signPath(char: string, {width, height}: Size): string | undefined {
  const middle = {x: width / 2, y: height / 2 + 0.5, radius: (width - 1) / 2};
  const filled = FILLED_CIRCLES[char];
  if (filled !== undefined) return ring(middle.x, middle.y, middle.radius, 1) + sector(middle, filled);
  return SIGNS[char]?.(middle);
}

type Point = readonly [x: number, y: number];

function polygon(...points: readonly Point[]): string {
  return `${points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join('')}Z`;
}

/** A polygon with its smaller self cut out; the inner outline runs backwards, so that filling leaves it empty. */
function frame(...points: readonly Point[]): string {
  const [x, y] = [0, 1].map(axis => points.reduce((sum, point) => sum + (point[axis] ?? 0), 0) / points.length);
  const centre = {x: x ?? 0, y: y ?? 0};
  const inner = points.map(
    ([px, py]): Point => [centre.x + (px - centre.x) * FRAME_HOLE_RATIO, centre.y + (py - centre.y) * FRAME_HOLE_RATIO],
  );
  return polygon(...points) + polygon(...inner.toReversed());
}

const FRAME_HOLE_RATIO = 0.62;

function disc(x: number, y: number, radius: number): string {
  return circle(x, y, radius, 1);
}

function ring(x: number, y: number, radius: number, thickness: number): string {
  return circle(x, y, radius, 1) + circle(x, y, radius - thickness, 0);
}

function circle(x: number, y: number, radius: number, turn: 0 | 1): string {
  const [r, left, right, middle] = [radius, x - radius, x + radius, y].map(round);
  return `M${left} ${middle}A${r} ${r} 0 1 ${turn} ${right} ${middle}A${r} ${r} 0 1 ${turn} ${left} ${middle}Z`;
}

function dottedRing(x: number, y: number, radius: number): string {
  const dotCount = 8;
  return Array.from({length: dotCount}, (_, index) => {
    const angle = (index * 2 * Math.PI) / dotCount;
    return disc(x + (radius - 0.5) * Math.sin(angle), y - (radius - 0.5) * Math.cos(angle), 0.65);
  }).join('');
}

function sector(
  {x, y, radius}: {x: number; y: number; radius: number},
  part: {start: number; quarters: number},
): string {
  const at = (quarter: number): Point => [
    x + radius * Math.sin((quarter * Math.PI) / 2),
    y - radius * Math.cos((quarter * Math.PI) / 2),
  ];
  const [from, to] = [at(part.start), at(part.start + part.quarters)].map(point => point.map(round).join(' '));
  const isLarge = part.quarters > 2 ? 1 : 0;
  return `M${round(x)} ${round(y)}L${from}A${round(radius)} ${round(radius)} 0 ${isLarge} 1 ${to}Z`;
}

function cross(x: number, y: number, radius: number, half: number): string {
  const bar = (sign: 1 | -1): string =>
    polygon(
      [x - radius + half / 2, y - sign * (radius + half / 2)],
      [x + radius + half / 2, y + sign * (radius - half / 2)],
      [x + radius - half / 2, y + sign * (radius + half / 2)],
      [x - radius - half / 2, y - sign * (radius - half / 2)],
    );
  // Mirroring turns the outline around, and two outlines that turn against each other would cut a hole where they meet.
  return bar(1) + reversed(bar(-1));
}

function reversed(path: string): string {
  const points = path.slice(1, -1).split('L').toReversed();
  return `M${points.join('L')}Z`;
}

function check(x: number, y: number, radius: number, thickness: number): string {
  return polygon(
    [x - radius, y],
    [x - radius / 3, y + radius - thickness / 2],
    [x + radius, y - radius],
    [x + radius, y - radius + thickness * 1.4],
    [x - radius / 3, y + radius + thickness],
    [x - radius, y + thickness * 1.4],
  );
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
