import * as z from 'zod';
import type {SafeText} from '../domain/safe-text.ts';
import {defineRead} from './endpoint.ts';
import {flag, part, present, recordOf, reference, requiredName, text, under} from './fields.ts';

/** A place of the service. New ones appear without notice, so a region is known by its name alone. */
export type Region = {
  readonly id?: number;
  readonly name: SafeText;
  /** Two letters, like `NO`. */
  readonly country?: SafeText;
  readonly description?: SafeText;
  /** How far the power comes from renewable sources: `GREEN`, `PARTIALLY_GREEN`, `NOT_GREEN`, or a word we do not know. */
  readonly greenStatus?: SafeText;
  readonly hasFloatingIp?: boolean;
  readonly hasVolumes?: boolean;
};

const regionRecord = z.object({
  id: reference,
  name: requiredName,
  country: text,
  description: text,
  green_status: text,
  features: part({floating_ip: flag, volumes: flag}),
});

export const regions = defineRead<object, Region>({
  id: 'regions.list',
  template: '/core/regions',
  collect: body => under(body, 'regions', 'region'),
  record: recordOf(regionRecord, ({id, name, country, description, green_status, features}) =>
    present({
      id,
      name,
      country,
      description,
      greenStatus: green_status,
      hasFloatingIp: features?.floating_ip,
      hasVolumes: features?.volumes,
    }),
  ),
});
