import {FLAVORS, type Flavor, PUBLIC_IP_NANO_PER_HOUR, STORAGE_NANO_PER_GB_HOUR} from './catalogue.ts';

/** One line of the price list: nano-dollars for one unit and hour. */
export type PricedUnit = {readonly name: string; readonly nanoPerHour: number};

export const STORAGE_UNIT: PricedUnit = {name: 'Cloud-SSD', nanoPerHour: STORAGE_NANO_PER_GB_HOUR};
export const ADDRESS_UNIT: PricedUnit = {name: 'Public IP', nanoPerHour: PUBLIC_IP_NANO_PER_HOUR};
// Cores and memory come with the GPU, or with the flavor of a machine without one.
export const CORE_UNIT: PricedUnit = {name: 'vCPU', nanoPerHour: 0};
export const MEMORY_UNIT: PricedUnit = {name: 'RAM', nanoPerHour: 0};
export const EPHEMERAL_UNIT: PricedUnit = {name: 'Ephemeral', nanoPerHour: 0};

/** What the price of a flavor is counted by: its GPUs, or itself where it has none. */
export function unitOf(flavor: Flavor): PricedUnit & {readonly count: number} {
  const count = Math.max(1, flavor.gpuCount);
  const isSpot = flavor.name.endsWith('-spot');
  const name = flavor.gpu === '' ? flavor.name : `${flavor.gpu}${isSpot ? '-spot' : ''}`;
  return {name, nanoPerHour: flavor.nanoPerHour / count, count};
}

/** Every unit once. */
export function pricebook(): PricedUnit[] {
  const compute = new Map(FLAVORS.map(flavor => [unitOf(flavor).name, unitOf(flavor).nanoPerHour]));
  const units = [...compute].map(([name, nanoPerHour]) => ({name, nanoPerHour}));
  return [...units, CORE_UNIT, MEMORY_UNIT, EPHEMERAL_UNIT, STORAGE_UNIT, ADDRESS_UNIT];
}

/** A decimal of nine places as text; the service writes zero with an exponent. */
export function decimalText(nano: number): string {
  if (nano === 0) return '0E-9';
  const digits = String(Math.round(nano)).padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}
