import * as z from 'zod';
import {
  deleteKeyPair as deleteEndpoint,
  importKeyPair as importEndpoint,
  publicKeyFingerprint,
  renameKeyPair as renameEndpoint,
} from '../api/key-pairs.ts';
import {type Inverse, TARGET} from '../domain/action.ts';
import {readPublicKey} from '../domain/public-key.ts';
import {nameInWords, type SafeText, say} from '../domain/safe-text.ts';
import {MINUTE_MS} from '../domain/time.ts';
import {type KeyPairRow, keyPairs} from '../resources/key-pairs.ts';
import {clustersFeed} from '../state/clusters.ts';
import {environmentsFeed} from '../state/environments.ts';
import {machinesFeed} from '../state/machines.ts';
import {formatCounted} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import {missingInPlace} from './question/missing-names.ts';
import {ingredientFacts, ingredientFeeds} from './creation/facts.ts';
import {actionMaking, actionOn, deletion, RENAMING} from './define.ts';
import {importForm, renameKeyPairForm, weakKeyLines} from './forms/key-pair-forms.ts';
import {KEYS} from './keys.ts';
import {keyPair, text} from './parameters.ts';
import {typedAnswer} from './question/question.ts';

export const importKeyPair = actionMaking({
  kind: 'key-pair.import',
  creation: {
    isInEnvironment: true,
    form: importForm,
  },
  parameters: z.object({spec: z.object({name: text, environmentName: text, publicKey: text})}),
  endpoint: importEndpoint,
  verb: say`import`,
  words: () => say`import key pair`,
  overdueAfterMs: 2 * MINUTE_MS,
  // Names are unique within an environment; without one in the record, the name alone decides.
  isMade: ({spec}, {name, environmentName = spec.environmentName}) =>
    name === spec.name && environmentName === spec.environmentName,
  progress: () => TARGET,
  reads: () => [environmentsFeed],
  missing: ({spec: {environmentName}}, known) => missingInPlace(known, {environmentName}),
  namedOthers: ({spec: {environmentName}}, known) => ingredientFacts(known, {environmentName}),
  quotes: ({spec: {environmentName}}) => ingredientFeeds({environmentName}),
  assess: ({spec}) => ({
    title: say`import key pair ${nameInWords(spec.name)}`,
    happens: [
      publicKeyLine(spec.publicKey),
      [{text: `New machines in ${spec.environmentName} can use it; existing machines do not change.`}],
    ],
    warnings: weakKeyLines(spec.publicKey),
    undo: {words: 'delete it again', by: 'key-pair.delete'},
    answer: {kind: 'key'},
  }),
});

/** Which key it is: its type, the fingerprint that `ssh-keygen -l` prints of its file, and its comment. */
function publicKeyLine(publicKey: SafeText): Line {
  const [keyType = '', encoded = '', ...comment] = publicKey.split(' ');
  const read = readPublicKey(publicKey);
  const size = read.ok && read.key.bitCount !== undefined ? ` of ${read.key.bitCount} bits` : '';
  return [{text: [`${keyType}${size}`, publicKeyFingerprint(encoded), ...comment].join(' ')}];
}

export const renameKeyPair = actionOn({
  kind: 'key-pair.rename',
  keys: [
    {
      key: 'i',
      title: say`rename`,
      help: 'Renames the key pair; opens a form.',
      form: renameKeyPairForm,
    },
  ],
  parameters: z.object({id: keyPair, name: text}),
  endpoint: renameEndpoint,
  ...RENAMING,
  undo: ({id}, {name}): Inverse => ({
    action: renameKeyPair.with({id, name}),
    words: say`renames it back to ${nameInWords(name)}`,
  }),
  assess: ({name}, keyPair) => ({
    title: say`rename key pair ${nameInWords(keyPair.name)}  #${keyPair.id} to ${nameInWords(name)}`,
    happens: [[{text: 'Only its name changes; scripts that use the old name have to be changed.'}]],
    undo: {words: 'rename it back'},
    answer: {kind: 'key'},
  }),
  commandWords: ({id, name}) => ['key-pair', 'rename', `${id}`, name],
});

const deleteKeyPair = actionOn({
  kind: 'key-pair.delete',
  keys: [{key: 'X', title: say`delete`, help: 'Deletes the key pair; asks for its full name.'}],
  parameters: z.object({id: keyPair}),
  endpoint: deleteEndpoint,
  command: {words: ['key-pair', 'delete'], summary: 'delete key pairs; existing machines keep their keys'},
  ...deletion('key-pair', 2 * MINUTE_MS),
  namedFacts: (_action, {fingerprint, publicKey}) =>
    new Map([
      [say`its fingerprint`, fingerprint],
      [say`its public key`, publicKey],
    ]),
  reads: () => [machinesFeed, clustersFeed],
  assess: (_action, keyPair, known) => ({
    title: say`delete key pair ${nameInWords(keyPair.name)}  #${keyPair.id}`,
    happens: [
      [{text: 'New machines cannot use it any more. Existing machines keep the key, and it still logs in to them.'}],
    ],
    warnings: usersLines(keyPairs.row(known)(keyPair)),
    undo: {words: 'none; copy its public key to import it again', key: KEYS.copy},
    answer: typedAnswer(keyPair.name, keyPair.id),
  }),
});

function usersLines({keyPair, machineNames, clusterNames}: KeyPairRow): readonly Line[] {
  const place = keyPair.environmentName ?? 'its environment';
  const machines: Line =
    machineNames === undefined
      ? [{text: 'How many machines use it is unknown.', tone: 'warning'}]
      : [{text: `${formatCounted(machineNames.length, 'machine')} in ${place} use it.`}];
  if (clusterNames === undefined || clusterNames.length === 0) return [machines];
  const text = `Used by ${formatCounted(clusterNames.length, 'cluster')}, whose new nodes may need it: ${clusterNames.join(', ')}.`;
  return [machines, [{text, tone: 'warning'}]];
}

export const KEY_PAIRS = [importKeyPair, renameKeyPair, deleteKeyPair] as const;
