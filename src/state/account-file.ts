import type {Answer} from '../api/client.ts';
import type {UsageRecord} from '../domain/billing.ts';
import {type Rational, rational} from '../domain/money.ts';
import {epochMs, isoText} from '../domain/time.ts';

// What the files have in common that keep something of each account: one service may have several.

const MAX_ACCOUNTS = 8;

/**
 * An organization together with its oldest span, because simulated services give every account the same number.
 * Undefined if usage does not name it or is incomplete.
 */
export function accountOf({records, incompleteReason}: Answer<UsageRecord>): string | undefined {
  const organizationId = records.find(record => record.organizationId !== undefined)?.organizationId;
  if (organizationId === undefined || incompleteReason !== undefined) return undefined;
  const oldest = Math.min(...records.flatMap(({createdAt}) => createdAt ?? []));
  return `${organizationId} since ${Number.isFinite(oldest) ? isoText(epochMs(oldest)) : 'unknown'}`;
}

/** With one account as it is now, as the last; of too many accounts, the one written longest ago is dropped. */
export function withAccount<T>(all: ReadonlyMap<string, T>, account: string, own: T): ReadonlyMap<string, T> {
  const others = [...all].filter(([each]) => each !== account);
  return new Map([...others, [account, own] as const].slice(-MAX_ACCOUNTS));
}

export function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** An exact fraction: `1770125/1000`. */
export function fractionText({numerator, denominator}: Rational): string {
  return `${numerator}/${denominator}`;
}

export function fraction(text: string): Rational | undefined {
  const [, numerator, denominator] = /^(-?\d{1,200})\/([1-9]\d{0,199})$/.exec(text) ?? [];
  return numerator === undefined || denominator === undefined
    ? undefined
    : rational(BigInt(numerator), BigInt(denominator));
}
