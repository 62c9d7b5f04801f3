// When each alert fires, and when it almost fires but must not: unit tests for `promtool test rules`.

/** Series by name and labels, each with its values: `1+0x90` is 1 followed by 90 repetitions. */
type Series = Readonly<Record<string, string>>;

type AlertTest = {
  readonly alert: string;
  /** Minutes between two values. */
  readonly stepMinutes?: number;
  /** The time at which the alert is evaluated. */
  readonly at: string;
  readonly fires: Series;
  readonly staysQuiet: Series;
};

const DAY_SECONDS = 86_400;

function machine(status: string): string {
  return `skydeck_machine_status{resource_id="7",name="a",status="${status}"}`;
}

function stuck(alert: string, status: string, minutes: number): AlertTest {
  return {
    alert,
    at: `${minutes + 1}m`,
    fires: {[machine(status)]: `1+0x${minutes + 5}`},
    // In this state for a minute less than the limit.
    staysQuiet: {[machine(status)]: `_ _ 1+0x${minutes + 5}`},
  };
}

function gpu(field: string): string {
  return `DCGM_FI_DEV_${field}{Hostname="a",gpu="0"}`;
}

const CPU = 'skydeck_machine_cpu_utilization_ratio{resource_id="7",name="a"}';
const MEMORY = 'skydeck_machine_memory_utilization_ratio{resource_id="7",name="a"}';
const WORKING = 'skydeck_machine_working{resource_id="7",name="a"}';
const MACHINE_COST = 'cloudcost_resource_hourly_cost{resource_id="7",type="vm",name="a",status="SHUTOFF"}';
const RUNWAY = (estimate: 'most' | 'list') => `cloudcost_credit_runway_seconds{estimate="${estimate}"}`;
const INFO = 'skydeck_machine_info{resource_id="7",name="a"}';
const EXPIRY = (policy: string) => `cloudcost_contract_expiry_timestamp_seconds{contract_id="97",policy="${policy}"}`;
const MACHINES_AGE = 'skydeck_reading_age_seconds{feed="machines"}';
const MACHINES_INCOMPLETE = 'skydeck_reading_incomplete{feed="machines"}';
const CLUSTER = (status: string) => `skydeck_cluster_status{cluster_id="1",name="c",status="${status}"}`;

/** So many machines, of which the first send no metrics: their newest sample is a second too old. */
function sampleAges({silentCount, count}: {readonly silentCount: number; readonly count: number}): Series {
  return Object.fromEntries(
    Array.from({length: count}, (_, index) => [
      `skydeck_machine_sample_age_seconds{resource_id="${index + 1}",name="m${index + 1}"}`,
      index < silentCount ? '901+0x5' : '900+0x5',
    ]),
  );
}

const TESTS: readonly AlertTest[] = [
  {
    alert: 'MachineInError',
    at: '3m',
    fires: {[machine('ERROR')]: '1+0x5'},
    staysQuiet: {[machine('ACTIVE')]: '1+0x5'},
  },
  stuck('MachinePowerStuck', 'STOPPING', 5),
  stuck('MachineDeletionStuck', 'DELETING', 10),
  stuck('MachineCreationStuck', 'CREATING', 20),
  stuck('MachineRestoringStuck', 'RESTORING', 30),
  stuck('MachineHibernationStuck', 'HIBERNATING', 45),
  {
    alert: 'MachineMetricsSilent',
    at: '1m',
    // The other one has a sample of 15 minutes ago, which is in time.
    fires: sampleAges({silentCount: 1, count: 2}),
    // All of five: one alert about the metrics stands for them.
    staysQuiet: sampleAges({silentCount: 5, count: 5}),
  },
  {
    alert: 'MetricsSilent',
    at: '1m',
    fires: sampleAges({silentCount: 9, count: 10}),
    staysQuiet: sampleAges({silentCount: 8, count: 10}),
  },
  {
    alert: 'MachineMemoryFull',
    at: '11m',
    fires: {[MEMORY]: '0.95+0x20'},
    staysQuiet: {[MEMORY]: '0.94+0x20'},
  },
  {
    alert: 'MachineCpuAtLimit',
    at: '61m',
    fires: {[CPU]: '0.97+0x70'},
    // One minute below the limit in the middle.
    staysQuiet: {[CPU]: '0.99+0x30 0.5 0.99+0x40'},
  },
  {
    alert: 'MachineFallenSilent',
    stepMinutes: 5,
    at: '1235m',
    fires: {[WORKING]: '1+0x240 0+0x20'},
    // It worked only half of the time before.
    staysQuiet: {[WORKING]: '0+0x120 1+0x119 0+0x20'},
  },
  {
    alert: 'MachineMemoryLeak',
    stepMinutes: 5,
    at: '480m',
    // It grows by 0.3 percentage points every five minutes, and would be full in less than nine hours.
    fires: {[MEMORY]: '0.4+0.003x120'},
    // As full at the end, but after a single step.
    staysQuiet: {[MEMORY]: '0.4+0x60 0.7+0x60'},
  },
  {
    alert: 'MachineStoppedButBilled',
    at: '7m',
    fires: {[MACHINE_COST]: '2.5+0x10', [machine('SHUTOFF')]: '1+0x10', [INFO]: '1+0x10'},
    // The alert does not cover nodes of a cluster.
    staysQuiet: {
      [MACHINE_COST]: '2.5+0x10',
      [machine('SHUTOFF')]: '1+0x10',
      'skydeck_machine_info{resource_id="7",name="a",cluster_id="3"}': '1+0x10',
    },
  },
  {
    alert: 'GhostSpend',
    at: '12m',
    fires: {[MACHINE_COST]: '1+0x20', [MACHINES_AGE]: '10+0x20', [MACHINES_INCOMPLETE]: '0+0x20'},
    // The list of machines is too old to conclude that a machine is missing.
    staysQuiet: {[MACHINE_COST]: '1+0x20', [MACHINES_AGE]: '301+0x20', [MACHINES_INCOMPLETE]: '0+0x20'},
  },
  {
    alert: 'VolumeUnattached',
    stepMinutes: 60,
    at: '170h',
    fires: {'skydeck_volume_attached{resource_id="3",name="v"}': '0+0x180'},
    staysQuiet: {'skydeck_volume_attached{resource_id="3",name="v"}': '0+0x80 1 0+0x90'},
  },
  {
    alert: 'ClusterFailed',
    at: '2m',
    fires: {[CLUSTER('ERROR')]: '1+0x5'},
    staysQuiet: {[CLUSTER('ACTIVE')]: '1+0x5'},
  },
  {
    alert: 'ClusterCreationStuck',
    at: '61m',
    fires: {[CLUSTER('CREATING')]: '1+0x70'},
    staysQuiet: {[CLUSTER('CREATING')]: '_ _ 1+0x70'},
  },
  {
    alert: 'ClusterReconcilingLong',
    at: '31m',
    fires: {[CLUSTER('RECONCILING')]: '1+0x40'},
    staysQuiet: {[CLUSTER('RECONCILING')]: '_ _ 1+0x40'},
  },
  {
    alert: 'ContractEnding',
    at: '0m',
    fires: {[EXPIRY('market')]: String(30 * DAY_SECONDS - 1)},
    staysQuiet: {[EXPIRY('market')]: String(30 * DAY_SECONDS)},
  },
  {
    alert: 'ContractDeletes',
    at: '0m',
    fires: {[EXPIRY('delete')]: String(14 * DAY_SECONDS - 1)},
    staysQuiet: {[EXPIRY('market')]: String(14 * DAY_SECONDS - 1)},
  },
  {
    alert: 'CreditRunway',
    at: '6m',
    fires: {[RUNWAY('most')]: `${2 * DAY_SECONDS - 1}+0x10`},
    staysQuiet: {[RUNWAY('most')]: `${2 * DAY_SECONDS}+0x10`},
  },
  {
    alert: 'CreditMayEnd',
    at: '6m',
    fires: {[RUNWAY('list')]: `${2 * DAY_SECONDS - 1}+0x10`, [RUNWAY('most')]: `${2 * DAY_SECONDS}+0x10`},
    // The critical alert fires.
    staysQuiet: {[RUNWAY('list')]: `${2 * DAY_SECONDS - 2}+0x10`, [RUNWAY('most')]: `${2 * DAY_SECONDS - 1}+0x10`},
  },
  {
    alert: 'BurnDoubled',
    stepMinutes: 5,
    at: '1510m',
    fires: {cloudcost_burn_hourly_cost: '10+0x288 21+0x30'},
    // More than twice the cost, but less than ten dollars a day.
    staysQuiet: {cloudcost_burn_hourly_cost: '0.1+0x288 0.3+0x30'},
  },
  {
    alert: 'BudgetEnding',
    at: '6m',
    fires: {
      cloudcost_budget_dollars: '1000+0x10',
      cloudcost_month_to_date_dollars: '300+0x10',
      cloudcost_burn_hourly_cost: '10+0x10',
    },
    staysQuiet: {
      cloudcost_budget_dollars: '1000+0x10',
      cloudcost_month_to_date_dollars: '280+0x10',
      cloudcost_burn_hourly_cost: '10+0x10',
    },
  },
  {
    alert: 'BudgetUsedUp',
    at: '1m',
    fires: {cloudcost_budget_dollars: '1000+0x5', cloudcost_month_to_date_dollars: '1000+0x5'},
    staysQuiet: {cloudcost_budget_dollars: '1000+0x5', cloudcost_month_to_date_dollars: '999+0x5'},
  },
  {
    alert: 'PermissionMissing',
    at: '6m',
    fires: {'skydeck_reading_failed{feed="contracts",reason="not-authorised"}': '1+0x10'},
    // KeyRefused is about the key itself.
    staysQuiet: {
      'skydeck_reading_failed{feed="contracts",reason="timed-out"}': '1+0x10',
      'skydeck_reading_failed{feed="machines",reason="key-refused"}': '1+0x10',
    },
  },
  {
    alert: 'ClockSkew',
    at: '6m',
    fires: {skydeck_clock_offset_seconds: '-121+0x10'},
    staysQuiet: {skydeck_clock_offset_seconds: '120+0x10'},
  },
  {
    alert: 'RequestCeiling',
    at: '6m',
    fires: {skydeck_requests_last_minute: '90+0x10', skydeck_request_ceiling: '100+0x10'},
    staysQuiet: {skydeck_requests_last_minute: '89+0x10', skydeck_request_ceiling: '100+0x10'},
  },
  {
    alert: 'ReadingStale',
    at: '3m',
    fires: {[MACHINES_AGE]: '51+0x5', 'skydeck_reading_interval_seconds{feed="machines"}': '10+0x5'},
    staysQuiet: {[MACHINES_AGE]: '50+0x5', 'skydeck_reading_interval_seconds{feed="machines"}': '10+0x5'},
  },
  {
    alert: 'GpuIdle',
    stepMinutes: 5,
    at: '1440m',
    fires: {[gpu('GPU_UTIL')]: '5+0x300'},
    // It worked once in that time.
    staysQuiet: {[gpu('GPU_UTIL')]: '0+0x140 6 0+0x160'},
  },
  {
    alert: 'GpuError',
    at: '1m',
    fires: {[gpu('XID_ERRORS')]: '79+0x5'},
    staysQuiet: {[gpu('XID_ERRORS')]: '0+0x5'},
  },
  {
    alert: 'GpuThrottled',
    at: '6m',
    // The hardware slowed it down because of heat: 64.
    fires: {[gpu('CLOCK_THROTTLE_REASONS')]: '64+0x10'},
    // It is idle and at its power limit: 1 and 4.
    staysQuiet: {[gpu('CLOCK_THROTTLE_REASONS')]: '5+0x10'},
  },
  {
    alert: 'GpuMemoryFull',
    at: '11m',
    fires: {[gpu('FB_USED')]: '98+0x20', [gpu('FB_FREE')]: '2+0x20'},
    staysQuiet: {[gpu('FB_USED')]: '97+0x20', [gpu('FB_FREE')]: '3+0x20'},
  },
  {
    alert: 'ServiceUnreachable',
    at: '6m',
    fires: {'skydeck_service_state{state="up"}': '0+0x10'},
    staysQuiet: {'skydeck_service_state{state="up"}': '1+0x10'},
  },
  ...(
    [
      ['PowerStateMismatch', 'power-state-mismatch'],
      ['MachineIdle', 'idle'],
      ['ClusterNodesMissing', 'cluster-nodes'],
      ['OpenToWorld', 'open-to-world'],
      ['RulePending', 'rule-pending'],
      ['RedundantRules', 'redundant-rules'],
      ['KeyRefused', 'key-refused'],
      ['FirewallUnattached', 'unattached-firewall'],
      ['AddressUnguarded', 'unguarded-address'],
      ['DiscountEnding', 'discount-ending'],
      ['BurnAnomaly', 'burn-anomaly'],
      ['OutOfStock', 'out-of-stock'],
    ] as const
  ).map(
    ([alert, rule]): AlertTest => ({
      alert,
      at: '3m',
      fires: {[`skydeck_finding{rule="${rule}",severity="notice",subject="a"}`]: '1+0x5'},
      staysQuiet: {'skydeck_finding{rule="another",severity="notice",subject="a"}': '1+0x5'},
    }),
  ),
];

/** The alerts with a test. */
export const TESTED_ALERTS: readonly string[] = [...TESTS.map(({alert}) => alert), 'ExporterAbsent'];

/** The input for `promtool test rules`: two exporters side by side, of which exactly one must raise the alert. */
export function alertTests(rulesFile: string): object {
  return {
    rule_files: [rulesFile],
    evaluation_interval: '1m',
    tests: [...TESTS.map(testOf), absence()],
  };
}

function testOf({alert, stepMinutes = 1, at, fires, staysQuiet}: AlertTest): object {
  return {
    name: alert,
    interval: `${stepMinutes}m`,
    input_series: [...inputs(fires, 'fires'), ...inputs(staysQuiet, 'quiet')],
    promql_expr_test: [
      {
        expr: `count by (instance) (ALERTS{alertname="${alert}",alertstate="firing"})`,
        eval_time: at,
        exp_samples: [{labels: '{instance="fires"}', value: 1}],
      },
    ],
  };
}

function inputs(series: Series, instance: string): readonly object[] {
  return Object.entries(series).map(([name, values]) => ({
    series: name.includes('{') ? name.replace('{', `{instance="${instance}",`) : `${name}{instance="${instance}"}`,
    values,
  }));
}

/** Without any exporter there is one alert, with one there is none. Its text is compared as well. */
function absence(): object {
  return {
    name: 'ExporterAbsent',
    interval: '1m',
    input_series: [{series: 'skydeck_service_state{state="up"}', values: '_x10 1+0x10'}],
    alert_rule_test: [
      {
        alertname: 'ExporterAbsent',
        eval_time: '6m',
        exp_alerts: [
          {exp_labels: {severity: 'critical'}, exp_annotations: {summary: 'no skydeck exporter is being scraped'}},
        ],
      },
      {alertname: 'ExporterAbsent', eval_time: '15m', exp_alerts: []},
    ],
  };
}
