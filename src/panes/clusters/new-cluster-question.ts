import {actionQuestion, cannotActionReason} from '../../actions/action-question.ts';
import type {ActionOf} from '../../actions/actions.ts';
import {costLine, flavorPrice, flavorWords, stockLine, times, UNPRICED} from '../../actions/creation-cost.ts';
import type {Question} from '../../actions/question.ts';
import type {ClusterSpec, DeploymentMode} from '../../domain/cluster.ts';
import {PRICES} from '../../domain/cost.ts';
import {type Rate, sumRates} from '../../domain/money.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {formatCounted, formatRate} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {Scene} from '../pane.ts';
import type {PlannedGroup} from './new-cluster.ts';

/** The documents allow fifty; the live service refuses longer ones than this. */
const SAFE_NAME_LENGTH = 20;

type Plan = {readonly name: SafeText; readonly mode: DeploymentMode; readonly groups: readonly PlannedGroup[]};

/** What the form says below its fields: a doubtful name, the price, the stock, how long it takes. */
export function planLines(scene: Scene, {name, mode, groups}: Plan): readonly Line[] {
  const costs = groups.length === 0 ? [] : costLines(scene, groups, mode);
  return [...nameLines(name), ...costs, ...stockLines(scene, groups), DURATION];
}

const DURATION: Line = [{text: 'Making it usually takes 5 to 20 minutes.', tone: 'dim'}];

function nameLines(name: SafeText): readonly Line[] {
  const {length} = [...name];
  if (length <= SAFE_NAME_LENGTH) return [];
  return [
    [
      {
        text: `The name has ${length} characters; the live service refuses more than ${SAFE_NAME_LENGTH}.`,
        tone: 'warning',
      },
    ],
  ];
}

/** The workers; masters are free, and what stands before a cluster of the full mode is billed beside them. */
function costLines(scene: Scene, groups: readonly PlannedGroup[], mode: DeploymentMode): readonly Line[] {
  const rate = workersRate(scene, groups);
  const address = `its public addresses cost ${formatRate(PRICES.publicIp)} each`;
  const rest =
    mode === 'full' ? `Masters are free; bastion and load balancer come on top, ${address}.` : 'Masters are free.';
  return [rate === undefined ? UNPRICED : costLine(rate, 'all workers'), [{text: rest, tone: 'dim'}]];
}

/** Undefined where one of the groups has no price. */
function workersRate(scene: Pick<Scene, 'store' | 'preferences'>, groups: readonly PlannedGroup[]): Rate | undefined {
  const rates = groups.flatMap(({flavor, spec}) => {
    const price = flavorPrice(scene, flavor);
    return price === undefined ? [] : [times(price.rate, spec.count)];
  });
  return rates.length === groups.length ? sumRates(rates) : undefined;
}

function stockLines(scene: Scene, groups: readonly PlannedGroup[]): readonly Line[] {
  return groups.map(({flavor, spec}) => stockLine(scene, flavor, spec.count));
}

export function createClusterQuestion(spec: ClusterSpec, groups: readonly PlannedGroup[], scene: Scene): Question {
  const action: ActionOf<'cluster.create'> = {kind: 'cluster.create', spec};
  const refusal = cannotActionReason(scene, action);
  const mode = spec.deploymentMode ?? 'full';
  return actionQuestion({
    title: say`create cluster ${spec.name}`,
    steps: [{action, subjectName: spec.name}],
    happens: [
      [{text: `Kubernetes ${spec.kubernetesVersion} in ${spec.environmentName}, ${mode}, key ${spec.keyPairName}`}],
      [{text: `${formatCounted(spec.masterCount, 'master')} ${spec.masterFlavorName}`}],
      ...groups.map(
        ({flavor, spec: group}): Line => [
          {text: `${group.name}: ${group.count} × ${group.flavorName}`, tone: 'strong'},
          {text: `  ${flavorWords(flavor)}`},
        ],
      ),
    ],
    costs: costLines(scene, groups, mode),
    care: [
      ...(refusal === undefined ? [] : [[{text: refusal, tone: 'danger'}] satisfies Line]),
      ...nameLines(spec.name),
      ...stockLines(scene, groups),
      DURATION,
    ],
    undo: say`delete it again (X)`,
    answer: {kind: 'key'},
  });
}
