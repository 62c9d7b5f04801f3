import {Command} from 'commander';
import {describeFailure} from '../domain/failure.ts';
import {type FilterOutcome, matchesFilter, parseFilter} from '../domain/filter.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {idOf, sought} from '../resources/find.ts';
import type {Entry, Listed, Narrowing, Reader, Resource} from '../resources/resource.ts';
import {RESOURCES, resourceNamed} from '../resources/resources.ts';
import {openAccount} from './account.ts';
import {type BuildCommand, type CommandIo, complain, print} from './command-io.ts';
import {EXIT, type ExitCode, exitCodeOf} from './exit-codes.ts';
import {type Asked, columnsWithReads, knownFor} from './get-context.ts';
import {printRecords, recordLine, warnOfLost} from './print-records.ts';
import {openProgress} from './progress.ts';
import {addCommonOptions, type CommonFlags} from './run-command.ts';
import {unknownResource} from './suggest.ts';

type GetFlags = CommonFlags & Narrowing & {readonly filter?: string; readonly showSecrets?: boolean};

/** `skydeck get`: prints records, all of them, as the service keeps them. */
export const getCommand: BuildCommand = (io, end) => {
  const list = RESOURCES.map(({names, summary}) => `  ${names[0].padEnd(16)}${summary}`).join('\n');
  const command = new Command('get')
    .description('Prints records: of a whole kind, or the one that goes by an id or a name.')
    .argument('<resource>', 'what to print; see below')
    .argument('[id-or-name]', 'one of them')
    .option('--filter <expression>', "only those that match, as after / in the deck: 'gpu cost>10 !label:prod'")
    .option('--vm <vm>', 'events and rules of this machine')
    .option('--cluster <cluster>', 'events and nodes of this cluster')
    .option('--firewall <firewall>', 'rules of this firewall')
    .option('--region <region>', 'what one region has')
    .option('--deleted', 'usage of what has ended')
    .option('--show-secrets', 'kubeconfigs and other secrets as they are')
    .addHelpText('after', `\nResources:\n${list}\n`);
  return addCommonOptions(command).action(async (name: string, wanted: string | undefined, flags: GetFlags) =>
    end(await runGet(io, name, wanted, flags)),
  );
};

async function runGet(io: CommandIo, name: string, wanted: string | undefined, flags: GetFlags): Promise<ExitCode> {
  const resource = resourceNamed(name);
  const mistake = resource === undefined ? unknownResource(name) : narrowingMistake(resource, flags);
  const filter = resource === undefined || flags.filter === undefined ? NO_FILTER : filterOf(resource, flags.filter);
  if (resource === undefined || mistake !== undefined) return wrong(io, mistake ?? '');
  if (!filter.ok) return wrong(io, `--filter: ${filter.mistake}`);
  const opened = await openAccount(io, flags);
  if (!opened.ok) return wrong(io, opened.mistake);
  const {account} = opened;
  const progress = openProgress(io, account.clock, `reading ${resource.names[0]}`);
  const reader: Reader = {client: account.session.client, signal: io.gone, narrowing: flags, progress: progress.say};
  const options = {
    format: flags.output,
    showsSecrets: flags.showSecrets ?? false,
    isAscii: account.options.isAscii,
    redact: account.redact,
  };
  try {
    const asked = {
      io,
      account,
      resource,
      reader,
      filter: filter.filter,
      expression: flags.filter ?? '',
      options,
      progress,
    };
    const isStream = flags.output === 'ndjson' && resource.canStream && wanted === undefined;
    return isStream && columnsWithReads(asked).length === 0 ? await stream(asked) : await printAll(asked, wanted);
  } finally {
    progress.end();
  }
}

const NO_FILTER: FilterOutcome = {ok: true, filter: {terms: []}};

function filterOf({columns}: Resource, expression: string): FilterOutcome {
  return parseFilter(
    expression,
    columns.map(({key}) => key),
  );
}

function narrowingMistake(resource: Resource, flags: GetFlags): string | undefined {
  const given = (['vm', 'cluster', 'firewall', 'region', 'deleted'] as const).filter(key => flags[key] !== undefined);
  const useless = given.find(key => !resource.narrowedBy.includes(key));
  return useless === undefined ? undefined : `--${useless} says nothing about ${resource.names[0]}`;
}

async function printAll(asked: Asked, wanted: string | undefined): Promise<ExitCode> {
  const {io, resource, options, progress} = asked;
  const listed = await listedRecords(asked, wanted);
  if (!listed.ok) return failed(asked, listed);
  const {raw, isIncomplete, owners} = listed.value;
  const known = await knownFor(asked, raw);
  const entries = raw.map(resource.entry(owners === undefined ? known : {...known, owners}));
  const matching = entries.filter(entry => matches(asked, entry));
  if (wanted !== undefined && entries.length === 0 && isIncomplete === undefined) return missing(asked, wanted);
  progress.end();
  await printRecords(io, resource, matching, options);
  if (matching.length < entries.length)
    warnOfLost(
      io,
      entries.filter(each => each.cell === undefined),
    );
  return told(asked, isIncomplete);
}

/** The records in question: the whole list, or those that go by what was named. */
async function listedRecords({resource, reader}: Asked, wanted: string | undefined): Promise<Listed> {
  if (wanted === undefined) return resource.list(reader);
  const id = idOf(wanted);
  if (id !== undefined && resource.one !== undefined) {
    const one = await resource.one(reader, id);
    if (one.ok || one.failure.kind !== 'not-found') return one;
  }
  // What names no record of its own names the machine or cluster whose history is wanted.
  if (resource.names[0] === 'events' && reader.narrowing.vm === undefined && reader.narrowing.cluster === undefined) {
    return resource.list({...reader, narrowing: {vm: wanted}});
  }
  const listed = await resource.list(reader);
  if (!listed.ok) return listed;
  return {ok: true, value: sought(resource, listed.value, wanted)};
}

/** Prints each record of each page as it comes; a record that two pages hold is printed once. */
async function stream(asked: Asked): Promise<ExitCode> {
  const {io, resource, reader, options} = asked;
  const entryOf = resource.entry(await knownFor(asked, []));
  const seen = new Set<string>();
  const lost: Pick<Entry, 'lost'>[] = [];
  const listed = await resource.list({
    ...reader,
    // The next page is not asked for before these lines are taken: a slow reader must not fill the memory.
    onPage: async raw => {
      const lines: string[] = [];
      for (const each of raw) {
        const entry = entryOf(each);
        const identity = entry.id ?? JSON.stringify(each);
        if (seen.has(identity)) continue;
        seen.add(identity);
        if (entry.lost.length > 0) lost.push({lost: entry.lost});
        if (matches(asked, entry)) lines.push(recordLine(each, options));
      }
      await print(io, lines.join(''));
    },
  });
  asked.progress.end();
  if (!listed.ok) return failed(asked, listed);
  warnOfLost(io, lost);
  return told(asked, listed.value.isIncomplete);
}

/** A record that cannot be read matches no condition, and every list without one. */
function matches({filter, resource}: Asked, entry: Entry): boolean {
  if (filter.terms.length === 0) return true;
  const {cell} = entry;
  if (cell === undefined) return false;
  return matchesFilter(filter, {
    cell,
    shownTexts: () => resource.columns.filter(({printed}) => printed !== 'asked').map(({key}) => cell(key)?.text ?? ''),
    ...(entry.labels === undefined ? {} : {labels: entry.labels}),
  });
}

/** A list that may go on is told, since a script that counts would take it for the whole. */
function told({io}: Asked, isIncomplete: string | undefined): ExitCode {
  if (isIncomplete === undefined || io.gone.aborted) return EXIT.done;
  complain(io, `the list may not be whole (${isIncomplete})`);
  return EXIT.noAnswer;
}

function failed({io, account, resource}: Asked, listed: Extract<Listed, {ok: false}>): ExitCode {
  if (io.gone.aborted) return EXIT.done;
  if ('mistake' in listed) return wrong(io, listed.mistake);
  complain(io, account.redact(`get ${resource.names[0]}: ${describeFailure(listed.failure)}`));
  return exitCodeOf(listed.failure, 'read');
}

function missing({io, resource}: Asked, wanted: string): ExitCode {
  complain(io, `get ${resource.names[0]}: not found: "${wanted}"`);
  return EXIT.notFound;
}

function wrong(io: CommandIo, mistake: string | SafeText): ExitCode {
  complain(io, mistake);
  return EXIT.usage;
}
