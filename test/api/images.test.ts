import {describe, expect, it} from 'vitest';
import {getImage, images} from '../../src/api/images.ts';
import {imageId} from '../../src/domain/image.ts';
import {readExample} from './wire-example.ts';

const WHOLE = {
  id: 2104,
  name: 'Ubuntu Server 22.04 LTS R535 CUDA 12.2',
  regionName: 'CANADA-1',
  imageType: 'Ubuntu',
  version: 'Server 22.04 LTS R535 CUDA 12.2',
  sizeBytes: 100 * 1024 ** 3,
  displaySize: '100 GiB',
  isPublic: true,
  createdAt: Date.UTC(2025, 5, 1, 8),
};

describe('images', () => {
  it('are read from their groups, which supply what they leave out', () => {
    expect(readExample(images)).toStrictEqual({
      records: [
        {...WHOLE, greenStatus: 'GREEN', labels: ['cuda']},
        {
          id: 2190,
          name: 'Ubuntu 24.04 LTS Hyperstack Kubernetes v1.35.1',
          regionName: 'CANADA-1',
          imageType: 'Ubuntu',
          greenStatus: 'GREEN',
          labels: ['k8s'],
        },
        {
          id: 3001,
          name: 'trainer golden',
          regionName: 'NORWAY-1',
          imageType: 'Snapshot',
          sizeBytes: 25 * 1024 ** 3,
          greenStatus: 'GREEN',
          isPublic: false,
          labels: [],
          flavorRestriction: {kind: 'allow', flavorNames: ['n3-A100x1', 'n3-A100x2']},
        },
      ],
      // An image without a name, one that is plain text, and a group without images.
      quarantined: [{fields: ['name']}, {fields: ['the record itself']}, {fields: ['id', 'name']}],
    });
  });

  it('are asked for by one region or for all, with the page size parameter of this part of the service', () => {
    expect(images.query({region: 'CANADA-1'})).toEqual({region: 'CANADA-1'});
    expect(images.query({})).toEqual({});
    expect(images.paging).toMatchObject({sizeParameter: 'per_page'});
  });

  it('are read one by one without an envelope', () => {
    expect(getImage.path({id: imageId(2104)})).toBe('/core/images/2104');
    expect(readExample(getImage).records).toStrictEqual([{...WHOLE, description: 'With the driver', labels: []}]);
  });
});
