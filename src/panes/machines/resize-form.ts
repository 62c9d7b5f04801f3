import {questionAbout} from '../../actions/ask.ts';
import {flavorFacts, flavorNamed, flavorsIn} from '../../actions/creation-choices.ts';
import {flavorHint} from '../../actions/creation-cost.ts';
import type {Form} from '../../actions/form.ts';
import {resizeMachine} from '../../actions/machine-changes.ts';
import {assessResize} from '../../actions/machines/assess-resize.ts';
import {say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {flavorsFeed, stocksFeed} from '../../state/catalogue.ts';
import type {FormValues} from '../../ui/form-field.ts';
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
      facts: flavorFacts(scene, flavorsIn(scene, regionName)),
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
      const action = resizeMachine.with({id, flavorName: flavor.name});
      const {costs = [], warnings = []} = assessResize(action, machine, scene);
      const question = questionAbout(action, machine, scene);
      return {mistakes: {}, notes: [...costs, ...warnings], question};
    },
  };
}
