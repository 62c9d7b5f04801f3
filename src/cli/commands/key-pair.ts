import {importKeyPair, renameKeyPair} from '../../actions/key-pairs.ts';
import type {KeyPair} from '../../domain/key-pair.ts';
import {readPublicKey} from '../../domain/public-key.ts';
import {alteration, safeText, say} from '../../domain/safe-text.ts';
import {keyPairs} from '../../resources/key-pairs.ts';
import type {Reader} from '../../resources/listing.ts';
import {actionCommands} from '../operations/action-commands.ts';
import {givenText} from '../given-text.ts';
import {type OperationCommand, operationCommand, operationGroup} from '../operations/operation.ts';
import {type FoundRecord, findRecord, mistaken, planned, plannedOn} from '../operations/plan.ts';

function findKeyPair(reader: Reader, wanted: string): Promise<FoundRecord<KeyPair>> {
  return findRecord(reader, keyPairs, wanted);
}

const importKey: OperationCommand<{readonly environment: string; readonly publicKey: string}> = {
  name: 'import',
  summary: 'import an SSH public key',
  arguments: '<name>',
  options: command =>
    command
      .requiredOption('--environment <name>', 'the environment of the key pair')
      .requiredOption('--public-key <file>', 'the .pub file; - reads standard input'),
  plan: async ({words, flags, io}) => {
    const read = await givenText(io, flags.publicKey);
    if (!read.ok) return mistaken(say`--public-key: ${read.mistake}`);
    // A private key must not be sent because of a wrong file name, nor one that was cut off.
    const outcome = readPublicKey(read.text);
    if (!outcome.ok) return mistaken(say`--public-key: not a one-line public key: ${safeText(outcome.mistake)}`);
    const {line} = outcome.key;
    const altered = alteration(line);
    if (altered !== undefined) return mistaken(say`--public-key: ${altered}`);
    const name = safeText(words[0] ?? '');
    const spec = {name, environmentName: safeText(flags.environment), publicKey: safeText(line)};
    return planned(plannedOn(importKeyPair.with({spec})));
  },
};

const rename: OperationCommand = {
  name: 'rename',
  summary: 'rename a key pair',
  arguments: '<key-pair> <new-name>',
  plan: async ({reader, words: [wanted = '', name = '']}) => {
    const found = await findKeyPair(reader, wanted);
    if (!found.ok) return found;
    return planned(plannedOn(renameKeyPair.with({id: found.value.id, name: safeText(name)}), found.value));
  },
};

/** `skydeck key-pair`. */
export const keyPairCommand = operationGroup('key-pair', [
  operationCommand(importKey),
  operationCommand(rename),
  ...actionCommands('key-pair'),
]);
