import {cannotActionReason, cannotCreateReason} from '../../actions/action-question.ts';
import {candidate, questionFor} from '../../actions/ask.ts';
import type {Form, FormCheck} from '../../actions/form.ts';
import {deleteKeyPair, importKeyPair, renameKeyPair, weakKeyLines} from '../../actions/key-pairs.ts';
import {checkName} from '../../actions/name-check.ts';
import {renameForm} from '../../actions/rename-form.ts';
import type {KeyPairSpec} from '../../domain/key-pair.ts';
import {
  MAX_PUBLIC_KEY_LENGTH,
  PUBLIC_KEY_TYPES,
  type PublicKey,
  type PublicKeyOutcome,
  readPublicKey,
} from '../../domain/public-key.ts';
import {safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {KeyPairRow} from '../../resources/key-pairs.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {keyPairsFeed, supportedKeyTypesFeed} from '../../state/key-pairs.ts';
import type {FormValues} from '../../ui/form-field.ts';
import type {Line} from '../../ui/text.ts';
import {rowAction} from '../asking.ts';
import type {PartActions} from '../collection-part.tsx';
import type {Scene} from '../pane.ts';

export const KEY_PAIR_ACTIONS: PartActions<KeyPairRow> = {
  create: {
    reason: scene =>
      cannotCreateReason(scene, importKeyPair) ??
      (environmentsOf(scene).length === 0 ? say`no environment is known to import it into` : undefined),
    run: scene => ({kind: 'form', form: importForm(scene)}),
  },
  edit: {
    reason: ({keyPair}, scene) =>
      cannotActionReason(scene, {kind: 'key-pair.rename', id: keyPair.id, name: keyPair.name}),
    run: (row, scene) => ({kind: 'form', form: renameKeyPairForm(row, scene)}),
  },
  remove: rowAction(({keyPair}) => ({action: deleteKeyPair.with({id: keyPair.id}), subject: keyPair})),
  copy: ({keyPair}) => keyPair.publicKey ?? keyPair.name,
};

function environmentsOf({store}: Scene): readonly string[] {
  return lastValue(store.get(environmentsFeed))?.records.map(({name}) => name) ?? [];
}

/** The names taken in an environment: the service refuses a second key pair of one name there. */
function takenNames({store}: Scene, environmentName: string | undefined): readonly string[] {
  const keyPairs = lastValue(store.get(keyPairsFeed))?.records ?? [];
  return keyPairs.filter(each => each.environmentName === environmentName).map(({name}) => name);
}

function importForm(scene: Scene): Form {
  const environments = environmentsOf(scene);
  return {
    title: say`import key pair`,
    fields: [
      {key: 'name', label: 'name', initial: '', hint: 'at most 50 characters'},
      {key: 'environment', label: 'environment', initial: environments[0] ?? '', choices: environments},
      {
        key: 'key',
        label: 'public key',
        initial: '',
        hint: 'the one line of a .pub file, pasted',
        maxLength: MAX_PUBLIC_KEY_LENGTH,
      },
    ],
    wants: () => [{feed: supportedKeyTypesFeed, priority: 2}],
    check: values => checkKeyPair(values, scene),
  };
}

function checkKeyPair(values: FormValues, scene: Scene): FormCheck {
  const nameMistake = checkName(values.name ?? '', takenNames(scene, values.environment));
  const outcome = takenByService(readPublicKey(values.key ?? ''), scene);
  if (!outcome.ok || nameMistake !== undefined) {
    return {
      mistakes: {
        ...(nameMistake === undefined ? {} : {name: nameMistake}),
        ...(outcome.ok ? {} : {key: outcome.mistake}),
      },
      notes: outcome.ok ? keyNotes(outcome.key) : outcome.isPrivateKey === true ? PRIVATE_KEY_NOTES : typeNotes(scene),
      question: undefined,
    };
  }
  const spec: KeyPairSpec = {
    name: safeText((values.name ?? '').trim()),
    environmentName: safeText(values.environment ?? ''),
    publicKey: safeText(outcome.key.line),
  };
  const question = questionFor([candidate(importKeyPair.with({spec}), undefined, scene)], scene);
  return {mistakes: {}, notes: keyNotes(outcome.key), question};
}

function typeNotes(scene: Scene): readonly Line[] {
  return [[{text: `The service takes ${keyTypes(scene).join(', ')}.`, tone: 'dim'}]];
}

/** What the service itself says it takes; the documents, for as long as it was not asked. */
function keyTypes({store}: Scene): readonly string[] {
  const told = lastValue(store.get(supportedKeyTypesFeed))?.records ?? [];
  return told.length === 0 ? PUBLIC_KEY_TYPES : told;
}

/** A key of a type that the documents name and the service does not take any more is told before it is sent. */
function takenByService(outcome: PublicKeyOutcome, scene: Scene): PublicKeyOutcome {
  if (!outcome.ok || keyTypes(scene).includes(outcome.key.keyType)) return outcome;
  return {ok: false, mistake: say`the service does not take keys of the type ${safeText(outcome.key.keyType)}`};
}

const PRIVATE_KEY_NOTES: readonly Line[] = [
  [{text: ' A PRIVATE KEY WAS PASTED ', tone: 'loud'}],
  [{text: 'Nothing was sent. It was on this screen: if others may have seen it, make a new pair.', tone: 'danger'}],
  [{text: 'The public half is in the file of the same name that ends in .pub.'}],
];

function keyNotes({keyType, bitCount, line}: PublicKey): readonly Line[] {
  const size = bitCount === undefined ? '' : ` of ${bitCount} bits`;
  return [[{text: `${keyType}${size}, whole`, tone: 'good'}], ...weakKeyLines(line)];
}

function renameKeyPairForm({keyPair}: KeyPairRow, scene: Scene): Form {
  return renameForm({
    what: say`key pair`,
    subject: keyPair,
    taken: takenNames(scene, keyPair.environmentName),
    actionOf: name => renameKeyPair.with({id: keyPair.id, name}),
    known: scene,
  });
}
