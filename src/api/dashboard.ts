import * as z from 'zod';
import type {ComputeTotals, Dashboard, VolumeTotals} from '../domain/dashboard.ts';
import {ratePerHour} from '../domain/money.ts';
import {defineRead} from './endpoint.ts';
import {amount, count, mapped, part, positiveDecimal, present, recordOf, under} from './fields.ts';

const computePart = part({count, vcpus: count, gpus: count, ram: amount, cost_per_hour: positiveDecimal});
const volumePart = part({count, using: amount, cost_per_hour: positiveDecimal});

const overviewRecord = z.object({
  instance: computePart,
  cluster: computePart,
  container: computePart,
  volume: volumePart,
});

/** The service's own totals of resources and of their hourly cost. */
export const dashboard = defineRead<object, Dashboard>({
  id: 'dashboard.get',
  template: '/core/dashboard',
  collect: body => under(body, 'overview'),
  record: recordOf(overviewRecord, ({instance, cluster, container, volume}) =>
    present({
      machines: mapped(instance, toComputeTotals),
      clusters: mapped(cluster, toComputeTotals),
      containers: mapped(container, toComputeTotals),
      volumes: mapped(volume, toVolumeTotals),
    }),
  ),
});

function toComputeTotals(parsed: NonNullable<z.output<typeof computePart>>): ComputeTotals {
  return present({
    count: parsed.count,
    cpuCount: parsed.vcpus,
    gpuCount: parsed.gpus,
    ramGb: parsed.ram,
    rate: mapped(parsed.cost_per_hour, ratePerHour),
  });
}

function toVolumeTotals(parsed: NonNullable<z.output<typeof volumePart>>): VolumeTotals {
  return present({count: parsed.count, usedGb: parsed.using, rate: mapped(parsed.cost_per_hour, ratePerHour)});
}
