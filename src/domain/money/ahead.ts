import {countedWords} from '../listed-words.ts';
import type {Rate} from '../money.ts';
import {type SafeText, say} from '../safe-text.ts';
import {DAY_MS, type EpochMs} from '../time.ts';
import type {BudgetPace, CostReport} from './report.ts';

/** One date within the next thirty days that changes or ends spending. */
export type MoneyDate = {
  readonly at: EpochMs;
  /** `loss`: something is deleted or suspended; `rise`: it costs more from then on. */
  readonly kind: 'loss' | 'rise' | 'limit';
  readonly what: SafeText;
  /** What it adds to the burn rate; undefined if nothing, or if unknown. */
  readonly rise: Rate | undefined;
};

export const AHEAD_DAYS = 30;

/**
 * Ends of contracts, shares of the budget and the end of the credit within thirty days, soonest first. `creditEndsAt`
 * and `budget` if they are known.
 */
export function moneyAhead(
  {commitments = [], reading: {now}}: CostReport,
  {budget, creditEndsAt}: {readonly budget: BudgetPace | undefined; readonly creditEndsAt: EpochMs | undefined},
): readonly MoneyDate[] {
  const ends = commitments.flatMap(({contract, machines, cliff}): MoneyDate[] => {
    if (contract.endsAt === undefined) return [];
    const kept = contract.expirationPolicy.kind === 'market';
    const covered = machines === undefined ? say`what it covers` : countedWords(machines.length, say`machine`);
    const ends = say`#${contract.id} ends, covers no machines`;
    const after = kept ? say`#${contract.id} market price for ${covered}` : say`#${contract.id} DELETES ${covered}`;
    const what = machines?.length === 0 ? ends : after;
    return [{at: contract.endsAt, kind: kept ? 'rise' : 'loss', what, rise: cliff}];
  });
  const crossings = (budget?.crossings ?? []).flatMap(({ratio, at}): MoneyDate[] =>
    at === undefined ? [] : [{at, kind: 'limit', what: say`budget ${Math.round(ratio * 100)}%`, rise: undefined}],
  );
  const credit: readonly MoneyDate[] =
    creditEndsAt === undefined ? [] : [{at: creditEndsAt, kind: 'loss', what: say`credit used up`, rise: undefined}];
  return [...ends, ...crossings, ...credit]
    .filter(({at}) => at > now && at <= now + AHEAD_DAYS * DAY_MS)
    .sort((left, right) => left.at - right.at);
}
