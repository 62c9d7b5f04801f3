import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine, VirtualMachineId} from '../../domain/virtual-machine.ts';
import {flavorsFeed, stocksFeed} from '../../state/catalogue.ts';
import type {FormValues} from '../../ui/form-field.ts';
import type {Ask} from '../action-key.ts';
import {flavorFacts, flavorNamed, flavorsIn} from '../creation-choices.ts';
import {flavorHint} from '../creation-cost.ts';
import type {Form} from '../form.ts';
import type {AssessmentInput} from '../assessment-input.ts';
import {assessResize} from './assess-resize.ts';

type ResizeParameters = {readonly id: VirtualMachineId; readonly flavorName: SafeText};

/** Another flavor of the machine's region. */
export function resizeForm(machine: VirtualMachine, known: AssessmentInput, ask: Ask<ResizeParameters>): Form {
  const {id, name, regionName} = machine;
  const others = () =>
    flavorsIn(known, regionName)
      .map(flavor => flavor.name)
      .filter(flavor => flavor !== machine.flavor?.name);
  const fieldsFor = (values: FormValues) => [
    {
      key: 'flavor',
      label: 'flavor',
      initial: '',
      choices: others(),
      facts: flavorFacts(known, flavorsIn(known, regionName)),
      hint: flavorHint(known, flavorNamed(known, regionName, values.flavor)),
    },
  ];
  return {
    title: say`resize ${nameInWords(name)}  #${id}, now ${machine.flavor?.name ?? say`of unknown flavor`}`,
    fields: fieldsFor({}),
    fieldsFor,
    wants: () => [
      {feed: flavorsFeed, priority: 1},
      {feed: stocksFeed, priority: 2},
    ],
    check: values => {
      const flavor = flavorNamed(known, regionName, values.flavor);
      if (flavor === undefined) return {mistakes: {flavor: 'choose a flavor'}, notes: [], question: undefined};
      const parameters = {id, flavorName: flavor.name};
      const {costs = [], warnings = []} = assessResize(parameters, machine, known);
      return {mistakes: {}, notes: [...costs, ...warnings], question: ask(parameters)};
    },
  };
}
