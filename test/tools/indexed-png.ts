import {crc32, deflateSync} from 'node:zlib';

/** Four bytes a pixel (red, green, blue, alpha), row after row from the top. */
export type Pixels = {readonly width: number; readonly height: number; readonly pixels: Uint8Array};

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Bits a sample, and the colour type of a palette, as the PNG specification numbers them. */
const [BIT_DEPTH, PALETTE_TYPE] = [8, 3];
const MAX_COLOURS = 256;

/**
 * A PNG with a palette: a quarter of the size of one with four bytes a pixel. A screen has some dozens of colours and
 * their mixtures at the edges of letters; past 256 the rarest take the nearest that is there.
 */
export function indexedPng({width, height, pixels}: Pixels): Buffer {
  const colours = new Uint32Array(width * height);
  const counts = new Map<number, number>();
  const view = new DataView(pixels.buffer, pixels.byteOffset, pixels.byteLength);
  for (let index = 0; index < colours.length; index += 1) {
    const colour = view.getUint32(index * 4);
    colours[index] = colour;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const palette = paletteOf(counts);
  const places = placesIn(palette, counts.keys());
  const lines = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row += 1) {
    // The first byte of a line names its filter: none.
    for (let column = 0; column < width; column += 1) {
      lines[row * (width + 1) + 1 + column] = places.get(colours[row * width + column] ?? 0) ?? 0;
    }
  }
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header(width, height)),
    chunk('PLTE', Buffer.from(palette.flatMap(colour => channelsOf(colour).slice(0, 3)))),
    chunk('tRNS', Buffer.from(palette.map(colour => colour & 0xff))),
    chunk('IDAT', deflateSync(lines, {level: 9})),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The most frequent first; of two as frequent the smaller number, so that the same picture gives the same bytes. */
function paletteOf(counts: ReadonlyMap<number, number>): readonly number[] {
  return [...counts]
    .sort(([left, leftCount], [right, rightCount]) => rightCount - leftCount || left - right)
    .slice(0, MAX_COLOURS)
    .map(([colour]) => colour);
}

function placesIn(palette: readonly number[], colours: Iterable<number>): ReadonlyMap<number, number> {
  const places = new Map(palette.map((colour, place) => [colour, place]));
  for (const colour of colours) if (!places.has(colour)) places.set(colour, nearest(palette, colour));
  return places;
}

function nearest(palette: readonly number[], colour: number): number {
  const wanted = channelsOf(colour);
  const distances = palette.map(candidate =>
    channelsOf(candidate).reduce((sum, level, channel) => sum + (level - (wanted[channel] ?? 0)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}

function channelsOf(colour: number): readonly number[] {
  return [(colour >>> 24) & 0xff, (colour >>> 16) & 0xff, (colour >>> 8) & 0xff, colour & 0xff];
}

function header(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(13);
  bytes.writeUInt32BE(width, 0);
  bytes.writeUInt32BE(height, 4);
  bytes[8] = BIT_DEPTH;
  bytes[9] = PALETTE_TYPE;
  return bytes;
}

function chunk(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, check]);
}
