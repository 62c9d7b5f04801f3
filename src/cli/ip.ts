import {type OperationCommand, operationCommand, operationGroup} from './operation.ts';
import {findMachine, planEach} from './plan.ts';

const attach: OperationCommand = {
  name: 'attach',
  summary: 'gives machines a public address, which the service chooses and bills',
  arguments: '<vm...>',
  plan: ({reader, words}) =>
    planEach(
      words,
      word => findMachine(reader, word),
      ({id, name, status}) => ({action: {kind: 'vm.attach-ip', id}, subjectName: name, status}),
    ),
};

const detach: OperationCommand = {
  name: 'detach',
  summary: 'releases the public address of machines, permanently',
  arguments: '<vm...>',
  plan: ({reader, words}) =>
    planEach(
      words,
      word => findMachine(reader, word),
      ({id, name, status}) => ({action: {kind: 'vm.detach-ip', id}, subjectName: name, status}),
    ),
};

/** `skydeck ip`: the public addresses of machines. */
export const ipCommand = operationGroup('ip', 'public addresses of machines', [
  operationCommand(attach),
  operationCommand(detach),
]);
