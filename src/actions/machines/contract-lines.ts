import {type Contract, daysLeft} from '../../domain/contract.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {DAY_MS, type EpochMs} from '../../domain/time.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {contractsFeed} from '../../state/contracts.ts';
import {formatCounted, formatDuration} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';

/** A machine's contract, when it ends and what happens to the machine then; no line for a machine without one. */
export function contractLines(
  {contractId, hasUnreadContract}: VirtualMachine,
  scene: AssessmentInput,
): readonly Line[] {
  if (hasUnreadContract === true) return [warning('Whether it is under a contract could not be read.')];
  return contractId === undefined ? [] : [contractLine(contractId, '', scene)];
}

/** The same for many, by the end of their contracts. */
export function allContractLines(
  machines: readonly VirtualMachine[],
  scene: AssessmentInput,
  maxContracts: number,
): readonly Line[] {
  const covered = Map.groupBy(
    machines.filter(({contractId}) => contractId !== undefined),
    ({contractId}) => contractId ?? 0,
  );
  const soonestFirst = [...covered].sort(([left], [right]) => endOf(left, scene) - endOf(right, scene) || left - right);
  const lines = soonestFirst
    .slice(0, maxContracts)
    .map(([id, its]) => contractLine(id, ` (${its.length === 1 ? its[0]?.name : `${its.length} machines`})`, scene));
  const more = covered.size - lines.length;
  const unreadCount = machines.filter(({hasUnreadContract}) => hasUnreadContract === true).length;
  return [
    ...lines,
    ...(more === 0 ? [] : [warning(`Others are under ${formatCounted(more, 'more contract')}.`)]),
    ...(unreadCount === 0 ? [] : [warning(`The contract of ${unreadCount} could not be read.`)]),
  ];
}

function warning(text: string): Line {
  return [{text, tone: 'warning'}];
}

function contractLine(id: number, whom: string, scene: AssessmentInput): Line {
  const contract = contractNumbered(id, scene);
  if (contract === undefined) {
    return [{text: `Under contract #${id}${whom}; its end and policy are not loaded yet.`, tone: 'warning'}];
  }
  const {kind} = contract.expirationPolicy;
  const text = `Contract #${id}${whom} ${endText(contract, scene.now)}${POLICIES[kind]}.`;
  return [{text, tone: kind === 'market' ? 'warning' : 'danger'}];
}

const POLICIES: Readonly<Record<Contract['expirationPolicy']['kind'], string>> = {
  delete: ', then DELETES what it covers',
  market: ', then market price',
  unknown: '; what happens to its resources then is unknown',
};

function endText(contract: Contract, now: EpochMs): string {
  const days = daysLeft(contract, now);
  if (days === undefined) return 'has no known end';
  if (days < 0) return `ended ${formatDuration(-days * DAY_MS)} ago`;
  return `ends in ${days < 1 ? formatDuration(days * DAY_MS) : formatCounted(Math.floor(days), 'day')}`;
}

function contractNumbered(id: number, {store}: AssessmentInput): Contract | undefined {
  return lastValue(store.get(contractsFeed))?.records.find(contract => contract.id === id);
}

function endOf(id: number, scene: AssessmentInput): number {
  return contractNumbered(id, scene)?.endsAt ?? Number.MAX_SAFE_INTEGER;
}
