import {describe, expect, it} from 'vitest';
import {dashboard} from '../../src/api/dashboard.ts';
import {rational} from '../../src/domain/money.ts';
import {readExample} from './wire-example.ts';

describe('dashboard', () => {
  it('reads counts, and turns costs per hour into exact rates per minute', () => {
    expect(readExample(dashboard).records).toStrictEqual([
      {
        machines: {count: 12, cpuCount: 412, gpuCount: 34, ramGb: 1820.5, rate: rational(2535n, 60n * 100n)},
        containers: {count: 0, cpuCount: 0, gpuCount: 0, ramGb: 0, rate: rational(0n, 1n)},
        volumes: {count: 3, usedGb: 2100, rate: rational(2032254n, 60n * 10n ** 7n)},
      },
    ]);
  });

  it('leaves what it cannot read absent, never zero', () => {
    expect(readExample(dashboard, 'dashboard.get.odd-spellings').records).toStrictEqual([
      {machines: {count: 12, rate: rational(2535n, 6000n)}, clusters: {count: 2}},
    ]);
  });
});
