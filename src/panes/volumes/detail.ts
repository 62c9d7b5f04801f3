import {presentAttachments} from '../../domain/volume.ts';
import {formatCounted, formatGigabytes, formatRate, formatUsd} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {field, momentText} from '../detail.ts';
import {costSince, isUnattached, stateTone, type VolumeRow} from './rows.ts';

/** Every field of the volume, and what it costs to keep. */
export function volumeLines(row: VolumeRow): readonly Line[] {
  const {volume, now} = row;
  return [
    field('id', String(volume.id)),
    field('state', volume.statusText, stateTone(volume)),
    field('size', formatGigabytes(volume.sizeGb)),
    field('costs', row.rate === undefined ? undefined : formatRate(row.rate), 'money'),
    ...(isUnattached(volume) ? unusedLines(row) : []),
    ...presentAttachments(volume).map(({device, status, isProtected}, index) =>
      field(
        index === 0 ? 'attached to' : '',
        [row.machineNames[index], device, status, isProtected === true ? 'protected' : undefined]
          .filter(word => word !== undefined)
          .join('  '),
      ),
    ),
    field('type', volume.volumeType),
    field('bootable', volume.isBootable === undefined ? undefined : volume.isBootable ? 'yes' : 'no'),
    field('image', volume.osImageName ?? (volume.imageId === undefined ? 'none' : `#${volume.imageId}`)),
    field('environment', volume.environmentName),
    field('region', volume.regionName),
    field('description', volume.description === undefined || volume.description === '' ? 'none' : volume.description),
    field('callback', volume.callbackUrl ?? 'none'),
    field('created', momentText(volume.createdAt, now)),
    field('changed', momentText(volume.updatedAt, now)),
    field('once attached', formatCounted(volume.attachments.length - presentAttachments(volume).length, 'time')),
  ];
}

function unusedLines(row: VolumeRow): readonly Line[] {
  const spent = costSince(row);
  const sum = spent === undefined ? '' : `, at most ${formatUsd(spent)} since it was made`;
  return [field('', `attached to nothing and billed all the same${sum}`, 'warning')];
}
