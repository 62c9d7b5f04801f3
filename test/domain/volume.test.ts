import {describe, expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {presentAttachments} from '../../src/domain/volume.ts';

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
