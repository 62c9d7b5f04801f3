import type {Action} from '../../domain/action.ts';
import {type CostChange, totalFurther} from '../../domain/cost.ts';
import {isNegative, isPositive, subtractRates, sumRates, ZERO_RATE} from '../../domain/money.ts';
import {billingInStatus} from '../../domain/money/state-billing.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {
  cannotHibernate,
  mayBeUnderContract,
  mayHaveAddress,
  type VirtualMachine,
} from '../../domain/virtual-machine.ts';
import {formatAfter, formatCounted, formatGigabytes, formatRate, formatSavings} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {type AssessmentInput, costNow} from '../question/assessment-input.ts';
import type {Alternative, ManyAssessment, Wording} from '../question/assessment.ts';
import {contractSpan, endedCost, unitPrice} from '../creation/cost.ts';
import {nameLines, someNames} from '../question/question.ts';
import {asOf, hasGpu, isGpuUnknown, isWorking, ownSessionLines} from './activity.ts';
import {
  diskLines,
  losesAddress,
  nextLines,
  stockOf,
  STOPPING_SAVES_NOTHING,
  stoppingSavesNothing,
  unreadAddressLines,
} from './assess-power.ts';
import {allContractLines} from './contract-lines.ts';
import {
  dependsOnStock,
  expectedRefusal,
  keepsAddress,
  losesDisk,
  type PowerTransition,
  type PriceSource,
  powerCostChange,
  priceSource,
  releasesHardware,
  restoresHardware,
} from './power-transition.ts';
import {allRemainingVolumeLines} from './remaining-volumes.ts';
import type {MachineCandidate} from './subject.ts';

/** Several machines that the same action switches or deletes. */
type ManyMachines = {
  readonly sent: readonly MachineCandidate[];
  /** Absent for a deletion. */
  readonly transition: PowerTransition | undefined;
};

/** What switching or deleting several machines means: the total cost, and what a person must know first. */
export function assessManyMachines(many: ManyMachines, known: AssessmentInput, wording: Wording): ManyAssessment {
  const {sent, transition} = many;
  const lost = {
    address: sent.some(each => isAddressLost(each, transition)),
    disk: transition !== undefined && sent.some(({subject: machine}) => losesDisk(transition, machine)),
  };
  return {
    ...(transition !== undefined && lost.address ? {verb: say`hibernate, drop IP`} : {}),
    happens: happensLines(many),
    costs: costLines(many, known, wording),
    warnings: manyWarnings(many, known, wording),
    undo: transition === undefined ? 'none: there is no copy of them' : transition.undo(lost).many,
    alternatives: cheaperChoice(many, known),
  };
}

function happensLines({sent, transition}: ManyMachines): readonly Line[] {
  if (transition !== undefined)
    return [plain(transition.happensToMany(sent.every(({action}) => keepsAddress(action))))];
  const sizesGb = sent.flatMap(({subject: {flavor}}) => flavor?.rootDiskGb ?? []);
  const totalGb = sizesGb.reduce((sum, sizeGb) => sum + sizeGb, 0);
  const least = sizesGb.length < sent.length ? 'at least ' : '';
  const size = totalGb === 0 ? '' : `: ${least}${formatGigabytes(totalGb)}`;
  return [danger(`Deleted permanently with their root disks${size}.`)];
}

function costLines(many: ManyMachines, known: AssessmentInput, wording: Wording): readonly Line[] {
  const {sent, transition} = many;
  const machines = sent.map(({subject: machine}) => machine);
  // Start and reboot do not change the bill.
  const changesBill = transition?.target !== 'ACTIVE' || restoresHardware(transition);
  return [
    ...(transition?.target === 'SHUTOFF' ? stopLines(sent, transition, known) : []),
    ...changeLines(many, known, wording),
    ...(transition === undefined ? [] : nextLines(machines, transition, known)),
    ...(changesBill ? allRemainingVolumeLines(machines, known, wording) : []),
    ...(transition !== undefined && restoresHardware(transition) ? newAddressLines(sent, known) : []),
  ];
}

/** Of those that the service will probably accept, if there are any. */
function changeLines(many: ManyMachines, known: AssessmentInput, wording: Wording): readonly Line[] {
  const {transition} = many;
  const refusals = many.sent.flatMap(({subject}) => (transition && expectedRefusal(transition, subject)) ?? []);
  const [refusal] = refusals;
  const isNoneExpected = refusals.length === many.sent.length;
  const sent = many.sent.filter(
    ({subject}) => isNoneExpected || transition === undefined || expectedRefusal(transition, subject) === undefined,
  );
  const machines = sent.map(({subject: machine}) => machine);
  const changes = changesOf(sent, transition, known);
  const {before, after, savings, isUncertain, further, unknownCount} = totalOf(changes);
  const unread = unreadAddressLines(machines, changes, known);
  if (before === undefined) return [[{text: 'Its effect on cost is unknown.', tone: 'warning'}], ...unread];
  const sources = changes.flatMap(({savings: each, isListPrice}, index) => {
    const machine = machines[index];
    return each === undefined || !isListPrice || machine === undefined ? [] : [priceSource(machine, known, machines)];
  });
  return [
    [
      {text: `now ${formatRate(before)}  after ${formatAfter(after, further)}`, tone: 'money'},
      {
        text: `  (${(isNoneExpected ? refusal : undefined) ?? formatSavings(savings, isUncertain, further)})`,
        tone: 'dim',
      },
      contractSpan(savings, isUncertain && !isNoneExpected && wording === 'long'),
      {
        text: isNoneExpected || refusal === undefined ? '' : `  not counting ${refusals.length} ${refusal}`,
        tone: 'warning',
      },
      {
        text: unknownCount === 0 ? '' : `  without ${formatCounted(unknownCount, 'machine')} of unknown price`,
        tone: 'warning',
      },
    ],
    ...(wording === 'short' ? [] : [...unread, ...unmeteredLines(sources)]),
  ];
}

/** `The full rate of 2 machines is their published price, of 1 its contract price: they are not metered yet.` */
function unmeteredLines(sources: readonly PriceSource[]): readonly Line[] {
  const parts = PRICE_SOURCES.flatMap(([source, words]) => {
    const count = sources.filter(each => each === source).length;
    return count === 0 ? [] : [{count, words: `${count === 1 ? 'its' : 'their'} ${words}`}];
  });
  const [first, ...others] = parts;
  if (first === undefined) return [];
  const told = [
    `The full rate of ${formatCounted(first.count, 'machine')} is ${first.words}`,
    ...others.map(({count, words}) => `of ${count} ${words}`),
  ];
  const text = `${told.join(', ')}: ${others.length === 0 ? 'it is' : 'they are'} not metered yet.`;
  return [[{text, tone: 'dim'}]];
}

const PRICE_SOURCES: readonly (readonly [PriceSource, string])[] = [
  ['published', 'published price'],
  ['listed', 'list price'],
  ['contract', 'contract price'],
  ['own', 'price in your settings'],
];

/** Totals of what is known; nothing if nothing is. */
function totalOf(changes: readonly CostChange[]) {
  const known = changes.filter(({savings}) => savings !== undefined);
  const unknownCount = changes.length - known.length;
  if (known.length === 0) {
    return {
      before: undefined,
      after: undefined,
      savings: undefined,
      isUncertain: false,
      further: undefined,
      unknownCount,
    };
  }
  const before = sumRates(known.map(change => change.before ?? ZERO_RATE));
  const after = sumRates(known.map(change => change.after ?? ZERO_RATE));
  const isUncertain = known.some(
    ({savings, savingIsUncertain}) => savingIsUncertain && savings !== undefined && isPositive(savings),
  );
  return {
    before,
    after,
    savings: subtractRates(before, after),
    isUncertain,
    further: totalFurther(known),
    unknownCount,
  };
}

/** Of each in their order: those that are started together share what is left of their contract. */
function changesOf(
  sent: readonly MachineCandidate[],
  transition: PowerTransition | undefined,
  known: AssessmentInput,
): readonly CostChange[] {
  const machines = sent.map(({subject: machine}) => machine);
  return sent.map(({subject: machine, action}) => {
    if (transition !== undefined) return powerCostChange(action, transition, machine, known, machines);
    const {rate, isListPrice} = costNow(machine, known);
    return endedCost(rate, mayBeUnderContract(machine), isListPrice);
  });
}

/** How stopping changes the bill depends on how the present state is billed. */
function stopLines(
  sent: readonly MachineCandidate[],
  transition: PowerTransition,
  known: AssessmentInput,
): readonly Line[] {
  const changes = changesOf(sent, transition, known);
  const dearer = sent.filter((_, index) => {
    const savings = changes[index]?.savings;
    return savings !== undefined && isNegative(savings);
  });
  const isAnyFull = sent.some(
    ({subject: machine}) => billingInStatus(machine.status, known.preferences.prices) === 'full',
  );
  const names = someNames(dearer.map(({subject: machine}) => machine));
  return [
    ...(isAnyFull && stoppingSavesNothing(known) ? [[{text: STOPPING_SAVES_NOTHING, tone: 'warning'} as const]] : []),
    ...(dearer.length === 0
      ? []
      : [
          [
            {
              text: `Stopping costs more for machines that are not billed in full now: ${names}`,
              tone: 'warning',
            } as const,
          ],
        ]),
  ];
}

function newAddressLines(sent: readonly MachineCandidate[], known: AssessmentInput): readonly Line[] {
  const count = sent.filter(({subject: machine}) => !mayHaveAddress(machine)).length;
  if (count === 0) return [];
  const each = formatRate(unitPrice(known, 'publicIp').rate);
  return [[{text: `${count} may be given a new public address, billed at ${each} each.`, tone: 'warning'}]];
}

/** A person who stops machines to save money probably means hibernate. */
function cheaperChoice({sent, transition}: ManyMachines, known: AssessmentInput): readonly Alternative[] {
  const cheaper = transition?.cheaper;
  if (cheaper === undefined) return [];
  const candidates = sent.map(
    ({subject}): MachineCandidate => ({
      action: cheaper.action(subject.id),
      subject,
      reason: cannotHibernate(subject) ? NO_GPU : undefined,
    }),
  );
  const title = (able: readonly Action[]) => {
    const hibernated = candidates.filter(({action}) => able.includes(action));
    const total = totalOf(changesOf(hibernated, cheaper.transition, known));
    const {after, savings, isUncertain, further} = total;
    const which = able.length === sent.length ? say`${able.length}` : say`${able.length} of ${sent.length}`;
    const saves = safeText(formatSavings(savings, isUncertain, further));
    const cost = say`${safeText(formatAfter(after, further))}, ${saves}`;
    return say`hibernate ${which} instead: ${cost}`;
  };
  return [{key: 'tab', candidates, title}];
}

const NO_GPU = say`without a GPU, the service usually refuses to hibernate it`;

/** The warnings of one question about one machine, for many machines. */
function manyWarnings({sent, transition}: ManyMachines, known: AssessmentInput, wording: Wording): readonly Line[] {
  const machines = sent.map(({subject: machine}) => machine);
  const isDeletion = transition === undefined;
  const isHibernation = transition !== undefined && releasesHardware(transition);
  return [
    ...(isDeletion || transition.isInterrupting
      ? [
          ...machines.flatMap(machine => ownSessionLines(machine, known)).slice(0, 1),
          ...workLines(sent, known, wording),
        ]
      : []),
    ...diskLines(machines, transition ?? 'deletion'),
    ...addressLines(
      sent.filter(each => isAddressLost(each, transition)),
      wording,
    ),
    ...(transition !== undefined && dependsOnStock(transition) ? stockLines(machines, known, wording) : []),
    ...allContractLines(machines, known, wording === 'short' ? 1 : 2),
    ...(isHibernation ? refusalLines(sent, wording) : []),
    ...oddNameLines(sent, wording),
  ];
}

/** A deleted machine loses its address, and so does one switched by a power action that does not keep it. */
function isAddressLost({action, subject}: MachineCandidate, transition: PowerTransition | undefined): boolean {
  return transition === undefined ? mayHaveAddress(subject) : losesAddress(action, subject);
}

function workLines(sent: readonly MachineCandidate[], known: AssessmentInput, wording: Wording): readonly Line[] {
  const running = sent.filter(({subject: machine}) => machine.status === 'ACTIVE');
  const byWork = Map.groupBy(running, ({subject: machine}) => isWorking(known, machine));
  const working = byWork.get('yes') ?? [];
  const unknown = byWork.get('unknown') ?? [];
  const quiet = byWork.get('no') ?? [];
  const isUnknown = quiet.some(({subject: machine}) => isGpuUnknown(known, machine));
  const now = wording === 'short' ? '' : ' right now';
  const gpu = isUnknown ? '; GPU load is not reported by this API' : '';
  const ageOf = (those: readonly MachineCandidate[]) =>
    asOf(
      known,
      those.map(({subject}) => subject),
    );
  return [
    ...(working.length === 0 ? [] : [danger(`${those(working, wording)} WORKING${ageOf(working) || now}.`)]),
    ...(unknown.length === 0
      ? []
      : [warning(`Whether ${countOf(unknown, sent) ?? 'they are'} working${now} is unknown: no recent metrics.`)]),
    ...(quiet.length === 0 ? [] : [plain(`${countOf(quiet, sent) ?? 'All are'} quiet${ageOf(quiet)}${gpu}.`)]),
  ];
}

/** The addresses these machines lose. */
function addressLines(losing: readonly MachineCandidate[], wording: Wording): readonly Line[] {
  if (losing.length === 0) return [];
  const whose =
    wording === 'short'
      ? `${formatCounted(losing.length, 'address', 'addresses')}`
      : `The addresses of ${names(losing)}`;
  const are = wording === 'short' && losing.length === 1 ? 'is' : 'are';
  return [danger(`${whose} ${are} released permanently.`)];
}

function stockLines(machines: readonly VirtualMachine[], known: AssessmentInput, wording: Wording): readonly Line[] {
  const byStock = Map.groupBy(machines, machine => stockOf(machine, known));
  const flavors = (stock: boolean | undefined) =>
    [...new Set(byStock.get(stock)?.map(({flavor}) => flavor?.name ?? say`unknown`))].map(name => ({name}));
  const [gone, unknown, there] = [flavors(false), flavors(undefined), flavors(true)];
  const which = (of: readonly {readonly name: SafeText}[]) =>
    wording === 'short' ? formatCounted(of.length, 'flavor') : someNames(of);
  const lines = [
    ...(gone.length === 0 ? [] : [danger(`Out of stock, restoring may not work: ${which(gone)}`)]),
    ...(unknown.length === 0 ? [] : [warning(`Stock for a restore is unknown: ${which(unknown)}`)]),
    ...(there.length === 0 ? [] : [plain(`In stock now, which can change: ${which(there)}`)]),
  ];
  return wording === 'short' ? lines.slice(0, 1) : lines;
}

function refusalLines(sent: readonly MachineCandidate[], wording: Wording): readonly Line[] {
  const refused = sent.filter(({subject: machine}) => !hasGpu(machine));
  if (refused.length === 0) return [];
  return [
    warning(
      wording === 'short'
        ? `${refused.length} without a GPU: the service usually refuses those.`
        : `The service usually refuses to hibernate without a GPU: ${names(refused)}`,
    ),
  ];
}

function oddNameLines(sent: readonly MachineCandidate[], wording: Wording): readonly Line[] {
  const odd = sent.filter(({subject: machine}) => nameLines(machine.name).length > 0);
  if (odd.length === 0) return [];
  if (wording === 'short') {
    return [warning(`${formatCounted(odd.length, 'name')} with hidden or look-alike characters: compare the ids.`)];
  }
  return [warning(`${names(odd)}: the name has hidden or look-alike characters; compare the ids.`)];
}

/** `gpu-1, gpu-2 are` or `2 of them are`. */
function those(items: readonly MachineCandidate[], wording: Wording): string {
  const verb = items.length === 1 ? 'is' : 'are';
  return wording === 'short' ? `${items.length} of them ${verb}` : `${names(items)} ${verb}`;
}

/** `1 of 3 is` or `2 of 3 are`; undefined if it is all of them. */
function countOf(some: readonly MachineCandidate[], all: readonly MachineCandidate[]): string | undefined {
  return some.length === all.length ? undefined : `${some.length} of ${all.length} ${some.length === 1 ? 'is' : 'are'}`;
}

function names(items: readonly MachineCandidate[]): string {
  return someNames(items.map(({subject: machine}) => machine));
}

function danger(text: string): Line {
  return [{text, tone: 'danger'}];
}

function warning(text: string): Line {
  return [{text, tone: 'warning'}];
}

function plain(text: string): Line {
  return [{text}];
}
