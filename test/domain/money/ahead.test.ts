import {expect, test} from 'vitest';
import {moneyAhead} from '../../../src/domain/money/ahead.ts';
import {computeFigures} from '../../../src/domain/money/figures.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {DAY_MS, epochMs} from '../../../src/domain/time.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {aRecord, at, dollars, NOW, perHour} from './a-usage-record.ts';

const contract = (id: number, endsAt: number, code: 0 | 1) => ({
  id,
  status: 'ACTIVE' as const,
  statusText: safeText('Active'),
  endsAt: epochMs(endsAt),
  expirationPolicy: code === 0 ? {kind: 'delete' as const, code} : {kind: 'market' as const, code},
  discounts: [],
});
const machine = {
  id: virtualMachineId(1),
  name: safeText('train-01'),
  status: 'ACTIVE' as const,
  statusText: safeText('ACTIVE'),
  volumes: [],
  rules: [],
  labels: [],
  contractId: 118,
};

test('lists what ends within the next thirty days, soonest first, and how that changes the burn rate', () => {
  const figures = computeFigures([aRecord({rate: perHour('20')})], [], NOW, {
    machines: [machine],
    contracts: [
      contract(118, NOW + 6 * DAY_MS, 0),
      contract(97, NOW + 9 * DAY_MS, 1),
      contract(5, NOW + 31 * DAY_MS, 0),
      contract(4, NOW - DAY_MS, 0),
    ],
  });
  const budget = {
    budget: dollars('1000'),
    pace: 1,
    crossings: [
      {ratio: 0.5, at: at('2026-11-10T00:00:00Z')},
      {ratio: 0.8, at: at('2026-11-14T00:00:00Z')},
      {ratio: 1, at: undefined},
    ],
  };
  const ahead = moneyAhead(figures, {budget, creditEndsAt: at('2026-11-12T00:00:00Z')});
  expect(ahead.map(({what, kind, rise}) => [what, kind, rise])).toEqual([
    ['credit used up', 'loss', undefined],
    ['budget 80%', 'limit', undefined],
    ['#118 DELETES 1 machine', 'loss', perHour('-20')],
    ['#97 ends, covers no machines', 'rise', perHour('0')],
  ]);
});
