import {existsSync, readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

/** A monospace font in TrueType files, as much of it as a picture needs to know. */
export type Font = {
  readonly files: readonly string[];
  readonly family: string;
  /** The width of every character, in parts of the font size. */
  readonly advanceRatio: number;
  readonly covers: (codePoint: number) => boolean;
};

const fontFolder = fileURLToPath(new URL('../../node_modules/dejavu-fonts-ttf/ttf/', import.meta.url));

/** DejaVu Sans Mono: free, with more of Unicode's signs in one width than its kind. */
export function loadFont(folder = fontFolder): Font {
  const [regular, ...styles] = ['', '-Bold', '-Oblique', '-BoldOblique'].map(
    style => `${folder}/DejaVuSansMono${style}.ttf`,
  );
  if (regular === undefined || !existsSync(regular))
    throw new Error(`The font ${regular} is missing; npm ci installs it.`);
  const tables = tablesOf(readFileSync(regular));
  const covered = coveredCodePoints(tables('cmap'));
  return {
    files: [regular, ...styles],
    family: 'DejaVu Sans Mono',
    advanceRatio: tables('hmtx').getUint16(0) / tables('head').getUint16(UNITS_PER_EM_OFFSET),
    covers: codePoint => covered.has(codePoint),
  };
}

// Offsets and formats are those of the OpenType specification, chapters "cmap", "head" and "hmtx".
const UNITS_PER_EM_OFFSET = 18;
const TABLE_RECORDS_OFFSET = 12;
const TABLE_RECORD_BYTES = 16;
const UNICODE_FULL = 12;

function tablesOf(file: Buffer): (tag: string) => DataView {
  const whole = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const tableCount = whole.getUint16(4);
  return tag => {
    for (let index = 0; index < tableCount; index += 1) {
      const record = TABLE_RECORDS_OFFSET + index * TABLE_RECORD_BYTES;
      if (file.toString('latin1', record, record + 4) !== tag) continue;
      return new DataView(file.buffer, file.byteOffset + whole.getUint32(record + 8), whole.getUint32(record + 12));
    }
    throw new Error(`The font has no table "${tag}".`);
  };
}

/** The code points of the table's format 12 map, which is sorted runs of [first, last, glyph of first]. */
function coveredCodePoints(cmap: DataView): ReadonlySet<number> {
  const mapCount = cmap.getUint16(2);
  for (let index = 0; index < mapCount; index += 1) {
    const map = cmap.getUint32(4 + index * 8 + 4);
    if (cmap.getUint16(map) !== UNICODE_FULL) continue;
    const covered = new Set<number>();
    const runCount = cmap.getUint32(map + 12);
    for (let run = 0; run < runCount; run += 1) {
      const start = map + 16 + run * 12;
      const last = cmap.getUint32(start + 4);
      for (let codePoint = cmap.getUint32(start); codePoint <= last; codePoint += 1) covered.add(codePoint);
    }
    return covered;
  }
  throw new Error('The font has no full Unicode map.');
}
