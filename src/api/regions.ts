import * as z from 'zod';
import type {Region} from '../domain/region.ts';
import {defineRead} from './endpoint.ts';
import {flag, part, present, recordOf, reference, requiredName, text, under} from './fields.ts';

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
