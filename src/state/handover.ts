import {soFar} from '../domain/billing-history.ts';
import {outcomeWords} from '../domain/describe-operation.ts';
import {costSince, handoverLines} from '../domain/handover.ts';
import {knownBurn} from '../domain/money/report.ts';
import type {OperationPhase} from '../domain/operation.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import type {EpochMs} from '../domain/time.ts';
import {organizationFeed} from './account.ts';
import {billedSoFar, billingFigures, deletedUsageFeed, usageFeed} from './billing.ts';
import {presentTriage, type TriageMoment} from './triage.ts';

/** Operations sent from here, in their present state. */
type HandoverAction = {
  readonly confirmedAt: EpochMs;
  readonly words: SafeText;
  readonly phase: OperationPhase;
  readonly detail: SafeText | undefined;
};

/** The handover as lines of Markdown, from what was read so far. */
export function presentHandover(
  moment: TriageMoment,
  {since, sent}: {readonly since: EpochMs; readonly sent: readonly HandoverAction[]},
): readonly string[] {
  const {store, now} = moment;
  const figures = billingFigures(moment);
  const usage = (feed: typeof usageFeed) => lastValue(store.get(feed))?.records;
  return handoverLines({
    account: lastValue(store.get(organizationFeed))?.name,
    now,
    since,
    found: presentTriage(moment),
    done: sent
      .filter(({confirmedAt}) => confirmedAt >= since)
      .sort((left, right) => left.confirmedAt - right.confirmedAt)
      .map(each => ({at: each.confirmedAt, words: each.words, outcome: outcomeWords(each)})),
    burn: figures && knownBurn(figures),
    cost: costSince(usage(usageFeed), usage(deletedUsageFeed), {
      since,
      now,
      billed: billedSoFar(soFar(since, now), moment),
    }),
  });
}
