import {describe, expect, it} from 'vitest';
import {monthSoFar} from '../../../src/domain/billing-history.ts';
import {rational, usd} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, HOUR_MS} from '../../../src/domain/time.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {machinesPane} from '../../../src/panes/machines/pane.tsx';
import {serviceCostFeeds, serviceCostLines} from '../../../src/panes/machines/service-cost-lines.ts';
import {type DetailPart, FIRST_CHOICE} from '../../../src/panes/machines/view.ts';
import {machineGraphFeed, machineHistoryFeed, machinePriceFeed} from '../../../src/state/billing.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {aKnownScene, dollarsPerHour, NOW} from '../a-known-scene.ts';
import {aReadScene, failing, listed, read, textsOf} from '../a-read-scene.ts';

const ID = virtualMachineId(7);
const MACHINE = {id: ID};
const PERIOD = monthSoFar(NOW);
const dollars = (whole: bigint) => usd(rational(whole, 1n));

const PRICE = read(machinePriceFeed(ID), {
  name: safeText('a'),
  rate: dollarsPerHour('2'),
  listRate: dollarsPerHour('2.5'),
  parts: [
    {
      name: safeText('A100'),
      amount: rational(2n, 1n),
      rate: dollarsPerHour('1.8'),
      listRate: dollarsPerHour('2.4'),
    },
    {
      name: safeText('publicip'),
      amount: rational(1n, 1n),
      rate: dollarsPerHour('0.2'),
      listRate: dollarsPerHour('0.2'),
    },
  ],
});
const HISTORY = listed(machineHistoryFeed(ID, PERIOD), [
  {
    name: safeText('a'),
    billedCost: dollars(40n),
    listCost: dollars(50n),
    usedMs: 20 * HOUR_MS,
    usedByState: [
      {state: safeText('ACTIVE'), usedMs: -20_500},
      {state: safeText('HIBERNATED'), usedMs: 20.5 * HOUR_MS},
    ],
  },
]);

describe('serviceCostLines', () => {
  it('show the price with its parts and the discount of each', () => {
    const text = textsOf(serviceCostLines(aReadScene([PRICE]), MACHINE));
    // 2 of 2.5 is a fifth less, 1.8 of 2.4 a quarter.
    expect(text).toMatch(/price +\$2\.00\/h +20% off \$2\.50\/h$/m);
    expect(text).toMatch(/2 × A100 +\$1\.80\/h +25% off \$2\.40\/h$/m);
    expect(text).toMatch(/1 × publicip +\$0\.20\/h$/m);
  });

  it('show the month without the discount and the hours by state, with a negative one unchanged', () => {
    const text = textsOf(serviceCostLines(aReadScene([HISTORY]), MACHINE));
    expect(text).toMatch(/list price +\$50\.00 +this month$/m);
    expect(text).toMatch(/metered +20\.0h +ACTIVE -20s +HIBERNATED 20\.5h$/m);
  });

  it('draw a bar for each day, and a dot for a missing day', () => {
    const steps = [0, 19].map(day => ({startsAt: epochMs(PERIOD.startsAt + day * DAY_MS), billedCost: dollars(12n)}));
    const scene = aReadScene([listed(machineGraphFeed(ID, PERIOD), [{name: safeText('a'), steps}])]);
    const {gap, levels} = scene.theme.glyphs;
    // The highest level of a row leaves its top free.
    const full = levels.at(-2);
    // The twentieth is today.
    const text = textsOf(serviceCostLines(scene, MACHINE));
    expect(text).toContain(`${full}${gap.repeat(18)}${full}  from 1 Nov to today`);
    expect(text).toContain('today $12.00  yesterday unknown  at most $12.00, 1 Nov');
  });

  it('say what the service does not have, what is being read and what failed, and show no zero for it', () => {
    const nothing = [listed(machineHistoryFeed(ID, PERIOD), []), listed(machineGraphFeed(ID, PERIOD), [])];
    const text = textsOf(serviceCostLines(aReadScene(nothing), MACHINE));
    expect(text).toContain('reading the price');
    expect(text).toContain('bill of the month: the service has none');
    expect(text).toContain('bill by day: the service has none');
    expect(text).not.toContain('$0.00');
    const failed = failing(aReadScene([]), machinePriceFeed(ID));
    expect(textsOf(serviceCostLines(failed, MACHINE))).toMatch(/price unknown: .*reset/);
  });
});

describe('the machines pane', () => {
  const scene = aKnownScene({machines: [aVirtualMachine({id: 7})]});
  const keys = serviceCostFeeds(MACHINE, NOW).map(({key}) => key);
  const wanted = (part: DetailPart) => {
    const view = {...machinesPane.initialView, isZoomed: true, own: {...FIRST_CHOICE, part}};
    return machinesPane.wants({scene, view: machinesPane.adjust({scene, view})}).map(({feed}) => feed.key);
  };

  it('reads these feeds while the cost part is open, and only then', () => {
    expect(wanted('cost')).toEqual(expect.arrayContaining(keys));
    expect(wanted('record').filter(key => keys.includes(key))).toEqual([]);
    expect(keys).toHaveLength(3);
  });
});
