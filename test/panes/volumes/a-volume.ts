import {safeText} from '../../../src/domain/safe-text.ts';
import {type Volume, volumeId} from '../../../src/domain/volume.ts';

/** An unattached volume of 100 GB, unless the test says otherwise. */
export function aVolume({id = 38_112, ...rest}: Partial<Omit<Volume, 'id'>> & {id?: number} = {}): Volume {
  return {
    id: volumeId(id),
    name: safeText(`disk-${id}`),
    sizeGb: 100,
    status: 'AVAILABLE',
    statusText: safeText('available'),
    environmentName: safeText('production-ca'),
    attachments: [],
    ...rest,
  };
}
