import {say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {flavorsFeed, stocksFeed} from '../../state/feeds.ts';
import type {FormValues} from '../../ui/form.ts';
import {formatRate} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {actQuestion} from '../act-question.ts';
import type {Form} from '../command.ts';
import {flavorNamed, flavorsIn} from '../creation-choices.ts';
import {flavorHint, flavorPrice, stockLine} from '../creation-cost.ts';
import type {Scene} from '../pane.ts';
import {presentRate} from './rows.ts';

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
      const price = flavorPrice(scene, flavor);
      const costs: readonly Line[] = [
        [
          {text: `now ${formatRate(presentRate(scene, id))}  after ${formatRate(price?.rate)}`, tone: 'money'},
          {text: '  without its address and volumes', tone: 'dim'},
        ],
      ];
      const stock = stockLine(scene, flavor, 1);
      const question = actQuestion({
        title: say`resize ${name}  #${id}`,
        steps: [{act: {kind: 'vm.resize', id, flavorName: flavor.name}, subjectName: name, status: machine.status}],
        happens: [
          [{text: `${machine.flavor?.name ?? '?'} becomes ${flavor.name}; if it runs, it boots again on the way.`}],
        ],
        costs,
        care: [[{text: SWITCHED_OFF, tone: 'warning'}], stock],
        undo: say`resize it back, while its flavor is in stock`,
        answer: {kind: 'key'},
      });
      return {mistakes: {}, notes: [...costs, stock, [{text: SWITCHED_OFF, tone: 'warning'}]], question};
    },
  };
}

const SWITCHED_OFF = 'The service has resizing switched off for most accounts and may refuse it: then nothing changes.';
