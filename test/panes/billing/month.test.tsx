import {expect, it} from 'vitest';
import {safeText} from '../../../src/domain/safe-text.ts';
import {Month} from '../../../src/panes/billing/month.tsx';
import {billingFigures} from '../../../src/state/billing.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {shownLines} from '../../support/shown-lines.ts';
import {A_FLAVOR, aContract, aKnownScene, aUsageRecord} from '../a-known-scene.ts';

it.each([
  [150, /month, \$ per day \(UTC\) {2}█ today {2}┊ forecast, 80% likely {2}N! contract ends /],
  // Whole words or none.
  [54, /month, \$ per day \(UTC\) {2}█ today ─/],
])('the title of the month says how its bars are to be read, as far as there is room: %i columns', (columns, expected) => {
  const machines = [aVirtualMachine({id: 1, name: safeText('train-1'), flavor: A_FLAVOR})];
  const contracts = [aContract(4)];
  const scene = aKnownScene({machines, contracts, volumes: [], usage: [aUsageRecord(1, '4')]});
  const figures = billingFigures(scene);
  const [title] = shownLines(
    <Month scene={scene} figures={figures} place={{columns, rows: 19}} isHourly={false} />,
    columns,
  );
  expect(title).toMatch(expected);
});

it('the title of a month that is billed as a whole says that days without a bill of their own are a share of it', () => {
  const machines = [aVirtualMachine({id: 1, name: safeText('train-1'), flavor: A_FLAVOR})];
  const scene = aKnownScene({machines, volumes: [], usage: [aUsageRecord(1, '4')]});
  const figures = billingFigures(scene);
  if (figures === undefined) throw new Error('no figures');
  const billedMonth = {cost: figures.monthToDate, until: figures.reading.now};
  const [title] = shownLines(
    <Month
      scene={scene}
      figures={{...figures, reading: {...figures.reading, billedMonth}}}
      place={{columns: 150, rows: 19}}
      isHourly={false}
    />,
    150,
  );
  expect(title).toMatch(/month, \$ per day \(UTC\) {2}░ spread evenly {2}█ today/);
  const days = figures.days.map((day, index) => ({...day, source: index % 2 === 0 ? ('events' as const) : day.source}));
  const [mixed] = shownLines(
    <Month
      scene={scene}
      figures={{...figures, days, reading: {...figures.reading, billedMonth}}}
      place={{columns: 150, rows: 19}}
      isHourly={false}
    />,
    150,
  );
  expect(mixed).toMatch(/\(UTC\) {2}▒ by events {2}░ spread evenly {2}█ today/);
});
