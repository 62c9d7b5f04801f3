import {describe, expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {canTakeVolume, presentAttachments} from '../../src/domain/volume.ts';
import {aMachine, aVolume} from '../actions/some-things.ts';

describe('presentAttachments', () => {
  it('leaves out what the service keeps of the past, in any case', () => {
    const attachments = ['ATTACHED', 'DETACHED', 'detached', 'DETACHING', 'ATTACHING'].map((status, index) => ({
      id: index,
      status: safeText(status),
    }));
    expect(presentAttachments({attachments}).map(({id}) => id)).toEqual([0, 3, 4]);
  });

  it('counts an attachment whose state is not known as present: nothing may be deleted from under a machine', () => {
    expect(presentAttachments({attachments: [{id: 1}, {id: 2, status: safeText('MELTING')}]})).toHaveLength(2);
  });
});

describe('canTakeVolume', () => {
  const lab = safeText('lab');
  const volume = aVolume({environmentName: lab});

  it('is true of a machine of its environment that stands still', () => {
    expect(canTakeVolume(aMachine({environmentName: lab}), volume)).toBe(true);
    expect(canTakeVolume(aMachine({environmentName: lab, status: 'SHUTOFF'}), volume)).toBe(true);
    expect(canTakeVolume(aMachine({environmentName: lab, status: 'HIBERNATED'}), volume)).toBe(false);
    expect(canTakeVolume(aMachine({environmentName: safeText('other')}), volume)).toBe(false);
  });

  it('is false of a node, and where no environment is known', () => {
    expect(canTakeVolume(aMachine({environmentName: lab, clusterId: 9}), volume)).toBe(false);
    expect(canTakeVolume(aMachine(), aVolume())).toBe(false);
  });
});
