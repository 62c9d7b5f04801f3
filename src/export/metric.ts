/** All samples of one name, as a monitoring system takes them. */
export type MetricFamily = {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly samples: readonly MetricSample[];
};

type MetricSample = {readonly labels: Labels; readonly value: number};

export type Labels = Readonly<Record<string, string>>;

/** A sample whose value may be missing. */
export type MaybeSample = {readonly labels?: Labels; readonly value: number | undefined};

type About = {readonly name: string; readonly help: string};

/** A family of gauges. Samples without a finite value are left out, since missing data is not zero. */
export function gauges(about: About, samples: readonly MaybeSample[]): MetricFamily {
  return {...about, type: 'gauge', samples: finite(samples)};
}

/** A gauge without labels; absent if its value is. */
export function gauge(about: About, value: number | undefined): MetricFamily {
  return gauges(about, [{value}]);
}

/** A family of counters. The service may correct a bill below zero, which no counter can be. */
export function counters(about: About, samples: readonly MaybeSample[]): MetricFamily {
  return {...about, type: 'counter', samples: finite(samples).filter(({value}) => value >= 0)};
}

export function seriesCount(families: readonly MetricFamily[]): number {
  return families.reduce((sum, {samples}) => sum + samples.length, 0);
}

function finite(samples: readonly MaybeSample[]): readonly MetricSample[] {
  return samples.flatMap(({labels = {}, value}) =>
    value === undefined || !Number.isFinite(value) ? [] : [{labels, value}],
  );
}
