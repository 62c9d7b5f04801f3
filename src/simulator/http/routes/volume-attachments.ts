import type {Machine} from '../../world/machine.ts';
import {attachVolumes, detachVolumes, protectAttachment, VOLUME_LIMIT} from '../../world/volumes.ts';
import {succeeded} from '../answer.ts';
import {readBody} from '../body.ts';
import {VOLUME_ATTACHMENT} from '../records.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, FLAG, fields, INTEGER, listOf, type Schema} from '../schema.ts';
import {answered} from './outcome-answer.ts';
import {numberedPart} from './path-parts.ts';
import {withMachine} from './virtual-machines.ts';
import {attachmentBody} from './volume-body.ts';

const OPERATES = {permission: 'machines:operate', action: 'attach and detach volumes'} as const;
const VOLUME_IDS: Schema = {type: 'array', items: INTEGER, minItems: 1, maxItems: VOLUME_LIMIT};
const ATTACHMENT = fields({volume_ids: VOLUME_IDS}, {protected: FLAG});
const DETACHMENT = fields({volume_ids: VOLUME_IDS});
const PROTECTION = fields({protected: FLAG});

export const volumeAttachmentRoutes: readonly Route[] = [
  {
    method: 'POST',
    pattern: '/core/virtual-machines/:vm_id/attach-volumes',
    requires: OPERATES,
    takesBody: true,
    describes: {
      summary: 'Attach volumes to a virtual machine',
      body: ATTACHMENT,
      reply: envelope({volume_attachments: listOf(VOLUME_ATTACHMENT)}),
    },
    answer: inquiry => withMachine(inquiry, machine => change(inquiry, machine, 'attach')),
  },
  {
    method: 'POST',
    pattern: '/core/virtual-machines/:vm_id/detach-volumes',
    requires: OPERATES,
    takesBody: true,
    describes: {
      summary: 'Detach volumes from a virtual machine',
      body: DETACHMENT,
      reply: envelope({volume_attachments: listOf(VOLUME_ATTACHMENT)}),
    },
    answer: inquiry => withMachine(inquiry, machine => change(inquiry, machine, 'detach')),
  },
  {
    method: 'PATCH',
    pattern: '/core/volume-attachments/:id',
    requires: OPERATES,
    takesBody: true,
    describes: {
      summary: 'Protect an attachment, or no longer',
      body: PROTECTION,
      reply: envelope({attachment: VOLUME_ATTACHMENT}),
    },
    answer: protect,
  },
];

function change({world, body, caller}: Inquiry, machine: Machine, step: 'attach' | 'detach'): Response {
  const reading = readBody(body, step === 'attach' ? ATTACHMENT : DETACHMENT);
  if (!reading.isValid) return reading.refusal;
  const {integers, flag} = reading.fields;
  const wish = {
    volumeIds: integers('volume_ids'),
    isProtected: flag('protected') ?? false,
    userId: caller.user.id,
  };
  return answered((step === 'attach' ? attachVolumes : detachVolumes)(world, machine, wish), attachments =>
    succeeded(`Volume ${step}ment scheduled`, {volume_attachments: attachments.map(attachmentBody)}),
  );
}

function protect(inquiry: Inquiry): Response {
  const reading = readBody(inquiry.body, PROTECTION);
  if (!reading.isValid) return reading.refusal;
  const isProtected = reading.fields.flag('protected') ?? false;
  return answered(protectAttachment(inquiry.world, numberedPart(inquiry, 'id'), isProtected), attachment =>
    succeeded('Volume attachment updated', {attachment: attachmentBody(attachment)}),
  );
}
