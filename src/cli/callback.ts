import {safeText, say} from '../domain/safe-text.ts';
import {type OperationCommand, operationCommand, operationGroup} from './operation.ts';
import {findMachine, mistaken, planEach} from './plan.ts';

/** The service takes no longer one. */
const MAX_URL_LENGTH = 250;

const set: OperationCommand<{readonly url: string}> = {
  name: 'set',
  summary: 'lets an address be called with the events of machines',
  arguments: '<vm...>',
  options: command => command.requiredOption('--url <url>', 'the address'),
  plan: ({reader, words, flags: {url}}) => {
    const parsed = URL.parse(url);
    if (parsed === null || !/^https?:$/.test(parsed.protocol) || url.length > MAX_URL_LENGTH) {
      return Promise.resolve(mistaken(say`--url must be an http address of at most ${MAX_URL_LENGTH} characters`));
    }
    return planEach(
      words,
      word => findMachine(reader, word),
      ({id, name, callbackUrl}) => ({
        action: {kind: 'vm.set-callback', id, url: safeText(url), isUpdate: callbackUrl !== undefined},
        subjectName: name,
      }),
    );
  },
};

const remove: OperationCommand = {
  name: 'remove',
  summary: 'stops calling an address with the events of machines',
  arguments: '<vm...>',
  plan: ({reader, words}) =>
    planEach(
      words,
      word => findMachine(reader, word),
      ({id, name}) => ({action: {kind: 'vm.remove-callback', id}, subjectName: name}),
    ),
};

/** `skydeck callback`. */
export const callbackCommand = operationGroup('callback', 'addresses that are called with events', [
  operationCommand(set),
  operationCommand(remove),
]);
