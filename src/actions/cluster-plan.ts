import type {ClusterSpec, DeploymentMode} from '../domain/cluster.ts';
import type {Flavor} from '../domain/flavor.ts';
import {sumRates} from '../domain/money.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {formatRate} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import {environmentNamed, flavorNamed} from './creation-choices.ts';
import {costLine, flavorPrice, flavorWords, stockLine, times, UNPRICED} from './creation-cost.ts';
import type {AssessmentInput} from './assessment-input.ts';

/** Workers of one flavor; the flavor is undefined where the region was not read to have it. */
export type Workers = {
  readonly groupName?: SafeText;
  readonly flavorName: SafeText;
  readonly flavor: Flavor | undefined;
  readonly count: number;
};

export function workersOf(
  {environmentName, nodeGroups, nodeFlavorName, nodeCount}: ClusterSpec,
  known: AssessmentInput,
): Workers[] {
  const regionName = environmentNamed(known, environmentName)?.regionName;
  const flavorOf = (name: SafeText) => flavorNamed(known, regionName, name);
  const groups = nodeGroups.map(({name, flavorName, count}) => ({
    groupName: name,
    flavorName,
    flavor: flavorOf(flavorName),
    count,
  }));
  if (nodeFlavorName === undefined) return groups;
  return [...groups, {flavorName: nodeFlavorName, flavor: flavorOf(nodeFlavorName), count: nodeCount ?? 1}];
}

export function workersLine({groupName = say`workers`, flavorName, flavor, count}: Workers): Line {
  return [
    {text: `${groupName}: ${count} × ${flavorName}`, tone: 'strong'},
    {text: flavor === undefined ? '' : `  ${flavorWords(flavor)}`},
  ];
}

type Plan = {readonly workers: readonly Workers[]; readonly mode: DeploymentMode};

/** What the form says below its fields: a doubtful name, the price, the stock, how long it takes. */
export function clusterNotes(
  known: AssessmentInput,
  {name, ...plan}: Plan & {readonly name: SafeText},
): readonly Line[] {
  const costs = plan.workers.length === 0 ? [] : workersCosts(known, plan);
  return [...longNameLines(name), ...costs, ...stockLines(known, plan.workers), CREATION_TIME];
}

export const CREATION_TIME: Line = [{text: 'Creating it usually takes 5 to 20 minutes.', tone: 'dim'}];

/** The documents allow fifty; the live service refuses longer ones than this. */
const SAFE_NAME_LENGTH = 20;

export function longNameLines(name: SafeText): readonly Line[] {
  const {length} = [...name];
  if (length <= SAFE_NAME_LENGTH) return [];
  const text = `The name has ${length} characters; the live service refuses more than ${SAFE_NAME_LENGTH}.`;
  return [[{text, tone: 'warning'}]];
}

/** Masters are free, and what stands before a cluster of the full mode is billed beside the workers. */
export function workersCosts(known: AssessmentInput, {workers, mode}: Plan): readonly Line[] {
  const rates = workers.flatMap(({flavor, count}) => {
    const price = flavor && flavorPrice(known, flavor);
    return price === undefined ? [] : [times(price.rate, count)];
  });
  const isPriced = rates.length === workers.length;
  const address = `its public addresses cost ${formatRate(known.preferences.prices.publicIp)} each`;
  const rest =
    mode === 'full' ? `Masters are free; bastion and load balancer come on top, ${address}.` : 'Masters are free.';
  return [isPriced ? costLine(sumRates(rates), 'all workers') : UNPRICED, [{text: rest, tone: 'dim'}]];
}

export function stockLines(known: AssessmentInput, workers: readonly Workers[]): readonly Line[] {
  return workers.map(
    ({flavor, flavorName, count}): Line =>
      flavor === undefined
        ? [{text: `Whether ${flavorName} is in stock is unknown.`, tone: 'warning'}]
        : stockLine(known, flavor, count),
  );
}
