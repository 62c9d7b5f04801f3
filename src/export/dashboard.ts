/** One panel of the dashboard: its title, its queries, and how it shows the result. */
type Panel = {
  readonly title: string;
  readonly type: 'stat' | 'timeseries' | 'table' | 'bargauge';
  readonly unit: string;
  /** Out of Grafana's 24 columns. */
  readonly width: number;
  readonly height: number;
  readonly queries: readonly PanelQuery[];
};

type PanelQuery = {readonly expr: string; readonly legend: string};

type DashboardRow = {readonly title: string; readonly panels: readonly Panel[]};

/** The machines of the selected environments. */
const CHOSEN = 'on (instance, resource_id) group_left (environment) skydeck_machine_info{environment=~"$environment"}';

const ROWS: readonly DashboardRow[] = [
  {
    title: 'Money',
    panels: [
      stat('Burn rate', 'cloudcost_burn_hourly_cost', 'currencyUSD'),
      stat('Month to date', 'cloudcost_month_to_date_dollars', 'currencyUSD'),
      stat('Forecast', 'cloudcost_month_forecast_dollars{estimate="mid"}', 'currencyUSD'),
      stat('Machines, 730 h', 'sum(node_total_hourly_cost) * 730', 'currencyUSD'),
      stat('Credit lasts at most', 'cloudcost_credit_runway_seconds{estimate="most"}', 's'),
      stat('Wasted', 'sum(cloudcost_idle_hourly_cost)', 'currencyUSD'),
      chart('Burn rate by environment', 'currencyUSD', [
        {expr: 'sum by (environment) (cloudcost_resource_hourly_cost)', legend: '{{environment}}'},
      ]),
      chart('Month', 'currencyUSD', [
        {expr: 'cloudcost_month_to_date_dollars', legend: 'so far'},
        {expr: 'cloudcost_month_forecast_dollars', legend: 'forecast {{estimate}}'},
        {expr: 'cloudcost_budget_dollars', legend: 'budget'},
      ]),
      chart('Waste by reason', 'currencyUSD', [{expr: 'cloudcost_idle_hourly_cost', legend: '{{verdict}}'}]),
      chart('Price of a GPU hour', 'currencyUSD', [
        {expr: 'avg by (instance_type) (node_gpu_hourly_cost > 0)', legend: '{{instance_type}}'},
      ]),
      {
        title: 'Costliest',
        type: 'bargauge',
        unit: 'currencyUSD',
        width: 12,
        height: 8,
        queries: [
          {
            expr: 'topk(10, cloudcost_resource_hourly_cost{environment=~"$environment"})',
            legend: '{{type}} {{name}} {{flavor}}',
          },
        ],
      },
      table('Contracts', [
        {expr: 'cloudcost_contract_expiry_timestamp_seconds - time()', legend: 'seconds left'},
        {expr: 'cloudcost_contract_utilization_ratio', legend: 'utilization'},
        {expr: 'cloudcost_cliff_hourly_cost_delta', legend: '$/h at its end'},
      ]),
    ],
  },
  {
    title: 'Machines',
    panels: [
      chart('Machines by state', 'none', [{expr: 'skydeck_machines', legend: '{{status}}'}]),
      chart('CPU', 'percentunit', [measured('skydeck_machine_cpu_utilization_ratio')]),
      chart('Memory', 'percentunit', [measured('skydeck_machine_memory_utilization_ratio')]),
      chart('Network in', 'Bps', [measured('skydeck_machine_network_receive_bytes_per_second')]),
      chart('Network out', 'Bps', [measured('skydeck_machine_network_transmit_bytes_per_second')]),
      chart('Disk reads', 'Bps', [measured('skydeck_machine_disk_read_bytes_per_second')]),
      chart('Disk writes', 'Bps', [measured('skydeck_machine_disk_written_bytes_per_second')]),
      chart('Without activity, cost', 'currencyUSD', [
        {
          expr: 'sum by (environment) (cloudcost_resource_hourly_cost{type="vm"} and on (instance, resource_id) skydeck_machine_working == 0)',
          legend: '{{environment}}',
        },
      ]),
    ],
  },
  {
    title: 'Findings, clusters, stock',
    panels: [
      chart('Findings by severity', 'none', [{expr: 'sum by (severity) (skydeck_findings)', legend: '{{severity}}'}]),
      table('Needs attention', [{expr: 'skydeck_finding', legend: 'findings'}]),
      chart('Cluster nodes', 'none', [
        {expr: 'sum by (name, status) (skydeck_cluster_nodes)', legend: '{{name}} {{status}}'},
      ]),
      chart('GPUs in stock', 'none', [{expr: 'skydeck_stock_available_gpus', legend: '{{model}} {{region}}'}]),
      chart('Volumes', 'bytes', [
        {expr: 'sum by (environment) (skydeck_volume_size_bytes)', legend: '{{environment}}'},
      ]),
    ],
  },
  {
    title: 'The exporter',
    panels: [
      chart('Requests a minute', 'none', [
        {expr: 'skydeck_requests_last_minute', legend: 'sent'},
        {expr: 'skydeck_request_ceiling', legend: 'ceiling'},
      ]),
      chart('Age of each list', 's', [{expr: 'skydeck_reading_age_seconds', legend: '{{feed}}'}]),
      chart('Age of samples', 's', [
        {expr: 'quantile(0.95, skydeck_machine_sample_age_seconds)', legend: 'p95'},
        {expr: 'max(skydeck_machine_sample_age_seconds)', legend: 'oldest'},
      ]),
      chart('State of the service', 'none', [{expr: 'skydeck_service_state', legend: '{{state}}'}]),
      chart('Memory of the exporter', 'bytes', [
        {expr: 'process_resident_memory_bytes and on (instance) skydeck_rules', legend: '{{instance}}'},
      ]),
    ],
  },
];

function stat(title: string, expr: string, unit: string): Panel {
  return {title, type: 'stat', unit, width: 4, height: 4, queries: [{expr, legend: ''}]};
}

function chart(title: string, unit: string, queries: readonly PanelQuery[]): Panel {
  return {title, type: 'timeseries', unit, width: 12, height: 8, queries};
}

function table(title: string, queries: readonly PanelQuery[]): Panel {
  return {title, type: 'table', unit: 'none', width: 12, height: 8, queries};
}

function measured(name: string): PanelQuery {
  return {expr: `${name} * ${CHOSEN}`, legend: '{{name}}'};
}

/** The dashboard as Grafana imports it; data source and environments are chosen there. */
export function dashboard(): object {
  return {
    uid: 'skydeck',
    title: 'skydeck',
    tags: ['skydeck', 'cost', 'gpu'],
    schemaVersion: 38,
    version: 1,
    editable: true,
    refresh: '1m',
    time: {from: 'now-24h', to: 'now'},
    templating: {list: [SOURCE_VARIABLE, ENVIRONMENT_VARIABLE]},
    panels: placed(ROWS),
  };
}

const SOURCE = {type: 'prometheus', uid: '$source'} as const;

const SOURCE_VARIABLE = {name: 'source', label: 'Prometheus', type: 'datasource', query: 'prometheus'} as const;

const ENVIRONMENT_VARIABLE = {
  name: 'environment',
  label: 'Environment',
  type: 'query',
  datasource: SOURCE,
  query: 'label_values(skydeck_machine_info, environment)',
  refresh: 2,
  includeAll: true,
  allValue: '.*',
  multi: true,
  current: {text: 'All', value: '$__all'},
} as const;

const COLUMNS = 24;

/** Places panels from left to right, each row under its title. */
function placed(rows: readonly DashboardRow[]): readonly object[] {
  const made: object[] = [];
  let top = 0;
  for (const {title, panels} of rows) {
    made.push({id: made.length + 1, type: 'row', title, collapsed: false, gridPos: {x: 0, y: top, w: COLUMNS, h: 1}});
    top += 1;
    let [left, height] = [0, 0];
    for (const panel of panels) {
      if (left + panel.width > COLUMNS) {
        top += height;
        [left, height] = [0, 0];
      }
      made.push({...panelOf(panel), id: made.length + 1, gridPos: {x: left, y: top, w: panel.width, h: panel.height}});
      left += panel.width;
      height = Math.max(height, panel.height);
    }
    top += height;
  }
  return made;
}

function panelOf({title, type, unit, queries}: Panel): object {
  return {
    title,
    type,
    datasource: SOURCE,
    fieldConfig: {defaults: {unit}, overrides: []},
    targets: queries.map(({expr, legend}, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource: SOURCE,
      expr,
      legendFormat: legend,
      ...(type === 'table' || type === 'bargauge' ? {instant: true, range: false} : {}),
      ...(type === 'table' ? {format: 'table'} : {}),
    })),
    ...(type === 'table' ? {transformations: [{id: 'merge', options: {}}]} : {}),
  };
}
