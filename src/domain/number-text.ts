import {
  decimalFigure,
  MICRO_PER_USD,
  type MicroUsd,
  MINUTES_PER_HOUR,
  type Rate,
  type Rational,
  rational,
  type Usd,
} from './money.ts';
import {type SafeText, safeText} from './safe-text.ts';

/** How figures are written, on the screen and in sentences alike: money, rounded for reading, and percent. */

/** Below ten cents an hour, two decimals say too little. */
const FINE_RATE_BELOW = rational(1n, 10n);

/** `$25.60/h`; four decimals below $0.10. */
export function rateText(rate: Rate): string {
  return `${signed(hourly(rate), magnitude => withDollar(rateFigure(magnitude)))}/h`;
}

/** `$31,204.00` from a number of dollars, such as an average. What rounds to zero has no sign. */
export function dollarText(amount: number): string {
  const isBelowZero = Number(amount.toFixed(2)) < 0;
  return `${isBelowZero ? '-' : ''}$${grouped(Math.abs(amount).toFixed(2))}`;
}

/** `61%` from a finite ratio; a value above zero is at least `<1%`. */
export function percentText(ratio: number): string {
  const percent = ratio * 100;
  if (percent > 0 && percent < 0.5) return '<1%';
  return `${Math.round(percent) + 0}%`;
}

export function hourly(rate: Rate): Rational {
  return rational(rate.numerator * MINUTES_PER_HOUR, rate.denominator);
}

export function dollars(amount: Usd | MicroUsd): Rational {
  return typeof amount === 'number' ? rational(BigInt(amount), MICRO_PER_USD) : amount;
}

export function signed(value: Rational, figure: (magnitude: Rational) => string): string {
  const text = figure(magnitudeOf(value));
  if (value.numerator >= 0n) return text;
  // Less than the smallest figure below zero is still more than minus that figure: `>-$0.01`.
  return text.startsWith('<') ? `>-${text.slice(1)}` : `-${text}`;
}

export function magnitudeOf(value: Rational): Rational {
  return value.numerator < 0n ? {numerator: -value.numerator, denominator: value.denominator} : value;
}

export function withDollar(figure: string): string {
  return figure.startsWith('<') ? `<$${figure.slice(1)}` : `$${figure}`;
}

export function rateFigure(magnitude: Rational): string {
  if (magnitude.numerator === 0n) return '0.00';
  if (!isBelow(magnitude, FINE_RATE_BELOW)) return centsFigure(magnitude);
  const figure = decimal(magnitude, 4);
  return figure === '0.0000' ? '<0.0001' : figure;
}

/** A nano-dollar: the published prices of a GB have up to nine decimals. */
const UNIT_PRICE_PLACES = 9;

/** The same with all its digits: a hundredth of a cent is much of the price of a GB. */
export function unitPriceFigure(magnitude: Rational): string {
  if (magnitude.numerator === 0n || !isBelow(magnitude, FINE_RATE_BELOW)) return rateFigure(magnitude);
  const figure = decimal(magnitude, UNIT_PRICE_PLACES).replace(/(?<=\.\d{4,})0+$/, '');
  return figure === '0.0000' ? '<0.000000001' : figure;
}

export function centsFigure(magnitude: Rational): string {
  const figure = decimal(magnitude, 2);
  if (figure === '0.00' && magnitude.numerator !== 0n) return '<0.01';
  return grouped(figure);
}

export function isBelow(value: Rational, limit: Rational): boolean {
  return value.numerator * limit.denominator < limit.numerator * value.denominator;
}

/** The exact value with a number of decimals, rounded once, half to even. */
export function decimal(value: Rational, places: number): string {
  const scale = 10n ** BigInt(places);
  const scaledNumerator = value.numerator * scale;
  const below = scaledNumerator / value.denominator;
  const twiceRemainder = 2n * (scaledNumerator % value.denominator);
  const isUp = twiceRemainder > value.denominator || (twiceRemainder === value.denominator && below % 2n === 1n);
  return decimalFigure(isUp ? below + 1n : below, places);
}

/** `1,500 GB`, exactly as many as the service says. */
export function gigabytesText(gigabytes: number): SafeText {
  return safeText(`${grouped(String(gigabytes))} GB`);
}

export function grouped(figure: string): string {
  return figure.replace(/\B(?=(?:\d{3})+(?!\d))(?<!\.\d*)/g, ',');
}
