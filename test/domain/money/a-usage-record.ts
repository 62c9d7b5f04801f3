import fc from 'fast-check';
import type {UsageRecord} from '../../../src/domain/billing.ts';
import {PRICES} from '../../../src/domain/money/prices.ts';
import type {CostReading} from '../../../src/domain/money/report.ts';
import {
  parseDecimal,
  type Rate,
  ratePerHour,
  ratePerMinute,
  rational,
  type Usd,
  usd,
} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {type EpochMs, epochMs, SECOND_MS} from '../../../src/domain/time.ts';

export const NOW = at('2026-11-11T06:00:00Z');
export const MONTH = {start: at('2026-11-01T00:00:00Z'), end: at('2026-12-01T00:00:00Z')};

export function aRecord(fields: Partial<UsageRecord> = {}): UsageRecord {
  return {
    resourceId: 1,
    resourceType: safeText('vm'),
    name: safeText('train-01'),
    createdAt: MONTH.start,
    isActive: true,
    isExcludedFromBilling: false,
    ...fields,
  };
}

/** The input of a cost report that knows these records and nothing else. */
export function aCostReading(live: readonly UsageRecord[], fields: Partial<CostReading> = {}): CostReading {
  return {
    now: NOW,
    month: MONTH,
    live,
    deleted: [],
    billed: [],
    machineHistories: undefined,
    machines: undefined,
    volumes: undefined,
    contracts: undefined,
    prices: PRICES,
    ...fields,
  };
}

export function at(text: string): EpochMs {
  return epochMs(Date.parse(text));
}

export function dollars(text: string): Usd {
  return usd(parseDecimal(text) ?? rational(0n, 1n));
}

export function perHour(text: string): Rate {
  return ratePerHour(parseDecimal(text) ?? rational(0n, 1n));
}

/** Created within a hundred days before now, ended or not, some with missing or negative amounts. */
function anyRecord(): fc.Arbitrary<UsageRecord> {
  const seconds = fc.integer({min: 1, max: 100 * 86_400});
  return fc
    .record({
      resourceId: fc.integer({min: 1, max: 6}),
      type: fc.constantFrom('vm', 'vm', 'volume'),
      ageSeconds: seconds,
      lengthSeconds: fc.option(seconds),
      microUsd: fc.option(fc.bigInt(-5n, 10n ** 10n), {freq: 12}),
      nanoPerMinute: fc.option(fc.bigInt(-5n, 10n ** 9n), {freq: 6}),
    })
    .map(({resourceId, type, ageSeconds, lengthSeconds, microUsd, nanoPerMinute}) => {
      const createdAt = epochMs(NOW - ageSeconds * SECOND_MS);
      const ended = lengthSeconds === null ? undefined : Math.min(NOW, createdAt + lengthSeconds * SECOND_MS);
      return aRecord({
        resourceId,
        resourceType: safeText(type),
        name: safeText(`machine-${resourceId}`),
        createdAt,
        isActive: ended === undefined,
        ...(microUsd === null ? {} : {billedCost: usd(rational(microUsd, 1_000_000n))}),
        ...(nanoPerMinute === null ? {} : {rate: ratePerMinute(rational(nanoPerMinute, 10n ** 9n))}),
        ...(ended === undefined ? {} : {terminatedAt: epochMs(ended)}),
      });
    });
}

export function anyRecords(maxLength = 12): fc.Arbitrary<UsageRecord[]> {
  return fc.array(anyRecord(), {maxLength});
}
