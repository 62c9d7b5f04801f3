import {describe, expect, it} from 'vitest';
import {type Image, imageId} from '../../src/domain/image.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {images} from '../../src/resources/images.ts';
import {imagesFeed} from '../../src/state/catalogue.ts';
import {listColumns} from '../../src/panes/list/list-columns.ts';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {tableLines} from '../../src/ui/table.ts';
import {textOf} from '../../src/ui/text.ts';
import {createTheme, PALETTES} from '../../src/ui/theme.ts';
import {NOW} from '../panes/a-known-scene.ts';
import {aReadScene, listed} from '../panes/a-read-scene.ts';
import {cellOf, detailOf, rowsOf} from './a-resource.ts';

const image = (id: number, rest: Partial<Image> = {}): Image => ({
  id: imageId(id),
  name: safeText(`image-${id}`),
  regionName: safeText('CANADA-1'),
  isPublic: true,
  labels: [],
  ...rest,
});
const cell = (of: Image, column: string) => cellOf(images, {...of, now: NOW}, column)?.text;

describe('images', () => {
  it('lists private ones first, then sorts by region, type and newest version', () => {
    const records = [
      image(1, {imageType: safeText('Ubuntu'), version: safeText('22.04')}),
      image(2, {imageType: safeText('Ubuntu'), version: safeText('24.04')}),
      image(3, {regionName: safeText('AUSTRALIA-1')}),
      image(4, {isPublic: false, regionName: safeText('US-1')}),
    ];
    const rows = rowsOf(images, aReadScene([listed(imagesFeed, records)]));
    expect(rows?.map(row => row.id)).toEqual([4, 3, 2, 1]);
  });
});

it('images of 80 columns can be told apart by what is in the middle of their names', () => {
  const rows = ['24.04 LTS R570 CUDA 12.8', '22.04 LTS R535 CUDA 12.8'].map((version, index) => ({
    ...image(index, {name: safeText(`Ubuntu Server ${version} with Docker`), imageType: safeText('Ubuntu')}),
    sizeBytes: 100 * 2 ** 30,
    now: NOW,
  }));
  const theme = createTheme({depth: 'none', palette: PALETTES.dark, glyphs: GLYPH_SETS.unicode});
  const lines = tableLines(rows, () => false, {columns: listColumns(images.columns), width: 78, theme}).map(textOf);
  expect(lines[1]).toContain('24.04');
  expect(lines[2]).toContain('22.04');
});

describe('an image', () => {
  it('has its size in the words of its details', () => {
    const sized = image(1, {sizeBytes: 25 * 2 ** 30});
    expect([cell(sized, 'size'), detailOf(images, {...sized, now: NOW}, aReadScene([]))]).toEqual([
      '25 GiB',
      expect.stringMatching(/size +25 GiB/),
    ]);
  });

  it('is marked as private, public or unknown', () => {
    const {isPublic: _isPublic, ...unknown} = image(1);
    expect(cell(image(1, {isPublic: false}), 'owner')).toBe('private');
    expect(cell(image(1), 'owner')).toBe('public');
    expect(cell(unknown, 'owner')).toBeUndefined();
  });

  it('names the flavors it is bound to', () => {
    const bound = image(1, {flavorRestriction: {flavorNames: [safeText('n3-L40x1'), safeText('n3-L40x2')]}});
    expect(cell(bound, 'flavors')).toBe('2 flavors');
    expect(cell(image(1), 'flavors')).toBe('all');
    const scene = aReadScene([]);
    expect(detailOf(images, {...bound, now: NOW}, scene)).toContain('n3-L40x1  n3-L40x2');
    expect(detailOf(images, {...image(1), now: NOW}, scene)).toContain('every flavor of its region');
  });
});
