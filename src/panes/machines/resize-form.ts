import {actionQuestion} from '../../actions/action-question.ts';
import {flavorNamed, flavorsIn} from '../../actions/creation-choices.ts';
import {flavorHint, flavorPrice, machinesRate, stockLine} from '../../actions/creation-cost.ts';
import type {Form} from '../../actions/form.ts';
import {presentRate} from '../../actions/known.ts';
import {isWorking, workLines} from '../../actions/machine-activity.ts';
import {LIST_PRICE} from '../../actions/machines/assess-power.ts';
import {contractLines} from '../../actions/machines/contract-lines.ts';
import {holdsOwnSession, ownSessionLines} from '../../actions/machines/own-machine.ts';
import {remainingVolumeLines} from '../../actions/machines/remaining-volumes.ts';
import {typedAnswer} from '../../actions/question.ts';
import {currentRate} from '../../domain/cost.ts';
import type {Flavor} from '../../domain/flavor.ts';
import {subtractRates} from '../../domain/money.ts';
import {say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {flavorsFeed, stocksFeed} from '../../state/catalogue.ts';
import type {FormValues} from '../../ui/form-field.ts';
import {formatGigabytes, formatRate, formatSavings} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {Scene} from '../pane.ts';

/** Another flavor of the machine's region. */
export function resizeForm(machine: VirtualMachine, scene: Scene): Form {
  const {id, name, regionName} = machine;
  const others = () =>
    flavorsIn(scene, regionName)
      .map(flavor => flavor.name)
      .filter(flavor => flavor !== machine.flavor?.name);
  const fieldsFor = (values: FormValues) => [
    {
      key: 'flavor',
      label: 'flavor',
      initial: '',
      choices: others(),
      hint: flavorHint(scene, flavorNamed(scene, regionName, values.flavor)),
    },
  ];
  return {
    title: say`resize ${name}  #${id}, now ${machine.flavor?.name ?? say`of unknown flavor`}`,
    fields: fieldsFor({}),
    fieldsFor,
    wants: () => [
      {feed: flavorsFeed, priority: 1},
      {feed: stocksFeed, priority: 2},
    ],
    check: values => {
      const flavor = flavorNamed(scene, regionName, values.flavor);
      if (flavor === undefined) return {mistakes: {flavor: 'choose a flavor'}, notes: [], question: undefined};
      const costs = costLines(machine, flavor, scene);
      const losses = diskLines(machine, flavor);
      const care: readonly Line[] = [
        ...ownSessionLines(machine, scene),
        ...workLines(scene, machine),
        ...losses,
        ...contractLines(machine, scene),
        [{text: SWITCHED_OFF, tone: 'warning'}],
        stockLine(scene, flavor, 1),
      ];
      const isCostly = losses.length > 0 || isWorking(scene, machine) === 'yes' || holdsOwnSession(machine, scene);
      const question = actionQuestion({
        title: say`resize ${name}  #${id}`,
        steps: [{action: {kind: 'vm.resize', id, flavorName: flavor.name}, subjectName: name, status: machine.status}],
        happens: [
          [{text: `${machine.flavor?.name ?? '?'} becomes ${flavor.name}; if it runs, it boots again on the way.`}],
        ],
        costs,
        care,
        undo: say`resize it back, while its flavor is in stock`,
        answer: isCostly ? typedAnswer(name, id) : {kind: 'key'},
      });
      return {mistakes: {}, notes: [...costs, ...care], question};
    },
  };
}

/** Both sides with the machine's address and without its volumes, as every list has it. */
function costLines(machine: VirtualMachine, flavor: Flavor, scene: Scene): readonly Line[] {
  const {prices} = scene.preferences;
  const {rate: before, isListPrice} = currentRate(machine, presentRate(scene, machine.id), prices);
  const price = flavorPrice(scene, flavor);
  const hasAddress = machine.floatingIp !== undefined;
  const after = price === undefined ? undefined : machinesRate(price.rate, 1, hasAddress);
  const savings = before === undefined || after === undefined ? undefined : subtractRates(before, after);
  return [
    [
      {text: `now ${formatRate(before)}  after ${formatRate(after)}`, tone: 'money'},
      {text: `  (${formatSavings(savings, machine.contractId !== undefined)})`, tone: 'dim'},
      {text: hasAddress ? '  with its address' : '', tone: 'dim'},
    ],
    ...remainingVolumeLines(machine, scene),
    ...(isListPrice ? [LIST_PRICE] : []),
  ];
}

/** A smaller disk cannot hold what the larger one does. */
function diskLines({flavor: present}: VirtualMachine, next: Flavor): readonly Line[] {
  return [
    ...lossLine('ephemeral disk', present?.ephemeralDiskGb, next.ephemeralDiskGb ?? 0),
    ...lossLine('root disk', present?.rootDiskGb, next.rootDiskGb),
  ];
}

function lossLine(what: string, presentGb: number | undefined, nextGb: number | undefined): readonly Line[] {
  if (presentGb === undefined || nextGb === undefined || nextGb >= presentGb) return [];
  const next = nextGb === 0 ? 'none: what is on it is lost.' : `${formatGigabytes(nextGb)}: what is on it may be lost.`;
  const text = `Its ${what} of ${formatGigabytes(presentGb)} becomes ${next}`;
  return [[{text, tone: 'danger'}]];
}

const SWITCHED_OFF = 'The service has resizing switched off for most accounts and may refuse it: then nothing changes.';
