import {SAMPLE_AGE_SERIES} from '../domain/exported-metrics.ts';
import {GPU_IS_THROTTLED} from '../domain/gpu-load.ts';
import type {Severity} from '../domain/triage/finding.ts';
import {TRIAGE_RULES} from '../domain/triage/rules.ts';
import {MIN_SERVICE_COUNT, SERVICE_RATIO} from '../domain/triage/silent-metrics.ts';

/** One Prometheus alert, and the triage rule it expresses in PromQL. */
type Alert = {
  readonly alert: string;
  /** A rule of triage; absent if it is about the exporter itself. */
  readonly rule?: string;
  readonly expr: string;
  /** How long the condition has to hold. */
  readonly for?: string;
  /** Absent if the series itself has the severity. */
  readonly severity?: Severity;
  readonly summary: string;
};

// Two exporters may serve two accounts with the same ids.
const OF_ONE = 'on (instance, resource_id)';
const BURN = 'cloudcost_burn_hourly_cost';
const MEMORY = 'skydeck_machine_memory_utilization_ratio';
const WORKING = 'skydeck_machine_working';
const SILENT = `${SAMPLE_AGE_SERIES} > 900`;
const SILENT_COUNT = `count by (instance) (${SILENT})`;
/** As in triage, the fault is then not that of the machines. */
const NEARLY_ALL_SILENT = `${SILENT_COUNT} >= ${MIN_SERVICE_COUNT} and ${SILENT_COUNT} / count by (instance) (${SAMPLE_AGE_SERIES}) >= ${SERVICE_RATIO}`;
const HOURS_LEFT_IN_MONTH = '((days_in_month() - day_of_month()) * 24 + 24 - hour())';
const BUDGET_HOURS = `((cloudcost_budget_dollars - cloudcost_month_to_date_dollars) / ${BURN})`;
const CREDIT_LASTS = 'cloudcost_credit_runway_seconds';
const ENDS_SOON = `< ${2 * 86_400}`;

/** How long each change of state may take: about twice the longest the service is known for. */
const TRANSITIONS: readonly {readonly name: string; readonly statuses: string; readonly for: string}[] = [
  {name: 'Power', statuses: 'STARTING|STOPPING|REBOOTING', for: '5m'},
  {name: 'Deletion', statuses: 'DELETING', for: '10m'},
  {name: 'Creation', statuses: 'CREATING|BUILD|PRE_ACTIVE', for: '20m'},
  {name: 'Restoring', statuses: 'RESTORING', for: '30m'},
  {name: 'Hibernation', statuses: 'HIBERNATING', for: '45m'},
];

/** What PromQL can express from the series alone, with more history than any single reading has. */
const SAID_IN_PROMQL: readonly Alert[] = [
  {
    alert: 'MachineInError',
    rule: 'machine-in-error',
    expr: 'skydeck_machine_status{status="ERROR"}',
    for: '1m',
    severity: 'warning',
    summary: '{{ $labels.name }} is in ERROR',
  },
  ...TRANSITIONS.map(
    ({name, statuses, for: limit}): Alert => ({
      alert: `Machine${name}Stuck`,
      rule: 'stuck-transition',
      expr: `skydeck_machine_status{status=~"${statuses}"}`,
      for: limit,
      severity: 'warning',
      summary: `{{ $labels.name }} has been {{ $labels.status }} for more than ${limit}`,
    }),
  ),
  {
    alert: 'MachineMetricsSilent',
    rule: 'silent-metrics',
    expr: `(${SILENT} unless on (instance) (${NEARLY_ALL_SILENT})) or ${SAMPLE_AGE_SERIES} < 0`,
    severity: 'warning',
    summary: '{{ $labels.name }} runs, and its newest sample is {{ $value | humanizeDuration }} old (negative: ahead)',
  },
  {
    alert: 'MetricsSilent',
    rule: 'silent-metrics',
    expr: NEARLY_ALL_SILENT,
    severity: 'warning',
    summary: '{{ $value }} machines, nearly all that are measured, run and have sent no sample for 15 minutes',
  },
  {
    alert: 'MachineMemoryFull',
    rule: 'saturated',
    expr: `${MEMORY} >= 0.95`,
    for: '10m',
    severity: 'warning',
    summary: '{{ $labels.name }} uses {{ $value | humanizePercentage }} of its memory',
  },
  {
    alert: 'MachineCpuAtLimit',
    rule: 'saturated',
    expr: 'skydeck_machine_cpu_utilization_ratio >= 0.97',
    for: '1h',
    severity: 'notice',
    summary: '{{ $labels.name }} has used {{ $value | humanizePercentage }} of its CPUs for an hour',
  },
  {
    alert: 'MachineFallenSilent',
    rule: 'fallen-silent',
    // No activity for half an hour, after activity in nine tenths of the twenty hours before, at least six of them
    // measured.
    expr: `max_over_time(${WORKING}[30m]) == 0 and ${OF_ONE} avg_over_time(${WORKING}[20h] offset 30m) >= 0.9 and ${OF_ONE} (${WORKING} offset 390m)`,
    severity: 'warning',
    summary: '{{ $labels.name }} stopped working after hours of load',
  },
  {
    alert: 'MachineMemoryLeak',
    rule: 'memory-leak',
    // The middle line is the correlation with time: for a straight line, the slope explains the whole deviation.
    expr: `${MEMORY} >= 0.5 and ${OF_ONE} predict_linear(${MEMORY}[6h], 86400) >= 1 and ${OF_ONE} deriv(${MEMORY}[6h]) * 21600 / 12 ^ 0.5 / stddev_over_time(${MEMORY}[6h]) >= 0.975 and ${OF_ONE} (${MEMORY} offset 6h)`,
    for: '10m',
    severity: 'warning',
    summary: 'the memory of {{ $labels.name }} will be full within a day',
  },
  {
    alert: 'MachineStoppedButBilled',
    rule: 'stopped-but-billed',
    expr: `cloudcost_resource_hourly_cost{type="vm"} > 0 and ${OF_ONE} skydeck_machine_status{status="SHUTOFF"} unless ${OF_ONE} skydeck_machine_info{cluster_id!=""}`,
    for: '5m',
    severity: 'warning',
    summary: '{{ $labels.name }} is SHUTOFF and costs {{ $value | humanize }} $/h',
  },
  {
    alert: 'GhostSpend',
    rule: 'ghost-spend',
    // Nothing can be missing from a list that was not read, or not read completely.
    expr: `((cloudcost_resource_hourly_cost{type="vm"} unless ${OF_ONE} skydeck_machine_status) and on (instance) (skydeck_reading_incomplete{feed="machines"} == 0 and skydeck_reading_age_seconds{feed="machines"} < 300)) or ((cloudcost_resource_hourly_cost{type="volume"} unless ${OF_ONE} skydeck_volume_attached) and on (instance) (skydeck_reading_incomplete{feed="volumes"} == 0 and skydeck_reading_age_seconds{feed="volumes"} < 300))`,
    for: '10m',
    severity: 'warning',
    summary: '{{ $labels.type }} {{ $labels.name }} costs {{ $value | humanize }} $/h and is not in any list',
  },
  {
    alert: 'VolumeUnattached',
    rule: 'unattached-volume',
    expr: `max_over_time(skydeck_volume_attached[7d]) == 0 and ${OF_ONE} (skydeck_volume_attached offset 7d)`,
    severity: 'notice',
    summary: 'volume {{ $labels.name }} has been unattached for a week',
  },
  {
    alert: 'ClusterFailed',
    rule: 'cluster-not-ready',
    expr: 'skydeck_cluster_status{status="ERROR"}',
    for: '1m',
    severity: 'critical',
    summary: 'cluster {{ $labels.name }} is in ERROR',
  },
  {
    alert: 'ClusterCreationStuck',
    rule: 'cluster-not-ready',
    expr: 'skydeck_cluster_status{status="CREATING"}',
    for: '1h',
    severity: 'critical',
    summary: 'cluster {{ $labels.name }} has been CREATING for an hour',
  },
  {
    alert: 'ClusterReconcilingLong',
    rule: 'cluster-not-ready',
    expr: 'skydeck_cluster_status{status=~"RECONCILING|WARNING"}',
    for: '30m',
    severity: 'warning',
    summary: 'cluster {{ $labels.name }} has been {{ $labels.status }} for half an hour',
  },
  {
    alert: 'ContractEnding',
    rule: 'contract-ending',
    expr: 'cloudcost_contract_expiry_timestamp_seconds - time() < 30 * 86400 and cloudcost_contract_expiry_timestamp_seconds > time()',
    severity: 'notice',
    summary: 'contract {{ $labels.contract_id }} ends in {{ $value | humanizeDuration }}, then: {{ $labels.policy }}',
  },
  {
    alert: 'ContractDeletes',
    rule: 'contract-ending',
    expr: 'cloudcost_contract_expiry_timestamp_seconds{policy!="market"} - time() < 14 * 86400 and cloudcost_contract_expiry_timestamp_seconds > time()',
    severity: 'critical',
    summary:
      'contract {{ $labels.contract_id }} ends in {{ $value | humanizeDuration }} and {{ if eq $labels.policy "unknown" }}may delete{{ else }}deletes{{ end }} what it covers',
  },
  {
    alert: 'CreditRunway',
    rule: 'credit-runway',
    expr: `${CREDIT_LASTS}{estimate="most"} ${ENDS_SOON}`,
    for: '5m',
    severity: 'critical',
    summary: 'prepaid credit ends in {{ $value | humanizeDuration }}: everything is suspended then',
  },
  {
    alert: 'CreditMayEnd',
    rule: 'credit-runway',
    expr: `${CREDIT_LASTS}{estimate="list"} ${ENDS_SOON} unless on (instance) ${CREDIT_LASTS}{estimate="most"} ${ENDS_SOON}`,
    for: '5m',
    severity: 'warning',
    summary: 'at list prices prepaid credit ends in {{ $value | humanizeDuration }}: everything is suspended then',
  },
  {
    alert: 'BurnDoubled',
    rule: 'burn-anomaly',
    expr: `${BURN} > 2 * (${BURN} offset 1d) and (${BURN} - ${BURN} offset 1d) * 24 >= 10`,
    for: '1h',
    severity: 'critical',
    summary: 'the burn rate is {{ $value | humanize }} $/h, twice that of yesterday',
  },
  {
    alert: 'BudgetEnding',
    rule: 'budget-crossing',
    expr: `${BUDGET_HOURS} > 0 < 72 < on () group_left () ${HOURS_LEFT_IN_MONTH}`,
    for: '5m',
    severity: 'warning',
    summary: "the month's budget is used up in {{ $value | humanize }} h",
  },
  {
    alert: 'BudgetUsedUp',
    rule: 'budget-crossing',
    expr: 'cloudcost_month_to_date_dollars >= cloudcost_budget_dollars',
    severity: 'critical',
    summary: "the month's budget is used up",
  },
  {
    alert: 'PermissionMissing',
    rule: 'missing-permission',
    expr: 'skydeck_reading_failed{reason="not-authorised"} == 1',
    for: '5m',
    severity: 'warning',
    summary: 'the key of the exporter may not read {{ $labels.feed }}',
  },
  {
    alert: 'ClockSkew',
    rule: 'clock-skew',
    expr: 'abs(skydeck_clock_offset_seconds) > 120',
    for: '5m',
    severity: 'warning',
    summary: "the service's clock and that of the exporter differ by {{ $value | humanizeDuration }}",
  },
  {
    alert: 'RequestCeiling',
    rule: 'request-ceiling',
    expr: 'skydeck_requests_last_minute / skydeck_request_ceiling >= 0.9',
    for: '5m',
    severity: 'notice',
    summary: 'the exporter is near its request limit: data is read less often',
  },
  {
    alert: 'ReadingStale',
    rule: 'stale-readings',
    expr: 'skydeck_reading_age_seconds > 5 * skydeck_reading_interval_seconds',
    for: '1m',
    severity: 'warning',
    summary: '{{ $labels.feed }}: not read for {{ $value | humanizeDuration }}',
  },
  {
    alert: 'ServiceUnreachable',
    expr: 'skydeck_service_state{state="up"} == 0',
    for: '5m',
    severity: 'critical',
    summary: 'the exporter cannot read the account',
  },
  {
    alert: 'ExporterAbsent',
    expr: 'absent(skydeck_service_state)',
    for: '5m',
    severity: 'critical',
    summary: 'no skydeck exporter is being scraped',
  },
];

/** Alerts with other names than their rule, including one that covers part of a rule. */
const ALERT_NAMES: Readonly<Record<string, string>> = {
  idle: 'MachineIdle',
  'cluster-nodes': 'ClusterNodesMissing',
  'unattached-firewall': 'FirewallUnattached',
  'unguarded-address': 'AddressUnguarded',
  'burn-anomaly': 'BurnAnomaly',
};

/**
 * Every other rule needs more than one series can hold: firewall rules, contract prices, two weeks of samples. The
 * exporter judges it as `skydeck triage` does and exports the findings.
 */
function foundAlerts(said: readonly Alert[]): readonly Alert[] {
  const saidRules = new Set(said.map(({rule}) => rule));
  return TRIAGE_RULES.filter(({id}) => !saidRules.has(id) || id in ALERT_NAMES).map(
    ({id}): Alert => ({
      alert: ALERT_NAMES[id] ?? pascalCase(id),
      rule: id,
      expr: `skydeck_finding{rule="${id}"}`,
      for: '2m',
      summary: `{{ $labels.subject_type }} {{ $labels.subject }}: ${id}; skydeck triage says more`,
    }),
  );
}

function pascalCase(id: string): string {
  return id.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** From DCGM's own series, whose label `gpuLabel` names the machine; the exporter does not read Prometheus. */
function gpuAlerts(gpuLabel: string): readonly Alert[] {
  const own = gpuLabel === 'instance' ? gpuLabel : `instance, ${gpuLabel}`;
  const machine = `{{ $labels.${gpuLabel} }}`;
  return [
    {
      alert: 'GpuIdle',
      rule: 'gpu-idle',
      // Half of a day has to be measured. DCGM has no series for what it costs.
      expr: `max by (${own}) (max_over_time(DCGM_FI_DEV_GPU_UTIL[1d])) <= 5 and on (${own}) max by (${own}) (DCGM_FI_DEV_GPU_UTIL offset 12h)`,
      severity: 'warning',
      summary: `no GPU of ${machine} has worked for a day`,
    },
    {
      alert: 'GpuError',
      rule: 'gpu-error',
      expr: 'DCGM_FI_DEV_XID_ERRORS > 0',
      severity: 'warning',
      summary: `the last error of GPU {{ $labels.gpu }} of ${machine} is XID {{ $value }}`,
    },
    {
      alert: 'GpuThrottled',
      rule: 'gpu-throttled',
      expr: `${GPU_IS_THROTTLED} > 0`,
      for: '5m',
      severity: 'warning',
      summary: `GPU {{ $labels.gpu }} of ${machine} is slowed by heat or power`,
    },
    {
      alert: 'GpuMemoryFull',
      rule: 'gpu-memory-full',
      expr: 'DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE) >= 0.98',
      for: '10m',
      severity: 'notice',
      summary: `GPU {{ $labels.gpu }} of ${machine} uses {{ $value | humanizePercentage }} of its memory`,
    },
  ];
}

/** The Prometheus rule file as a value. `gpuLabel` is the label of DCGM's series that names the machine. */
export function alertingRules({gpuLabel}: {readonly gpuLabel: string}): object {
  const said = [...SAID_IN_PROMQL, ...gpuAlerts(gpuLabel)];
  const alerts = [...said, ...foundAlerts(said)];
  const rules = alerts.map(({alert, rule, expr, for: held, severity, summary}) => ({
    alert,
    expr,
    ...(held === undefined ? {} : {for: held}),
    labels: {...(rule === undefined ? {} : {rule}), ...(severity === undefined ? {} : {severity})},
    annotations: {summary},
  }));
  return {groups: [{name: 'skydeck', rules}]};
}
