import {expect, test} from 'vitest';
import {offeredImages} from '../../../src/simulator/world/images.ts';
import {createReferences} from '../../../src/simulator/world/references.ts';

const CANADA = {id: 1, name: 'ca', regionName: 'CANADA-1', createdAt: 0} as const;
const NORWAY = {id: 2, name: 'no', regionName: 'NORWAY-1', createdAt: 0} as const;
const IMAGES = offeredImages(Date.UTC(2026, 7, 1), false);

test('a key pair belongs to one environment', () => {
  const references = createReferences([{environment: CANADA, name: 'team'}], IMAGES);
  expect(references.hasKeyPair(CANADA, 'team')).toBe(true);
  expect(references.hasKeyPair(NORWAY, 'team')).toBe(false);
  expect(references.hasKeyPair(CANADA, '')).toBe(false);
});

test('a key pair that was made after the references is found', () => {
  const keyPairs = [{environment: CANADA, name: 'team'}];
  const references = createReferences(keyPairs, IMAGES);
  keyPairs.push({environment: CANADA, name: 'mine'});
  expect(references.hasKeyPair(CANADA, 'mine')).toBe(true);
});

test.each([
  'Ubuntu Server 24.04 LTS (Noble Numbat)',
  'Ubuntu Server 24.04 LTS R570 CUDA 12.8',
  'Ubuntu Server 24.04 LTS R570 CUDA 12.8 with Docker',
  'Ubuntu Server 22.04 LTS R535 CUDA 12.2',
  'Ubuntu Server 22.04 LTS R535 CUDA 12.2 with Docker',
  'Ubuntu Server 22.04 LTS R550 CUDA 12.4 with Docker',
  'Ubuntu Server 22.04 LTS R570 CUDA 12.8 with Docker',
])('the image %s is on offer', name => {
  expect(createReferences([], IMAGES).imageNamed('CANADA-1', name)).toMatchObject({name, os: 'Ubuntu'});
});

test('an image is found only in the regions that offer it', () => {
  const references = createReferences([], IMAGES);
  expect(references.imageNamed('CANADA-1', 'Ubuntu')).toBeUndefined();
  expect(references.imageNamed('CANADA-1', 'infer-base with weights')).toBeDefined();
  expect(references.imageNamed('NORWAY-1', 'infer-base with weights')).toBeUndefined();
});
