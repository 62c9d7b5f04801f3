import {expect, test} from 'vitest';
import {aSimulator} from '../a-simulator.ts';

async function metricsOf(url: string | undefined): Promise<string> {
  return (await fetch(url ?? '')).text();
}

/** The values of a series by machine name and GPU index. */
function valuesOf(text: string, name: string): ReadonlyMap<string, number> {
  const lines = [...text.matchAll(new RegExp(`^${name}{(.*)} (\\S+)$`, 'gm'))];
  return new Map(
    lines.map(([, labels = '', value]) => {
      const [, gpu] = /gpu="(\d+)"/.exec(labels) ?? [];
      const [, host] = /Hostname="([^"]*)"/.exec(labels) ?? [];
      return [`${host} ${gpu}`, Number(value)];
    }),
  );
}

test('every GPU of a running machine has each series once, and requests for metrics are not recorded', async () => {
  const {simulator, machines} = await aSimulator({hasGpuMetrics: true});
  const text = await metricsOf(simulator.gpuMetricsUrl);
  expect(simulator.requests()).toEqual([]);
  const running = (await machines()).filter(({status}) => status === 'ACTIVE');
  const gpuCount = running.reduce((sum, {flavor}) => sum + flavor.gpu_count, 0);
  for (const name of ['GPU_UTIL', 'FB_USED', 'FB_FREE', 'POWER_USAGE', 'GPU_TEMP', 'XID_ERRORS']) {
    expect(valuesOf(text, `DCGM_FI_DEV_${name}`).size).toBe(gpuCount);
  }
});

test('a training machine uses its GPU, an idle one does not, and a crashed one has lost a GPU', async () => {
  const {simulator} = await aSimulator({hasGpuMetrics: true});
  const text = await metricsOf(simulator.gpuMetricsUrl);
  const [utilization, xid] = [valuesOf(text, 'DCGM_FI_DEV_GPU_UTIL'), valuesOf(text, 'DCGM_FI_DEV_XID_ERRORS')];
  expect(utilization.get('train-01 7')).toBeGreaterThan(80);
  // Its job ended a day ago.
  expect(utilization.get('train-02 0')).toBe(0);
  expect([...xid].filter(([, code]) => code !== 0)).toEqual([['infer-06 0', 79]]);
});

test('GPU metrics are not served without the option', async () => {
  const {simulator} = await aSimulator();
  expect(simulator.gpuMetricsUrl).toBe(undefined);
  expect((await fetch(simulator.url.replace('/v1', '/metrics'))).status).toBe(401);
});
