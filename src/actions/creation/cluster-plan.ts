import type {ClusterSpec, DeploymentMode} from '../../domain/cluster.ts';
import type {Flavor} from '../../domain/flavor.ts';
import {isPositive, type Rate, sumRates, ZERO_RATE} from '../../domain/money.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {presentRates} from '../../state/billing.ts';
import {clustersFeed} from '../../state/clusters.ts';
import type {Known} from '../../state/known.ts';
import {formatRate} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {environmentNamed, flavorNamed} from './choices.ts';
import {costLine, flavorPrice, flavorWords, stockLine, times, UNPRICED, unitPrice} from './cost.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';
import {quotaRefusal} from '../machines/quota.ts';

/** Workers of one flavor; the flavor is undefined if it was not found in the region. */
export type Workers = {
  readonly groupName?: SafeText;
  readonly flavorName: SafeText;
  readonly flavor: Flavor | undefined;
  readonly count: number;
  readonly minCount?: number;
  readonly maxCount?: number;
};

type ClusterPlan = {readonly workers: readonly Workers[]; readonly mode: DeploymentMode};

/** What the service makes of a request: full if no mode is named. */
export function planOf(spec: ClusterSpec, known: Known): ClusterPlan {
  return {workers: workersOf(spec, known), mode: spec.deploymentMode ?? 'full'};
}

function workersOf(
  {environmentName, nodeGroups, nodeFlavorName, nodeCount}: ClusterSpec,
  known: Known,
): readonly Workers[] {
  const regionName = environmentNamed(known, environmentName)?.regionName;
  const flavorOf = (name: SafeText) => flavorNamed(known, regionName, name);
  const groups = nodeGroups.map(({name, ...group}) => ({
    ...group,
    groupName: name,
    flavor: flavorOf(group.flavorName),
  }));
  if (nodeFlavorName === undefined) return groups;
  return [...groups, {flavorName: nodeFlavorName, flavor: flavorOf(nodeFlavorName), count: nodeCount ?? 1}];
}

export function workersLine({groupName = say`workers`, flavorName, flavor, count, ...limits}: Workers): Line {
  return [
    {text: `${groupName}: ${count} × ${flavorName}${limitWords(limits)}`, tone: 'strong'},
    {text: flavor === undefined ? '' : `  ${flavorWords(flavor)}`},
  ];
}

/** The service may scale the group between them. */
function limitWords({minCount, maxCount}: Pick<Workers, 'minCount' | 'maxCount'>): string {
  const words = [
    ...(minCount === undefined ? [] : [`at least ${minCount}`]),
    ...(maxCount === undefined ? [] : [`at most ${maxCount}`]),
  ];
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

/** The notes below the form's fields: a doubtful name, the price, the stock, how long it takes. */
export function clusterNotes(
  known: AssessmentInput,
  {name, ...plan}: ClusterPlan & {readonly name: SafeText},
): readonly Line[] {
  const costs = plan.workers.length === 0 ? [] : workersCosts(known, plan);
  return [...longNameLines(name), ...costs, ...stockLines(known, plan.workers), CREATION_TIME];
}

export const CREATION_TIME: Line = [{text: 'Creating it usually takes 5 to 20 minutes.', tone: 'dim'}];

/** The documents allow fifty characters; the live service refuses names longer than this. */
const SAFE_NAME_LENGTH = 20;

export function longNameLines(name: SafeText): readonly Line[] {
  const {length} = [...name];
  if (length <= SAFE_NAME_LENGTH) return [];
  const text = `The name has ${length} characters; the live service refuses more than ${SAFE_NAME_LENGTH}.`;
  return [[{text, tone: 'warning'}]];
}

/** Masters are free. In full mode, a bastion and a load balancer are billed besides the workers. */
export function workersCosts(known: AssessmentInput, plan: ClusterPlan): readonly Line[] {
  const {mode} = plan;
  const gateways = gatewaysOf(plan, known);
  const rest: Line = [{text: mode === 'full' ? gatewayWords(known, gateways) : 'Masters are free.', tone: 'dim'}];
  const rate = workersRate(known, plan);
  if (rate === undefined) return [UNPRICED, rest];
  if (gateways !== undefined) return [costLine(rate, 'workers, bastion and load balancer'), rest];
  const costs = costLine(rate, 'all workers');
  return [mode === 'full' ? [{text: 'at least ', tone: 'money'}, ...costs] : costs, rest];
}

/** The cost of all workers, and of bastion and load balancer if that is known; undefined without all workers' prices. */
export function workersRate(known: Known, plan: ClusterPlan): Rate | undefined {
  const rates = plan.workers.map(({flavor, count}) => {
    const price = flavor && flavorPrice(known, flavor);
    return price && times(price.rate, count);
  });
  const priced = rates.flatMap(rate => rate ?? []);
  return priced.length < rates.length ? undefined : sumRates([...priced, gatewaysOf(plan, known)?.rate ?? ZERO_RATE]);
}

function gatewaysOf({mode}: ClusterPlan, known: Known): Gateways | undefined {
  return mode === 'full' ? meteredGateways(known) : undefined;
}

type Gateways = {readonly clusterName: SafeText; readonly rate: Rate};

function gatewayWords(known: AssessmentInput, gateways: Gateways | undefined): string {
  return gateways === undefined
    ? `Masters are free; bastion and load balancer come on top, their public addresses cost ${formatRate(unitPrice(known, 'publicIp').rate)} each.`
    : `Masters are free; bastion and load balancer ${formatRate(gateways.rate)}, as metered in ${gateways.clusterName}.`;
}

/**
 * The cost of both with their addresses, taken from a cluster that has them: the service does not name their flavor
 * beforehand.
 */
function meteredGateways({store}: Known): Gateways | undefined {
  const rates = presentRates(store);
  for (const {name, status, nodes} of lastValue(store.get(clustersFeed))?.records ?? []) {
    const [bastion, balancer] = (['bastion', 'load-balancer'] as const).map(role => {
      const machineId = nodes.find(node => node.role === role && node.status === 'ACTIVE')?.machineId;
      return machineId === undefined ? undefined : rates.get(machineId);
    });
    if (status !== 'ACTIVE' || bastion === undefined || balancer === undefined) continue;
    if (isPositive(bastion) && isPositive(balancer)) return {clusterName: name, rate: sumRates([bastion, balancer])};
  }
  return undefined;
}

/** The service chooses the number of masters if none is given, and takes no fewer. */
const MIN_MASTERS = 2;

/** Why the environment has no room for all nodes, each of which is a machine in it; undefined if it has. */
export function clusterQuotaRefusal(
  known: AssessmentInput,
  {
    environmentName,
    workers,
    masterCount = MIN_MASTERS,
    mode,
  }: ClusterPlan & {readonly environmentName: string | undefined; readonly masterCount?: number | undefined},
): SafeText | undefined {
  const gatewayCount = mode === 'full' ? 2 : 0;
  const count = workers.reduce((sum, each) => sum + each.count, masterCount + gatewayCount);
  const refusal = quotaRefusal(known, {environmentName, count});
  return refusal && say`${count} machines in all; ${refusal}`;
}

export function stockLines(known: AssessmentInput, workers: readonly Workers[]): readonly Line[] {
  // Groups of one flavor need it together.
  return [...Map.groupBy(workers, ({flavorName}) => flavorName)].map(([flavorName, groups]): Line => {
    const flavor = groups[0]?.flavor;
    if (flavor === undefined) return [{text: `Whether ${flavorName} is in stock is unknown.`, tone: 'warning'}];
    return stockLine(
      known,
      flavor,
      groups.reduce((sum, {count}) => sum + count, 0),
    );
  });
}
