import {ACTIONS} from '../../src/actions/actions.ts';
import type {Form} from '../../src/actions/forms/form.ts';
import type {Question} from '../../src/actions/question/question.ts';
import type {CloudResource, ResourceType} from '../../src/domain/cloud-resource.ts';
import type {Failure} from '../../src/domain/failure.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import type {PartActions} from '../../src/panes/list/part.tsx';
import type {CommandResult} from '../../src/panes/command.ts';
import type {Scene} from '../../src/panes/pane.ts';
import {partActions} from '../../src/panes/action-keys.ts';
import type {Feed, Listing} from '../../src/state/feed.ts';
import {createStore, type WritableStore} from '../../src/state/store.ts';
import {type Line, textOf} from '../../src/ui/text.ts';
import {aScene} from '../app/a-scene.ts';
import {IDLE, NOW} from './a-known-scene.ts';

const CUT: Failure = {kind: 'cut', detail: safeText('reset')};
const READ_AT = monotonicMs(100_000);

type Reading = (store: WritableStore) => void;

export function read<T>(feed: Feed<T>, value: T): Reading {
  return store => store.writeValue(feed, value, READ_AT);
}

export function listed<R>(feed: Feed<Listing<R>>, records: readonly R[]): Reading {
  return read(feed, {records, quarantined: []});
}

/** A scene in which only these feeds were read; nothing is under way. */
export function aReadScene(readings: readonly Reading[], rest: Partial<Scene> = {}): Scene {
  const store = createStore();
  for (const reading of readings) reading(store);
  return aScene({store, operations: IDLE, now: NOW, ...rest});
}

export function failing(scene: Scene, feed: Feed<unknown>, failure: Failure = CUT): Scene {
  const store = createStore();
  store.writeFailure(feed, failure, READ_AT);
  return {...scene, store};
}

export function textsOf(lines: readonly Line[]): string {
  return lines.map(textOf).join('\n');
}

/** Everything a question says, in its order. */
export function questionText({title, facts}: Question): string {
  return [title, ...facts.flatMap(({label, lines}) => [label, textsOf(lines)])].join('\n');
}

export function questionOf(outcome: CommandResult | undefined): Question {
  if (outcome?.kind !== 'ask') throw new Error(`no question but ${outcome?.kind}`);
  return outcome.question;
}

/** The result of submitting a form with these values: its mistakes, or its question. */
export function submitted(outcome: CommandResult | undefined, values: Readonly<Record<string, string>>) {
  if (outcome?.kind !== 'form') throw new Error(`no form but ${outcome?.kind}`);
  const initial = Object.fromEntries(outcome.form.fields.map(field => [field.key, field.initial]));
  return outcome.form.check({...initial, ...values});
}

/** What the keys n, i and X do in a list. */
export function keysOf<Row>({create, commands = [], ...rest}: PartActions<Row>) {
  return {
    ...rest,
    create,
    edit: commands.find(({key}) => key === 'i'),
    remove: commands.find(({key}) => key === 'X'),
  };
}

/** The form with which the deck creates a resource of this type. */
export function creationForm(type: ResourceType, scene: Scene, cursor?: CloudResource): Form {
  const outcome = partActions<CloudResource>(type, subject => subject).create?.run(scene, undefined, cursor);
  if (outcome?.kind !== 'form') throw new Error(`no form but ${outcome?.kind}`);
  return outcome.form;
}

/** A command of the deck on one resource, by the last part of the kind of its action. */
export function onSubject(type: ResourceType, name: string, subject: CloudResource, scene: Scene) {
  const record = [...ACTIONS.values()].find(({kind}) => kind === `${type}.${name}`);
  const wanted = record?.keys?.find(({menu}) => menu === undefined)?.key;
  const command = partActions<CloudResource>(type, each => each).commands.find(({key}) => key === wanted);
  if (command === undefined) throw new Error(`no command ${name}`);
  return {reason: command.reason?.(subject, scene), run: () => command.run(subject, scene)};
}
