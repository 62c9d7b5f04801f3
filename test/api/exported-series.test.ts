import {describe, expect, it} from 'vitest';
import {exportedReads} from '../../src/api/exported-series.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {secret} from '../../src/domain/secret.ts';
import {DAY_MS, epochMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {createVirtualClock} from '../support/clock.ts';

type Asked = Readonly<Record<string, string | number>>;

/** A Prometheus with these values of each figure, by the second. */
function openExported(figures: Readonly<Record<string, readonly (readonly [number, string])[]>> | undefined) {
  const {clock} = createVirtualClock();
  const asked: Asked[] = [];
  const reads = exportedReads({
    url: 'http://127.0.0.1:1',
    token: secret('CANARY-of-prometheus'),
    clock,
    ask: async (_connection, {parameters}, take) => {
      asked.push(parameters);
      if (figures === undefined) return {ok: false, reason: safeText('refused (503)')};
      const result = Object.entries(figures).map(([figure, values]) => ({metric: {skydeck_figure: figure}, values}));
      take({text: JSON.stringify({status: 'success', data: {resultType: 'matrix', result}}), isLast: true});
      return {ok: true, value: undefined};
    },
  });
  return {reads, asked, second: clock.wallNow() / 1000};
}

describe('pastReads', () => {
  it('asks for ninety days of a machine in means of six hours', async () => {
    const {reads, asked, second} = openExported({});
    await reads.machine(virtualMachineId(7), 90 * DAY_MS);
    const step = 6 * 3600;
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({start: second - 90 * 86_400 + step, end: second, step});
    expect(asked[0]?.query).toContain('avg_over_time(skydeck_machine_cpu_utilization_ratio{resource_id="7"}[21600s])');
  });

  it('puts all figures of a moment into one sample, in ascending order, without unusable values', async () => {
    const {reads} = openExported({
      cpu: [
        [200, '0.5'],
        [100, '0.25'],
      ],
      networkIn: [
        [100, '10'],
        [200, 'NaN'],
      ],
      another: [[100, '1']],
    });
    expect(await reads.machine(virtualMachineId(7), DAY_MS)).toEqual({
      ok: true,
      value: [
        {sampledAt: epochMs(100_000), cpu: 0.25, networkIn: 10},
        {sampledAt: epochMs(200_000), cpu: 0.5},
      ],
    });
  });

  it('reads the account day by day', async () => {
    const {reads, asked, second} = openExported({burn: [[86_400, '12.5']], critical: [[86_400, '2']]});
    expect(await reads.account({windowMs: 365 * DAY_MS, stepMs: DAY_MS})).toEqual({
      ok: true,
      value: [{at: epochMs(86_400_000), burn: 12.5, critical: 2}],
    });
    expect(asked[0]).toMatchObject({start: second - 364 * 86_400, end: second, step: 86_400});
  });

  it('counts an exporter once that was restarted at another address within a step', async () => {
    const {reads, asked} = openExported({});
    await reads.account({windowMs: 365 * DAY_MS, stepMs: DAY_MS});
    const query = String(asked[0]?.query);
    expect(query).toContain('avg(avg_over_time(cloudcost_burn_hourly_cost[86400s]))');
    expect(query).toContain('max(max_over_time(cloudcost_month_to_date_dollars[86400s]))');
    expect(query).toContain('sum(max by (rule) (max_over_time(skydeck_findings{severity="critical"}[86400s])))');
  });

  it('gives the reason when nothing could be read', async () => {
    const {reads} = openExported(undefined);
    const failure = {kind: 'incomplete', detail: 'Prometheus: refused (503)'};
    expect(await reads.machine(virtualMachineId(7), DAY_MS)).toEqual({ok: false, failure});
  });
});
