import * as z from 'zod';
import type {Gpu} from '../domain/gpu.ts';
import {defineRead} from './endpoint.ts';
import {list, moment, nameOf, present, recordOf, reference, requiredName, under} from './fields.ts';

const gpuRecord = z.object({
  id: reference,
  name: requiredName,
  regions: list(nameOf),
  created_at: moment,
  updated_at: moment,
});

/** The GPU models on offer. */
export const gpus = defineRead<object, Gpu>({
  id: 'gpus.list',
  template: '/core/gpus',
  collect: body => under(body, 'gpu_list', 'gpus'),
  record: recordOf(gpuRecord, parsed =>
    present({
      id: parsed.id,
      name: parsed.name,
      regionNames: (parsed.regions ?? []).flatMap(name => name ?? []),
      createdAt: parsed.created_at,
      updatedAt: parsed.updated_at,
    }),
  ),
});
