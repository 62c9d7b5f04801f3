import {commandLine, curlRead, shellLine} from '../actions/shell-line.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {sshLine} from '../domain/ssh.ts';
import {machines} from '../resources/machines.ts';
import {oneName, type TypedResource} from '../resources/resource.ts';
import {resourceNamed} from '../resources/resources.ts';
import {observedById} from '../state/machines.ts';
import type {Store} from '../state/store.ts';
import type {Command, CommandResult, Menu} from './command.ts';

/** What a colleague, a script or a shell needs to refer to an object. */
export type Copied = {
  readonly name: SafeText;
  readonly id?: SafeText;
  readonly address?: SafeText;
  /** The command that logs in to it. */
  readonly ssh?: SafeText;
  /** The command of a finding: what ends it, or shows more about it. */
  readonly command?: SafeText;
  /** Its kind's name on the command line, and how to name this one; absent for what concerns the whole account. */
  readonly resource?: string;
  readonly target?: string;
  /** The request that reads it, or the list that contains it if the service has none for a single one. */
  readonly path?: string;
};

/** A record, by the names and requests in its kind's declaration. */
export function copiedRecord<R>(
  {names, idOf, nameOf, path, one}: Pick<TypedResource<R, never>, 'names' | 'idOf' | 'nameOf' | 'path' | 'one'>,
  record: R,
): Copied {
  const id = idOf?.(record);
  const target = say`${id ?? say``}`;
  return {
    name: nameOf?.(record) ?? say`#${target}`,
    ...(typeof id === 'number' ? {id: target} : {}),
    resource: oneName({names}),
    target,
    path: (typeof id === 'number' ? one?.path(id) : undefined) ?? path?.(record) ?? '',
  };
}

/** What a finding, an entry or a bill is about; undefined if the command line has no name for it. */
export function copiedSubject({
  type,
  id,
  name,
}: {
  readonly type: string;
  readonly id?: number | undefined;
  readonly name: SafeText;
}): Copied | undefined {
  const kind = id === undefined ? undefined : resourceNamed(type);
  if (kind === undefined || id === undefined) return undefined;
  const path = kind.one?.path(id);
  return {name, id: say`${id}`, resource: oneName(kind), target: `${id}`, ...(path === undefined ? {} : {path})};
}

/** With how to reach it, if it is a machine that is listed. */
export function withAddress(copied: Copied, store: Store): Copied {
  const machine = copied.resource === oneName(machines) ? observedById(store).get(Number(copied.id)) : undefined;
  if (machine === undefined) return copied;
  const address = machine.floatingIp ?? machine.fixedIp;
  const line = sshLine(machine);
  return {
    ...copied,
    ...(address === undefined ? {} : {address}),
    ...(line.ok ? {ssh: shellLine(line.words)} : {}),
  };
}

/** The key `C` and its menu, the same in every pane. Nothing it copies contains the API key. */
export function copyMenu<Context>(
  paneId: string,
  copiedOf: (context: Context) => Copied | undefined,
): {readonly command: Command<Context, CommandResult>; readonly menu: Menu<Context, CommandResult>} {
  const copy = (
    key: string,
    title: SafeText,
    help: string,
    textOf: (copied: Copied) => SafeText | undefined,
  ): Command<Context, CommandResult> => {
    const textHere = (context: Context): SafeText | undefined => {
      const copied = copiedOf(context);
      return copied === undefined ? undefined : textOf(copied);
    };
    return {
      id: `${paneId}.copy-as.${key}`,
      title,
      help,
      keys: [key],
      group: 'Look',
      consequence: textHere,
      disabledReason: context => ((textHere(context) ?? '') === '' ? say`nothing to copy` : undefined),
      run: context => {
        const text = textHere(context);
        return text === undefined ? {kind: 'done'} : {kind: 'copy', text};
      },
    };
  };
  return {
    command: {
      id: `${paneId}.copy-as`,
      title: say`copy as`,
      help: 'Copies name, id or address, or the skydeck command or curl line that reads what is under the cursor.',
      keys: ['C'],
      group: 'Look',
      opens: 'copy',
      disabledReason: context =>
        copiedOf(context) === undefined ? say`no command for what is under the cursor` : undefined,
      run: () => ({kind: 'menu', menuId: 'copy'}),
    },
    menu: {
      id: 'copy',
      title: context => {
        const copied = copiedOf(context);
        return copied === undefined ? say`copy` : say`copy of ${copied.name}`;
      },
      commands: [
        copy('n', say`name`, 'Copies the name.', ({name}) => name),
        copy('i', say`id`, 'Copies the id.', ({id}) => id),
        copy('a', say`address`, 'Copies the public address, or the private one without it.', ({address}) => address),
        copy('s', say`ssh`, 'Copies the ssh command that logs in to a machine.', ({ssh}) => ssh),
        copy(
          'c',
          say`command`,
          'Copies the command of an operation, or of a finding: what ends it, or shows more.',
          ({command}) => command,
        ),
        copy('g', say`skydeck get`, 'Copies the command that prints the record as JSON.', copied =>
          commandOn('get', copied, ['-o', 'json']),
        ),
        copy('d', say`skydeck describe`, 'Copies the command that describes it.', copied =>
          commandOn('describe', copied),
        ),
        copy('u', say`curl`, 'Copies the request that reads it, without the key.', ({path}) =>
          path === undefined ? undefined : curlRead(path),
        ),
      ],
    },
  };
}

function commandOn(verb: string, {resource, target}: Copied, options: readonly string[] = []): SafeText | undefined {
  return resource === undefined || target === undefined ? undefined : commandLine([verb, resource, target, ...options]);
}
