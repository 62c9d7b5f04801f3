import {type Discount, isContractInForce, isDiscountInForce} from '../contract.ts';
import {type SafeText, say} from '../safe-text.ts';
import {DAY_MS, type EpochMs} from '../time.ts';
import {judgeEach, type TriageRule} from './finding.ts';
import {minuteWords} from './words.ts';

const NOTICE_DAYS = 14;

/** A discount that ends before its contract does: prices rise, and no other rule reports it. */
export const discountEnding: TriageRule = {
  id: 'discount-ending',
  judge: ({contracts, now}) =>
    judgeEach(contracts, 'contracts', contract =>
      isContractInForce(contract, now)
        ? contract.discounts.flatMap(discount => {
            const days = discountDays(discount, now);
            if (!isDiscountInForce(discount, contract, now) || days === undefined || days > NOTICE_DAYS) return [];
            // The end of the contract itself is reported by another rule.
            const endsWithContract = contract.endsAt !== undefined && contract.endsAt - now <= days * DAY_MS;
            if (endsWithContract) return [];
            return [
              {
                severity: 'notice' as const,
                subject: {
                  type: 'contract' as const,
                  id: contract.id,
                  name: contract.description ?? say`contract #${contract.id}`,
                },
                summary: days < 1 ? say`discount ends within a day` : say`discount ends in ${Math.floor(days)}d`,
                evidence: [
                  say`the discount on ${discount.resourceName ?? say`some of its resources`} ${endWords(discount, now + days * DAY_MS)} the contract`,
                ],
                advice: say`What it covers is billed at market price from then on.`,
                commands: [say`skydeck describe contract ${contract.id}`],
              },
            ];
          })
        : undefined,
    ),
};

/** The service may give only the number of days that are left, or one that is over before the date. */
function endWords({endsAt}: Discount, end: number): SafeText {
  return endsAt === undefined || endsAt - end >= DAY_MS
    ? say`ends before`
    : say`ends on ${minuteWords(endsAt)}, before`;
}

function discountDays({endsAt, validityDays}: Discount, now: EpochMs): number | undefined {
  const byDate = endsAt === undefined ? undefined : (endsAt - now) / DAY_MS;
  const known = [byDate, validityDays].filter(days => days !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
