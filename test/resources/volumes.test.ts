import {describe, expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {DAY_MS, epochMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {isUnattached} from '../../src/domain/volume.ts';
import {volumes} from '../../src/resources/volumes.ts';
import {usageFeed} from '../../src/state/billing.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {volumesFeed} from '../../src/state/volumes.ts';
import {aUsageRecord, NOW} from '../panes/a-known-scene.ts';
import {aReadScene, listed, read} from '../panes/a-read-scene.ts';
import {aVolume} from '../panes/volumes/a-volume.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {detailOf, rowsOf} from './a-resource.ts';

const attachedTo = (machineId: number, status = 'ATTACHED') => [
  {machineId: virtualMachineId(machineId), status: safeText(status)},
];
const usageOf = (id: number, hourly: string) => ({...aUsageRecord(id, hourly), resourceType: safeText('volume')});

describe('volumes', () => {
  it('is undefined until the volumes are read', () => {
    expect(rowsOf(volumes, aReadScene([]))).toBeUndefined();
  });

  it('lists unattached volumes first, then sorts by cost', () => {
    const scene = aReadScene([
      listed(volumesFeed, [
        aVolume({id: 1, status: 'IN_USE', attachments: attachedTo(7)}),
        aVolume({id: 2, status: 'IN_USE', attachments: attachedTo(7)}),
        aVolume({id: 3}),
        aVolume({id: 4}),
      ]),
      listed(usageFeed, [usageOf(1, '0.10'), usageOf(2, '0.90'), usageOf(3, '0.01'), usageOf(4, '0.02')]),
    ]);
    expect(rowsOf(volumes, scene)?.map(({volume}) => volume.id)).toEqual([4, 3, 2, 1]);
  });

  it('takes no rate from a machine with the same id, nor from an inactive record', () => {
    const scene = aReadScene([
      listed(volumesFeed, [aVolume({id: 5}), aVolume({id: 6})]),
      listed(usageFeed, [aUsageRecord(5, '25.60'), {...usageOf(6, '0.10'), isActive: false}]),
    ]);
    expect(rowsOf(volumes, scene)?.map(({rate}) => rate)).toEqual([undefined, undefined]);
  });

  it('names the machines it is attached to, or gives their ids if the list does not have them', () => {
    const attachments = [...attachedTo(793_001), ...attachedTo(793_002), ...attachedTo(793_003, 'DETACHED')];
    const scene = aReadScene([
      listed(volumesFeed, [aVolume({status: 'IN_USE', attachments})]),
      read(machinesFeed, aListing([aVirtualMachine({id: 793_001, name: safeText('train-01')})])),
    ]);
    expect(rowsOf(volumes, scene)?.[0]?.machineNames).toEqual(['train-01', '#793002']);
  });
});

describe('isUnattached', () => {
  it('is true only of an available volume without a current attachment', () => {
    expect(isUnattached(aVolume())).toBe(true);
    expect(isUnattached(aVolume({attachments: attachedTo(1, 'DETACHED')}))).toBe(true);
    expect(isUnattached(aVolume({attachments: attachedTo(1)}))).toBe(false);
    expect(isUnattached(aVolume({status: 'ERROR'}))).toBe(false);
  });
});

describe('the cost so far of an unattached volume', () => {
  it('is the current rate times the age of the volume', () => {
    const createdAt = epochMs(NOW - 10 * DAY_MS);
    const scene = aReadScene([
      listed(volumesFeed, [aVolume({createdAt})]),
      listed(usageFeed, [usageOf(38_112, '0.25')]),
    ]);
    const [row] = rowsOf(volumes, scene) ?? [];
    // 240 hours at a quarter of a dollar.
    expect(detailOf(volumes, row, scene)).toMatch(/at most \$60\.00\s+since it was created/);
  });

  it('is not shown without a rate and a creation time', () => {
    const [row] = rowsOf(volumes, aReadScene([listed(volumesFeed, [aVolume()])])) ?? [];
    expect(detailOf(volumes, row, aReadScene([]))).not.toContain('at most');
  });
});

describe('columns of volumes', () => {
  it('gives the filter the age in milliseconds, as it parses durations', () => {
    const scene = aReadScene([listed(volumesFeed, [aVolume({createdAt: epochMs(NOW - 3 * DAY_MS)})])]);
    const [row] = rowsOf(volumes, scene) ?? [];
    const age = volumes.columns.find(({key}) => key === 'age');
    expect(row && age?.value(row)).toEqual({text: '3d', number: 3 * DAY_MS, plain: String(3 * 86_400), isAge: true});
  });
});
