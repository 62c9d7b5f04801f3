import * as z from 'zod';
import {safeText} from '../domain/safe-text.ts';
import type {NameAvailability} from '../domain/virtual-machine.ts';
import {defineRead, type Query, type ReadEndpoint} from './endpoint.ts';
import {isObject, recordOf, text} from './fields.ts';

const availabilityRecord = z.object({name: text, available: z.boolean(), message: text});

/** Asks whether a name is free for a new resource. The reply is a bare object. */
export function nameAvailability<Params extends object>(declared: {
  readonly id: string;
  readonly template: string;
  readonly query?: (params: Params) => Query;
}): ReadEndpoint<Params, NameAvailability> {
  return defineRead<Params, NameAvailability>({
    ...declared,
    collect: body => (isObject(body) && 'available' in body ? [body] : undefined),
    record: recordOf(availabilityRecord, ({name, available, message}) => ({
      name: name ?? safeText(''),
      isAvailable: available,
      message: message ?? safeText(''),
    })),
  });
}
