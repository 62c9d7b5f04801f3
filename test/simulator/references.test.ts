import {expect, test} from 'vitest';
import {createReferences} from '../../src/simulator/references.ts';

const CANADA = {id: 1, name: 'ca', regionName: 'CANADA-1', createdAt: 0} as const;
const NORWAY = {id: 2, name: 'no', regionName: 'NORWAY-1', createdAt: 0} as const;

test('a key pair belongs to the environment of what was made with it', () => {
  const references = createReferences(
    [{environment: CANADA, keyPairName: 'team'}],
    [{environment: NORWAY, keyPairName: 'k8s'}],
  );
  expect(references.hasKeyPair(CANADA, 'team')).toBe(true);
  expect(references.hasKeyPair(NORWAY, 'team')).toBe(false);
  expect(references.hasKeyPair(NORWAY, 'k8s')).toBe(true);
  expect(references.hasKeyPair(CANADA, '')).toBe(false);
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
  expect(createReferences([], []).imageNamed('CANADA-1', name)).toMatchObject({name, os: 'Ubuntu'});
});

test('an image that is not on offer is not found', () => {
  expect(createReferences([], []).imageNamed('CANADA-1', 'Ubuntu')).toBeUndefined();
});
