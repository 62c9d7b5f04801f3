import {KEYS} from '../../actions/keys.ts';
import {attachmentForm, attachmentReason, detachments} from '../../actions/forms/volume-attachment.ts';
import {say} from '../../domain/safe-text.ts';
import {presentAttachments} from '../../domain/volume.ts';
import type {VolumeRow} from '../../resources/volumes.ts';
import {askAbout, partActions} from '../action-keys.ts';
import type {PartActions, PartCommand} from '../list/part.tsx';

const VOLUME_PART = partActions<VolumeRow>('volume', ({volume}) => volume);

/** Attaching a volume is an action on a machine, which is chosen here. */
const ATTACHING: PartCommand<VolumeRow> = {
  key: KEYS.edit,
  title: say`attach, detach`,
  help: 'Attaches the volume to a machine, chosen by form, or detaches it.',
  reason: ({volume}, scene) => attachmentReason(volume, scene),
  run: ({volume}, scene) =>
    presentAttachments(volume).length > 0
      ? askAbout(detachments(volume, scene), scene)
      : {kind: 'form', form: attachmentForm(volume, scene)},
};

export const VOLUME_ACTIONS: PartActions<VolumeRow> = {
  ...VOLUME_PART,
  commands: [ATTACHING, ...VOLUME_PART.commands],
};
