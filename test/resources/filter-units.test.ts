import {describe, expect, test} from 'vitest';
import {getCommand} from '../../src/cli/commands/get.ts';
import {matches, viewOf} from '../../src/cli/get/view.ts';
import {usage as usageEndpoint} from '../../src/api/billing.ts';
import {epochMs, monotonicMs} from '../../src/domain/time.ts';
import {aloneAt, type Entry, type Resource} from '../../src/resources/resource.ts';
import {RESOURCES} from '../../src/resources/resources.ts';
import {usageFeed} from '../../src/state/billing.ts';
import {createStore} from '../../src/state/store.ts';
import {run} from '../cli/a-command.ts';
import {shared} from '../support/lifetime.ts';
import {openSimulator} from '../support/simulator.ts';

const NOW = Date.UTC(2026, 10, 20);

/** How a figure with a unit is printed. */
const PRINTED = [
  {unit: 'gigabytes', as: /^([\d.]+) (G|T)B$/},
  {unit: 'bytes', as: /^([\d.]+)([KMGT])$/},
  {unit: 'duration', as: /^(\d+)([smhd])(\d\d)?$/},
  {unit: 'percent', as: /^(\d+)(%)$/},
];
const SUFFIXED = ['3G', '3d', '3%', '$3', '3M/s'];
/** What may be written in a column with the unit. */
const FITTING: Readonly<Record<string, readonly string[]>> = {
  gigabytes: ['3G'],
  bytes: ['3G'],
  bytesPerSecond: ['3G', '3M/s'],
  duration: ['3d'],
  days: ['3d'],
  percent: ['3%'],
  dollars: ['$3'],
  none: [],
};

const entriesOf = shared(async () => {
  const simulator = await openSimulator({startedAt: NOW, speed: 1});
  const store = createStore();
  const known = {...aloneAt(epochMs(NOW)), store};
  const read = new Map<Resource, readonly unknown[]>();
  for (const resource of RESOURCES) {
    const {stdout} = await run(getCommand, `${resource.names[0]} -o json`, {simulator});
    const raw: unknown[] = JSON.parse(stdout === '' ? '[]' : stdout);
    read.set(resource, raw);
    resource.keep({raw}, store.writeValue);
    if (resource.names[0] !== 'usage') continue;
    const records = raw.flatMap(each => {
      const reading = usageEndpoint.record(each);
      return reading.ok ? [reading.value] : [];
    });
    store.writeValue(usageFeed, {records, quarantined: []}, monotonicMs(0));
  }
  return new Map([...read].map(([resource, raw]) => [resource.names[0], raw.map(resource.entry(known))]));
});

describe.each(RESOURCES.map(resource => [resource.names[0], resource] as const))('%s', (name, resource) => {
  const isUnderstood = (expression: string) => viewOf(resource, {filter: expression, output: 'table'}).ok;
  const finds = (expression: string, entry: Entry) => {
    const outcome = viewOf(resource, {filter: expression, output: 'table'});
    if (!outcome.ok) throw new Error(outcome.mistake);
    return matches(outcome.view, resource, entry);
  };

  test('takes in each column the suffixes of its unit, and no other', () => {
    const wrong = resource.columns.flatMap(({key, unit = 'none'}) =>
      SUFFIXED.filter(text => isUnderstood(`${key}>${text}`) !== FITTING[unit]?.includes(text)).map(
        text => `${key}>${text}`,
      ),
    );
    expect(wrong).toEqual([]);
  });

  test('finds each number by what is printed', () => {
    const wrong: string[] = [];
    for (const entry of entriesOf().get(name) ?? []) {
      for (const {key, unit} of resource.columns) {
        const value = entry.cell?.(key);
        if (value?.number === undefined || value.number <= 0) continue;
        const printed = PRINTED.find(({as}) => as.test(value.text));
        const [, figure = value.text, suffix = ''] = printed?.as.exec(value.text) ?? [];
        if (printed !== undefined && printed.unit !== unit) wrong.push(`${key} ${value.text} is ${unit}`);
        // A rounded figure is not far from the exact one; one below 1 may be printed as `<1`.
        const number = Number(figure.replaceAll(',', ''));
        if (Number.isNaN(number) || number === 0) continue;
        const [half, twice] = [`${number / 2}${suffix}`, `${number * 2 + 1}${suffix}`];
        const terms = [`${key}>${half}`, `!${key}<${half}`, `${key}<${twice}`, `!${key}>${twice}`];
        wrong.push(...terms.filter(term => !finds(term, entry)).map(term => `${term} of ${value.text}`));
      }
    }
    expect([...new Set(wrong)]).toEqual([]);
  });
});

test('every column titled as money, or with an age, says so', () => {
  const columns = RESOURCES.flatMap(({columns: all}) => all);
  const money = columns.filter(({title}) => title.includes('$'));
  expect(money.length).toBeGreaterThan(5);
  expect(money.filter(({unit}) => unit !== 'dollars')).toEqual([]);
  const ages = columns.filter(({title}) => title === 'AGE');
  expect(ages.length).toBeGreaterThan(5);
  expect(ages.filter(({unit}) => unit !== 'duration')).toEqual([]);
});
