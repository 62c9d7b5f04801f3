import {importKeyPair, renameKeyPair} from '../../actions/key-pairs.ts';
import type {KeyPair} from '../../domain/key-pair.ts';
import {alteration, safeText, say} from '../../domain/safe-text.ts';
import {keyPairs} from '../../resources/key-pairs.ts';
import type {Reader} from '../../resources/listing.ts';
import {actionCommands} from '../operations/action-commands.ts';
import {givenText} from '../given-text.ts';
import {type OperationCommand, operationCommand, operationGroup} from '../operations/operation.ts';
import {type FoundRecord, findRecord, mistaken, planned, plannedOn} from '../operations/plan.ts';

/** A public key as OpenSSH writes it: type, base64, optional comment. */
const PUBLIC_KEY =
  /^(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-nistp\d+|sk-[\w-]+@openssh\.com) [A-Za-z0-9+/=]{16,}(?: [^\r\n]*)?$/;

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
    const text = read.text.trim();
    // A private key must not be sent because of a wrong file name.
    if (!PUBLIC_KEY.test(text)) return mistaken(say`--public-key: not a one-line public key`);
    const altered = alteration(text);
    if (altered !== undefined) return mistaken(say`--public-key: ${altered}`);
    const name = safeText(words[0] ?? '');
    const spec = {name, environmentName: safeText(flags.environment), publicKey: safeText(text)};
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
