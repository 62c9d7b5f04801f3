import type {Action} from '../domain/action.ts';
import {soFar} from '../domain/billing-history.ts';
import {costChange, currentRate} from '../domain/cost.ts';
import {outcomeWords} from '../domain/describe-operation.ts';
import {costSince, type Handover, type HandoverLine, handoverLines} from '../domain/handover.ts';
import {knownBurn} from '../domain/money/report.ts';
import {recordsOf} from '../domain/money/settled.ts';
import {stoppedWaste} from '../domain/money/waste.ts';
import {subtractRates, sumRates, ZERO_RATE} from '../domain/money.ts';
import {isUnsent, type OperationPhase} from '../domain/operation.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import type {EpochMs} from '../domain/time.ts';
import {mayBeUnderContract} from '../domain/virtual-machine.ts';
import {organizationFeed} from './account.ts';
import {
  billedSoFar,
  billingFigures,
  creditFeed,
  deletedUsageFeed,
  knownCredit,
  oldReadingAt,
  presentlyExcluded,
  presentRates,
  presentRunway,
  usageFeed,
} from './billing.ts';
import {presentRunningRate} from './contracts.ts';
import {observedMachines} from './machines.ts';
import {presentTriage, type TriageInput, unjudgedMachines, unreadLists} from './triage.ts';

/** Operations sent from here, in their present state. */
export type HandoverAction = {
  /** Undefined for a raw request. */
  readonly action: Action | undefined;
  /** The state that the action brings its subject into, if it does that. */
  readonly targetStatus: string | undefined;
  readonly confirmedAt: EpochMs;
  readonly words: SafeText;
  readonly phase: OperationPhase;
  readonly detail: SafeText | undefined;
  readonly correction: SafeText | undefined;
};

/** The handover from what was read so far. */
export function presentHandover(
  known: TriageInput,
  {
    since,
    sent,
    unreadableLineCount,
  }: Pick<Handover, 'since' | 'unreadableLineCount'> & {readonly sent: readonly HandoverAction[] | undefined},
): readonly HandoverLine[] {
  const {store, now} = known;
  const figures = billingFigures(known);
  const done = sent
    ?.filter(({confirmedAt}) => confirmedAt >= since)
    .sort((left, right) => left.confirmedAt - right.confirmedAt);
  const burn = figures && knownBurn(figures);
  return handoverLines({
    account: lastValue(store.get(organizationFeed))?.name,
    now,
    since,
    found: presentTriage(known),
    unread: unreadLists(store),
    hasUnjudgedMachines: unjudgedMachines(store).length > 0,
    incident: figures?.incident,
    done: done?.map(each => ({
      at: each.confirmedAt,
      words: each.words,
      outcome: outcomeWords(each),
      isUnsent: isUnsent(each.phase),
    })),
    ...(unreadableLineCount === undefined ? {} : {unreadableLineCount}),
    savings: savingsOf(done ?? [], known),
    stopped: stoppedCost(known),
    burn,
    usageAt: oldReadingAt(usageFeed, known),
    creditAt: oldReadingAt(creditFeed, known),
    unpricedCount: figures?.unpricedCount ?? 0,
    cost: costSince(figures && recordsOf(figures.usage), {
      since,
      now,
      billed: billedSoFar(soFar(since, now), known),
      isDeletedRead: lastValue(store.get(deletedUsageFeed)) !== undefined,
    }),
    credit: knownCredit(store, known.preferences),
    runway: presentRunway(known, burn, known.preferences),
  });
}

/** What machines cost that are shut off, also of those that were stopped a moment ago, or are kept so on purpose. */
function stoppedCost({store, now, preferences: {prices}}: TriageInput): NonNullable<Handover['stopped']> {
  const [rates, excluded] = [presentRates(store), presentlyExcluded(store)];
  const costs = (observedMachines(store) ?? []).flatMap(machine => {
    const {rate} = currentRate(machine, rates.get(machine.id), prices);
    const isBilled = stoppedWaste(machine, {rate, since: undefined, prices, now}) !== undefined;
    return isBilled && !excluded.has(machine.id) ? [{rate}] : [];
  });
  const known = costs.flatMap(({rate}) => rate ?? []);
  return {rate: sumRates(known), machineCount: costs.length, unpricedCount: costs.length - known.length};
}

/** What the machines that were hibernated, and still are, would cost if they ran, less what they cost now. */
function savingsOf(done: readonly HandoverAction[], input: TriageInput): Handover['savings'] {
  const {store, preferences} = input;
  const ids = new Set(
    done.flatMap(({action, targetStatus, phase, correction}) => {
      const isDone = phase === 'CONFIRMED' || correction !== undefined;
      return action !== undefined && targetStatus === 'HIBERNATED' && isDone ? [action.id] : [];
    }),
  );
  const rates = presentRates(store);
  const hibernated = (observedMachines(store) ?? []).filter(({id, status}) => ids.has(id) && status === 'HIBERNATED');
  const known = hibernated.flatMap(machine => {
    const fullRate = presentRunningRate(machine, input, hibernated);
    if (fullRate === undefined) return [];
    const running = {status: 'ACTIVE', retainsIp: true, fullRate} as const;
    const change = costChange(machine, running, rates.get(machine.id), preferences.prices);
    // An address that could not be read may have cost nothing while it ran.
    return change.furtherSavings === undefined ? (change.savings ?? []) : [];
  });
  return {
    rate: subtractRates(ZERO_RATE, sumRates(known)),
    machineCount: hibernated.length,
    unpricedCount: hibernated.length - known.length,
    isUncertain: hibernated.some(mayBeUnderContract),
  };
}
