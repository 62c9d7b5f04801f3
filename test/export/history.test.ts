import {describe, expect, test} from 'vitest';
import type {UsageRecord} from '../../src/domain/billing.ts';
import {spendCurve} from '../../src/domain/money/spend-curve.ts';
import {parseDecimal, type Rational, ratePerHour, usd} from '../../src/domain/money.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {type EpochMs, epochMs} from '../../src/domain/time.ts';
import {type MachineStatus, type VirtualMachine, virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {pastFamilies, type PastMachine} from '../../src/export/history.ts';
import {writeHistory} from '../../src/export/openmetrics-history.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A day in the middle of a month. */
const NOON = epochMs(Date.UTC(2026, 10, 20, 12));

function decimal(text: string): Rational {
  return parseDecimal(text) ?? {numerator: 0n, denominator: 1n};
}

function aMachine(status: MachineStatus): VirtualMachine {
  const name = safeText('a');
  return {id: virtualMachineId(7), name, status, statusText: name, volumes: [], rules: [], labels: []};
}

function at(hours: number): EpochMs {
  return epochMs(NOON + hours * HOUR);
}

/** A machine that has cost a dollar an hour since a day before noon. */
const RECORD: UsageRecord = {
  resourceId: 7,
  resourceType: safeText('vm'),
  name: safeText('a'),
  createdAt: at(-24),
  rate: ratePerHour(decimal('1')),
  billedCost: usd(decimal('24')),
  isActive: true,
  isExcludedFromBilling: false,
};

function past(given: {
  readonly machine?: Partial<PastMachine>;
  readonly records?: readonly UsageRecord[];
  readonly billed?: Parameters<typeof pastFamilies>[0]['billed'];
  readonly start?: EpochMs;
}) {
  const {machine = {}, records = [], billed = [], start = at(-2)} = given;
  const machines = [{machine: aMachine('ACTIVE'), metrics: undefined, events: [], ...machine}];
  const families = pastFamilies({machines, curve: spendCurve(records, NOON), billed, period: {start, end: NOON}});
  return (name: string) => families.find(family => family.name === name)?.series ?? [];
}

describe('pastFamilies', () => {
  const event = (hours: number, reason: string) => ({
    occurredAt: at(hours),
    reason: safeText(reason),
    message: safeText(''),
  });

  function statesOf(status: MachineStatus, events: PastMachine['events']) {
    return past({machine: {machine: aMachine(status), events}})('skydeck_machine_status').map(({labels, samples}) => [
      labels.status,
      samples.length,
      samples[0]?.sampledAt,
    ]);
  }

  test('gives the states that follow from the events, every five minutes', () => {
    const states = statesOf('SHUTOFF', [
      event(-9, 'InstanceCreationSuccess'),
      event(-1, 'InstanceStopRequest'),
      event(-0.5, 'InstanceStopSuccess'),
    ]);
    // An hour before the request, half an hour while it stopped, half an hour since: 12, 6 and 6 times five minutes.
    expect(states).toEqual([
      ['ACTIVE', 12, at(-2)],
      ['STOPPING', 6, at(-1)],
      ['SHUTOFF', 6, at(-0.5)],
    ]);
  });

  test('gives no state before the first event, after a failure, or when the last event does not lead to the present state', () => {
    expect(statesOf('SHUTOFF', [event(-1, 'InstanceStartSuccess')])).toEqual([]);
    expect(
      statesOf('ACTIVE', [
        event(-3, 'InstanceCreationSuccess'),
        event(-1.5, 'HibernateInstanceRequest'),
        event(-1, 'HibernateInstanceFailed'),
      ]),
    ).toEqual([
      ['ACTIVE', 6, at(-2)],
      ['HIBERNATING', 6, at(-1.5)],
    ]);
  });

  test('gives the cost of a machine while it existed', () => {
    const [series] = past({records: [RECORD], start: at(-25)})('node_total_hourly_cost');
    expect(series?.samples).toHaveLength(24 * 12);
    expect(series?.samples[0]?.sampledAt).toBe(at(-24));
    expect(series?.samples[0]?.value).toBeCloseTo(1, 12);
  });

  test('counts a closed day as it was billed, and today as it is metered', () => {
    const records = [{...RECORD, createdAt: at(-36), billedCost: usd(decimal('36'))}];
    const monthToDate = (billed: Parameters<typeof pastFamilies>[0]['billed']) =>
      past({records, billed, start: at(-1)})('cloudcost_month_to_date_dollars')[0]?.samples[0]?.value;
    // The whole day before at a dollar an hour, and eleven hours of today.
    expect(monthToDate([])).toBeCloseTo(35, 9);
    const yesterday = epochMs(NOON - 36 * HOUR);
    const bill = {start: yesterday, until: epochMs(yesterday + DAY), cost: usd(decimal('20'))};
    expect(monthToDate([bill])).toBeCloseTo(31, 9);
  });
});

describe('writeHistory', () => {
  async function written(...samples: readonly (readonly [number, number])[]) {
    let text = '';
    const series = {
      labels: {name: 'x"\\', none: ''},
      samples: samples.map(([ms, value]) => ({sampledAt: epochMs(ms), value})),
    };
    const counts = await writeHistory(
      [
        {name: 'empty', help: 'Nothing.', series: [{labels: {}, samples: []}]},
        {name: 'a_ratio', help: 'A "share".', series: [series]},
      ],
      {
        added: {job: 'skydeck', name: 'never'},
        write: part => {
          text += part;
          return Promise.resolve();
        },
      },
    );
    return {text, ...counts};
  }

  test('writes each series in order of time, and counts what it has written', async () => {
    expect(await written([1000, 0.5], [2000, 1e-7])).toEqual({
      text: String.raw`# HELP a_ratio A \"share\".
# TYPE a_ratio gauge
a_ratio{job="skydeck",name="x\"\\"} 0.5 1
a_ratio{job="skydeck",name="x\"\\"} 1e-7 2
# EOF
`,
      sampleCount: 2,
      seriesCount: 1,
    });
  });

  test('leaves out what promtool would drop: a second sample in a second, one that goes back in time, and one that is no number', async () => {
    const {sampleCount, text} = await written([1000, 1], [1900, 2], [500, 3], [3000, Number.NaN], [4000, 5]);
    expect(sampleCount).toBe(2);
    expect(text.match(/ (?:1|4)\n/g)).toEqual([' 1\n', ' 4\n']);
  });
});
