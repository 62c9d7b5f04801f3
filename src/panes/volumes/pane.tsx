import {say} from '../../domain/safe-text.ts';
import {volumes} from '../../resources/volumes.ts';
import {permissionsFeed} from '../../state/account.ts';
import {usageFeed} from '../../state/billing.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {machinesFeed} from '../../state/machines.ts';
import {volumeRecordFeed, volumesFeed} from '../../state/volumes.ts';
import {collectionPane} from '../collection.tsx';
import {resourcePart} from '../collection-part.tsx';
import {VOLUME_ACTIONS} from './actions.ts';

export const volumesPane = collectionPane({
  id: 'volumes',
  key: '6',
  title: say`Volumes`,
  aliases: ['volume', 'disks', 'storage', 'vol'],
  parts: [
    resourcePart(volumes, {
      wants: [
        {feed: volumesFeed, priority: 1},
        {feed: usageFeed, priority: 2},
        {feed: machinesFeed, priority: 2},
        {feed: environmentsFeed, priority: 3},
        {feed: permissionsFeed, priority: 4},
      ],
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
      related: ({volume}, {store}) => volumes.related?.(volume, store) ?? [],
      record: ({volume}) => volumeRecordFeed(volume.id),
      actions: VOLUME_ACTIONS,
    }),
  ],
});
