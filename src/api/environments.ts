import * as z from 'zod';
import {
  type Environment,
  type EnvironmentId,
  type EnvironmentSpec,
  environmentId,
  type MachineQuota,
} from '../domain/environment.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import {defineOperation, defineRead} from './endpoint.ts';
import {
  count,
  flag,
  isObject,
  moment,
  nameOf,
  part,
  present,
  recordOf,
  requiredId,
  shortText,
  under,
} from './fields.ts';
import {creation} from './operation-results.ts';

const ENVIRONMENT = '/core/environments/{id}';
const PAGE_SIZE = 500;

type OneEnvironment = {readonly id: EnvironmentId};

const environmentRecord = z.object({
  id: requiredId,
  name: shortText,
  region: nameOf,
  created_at: moment,
  features: part({network_optimised: flag, green_status: shortText}),
});

const quotaRecord = z.object({current_vms: count, max_vms: count, available_vms: count, cidr: shortText});
const QUOTA_FIELDS = Object.keys(quotaRecord.shape);

export const listEnvironments = defineRead<object, Environment>({
  id: 'environments.list',
  template: '/core/environments',
  collect: body => under(body, 'environments', 'environment'),
  record: recordOf(environmentRecord, toEnvironment),
  paging: {pageParameter: 'page', sizeParameter: 'pageSize', pageSize: PAGE_SIZE},
});

export const getEnvironment = defineRead<OneEnvironment, Environment>({
  id: 'environments.get',
  template: ENVIRONMENT,
  isById: true,
  collect: body => under(body, 'environment', 'environments'),
  record: recordOf(environmentRecord, toEnvironment),
});

/** How many machines fit in. The reply is a bare object. */
export const machineQuota = defineRead<OneEnvironment, MachineQuota>({
  id: 'environments.machine-quota',
  template: `${ENVIRONMENT}/vm-quota`,
  collect: body => (isObject(body) && QUOTA_FIELDS.some(field => field in body) ? [body] : undefined),
  record: recordOf(quotaRecord, ({current_vms, max_vms, available_vms, cidr}) =>
    present({currentCount: current_vms, maxCount: max_vms, availableCount: available_vms, cidr}),
  ),
});

/** Its region is permanent; its name must be unique in the whole organization. */
export const createEnvironment = defineOperation<{readonly spec: EnvironmentSpec}>({
  id: 'environments.create',
  method: 'POST',
  template: '/core/environments',
  body: ({spec}) => ({name: spec.name, region: spec.regionName}),
  ...creation('environment'),
});

export const renameEnvironment = defineOperation<OneEnvironment & {readonly name: SafeText}>({
  id: 'environments.rename',
  method: 'PUT',
  template: ENVIRONMENT,
  body: ({name}) => ({name}),
});

/** Refused with 405 unless it is empty; the message counts what is in it. */
export const deleteEnvironment = defineOperation<OneEnvironment>({
  id: 'environments.delete',
  method: 'DELETE',
  template: ENVIRONMENT,
});

function toEnvironment(parsed: z.output<typeof environmentRecord>): Environment {
  return present({
    id: environmentId(parsed.id),
    name: parsed.name ?? safeText(''),
    regionName: parsed.region,
    createdAt: parsed.created_at,
    isNetworkOptimised: parsed.features?.network_optimised,
    greenStatus: parsed.features?.green_status,
  });
}
