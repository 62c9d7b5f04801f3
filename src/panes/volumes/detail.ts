import {isUnattached, presentAttachments} from '../../domain/volume.ts';
import {type VolumeRow, volumeStateTone} from '../../resources/volumes.ts';
import {formatCounted, formatGigabytes, formatRate, formatUsd} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {field, momentText, wrappedField} from '../detail.ts';
import type {Scene} from '../pane.ts';
import {costSince} from './rows.ts';

/** Every field of the volume, and what it costs to keep. */
export function volumeLines(row: VolumeRow, _scene: Scene, width: number): readonly Line[] {
  const {volume, now} = row;
  return [
    field('id', String(volume.id)),
    field('state', volume.statusText, volumeStateTone(volume)),
    field('size', formatGigabytes(volume.sizeGb)),
    field('costs', row.rate === undefined ? undefined : formatRate(row.rate), 'money'),
    ...(isUnattached(volume) ? unusedLines(row, width) : []),
    ...presentAttachments(volume).flatMap(({device, status, isProtected}, index) =>
      wrappedField(
        index === 0 ? 'attached to' : '',
        [row.machineNames[index], device, status, isProtected === true ? 'protected' : undefined]
          .filter(word => word !== undefined)
          .join('  '),
        width,
      ),
    ),
    field('type', volume.volumeType),
    field('bootable', volume.isBootable === undefined ? undefined : volume.isBootable ? 'yes' : 'no'),
    field('image', volume.osImageName ?? (volume.imageId === undefined ? 'none' : `#${volume.imageId}`)),
    field('environment', volume.environmentName),
    field('region', volume.regionName),
    ...wrappedField('description', volume.description || 'none', width),
    ...wrappedField('callback', volume.callbackUrl ?? 'none', width),
    field('created', momentText(volume.createdAt, now)),
    field('changed', momentText(volume.updatedAt, now)),
    field('once attached', formatCounted(volume.attachments.length - presentAttachments(volume).length, 'time')),
  ];
}

function unusedLines(row: VolumeRow, width: number): readonly Line[] {
  const spent = costSince(row);
  const sum = spent === undefined ? '' : `, at most ${formatUsd(spent)} since it was made`;
  return wrappedField('', `attached to nothing and billed all the same${sum}`, width, 'warning');
}
