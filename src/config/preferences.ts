import {pricesWith} from '../domain/cost.ts';
import {parseDecimal, rational, type Usd, usd} from '../domain/money.ts';
import type {Preferences} from '../domain/preferences.ts';
import {DAY_MS, HOUR_MS, SECOND_MS} from '../domain/time.ts';
import type {Settings} from './settings.ts';

/** The settings in the units that the rest of the program reckons in. */
export function preferencesOf(settings: Settings): Preferences {
  return {
    prices: pricesWith({perHourByFlavor: settings.pricesUsdPerHour, billingByState: settings.billingByState}),
    budget: dollars(settings.budgetUsdPerMonth),
    budgetAlertRatios: settings.budgetAlertPercents.map(percent => percent / 100),
    credit: dollars(settings.creditUsd),
    runwayCriticalMs: settings.runwayCriticalHours * HOUR_MS,
    contractCriticalMs: settings.contractCriticalDays * DAY_MS,
    refreshMs: settings.refreshSeconds * SECOND_MS,
  };
}

function dollars(amount: number | undefined): Usd | undefined {
  return amount === undefined ? undefined : usd(parseDecimal(String(amount)) ?? rational(0n, 1n));
}
