import {describe, expect, it} from 'vitest';
import {preferencesOf} from '../../src/config/preferences.ts';
import {DEFAULT_SETTINGS} from '../../src/config/settings.ts';
import {billingInStatus, listRate} from '../../src/domain/cost.ts';
import {hourlyUsd, usdNumber} from '../../src/domain/money.ts';
import {DEFAULT_PREFERENCES} from '../../src/domain/preferences.ts';
import {safeText} from '../../src/domain/safe-text.ts';

describe('preferencesOf', () => {
  it('are the defaults where nothing is set', () => {
    expect(preferencesOf(DEFAULT_SETTINGS)).toEqual(DEFAULT_PREFERENCES);
  });

  it('reckons dollars exactly, and in milliseconds', () => {
    const preferences = preferencesOf({
      ...DEFAULT_SETTINGS,
      budgetUsdPerMonth: 45_000.5,
      budgetAlertPercents: [25, 100],
      creditUsd: 0.1,
      runwayCriticalHours: 3,
      contractCriticalDays: 2,
      refreshSeconds: 30,
    });
    expect(preferences.budget && usdNumber(preferences.budget)).toBe(45_000.5);
    expect(preferences.credit).toEqual({numerator: 1n, denominator: 10n});
    expect(preferences).toMatchObject({
      budgetAlertRatios: [0.25, 1],
      runwayCriticalMs: 3 * 3_600_000,
      contractCriticalMs: 2 * 86_400_000,
      refreshMs: 30_000,
    });
  });

  it('puts the prices and the billing that a person knows in the place of the published ones', () => {
    const {prices} = preferencesOf({
      ...DEFAULT_SETTINGS,
      pricesUsdPerHour: {'n3-H100x8': 19.5, 'N1-CPU-SMALL': 0.3},
      billingByState: {SHUTOFF: 'storage'},
    });
    const rateOf = (name: string, gpuModel?: string) => {
      const gpu = gpuModel === undefined ? {} : {gpuModel: safeText(gpuModel), gpuCount: 8};
      const rate = listRate({name: safeText(name), ...gpu}, prices);
      return rate === undefined ? undefined : hourlyUsd(rate);
    };
    expect(rateOf('n3-H100x8', 'H100-80G-PCIe')).toBe(19.5);
    expect(rateOf('n1-cpu-small')).toBe(0.3);
    expect(rateOf('n1-cpu-medium')).toBe(0.65);
    expect([...prices.ownFlavors].sort()).toEqual(['n1-cpu-small', 'n3-h100x8']);
    expect(billingInStatus('SHUTOFF', prices)).toBe('storage');
    expect(billingInStatus('ACTIVE', prices)).toBe('full');
  });
});
