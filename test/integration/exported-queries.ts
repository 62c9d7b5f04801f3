// What the queries about the past return for series whose labels change: for `promtool test rules`.
import {exportedReads} from '../../src/api/exported-series.ts';
import {gpuReads} from '../../src/api/gpu-load.ts';
import type {PrometheusConnection} from '../../src/api/prometheus.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {secret} from '../../src/domain/secret.ts';
import {DAY_MS} from '../../src/domain/time.ts';
import {createVirtualClock} from '../support/clock.ts';

const HOST = safeText('a');
/** Half a day under one label and half a day under another: an exporter that moved, or a GPU that got another pod. */
const MOVED = {
  'cloudcost_burn_hourly_cost{instance="$"}': 10,
  'cloudcost_month_to_date_dollars{instance="$"}': 100,
  'skydeck_findings{rule="idle",severity="critical",instance="$"}': 2,
  'skydeck_findings{rule="ghost",severity="critical",instance="$"}': 1,
  'DCGM_FI_DEV_POWER_USAGE{Hostname="a",gpu="0",pod="$"}': 500,
  'DCGM_FI_DEV_GPU_UTIL{Hostname="a",gpu="0",pod="$"}': 90,
};
const STAYED = {
  'DCGM_FI_DEV_POWER_USAGE{Hostname="a",gpu="1",pod="c"}': 300,
  'DCGM_FI_DEV_GPU_UTIL{Hostname="a",gpu="1",pod="c"}': 0,
};

const REASONS = 'DCGM_FI_DEV_CLOCK_THROTTLE_REASONS';
/**
 * By GPU number: always hot, cool for a minute, at its power limit, slowed for one reason and then another, not slowed
 * for a minute.
 */
const CLOCKS = ['64x20', '64x17 0 64x2', '4x20', '32x17 64x2', '64x16 16 64x2'];

/** The test file as an object. */
export async function exportedQueryTests(): Promise<object> {
  const account = await askedBy(connection =>
    exportedReads(connection).account({windowMs: 365 * DAY_MS, stepMs: DAY_MS}),
  );
  const machine = await askedBy(connection =>
    gpuReads(connection, {label: 'Hostname', field: 'name'}).history(HOST, 90 * DAY_MS),
  );
  const present = await askedBy(connection => gpuReads(connection, {label: 'Hostname', field: 'name'}).loads());
  const figure = (name: string, value: number, host = '') => ({labels: `{${host}skydeck_figure="${name}"}`, value});
  const moved = Object.entries(MOVED).flatMap(([series, value]) => [
    {series: series.replace('$', 'one'), values: `${value}x720`},
    {series: series.replace('$', 'two'), values: `_x720 ${value}x720`},
  ]);
  const stayed = Object.entries(STAYED).map(([series, value]) => ({series, values: `${value}x1440`}));
  return {
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: [...moved, ...stayed],
        promql_expr_test: [
          {
            expr: account,
            eval_time: '24h',
            exp_samples: [figure('burn', 10), figure('monthToDate', 100), figure('critical', 3)],
          },
          {
            // The step of six hours contains both series.
            expr: machine,
            eval_time: '14h',
            exp_samples: [figure('power', 800, 'Hostname="a",'), figure('utilization', 0.45, 'Hostname="a",')],
          },
        ],
      },
      {
        interval: '1m',
        input_series: CLOCKS.map((values, gpu) => ({series: `${REASONS}{Hostname="a",gpu="${gpu}"}`, values})),
        promql_expr_test: [
          {
            // A GPU is throttled if it was slowed for the last five minutes.
            expr: `(${present}) > 0`,
            eval_time: '20m',
            exp_samples: [0, 3].map(gpu => figure('throttled', 1, `Hostname="a",gpu="${gpu}",`)),
          },
        ],
      },
    ],
  };
}

async function askedBy(read: (connection: PrometheusConnection) => Promise<unknown>): Promise<string> {
  let asked = '';
  await read({
    url: 'http://127.0.0.1:1',
    token: secret('CANARY-of-prometheus'),
    clock: createVirtualClock().clock,
    ask: async (_connection, {parameters: {query}}) => {
      asked = String(query);
      return {ok: false, reason: safeText('only the question is wanted')};
    },
  });
  return asked;
}
