import {Resvg} from '@resvg/resvg-js';
import {describe, expect, test} from 'vitest';
import {isDeep} from '../support/tier.ts';
import {indexedPng} from './indexed-png.ts';
import {PICTURE_SIZES} from './scene.ts';
import {SCENES} from './scenes.ts';
import {takePicture} from './take-picture.ts';

const SMALL = {columns: 80, rows: 24};
const LIMIT_BYTES = 120_000;

describe('the scenes', () => {
  test('have names of their own that are file names', () => {
    const names = SCENES.map(({name}) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter(name => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([]);
  });

  test('stand at the three sizes the screens are made for', () => {
    expect(PICTURE_SIZES).toEqual([SMALL, {columns: 120, rows: 35}, {columns: 200, rows: 50}]);
  });
});

/** Each is a deck of its own, and `npm run screenshots` does the same a hundred times. */
describe('a picture', () => {
  const machines = {name: 'machines', pane: '2', keys: ['j'], env: {COLORTERM: 'truecolor'}, shows: 'ACTIVE'} as const;

  test('shows the moment it was taken at, not ours, and is the same the next time', async () => {
    const first = await takePicture(machines, SMALL);
    expect(first.text).toContain('20:58:1');
    expect(first.png.length).toBeLessThan(LIMIT_BYTES);
    if (!isDeep) return;
    const second = await takePicture(machines, SMALL);
    expect(second.text).toBe(first.text);
    expect(second.svg).toBe(first.svg);
    expect(second.png.equals(first.png)).toBe(true);
  });

  test.runIf(isDeep)('of what is not to be seen is refused, with what is seen instead', async () => {
    await expect(takePicture({...machines, shows: 'a unicorn'}, SMALL)).rejects.toThrow(/a unicorn.*ACTIVE/s);
  });

  test.runIf(isDeep)('lets time pass as a scene says, in no time of ours', async () => {
    const away = {
      ...machines,
      keys: ['wait:60000'],
      faults: {from: 'loaded', specs: ['status=503,match=* *']},
      shows: 'service failing',
    } as const;
    expect((await takePicture(away, SMALL)).text).toContain('20:59:1');
  });
});

describe('an indexed PNG', () => {
  test('has the pixels it was given', () => {
    const pixels = Buffer.from([
      ...[255, 0, 0, 255],
      ...[0, 255, 0, 255],
      ...[0, 0, 255, 255],
      ...[255, 0, 0, 255],
      ...[17, 21, 28, 255],
      ...[255, 255, 255, 255],
    ]);
    expect(pixelsOf(indexedPng({width: 3, height: 2, pixels}), {width: 3, height: 2})).toEqual([...pixels]);
  });

  test('past 256 colours keeps the frequent ones and takes the nearest for the rest', () => {
    const red = [200, 0, 0, 255];
    const frequent = [red, ...Array.from({length: 255}, (_, green) => [0, green, 0, 255])];
    const rare = Array.from({length: 44}, (_, green) => [0, green, 10, 255]);
    const pixels = Buffer.from([...frequent, ...frequent, ...rare].flat());
    const width = 2 * 256 + 44;
    const shown = pixelsOf(indexedPng({width, height: 1, pixels}), {width, height: 1});
    expect(shown.slice(0, 256 * 4)).toEqual(frequent.flat());
    const differences = shown.map((level, index) => Math.abs(level - (pixels[index] ?? 0)));
    expect(Math.max(...differences)).toBe(10);
  });
});

/** What another reader of PNG sees in it. */
function pixelsOf(png: Buffer, {width, height}: {width: number; height: number}): readonly number[] {
  const image = `<image href="data:image/png;base64,${png.toString('base64')}" width="${width}" height="${height}" image-rendering="optimizeSpeed"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${image}</svg>`;
  return [...new Resvg(svg, {imageRendering: 1}).render().pixels];
}
