import type {KeyPair, KeyPairId, KeyPairSpec} from '../../domain/key-pair.ts';
import {
  MAX_PUBLIC_KEY_LENGTH,
  PUBLIC_KEY_TYPES,
  type PublicKey,
  type PublicKeyOutcome,
  readPublicKey,
} from '../../domain/public-key.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {keyPairsFeed, supportedKeyTypesFeed} from '../../state/key-pairs.ts';
import type {FormField, FormValues} from '../../ui/form-field.ts';
import type {Line} from '../../ui/text.ts';
import {
  environmentField,
  environmentMistake,
  environmentNamed,
  firstEnvironment,
  firstSteps,
} from '../creation/choices.ts';
import {type Ask, type Form, type FormCheck, renameForm} from './form.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';
import {checkName, NAME_FIELD} from './form-values.ts';

/** The names taken in an environment: the service refuses a second key pair with the same name there. */
function takenNames({store}: AssessmentInput, environmentName: string | undefined): readonly string[] {
  const keyPairs = lastValue(store.get(keyPairsFeed))?.records ?? [];
  return keyPairs.filter(each => (each.environmentName ?? environmentName) === environmentName).map(({name}) => name);
}

type AskKeyPair = Ask<{readonly spec: KeyPairSpec}>;

export function importForm(known: AssessmentInput, ask: AskKeyPair, environmentName?: string): Form {
  const fields = (): readonly FormField[] => [
    NAME_FIELD,
    environmentField(known, firstEnvironment(known, environmentName)),
    {
      key: 'key',
      label: 'public key',
      initial: '',
      hint: 'the line of a .pub file',
      maxLength: MAX_PUBLIC_KEY_LENGTH,
    },
  ];
  return {
    title: say`import key pair`,
    fields: fields(),
    fieldsFor: fields,
    wants: () => [
      {feed: environmentsFeed, priority: 1},
      {feed: supportedKeyTypesFeed, priority: 2},
    ],
    check: values => checkKeyPair(values, known, ask),
  };
}

function checkKeyPair(values: FormValues, known: AssessmentInput, ask: AskKeyPair): FormCheck {
  const nameMistake = checkName(values.name ?? '', takenNames(known, values.environment));
  const outcome = takenByService(readPublicKey(values.key ?? ''), known);
  const environment = environmentNamed(known, values.environment);
  const environmentWanted = environmentMistake(known, environment);
  if (!outcome.ok || nameMistake !== undefined || environmentWanted !== undefined) {
    return {
      mistakes: {
        ...(nameMistake === undefined ? {} : {name: nameMistake}),
        ...(environmentWanted === undefined ? {} : {environment: environmentWanted}),
        ...(outcome.ok ? {} : {key: outcome.mistake}),
      },
      notes: [
        ...firstSteps(known, environment, {needsKeyPair: false}),
        ...(outcome.ok ? keyNotes(outcome.key) : outcome.isPrivateKey === true ? PRIVATE_KEY_NOTES : typeNotes(known)),
      ],
      question: undefined,
    };
  }
  const spec: KeyPairSpec = {
    name: safeText((values.name ?? '').trim()),
    environmentName: safeText(values.environment ?? ''),
    publicKey: safeText(outcome.key.line),
  };
  return {mistakes: {}, notes: keyNotes(outcome.key), question: ask({spec})};
}

function typeNotes(known: AssessmentInput): readonly Line[] {
  return [[{text: `The service takes ${keyTypes(known).join(', ')}.`, tone: 'dim'}]];
}

/** The types that the service accepts; until it was asked, those in the documents. */
function keyTypes({store}: AssessmentInput): readonly string[] {
  const supported = lastValue(store.get(supportedKeyTypesFeed))?.records ?? [];
  return supported.length === 0 ? PUBLIC_KEY_TYPES : supported;
}

/** A key of a documented type that the service no longer accepts is reported before it is sent. */
function takenByService(outcome: PublicKeyOutcome, known: AssessmentInput): PublicKeyOutcome {
  if (!outcome.ok || keyTypes(known).includes(outcome.key.keyType)) return outcome;
  return {ok: false, mistake: say`the service does not support keys of the type ${safeText(outcome.key.keyType)}`};
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

export function renameKeyPairForm(
  {id, name, environmentName}: KeyPair,
  known: AssessmentInput,
  ask: Ask<{readonly id: KeyPairId; readonly name: SafeText}>,
): Form {
  const taken = takenNames(known, environmentName);
  return renameForm({what: say`key pair`, id, name, taken, ask: wanted => ask({id, name: wanted})});
}

/** A shorter RSA key can be broken, or will soon be. */
const MIN_RSA_BITS = 2048;

export function weakKeyLines(publicKey: string): readonly Line[] {
  const read = readPublicKey(publicKey);
  const isWeak = read.ok && read.key.bitCount !== undefined && read.key.bitCount < MIN_RSA_BITS;
  return isWeak ? [[{text: `Fewer than ${MIN_RSA_BITS} bits: too weak for SSH today.`, tone: 'warning'}]] : [];
}
