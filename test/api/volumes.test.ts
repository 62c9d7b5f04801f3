import {describe, expect, it} from 'vitest';
import {createVolume, deleteVolume, getVolume, listVolumes, volumeTypes} from '../../src/api/volumes.ts';
import {imageId} from '../../src/domain/image.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {VOLUME_STATUSES, volumeId} from '../../src/domain/volume.ts';
import {readExample, readResult} from './wire-example.ts';

describe('listVolumes', () => {
  it('reads volumes with their present and past attachments', () => {
    expect(readExample(listVolumes)).toStrictEqual({
      records: [
        {
          id: 38001,
          name: 'data',
          environmentName: 'default-CANADA-1',
          regionName: 'CANADA-1',
          description: 'Training data',
          volumeType: 'Cloud-SSD',
          sizeGb: 2000,
          status: 'IN_USE',
          statusText: 'in-use',
          isBootable: false,
          createdAt: Date.UTC(2026, 3, 1, 10, 5),
          updatedAt: Date.UTC(2026, 3, 2, 10, 5),
          attachments: [
            {id: 5520, machineId: 792000, status: 'DETACHED', device: '/dev/vdb', isProtected: false},
            {
              id: 5521,
              machineId: 793001,
              status: 'ATTACHED',
              device: '/dev/disk/by-id/virtio-0a1b2c3d4e5f60718293',
              isProtected: true,
            },
          ],
        },
        {
          id: 38002,
          name: 'root',
          environmentName: 'default-NORWAY-1',
          volumeType: 'Cloud-SSD',
          sizeGb: 100,
          status: 'AVAILABLE',
          statusText: 'available',
          isBootable: true,
          imageId: 2104,
          callbackUrl: 'https://hooks.example.org/volume',
          createdAt: Date.UTC(2026, 3, 3, 10),
          attachments: [],
        },
      ],
      quarantined: [],
    });
  });

  it('reads a size given as text, and drops only malformed fields', () => {
    expect(readExample(listVolumes, 'volumes.list.odd-spellings')).toStrictEqual({
      records: [
        {
          id: 5,
          name: 'text-size',
          environmentName: 'by-name-alone',
          sizeGb: 512,
          status: 'IN_USE',
          statusText: 'IN-USE',
          attachments: [],
          hasUnreadAttachments: true,
        },
        {id: 6, name: 'odd', status: 'UNKNOWN', statusText: 'MELTING', attachments: [{}], hasUnreadAttachments: true},
      ],
      quarantined: [{fields: ['id']}, {fields: ['the record itself']}],
    });
  });

  it.each([
    ['text', '?', true],
    ['an object', {}, true],
    ['an element that is none', [null], true],
    ['an empty list', [], undefined],
    ['null', null, true],
    ['nothing', undefined, undefined],
  ])('says whether attachments may be missing, given as %s', (_, attachments, isUnread) => {
    const parsed = listVolumes.record(JSON.parse(JSON.stringify({id: 7, attachments})));
    expect(parsed.ok && parsed.value).toMatchObject({attachments: []});
    expect(parsed.ok && parsed.value.hasUnreadAttachments).toBe(isUnread);
  });

  it.each([
    [0, 0],
    [1_048_576, 1_048_576],
    [1_048_577, undefined],
    [1e21, undefined],
    ['1e21', undefined],
    [-1, undefined],
  ])('reads a size of %j GB as %j, since the price depends on it', (size, sizeGb) => {
    const read = listVolumes.record({id: 1, size});
    expect(read.ok && read.value.sizeGb).toBe(sizeGb);
  });

  it.each(VOLUME_STATUSES)('knows the state %s in any spelling', status => {
    for (const spelling of [status, status.toLowerCase(), status.replaceAll('_', '-').toLowerCase()]) {
      expect(listVolumes.record({id: 1, status: spelling})).toMatchObject({value: {status, statusText: spelling}});
    }
  });
});

describe('getVolume', () => {
  it('reads the one volume of a detail reply, with the image on it', () => {
    expect(getVolume.path({id: volumeId(38002)})).toBe('/core/volumes/38002');
    expect(readExample(getVolume).records).toMatchObject([
      {id: 38002, osImageName: 'Ubuntu Server 22.04 LTS R535 CUDA 12.2', isBootable: true},
    ]);
  });
});

describe('volumeTypes', () => {
  it('reads names', () => {
    expect(readExample(volumeTypes)).toEqual({records: ['Cloud-SSD'], quarantined: []});
  });
});

describe('operations on volumes', () => {
  const spec = {
    name: safeText('scratch'),
    environmentName: safeText('default-CANADA-1'),
    sizeGb: 50,
    volumeType: safeText('Cloud-SSD'),
  };

  it('create one with the field names of the service, and give its id', () => {
    expect(createVolume.body({spec})).toStrictEqual({
      name: 'scratch',
      environment_name: 'default-CANADA-1',
      size: 50,
      volume_type: 'Cloud-SSD',
    });
    expect(
      createVolume.body({
        spec: {
          ...spec,
          description: safeText('for a day'),
          imageId: imageId(2104),
          callbackUrl: safeText('https://hooks.example.org'),
        },
      }),
    ).toMatchObject({description: 'for a day', image_id: 2104, callback_url: 'https://hooks.example.org'});
    expect(readResult(createVolume)).toStrictEqual({kind: 'created', ids: [38003], name: 'scratch'});
  });

  it('delete one by its id', () => {
    expect([deleteVolume.method, deleteVolume.path({id: volumeId(38003)})]).toEqual(['DELETE', '/core/volumes/38003']);
    expect(readResult(deleteVolume)).toBeUndefined();
  });
});
