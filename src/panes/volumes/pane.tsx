import {say} from '../../domain/safe-text.ts';
import {volumes} from '../../resources/volumes.ts';
import {permissionsFeed} from '../../state/account.ts';
import {usageFeed} from '../../state/billing.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {machinesFeed} from '../../state/machines.ts';
import {volumeRecordFeed, volumesFeed} from '../../state/volumes.ts';
import {collectionPane} from '../collection.tsx';
import {bindPart} from '../collection-part.tsx';
import {VOLUME_ACTIONS} from './actions.ts';
import {volumeLines} from './detail.ts';
import {volumeRows} from './rows.ts';

export const volumesPane = collectionPane({
  id: 'volumes',
  key: '6',
  title: say`Volumes`,
  aliases: ['volume', 'disks', 'storage', 'vol'],
  parts: [
    bindPart({
      title: say`volumes`,
      feed: volumesFeed,
      wants: [
        {feed: volumesFeed, priority: 1},
        {feed: usageFeed, priority: 2},
        {feed: machinesFeed, priority: 2},
        {feed: environmentsFeed, priority: 3},
        {feed: permissionsFeed, priority: 4},
      ],
      rows: volumeRows,
      idOf: ({volume}) => String(volume.id),
      subjectOf: ({volume: {id}}) => ({type: 'volume', id}),
      nameOf: ({volume}) => say`${volume.name}  #${volume.id}`,
      copiedAs: ({volume: {id, name}}) => ({
        name,
        id: say`${id}`,
        resource: 'volume',
        target: `${id}`,
        path: `/core/volumes/${id}`,
      }),
      columns: volumes.columns,
      record: ({volume}) => volumeRecordFeed(volume.id),
      detail: volumeLines,
      actions: VOLUME_ACTIONS,
    }),
  ],
});
