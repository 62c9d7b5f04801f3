import {describe, expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {canTakeVolume, presentAttachments} from '../../src/domain/volume.ts';
import {aMachine, aVolume} from '../actions/some-things.ts';

describe('presentAttachments', () => {
  it('leaves out detached attachments, in any letter case', () => {
    const attachments = ['ATTACHED', 'DETACHED', 'detached', 'DETACHING', 'ATTACHING'].map((status, index) => ({
      id: index,
      status: safeText(status),
    }));
    expect(presentAttachments({attachments}).map(({id}) => id)).toEqual([0, 3, 4]);
  });

  it('counts an attachment in an unknown state as present, so that no volume in use is deleted', () => {
    expect(presentAttachments({attachments: [{id: 1}, {id: 2, status: safeText('MELTING')}]})).toHaveLength(2);
  });
});

describe('canTakeVolume', () => {
  const lab = safeText('lab');
  const volume = aVolume({environmentName: lab});

  it('is true for an ACTIVE or SHUTOFF machine of its environment', () => {
    expect(canTakeVolume(aMachine({environmentName: lab}), volume)).toBe(true);
    expect(canTakeVolume(aMachine({environmentName: lab, status: 'SHUTOFF'}), volume)).toBe(true);
    expect(canTakeVolume(aMachine({environmentName: lab, status: 'HIBERNATED'}), volume)).toBe(false);
    expect(canTakeVolume(aMachine({environmentName: safeText('other')}), volume)).toBe(false);
  });

  it('is false for a node of a cluster, and when no environment is known', () => {
    expect(canTakeVolume(aMachine({environmentName: lab, clusterId: 9}), volume)).toBe(false);
    expect(canTakeVolume(aMachine({environmentName: lab, hasUnreadCluster: true}), volume)).toBe(false);
    expect(canTakeVolume(aMachine(), aVolume())).toBe(false);
  });
});
