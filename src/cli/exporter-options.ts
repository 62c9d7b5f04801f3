import {InvalidArgumentError} from 'commander';

export const DEFAULT_MEASURED = 50;

/** Of how many machines the metrics are wanted: `none`, `top:N` or `all`. */
export function readMeasured(text: string): number {
  if (text === 'none') return 0;
  if (text === 'all') return Number.POSITIVE_INFINITY;
  const count = /^top:([1-9]\d{0,5})$/.exec(text)?.[1];
  if (count === undefined) throw new InvalidArgumentError('must be none, top:N or all');
  return Number(count);
}
