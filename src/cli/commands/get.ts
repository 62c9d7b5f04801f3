import {Command} from 'commander';
import type {Quarantined} from '../../api/endpoint.ts';
import {identityOf} from '../../api/paging.ts';
import type {SafeText} from '../../domain/safe-text.ts';
import type {Narrowing} from '../../resources/listing.ts';
import {whyNoMatch} from '../../resources/no-match.ts';
import type {Resource} from '../../resources/resource.ts';
import {missingResource, RESOURCES, resourceNamed, unknownResource} from '../../resources/resources.ts';
import {formatCounted} from '../../ui/format.ts';
import {openAccount, readerOf} from '../account.ts';
import {type BuildCommand, type CommandIo, complain, failed, helpItems, print} from '../command-io.ts';
import {EXIT, type ExitCode, worstOf} from '../../domain/exit-codes.ts';
import {type Asked, columnsWithReads, knownFor, listFailed, soughtRecords} from '../get/context.ts';
import {matches, unjudgedLines, type ViewFlags, viewed, viewOf} from '../get/view.ts';
import {wholeNumber} from '../option-values.ts';
import {lostOf, printRecords, recordLine, warnOfLost} from '../print/print-records.ts';
import {openProgress} from '../print/progress.ts';
import {addCommonOptions, type CommonFlags} from '../run-command.ts';

type GetFlags = CommonFlags & Narrowing & ViewFlags & {readonly watch?: boolean; readonly showSecrets?: boolean};

const MAX_LIMIT = 1_000_000;

/** `skydeck get`: prints all records of a kind, as the service keeps them. */
export const getCommand: BuildCommand = (io, end) => {
  const command = new Command('get')
    .description('Print records: the whole list of a resource, or those with the given ids or names.')
    .usage('[options] <resource> [id-or-name...]')
    .argument('[resource]', 'the resource; see below')
    .argument('[id-or-name...]', 'only the records with these ids or names')
    .option('--filter <expression>', "only those that match, in the syntax of / in the deck: 'gpu cost>10 !label:prod'")
    .option('--sort <column>', 'sort by a column, smallest first; COLUMN:desc for largest first')
    .option('--limit <number>', 'print at most N records', wholeNumber(1, MAX_LIMIT))
    .option('--columns <names>', 'the columns of a table or CSV, comma-separated: name,state,cost')
    .option('-w, --watch', 'keep printing changes, until ctrl-c')
    .option('--vm <vm>', 'events and rules of this machine')
    .option('--cluster <cluster>', 'events and nodes of this cluster')
    .option('--firewall <firewall>', 'rules of this firewall')
    .option('--region <region>', 'limit to one region')
    .option('--deleted', 'usage of deleted resources')
    .option('--show-secrets', 'print kubeconfigs and other secrets')
    .addHelpText(
      'after',
      ({command: shown}) =>
        `\nResources:\n${helpItems(
          shown,
          RESOURCES.map(({names, summary}) => [names[0], summary]),
        )}\n\nColumns, for --columns, --sort and --filter:\n${columnHelp(shown)}\n`,
    );
  return addCommonOptions(command).action(
    async (name: string | undefined, wanted: readonly string[], flags: GetFlags) =>
      end(name === undefined ? failed(io, missingResource('get'), EXIT.usage) : await runGet(io, name, wanted, flags)),
  );
};

function columnHelp(command: Command): string {
  return helpItems(
    command,
    RESOURCES.map(({names, columns}) => [names[0], columns.map(({key}) => key).join(' ')]),
  );
}

async function runGet(io: CommandIo, name: string, wanted: readonly string[], flags: GetFlags): Promise<ExitCode> {
  const resource = resourceNamed(name);
  if (resource === undefined) return failed(io, unknownResource(name), EXIT.usage);
  const mistake = narrowingMistake(resource, flags);
  if (mistake !== undefined) return failed(io, mistake, EXIT.usage);
  const understood = viewOf(resource, flags);
  if (!understood.ok) return failed(io, understood.mistake, EXIT.usage);
  const {view} = understood;
  const opened = await openAccount(io, flags);
  if (!opened.ok) return failed(io, opened.mistake, EXIT.usage);
  const {account} = opened;
  const progress = openProgress(io, account.clock, `reading ${resource.names[0]}`);
  const reader = readerOf(account, {signal: io.gone, progress: progress.say, narrowing: flags});
  const options = {
    format: flags.output,
    showsSecrets: flags.showSecrets ?? false,
    isAscii: account.options.isAscii,
    redact: account.redact,
    columns: view.columns,
    sortedBy: view.sort?.column,
    isOfOne: (flags.vm ?? flags.cluster ?? flags.firewall) !== undefined,
  };
  const asked = {io, account, resource, reader, wanted, view, options, progress};
  try {
    if (flags.watch === true) return await (await import('../get/watch.ts')).watch(asked);
    return canStream(asked) ? await stream(asked) : await printAll(asked);
  } finally {
    progress.end();
  }
}

function narrowingMistake(resource: Resource, flags: GetFlags): string | undefined {
  const given = (['vm', 'cluster', 'firewall', 'region', 'deleted'] as const).filter(key => flags[key] !== undefined);
  const useless = given.find(key => !resource.narrowedBy.includes(key));
  if (useless === undefined) return undefined;
  const isColumn = useless === 'region' && resource.columns.some(({key}) => key === useless);
  return `--${useless} does not apply to ${resource.names[0]}${isColumn ? `; use --filter ${useless}:${flags[useless]}` : ''}`;
}

/** Whether each record can be printed as it arrives, before the next one is known. */
function canStream({resource, options, wanted, view, ...asked}: Asked): boolean {
  const isOrdered = view.sort !== undefined || view.limit !== undefined;
  return (
    options.format === 'ndjson' &&
    resource.canStream &&
    wanted.length === 0 &&
    !isOrdered &&
    columnsWithReads({...asked, resource, view, options}).length === 0
  );
}

async function printAll(asked: Asked): Promise<ExitCode> {
  const {io, resource, view, options, progress} = asked;
  const listed = await soughtRecords(asked);
  if (!listed.ok) return listFailed(asked, listed);
  const {raw, incompleteReason, owners, missing} = listed.value;
  const known = await knownFor(asked, raw);
  const entries = raw.map(resource.entry(owners === undefined ? known : {...known, owners}));
  const shown = viewed(view, resource, entries);
  progress.end();
  if (shown.length > 0 || missing.length === 0) await printRecords(io, resource, shown, options);
  if (shown.length < entries.length)
    warnOfLost(io, lostOf(entries.filter(each => each.cell === undefined)), entries.length);
  if (shown.length === 0 && missing.length === 0 && incompleteReason === undefined) {
    sayNone(
      asked,
      entries.length,
      whyNoMatch(
        view.filter,
        resource.columns,
        entries.flatMap(({cell}) => cell ?? []),
      ),
    );
  }
  for (const line of unjudgedLines(view, resource, entries)) complain(io, line);
  for (const why of missing) complain(io, `get: ${why}`);
  return worstOf([listExitCode(asked, incompleteReason), missing.length === 0 ? EXIT.done : EXIT.notFound]);
}

/** Prints each record of each page as it arrives; a record on two pages is printed once. */
async function stream(asked: Asked): Promise<ExitCode> {
  const {io, resource, reader, view, options} = asked;
  const entryOf = resource.entry(await knownFor(asked, []));
  const seen = new Set<string>();
  const lost: Quarantined[] = [];
  let shownCount = 0;
  const listed = await resource.list({
    ...reader,
    // The next page is requested only after these lines are written, so that a slow reader does not fill the memory.
    onPage: async raw => {
      const lines: string[] = [];
      for (const each of raw) {
        const entry = entryOf(each);
        const identity = identityOf(each);
        if (seen.has(identity)) continue;
        seen.add(identity);
        lost.push(...entry.lost);
        if (matches(view, resource, entry)) lines.push(recordLine(each, options));
      }
      shownCount += lines.length;
      await print(io, lines.join(''));
    },
  });
  asked.progress.end();
  if (!listed.ok) return listFailed(asked, listed);
  warnOfLost(io, lost, seen.size);
  if (shownCount === 0 && listed.value.incompleteReason === undefined) sayNone(asked, seen.size);
  return listExitCode(asked, listed.value.incompleteReason, seen.size);
}

/** Nothing on standard output could also mean a mistake in the filter. */
function sayNone({io, resource}: Asked, count: number, reason?: SafeText): void {
  const {many, one} = resource.words;
  const why = reason === undefined ? '' : `: ${reason}`;
  complain(io, count === 0 ? `no ${many}` : `no matches (${formatCounted(count, one, many)})${why}`);
}

/** An incomplete list is reported, since a script that counts would take it for the whole. */
function listExitCode({io, resource}: Asked, incompleteReason: string | undefined, readCount?: number): ExitCode {
  if (incompleteReason === undefined || io.gone.aborted) return EXIT.done;
  const {one, many} = resource.words;
  const read = readCount === undefined ? '' : `: ${formatCounted(readCount, one, many)} read`;
  complain(io, `the list may be incomplete (${incompleteReason})${read}`);
  return EXIT.noAnswer;
}
