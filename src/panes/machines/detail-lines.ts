import {recordOf} from '../../actions/actions.ts';
import {isExcluded, presentRate} from '../../actions/question/assessment-input.ts';
import {savingsWords} from '../../actions/machines/assess-power.ts';
import {contractLines} from '../../actions/machines/contract-lines.ts';
import {
  hibernateMachine,
  type PowerAction,
  restoreMachine,
  startMachine,
  stopMachine,
} from '../../actions/machines/power.ts';
import {remainingVolumeLines} from '../../actions/machines/remaining-volumes.ts';
import type {UsageRecord} from '../../domain/billing.ts';
import {monthSoFar} from '../../domain/billing-history.ts';
import {isFreeMeanwhile, meteredRate} from '../../domain/cost.ts';
import {effectiveRate, mergeUsage, monthStart, monthToDate} from '../../domain/money/spend.ts';
import {isPositive, type Rate, sumUsd, type Usd} from '../../domain/money.ts';
import {lastValue, readAt} from '../../domain/snapshot.ts';
import type {EpochMs} from '../../domain/time.ts';
import {isNode, mayHaveAddress, type VirtualMachine} from '../../domain/virtual-machine.ts';
import {missingLine, momentText, recordLines as rawLines} from '../../resources/detail.ts';
import {deletedUsageFeed, machineHistoriesFeed, machineHistoryFeed, usageFeed} from '../../state/billing.ts';
import {eventsFeed, machineRecordFeed} from '../../state/machines.ts';
import {
  formatAfter,
  formatCounted,
  formatDuration,
  formatGigabytes,
  formatKnown,
  formatRate,
  formatUsd,
} from '../../ui/format.ts';
import type {GpuLoad} from '../../domain/gpu-load.ts';
import {gpuWords, isFreeFor, type MachineRow} from '../../resources/machines.ts';
import type {Line} from '../../ui/text.ts';
import {hangingLines, wrapLine} from '../../ui/wrap.ts';
import {eventTone, recordedEventLines} from '../event-lines.ts';
import type {Scene} from '../pane.ts';

const LABEL_CELLS = 16;

/** Every field of the machine; those that the service left out are shown as unknown. */
export function recordLines({machine, gpus}: MachineRow, now: EpochMs): readonly Line[] {
  const {flavor} = machine;
  const gpu = flavor?.gpuModel === undefined ? undefined : `${flavor.gpuCount ?? '?'} × ${flavor.gpuModel}`;
  return [
    field('id', String(machine.id)),
    field('name', machine.name),
    field('state', machine.statusText),
    field('power, vm state', [machine.powerState ?? '–', machine.vmState ?? '–'].join(', ')),
    field('region', machine.regionName),
    field('environment', machine.environmentName),
    field('flavor', flavor?.name),
    field('gpu', gpu ?? (flavor?.gpuCount === 0 ? 'none' : undefined)),
    ...gpuLines(machine, gpus),
    field('cpu', flavor?.cpuCount === undefined ? undefined : `${flavor.cpuCount} vCPU`),
    field('memory', flavor?.ramGb === undefined ? undefined : formatGigabytes(flavor.ramGb)),
    field('root disk', flavor?.rootDiskGb === undefined ? undefined : formatGigabytes(flavor.rootDiskGb)),
    field(
      'ephemeral disk',
      flavor?.ephemeralDiskGb === undefined ? undefined : formatGigabytes(flavor.ephemeralDiskGb),
    ),
    field('image', machine.imageName ?? machine.osName),
    field('key pair', machine.keyPairName),
    field('public address', machine.floatingIp ?? noneOf(machine.hasUnreadAddress)),
    field('address state', machine.floatingIpStatus),
    field('private address', machine.fixedIp),
    field('labels', machine.labels.length === 0 ? 'none' : machine.labels.join('  ')),
    field('contract', machine.contractId === undefined ? noneOf(machine.hasUnreadContract) : `#${machine.contractId}`),
    field(
      'cluster',
      isNode(machine)
        ? `${machine.clusterId === undefined ? 'unknown' : `#${machine.clusterId}`}: its power is managed by the cluster`
        : 'none',
    ),
    field('callback', machine.callbackUrl ?? 'none'),
    field('created', momentText(machine.createdAt, now)),
  ];
}

function noneOf(isUnread: true | undefined): string | undefined {
  return isUnread === true ? undefined : 'none';
}

/** Each GPU as reported by DCGM; without that, how to see it. */
function gpuLines({flavor}: VirtualMachine, load: GpuLoad | undefined): readonly Line[] {
  if (load !== undefined) return load.gpus.map(gpu => field(`gpu ${gpu.index}`, gpuWords(gpu)));
  return (flavor?.gpuCount ?? 0) > 0 ? [field('gpu load', 'unknown to the service; u reads nvidia-smi over ssh')] : [];
}

function field(label: string, value: string | undefined): Line {
  return [
    {text: ` ${label}`.padEnd(LABEL_CELLS + 1), tone: 'dim'},
    value === undefined ? {text: 'unknown', tone: 'dim'} : {text: value},
  ];
}

/** The machine's history, newest first. */
export function eventLines(scene: Scene, machine: VirtualMachine, width: number): readonly Line[] {
  const feed = eventsFeed(machine.id);
  const listing = lastValue(scene.store.get(feed));
  if (listing === undefined) return wrapLine(missingLine(scene, feed, 'events'), width);
  if (listing.records.length === 0) return [[{text: ' no events yet', tone: 'dim'}]];
  return recordedEventLines(listing.records, scene, width);
}

/** The same in the few cells beside the actions. */
export function shortEventLines(scene: Scene, machine: VirtualMachine, width: number): readonly Line[] {
  const feed = eventsFeed(machine.id);
  const listing = lastValue(scene.store.get(feed));
  if (listing === undefined) return wrapLine(missingLine(scene, feed, 'events'), width);
  const newestFirst = [...listing.records].sort((left, right) => (right.occurredAt ?? 0) - (left.occurredAt ?? 0));
  return newestFirst.flatMap(event => {
    const age = formatDuration(event.occurredAt === undefined ? undefined : scene.now - event.occurredAt);
    return hangingLines(
      [{text: `${age.padStart(5)} `, tone: 'dim'}],
      [
        {text: event.reason, tone: eventTone(event)},
        {text: `  ${event.message}`, tone: 'dim'},
      ],
      width,
    );
  });
}

/** What the machine costs now and has cost this month, and how each action would change that. */
export function costLines(scene: Scene, machine: VirtualMachine): readonly Line[] {
  const spent = spentLines(scene, machine);
  if (lastValue(scene.store.get(usageFeed)) === undefined) return spent;
  if (isExcluded(scene, machine.id))
    return [...spent, [], [{text: ' excluded from billing: no action changes what it costs'}]];
  return [
    ...spent,
    money('average so far', formatRate(averageRate(scene, machine)), 'bill ÷ metered time'),
    [],
    [{text: ' cost of each action', tone: 'title'}],
    ...pricedActions(machine).flatMap(action => actionLines(action, machine, scene)),
    ...[...remainingVolumeLines(machine, scene), ...contractLines(machine, scene)].map(
      (line): Line => [{text: ' '}, ...line],
    ),
  ];
}

/** What it costs now, and what it has cost this month. */
export function spentLines(scene: Scene, machine: VirtualMachine): readonly Line[] {
  if (lastValue(scene.store.get(usageFeed)) === undefined) return [missingLine(scene, usageFeed, 'cost')];
  const {total, note} = spentThisMonth(scene, machine);
  return [nowLine(scene, machine), money('this month', formatKnown(total, formatUsd), note)];
}

/** What is metered now, and what its state means for that. */
function nowLine(scene: Scene, machine: VirtualMachine): Line {
  const {prices} = scene.preferences;
  if (isExcluded(scene, machine.id)) return money('now', 'free');
  const read = presentRate(scene, machine.id);
  const metered = meteredRate(machine, read, prices);
  if (metered !== undefined && isFreeFor(machine, metered, prices)) {
    return money('now', 'free', `not billed in state ${machine.statusText}`);
  }
  if (metered === undefined && isFreeMeanwhile(machine, prices)) {
    return money('now', formatRate(undefined), `not billed while ${machine.statusText}`);
  }
  return money(
    'now',
    formatRate(metered),
    metered === undefined && read !== undefined ? `${machine.statusText} not metered yet` : '',
  );
}

/** The actions that change what a machine in this state costs, or that a person might expect to. */
function pricedActions(machine: VirtualMachine): readonly PowerAction[] {
  const {id, status} = machine;
  if (status === 'HIBERNATED') return [restoreMachine.with({id})];
  return [
    status === 'SHUTOFF' ? startMachine.with({id}) : stopMachine.with({id}),
    ...(mayHaveAddress(machine) ? [hibernateMachine.with({id, retainsIp: true})] : []),
    hibernateMachine.with({id, retainsIp: false}),
  ];
}

/** As billed by the provider, if that was read: the usage records spread a bill evenly, over hibernated time too. */
function spentThisMonth(scene: Scene, machine: VirtualMachine): {total: Usd | undefined; note: string} {
  const billed = billedThisMonth(scene, machine);
  return billed === undefined ? estimatedThisMonth(scene, machine) : {total: billed, note: 'billed'};
}

/** By the newer of two readings: that of the machine alone, and that of all machines, which the billing pane reads. */
function billedThisMonth({store, now}: Scene, {id}: VirtualMachine): Usd | undefined {
  const period = monthSoFar(now);
  const [own, all] = [store.get(machineHistoryFeed(id, period)), store.get(machineHistoriesFeed(period))];
  const ownBill = lastValue(own)?.records[0]?.billedCost;
  const bills = (lastValue(all)?.records ?? []).flatMap(({machineId, billedCost}) =>
    machineId === id && billedCost !== undefined ? [billedCost] : [],
  );
  if (bills.length === 0 || (ownBill !== undefined && (readAt(own) ?? 0) >= (readAt(all) ?? 0))) return ownBill;
  return sumUsd(bills);
}

function estimatedThisMonth(scene: Scene, machine: VirtualMachine): {total: Usd | undefined; note: string} {
  const live = lastValue(scene.store.get(usageFeed));
  if (live === undefined) return {total: undefined, note: ''};
  const deleted = lastValue(scene.store.get(deletedUsageFeed));
  const isOfMachine = (record: UsageRecord) =>
    record.resourceId === machine.id && record.resourceType.toLowerCase() === 'vm';
  const records = mergeUsage(live.records.filter(isOfMachine), (deleted?.records ?? []).filter(isOfMachine));
  if (records.length === 0) return {total: undefined, note: 'the service has no usage record of it'};
  const {total, unpricedCount} = monthToDate(records, {monthStart: monthStart(scene.now), now: scene.now});
  if (unpricedCount > 0 && !isPositive(total)) return {total: undefined, note: 'no record of it has a price'};
  return {total, note: unpricedCount > 0 ? `${formatCounted(unpricedCount, 'record')} without a price` : 'estimated'};
}

function averageRate(scene: Scene, machine: VirtualMachine): Rate | undefined {
  const usage = lastValue(scene.store.get(usageFeed));
  const record = usage?.records.find(
    candidate => candidate.resourceId === machine.id && candidate.resourceType.toLowerCase() === 'vm',
  );
  return record === undefined ? undefined : effectiveRate(record);
}

/** As wide as `hibernate, keep IP` and two blanks: the change of the cost, which comes last, is not cut. */
const ACTION_CELLS = 21;

function actionLines(action: PowerAction, machine: VirtualMachine, scene: Scene): readonly Line[] {
  const {verb, costChange, targetStatus} = recordOf(action);
  const change = costChange?.(action, machine, scene);
  if (change === undefined) return [];
  const {before, after, furtherSavings} = change;
  const isAddressAtStake = 'retainsIp' in action && mayHaveAddress(machine);
  const address = isAddressAtStake ? (action.retainsIp ? ', keep IP' : ', drop IP') : '';
  return [
    [
      {text: ` ${verb}${address}`.padEnd(ACTION_CELLS)},
      {text: `${formatRate(before)} to ${formatAfter(after, furtherSavings)}`, tone: 'money'},
      {text: `  ${savingsWords({target: targetStatus}, machine, change)}`, tone: 'dim'},
    ],
  ];
}

function money(label: string, value: string, note = ''): Line {
  return [
    {text: ` ${label}`.padEnd(LABEL_CELLS + 1), tone: 'dim'},
    {text: value, tone: 'money'},
    {text: note === '' ? '' : `  ${note}`, tone: 'dim'},
  ];
}

/** The record as the service sent it, indented. */
export function jsonLines(scene: Scene, machine: VirtualMachine): readonly Line[] {
  return rawLines(scene, machineRecordFeed(machine.id)).map(line => [{text: ' '}, ...line]);
}
