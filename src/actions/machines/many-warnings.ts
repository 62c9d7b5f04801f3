import type {Action} from '../../domain/action.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {formatCounted, formatGigabytes} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {Candidate, Wording} from '../assessment.ts';
import type {AssessmentInput} from '../assessment-input.ts';
import {hasGpu, isGpuUnknown, isWorking} from './activity.ts';
import {nameLines, someNames} from '../names.ts';
import type {ManyMachines} from './assess-many.ts';
import {losesAddress, stockOf} from './assess-power.ts';
import {allContractLines} from './contract-lines.ts';
import {ownSessionLines} from './own-machine.ts';
import {dependsOnStock, type PowerTransition, releasesHardware} from './power-transition.ts';

export type MachineCandidate = Candidate<Action, VirtualMachine>;

/** The warnings of one question about one machine, for many machines. */
export function manyWarnings(
  {sent, transition}: ManyMachines,
  known: AssessmentInput,
  wording: Wording,
): readonly Line[] {
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
    ...(isDeletion || isHibernation ? diskLines(machines) : []),
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
export function isAddressLost({action, subject}: MachineCandidate, transition: PowerTransition | undefined): boolean {
  return transition === undefined ? subject.floatingIp !== undefined : losesAddress(action, subject);
}

function workLines(sent: readonly MachineCandidate[], known: AssessmentInput, wording: Wording): readonly Line[] {
  const running = sent.filter(({subject: machine}) => machine.status === 'ACTIVE');
  const byWork = Map.groupBy(running, ({subject: machine}) => isWorking(known, machine));
  const working = byWork.get('yes') ?? [];
  const unknown = byWork.get('unknown') ?? [];
  const quiet = byWork.get('no') ?? [];
  const isUnknown = quiet.some(({subject: machine}) => isGpuUnknown(known, machine));
  const gpu = isUnknown ? '; GPU load is not reported by this API' : '';
  return [
    ...(working.length === 0 ? [] : [danger(`${those(working, wording)} WORKING right now.`)]),
    ...(unknown.length === 0
      ? []
      : [warning(`Whether ${countOf(unknown, sent) ?? 'they are'} working right now is unknown: no recent metrics.`)]),
    ...(quiet.length === 0 ? [] : [plain(`${countOf(quiet, sent) ?? 'All are'} quiet${gpu}.`)]),
  ];
}

function diskLines(machines: readonly VirtualMachine[]): readonly Line[] {
  const ephemeralGb = machines.reduce((sum, {flavor}) => sum + (flavor?.ephemeralDiskGb ?? 0), 0);
  return ephemeralGb === 0 ? [] : [danger(`${formatGigabytes(ephemeralGb)} of ephemeral disk will be lost.`)];
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
