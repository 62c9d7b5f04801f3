import {Command} from 'commander';
import {shellLine} from '../../actions/shell-line.ts';
import {priceBook} from '../../api/price-book.ts';
import {describeReadFailure} from '../../domain/failure.ts';
import {hourlyUsd, usdNumber} from '../../domain/money.ts';
import {withPriceBook} from '../../domain/money/prices.ts';
import {idOf, type Matching, notFound, sought, undecided} from '../../resources/find.ts';
import type {Listed, Reader} from '../../resources/listing.ts';
import type {Resource} from '../../resources/resource.ts';
import {missingResource, resourceNamed, unknownResource} from '../../resources/resources.ts';
import {priceBookFeed} from '../../state/catalogue.ts';
import {type Account, openAccount, readerOf} from '../account.ts';
import {type BuildCommand, type CommandIo, complain, failed, print} from '../command-io.ts';
import {dataText} from '../print/data-text.ts';
import {type Described, describedText} from '../describe/text.ts';
import {missingPart, unknownWords} from '../get/context.ts';
import {EXIT, type ExitCode, exitCodeOf} from '../../domain/exit-codes.ts';
import {isoText} from '../../domain/time.ts';
import {openProgress} from '../print/progress.ts';
import {type Related, relatedTo} from '../describe/related.ts';
import {addCommonOptions, type CommonFlags} from '../run-command.ts';

type DescribeFlags = CommonFlags & {readonly showSecrets?: boolean};

/** `skydeck describe`: one record with everything related to it, its cost and its findings. */
export const describeCommand: BuildCommand = (io, end) => {
  const command = new Command('describe')
    .usage('[options] <resource> [id-or-name]')
    .argument('[resource]', 'a resource, as in skydeck get')
    .argument('[id-or-name]', 'its id or name; not needed for org, me and credit')
    .option('--show-secrets', 'print kubeconfigs and other secrets');
  return addCommonOptions(command, ['table', 'json', 'ndjson', 'yaml']).action(
    async (name: string | undefined, wanted: string | undefined, flags: DescribeFlags) =>
      end(
        name === undefined
          ? failed(io, missingResource('describe'), EXIT.usage)
          : await runDescribe(io, name, wanted, flags),
      ),
  );
};

async function runDescribe(
  io: CommandIo,
  name: string,
  wanted: string | undefined,
  flags: DescribeFlags,
): Promise<ExitCode> {
  const resource = resourceNamed(name);
  if (resource === undefined) {
    // A single argument may be the name of a machine.
    const instead = wanted === undefined ? shellLine(['describe', 'vm', name]) : undefined;
    return failed(io, unknownResource(name, instead), EXIT.usage);
  }
  const [many, one = many] = resource.names;
  if (wanted === undefined && resource.isOnlyOne !== true) {
    return failed(io, `describe ${one} needs an id or a name; skydeck get ${many} lists them`, EXIT.usage);
  }
  const opened = await openAccount(io, flags);
  if (!opened.ok) return failed(io, opened.mistake, EXIT.usage);
  const {account} = opened;
  const progress = openProgress(io, account.clock, `reading ${wanted ?? one}`);
  const reader = readerOf(account, {signal: io.gone, progress: progress.say});
  try {
    const [listed, book] = await Promise.all([
      candidates(reader, resource, wanted),
      showsListPrices(resource, flags) ? reader.client.read(priceBook, {}, {signal: reader.signal}) : undefined,
    ]);
    if (!listed.ok && 'mistake' in listed) return failed(io, listed.mistake, EXIT.usage);
    if (!listed.ok)
      return failed(
        io,
        account.redact(`describe: ${describeReadFailure(listed.failure)}`),
        exitCodeOf(listed.failure, 'read'),
      );
    const [raw, ...others] = listed.value.raw;
    if (raw === undefined) {
      return failed(io, `describe: ${notFound(resource, wanted ?? '', listed.value.meant)}`, EXIT.notFound);
    }
    if (others.length > 0) return failed(io, ambiguous(resource, wanted ?? one, listed.value.raw), EXIT.usage);
    const id = idOf(resource.parseRaw(raw).id ?? '');
    const now = account.clock.wallNow();
    const {preferences: own} = account;
    const preferences = book?.ok ? {...own, prices: withPriceBook(own.prices, book.value.records, now)} : own;
    const related =
      id === undefined ? NOTHING : await relatedTo(resource.names[0], {reader, id, raw, now, preferences});
    progress.end();
    if (book?.ok === false)
      complain(io, account.redact(unknownWords(missingPart('list', priceBookFeed), book.failure)));
    await show(io, account, {resource, raw, related, preferences}, flags);
    return EXIT.done;
  } finally {
    progress.end();
  }
}

/** The table of a flavor has its list price; whether a metered rate fits the state of a machine depends on prices too. */
function showsListPrices({columns, names}: Resource, {output}: DescribeFlags): boolean {
  const hasColumn = columns.some(({reads}) => reads === priceBookFeed);
  return names[0] === 'vms' || (hasColumn && output === 'table');
}

const NOTHING: Related = {sections: []};

/** The record with this id, if it is one; otherwise every record with the name, or the only record of its kind. */
async function candidates(
  reader: Reader,
  resource: Resource,
  wanted: string | undefined,
): Promise<Exclude<Listed, {ok: true}> | {readonly ok: true; readonly value: Matching}> {
  if (wanted === undefined) return resource.list(reader);
  const id = idOf(wanted);
  if (id !== undefined && resource.one !== undefined) {
    const one = await resource.one.read(reader, id);
    if (one.ok || one.failure.kind !== 'not-found') return one;
  }
  const listed = await resource.list(reader);
  if (!listed.ok) return listed;
  const {raw, incompleteReason, meant} = sought(resource, listed.value, wanted);
  const isAnswered = id !== undefined && resource.one !== undefined;
  if (raw.length === 0 && incompleteReason !== undefined && !isAnswered)
    return undecided(resource, undefined, wanted, incompleteReason);
  const only = raw.length === 1 ? idOf(resource.parseRaw(raw[0]).id ?? '') : undefined;
  // Requested by itself, a record has fields that the list leaves out.
  return only === undefined || resource.one === undefined
    ? {ok: true, value: {raw, meant}}
    : resource.one.read(reader, only);
}

function ambiguous(resource: Resource, wanted: string, all: readonly unknown[]): string {
  const ids = all.map(raw => resource.parseRaw(raw).id ?? '?').join(', ');
  return `${all.length} are called "${wanted}": use an id (${ids})`;
}

async function show(io: CommandIo, account: Account, described: Described, flags: DescribeFlags): Promise<void> {
  const showsSecrets = flags.showSecrets ?? false;
  if (flags.output !== 'table') {
    return print(io, account.redact(dataText(recordOf(described), {format: flags.output, showsSecrets})));
  }
  const {isAscii} = account.options;
  const options = {
    showsSecrets,
    isAscii,
    now: account.clock.wallNow(),
    columns: io.stdout.isTTY === true ? io.stdout.columns : undefined,
    hasBoxCharacters: io.terminal.isUtf8 && !isAscii,
  };
  return print(io, account.redact(await describedText(described, options)));
}

function recordOf({resource, raw, related}: Described): object {
  const sections = related.sections.map(({title, records}) => [
    title,
    records.ok ? records.value : {unknown: describeReadFailure(records.failure)},
  ]);
  return {
    resource: resource.names[0],
    record: raw,
    related: Object.fromEntries(sections),
    cost: costRecord(related),
    ...gpuRecord(related),
    findings: related.findings ?? null,
  };
}

/**
 * As ratios, MiB, watts and degrees; null is unknown. Nothing if a machine has no GPUs or no Prometheus is configured.
 */
function gpuRecord({gpus}: Related): object {
  if (gpus === undefined) return {};
  if (!gpus.ok) return {gpuLoad: {unknown: describeReadFailure(gpus.failure)}};
  if (gpus.value === undefined) return {gpuLoad: null};
  const {sampledAt, gpus: each} = gpus.value;
  return {gpuLoad: {sampledAt: isoText(sampledAt), gpus: each}};
}

/** In dollars; null is unknown. */
function costRecord({cost, month}: Related): object | null {
  if (cost?.ok !== true) return null;
  const {rate, isAtLeast, billed} = cost.value;
  const perHour = rate === undefined ? null : hourlyUsd(rate);
  return {
    // What only a part of it costs would be taken for the whole.
    ...(isAtLeast === true ? {usdPerHour: null, atLeastUsdPerHour: perHour} : {usdPerHour: perHour}),
    ...(month === undefined ? {} : {monthUsd: usdNumber(month.cost), monthSource: month.source}),
    billedUsd: billed === undefined ? null : usdNumber(billed),
  };
}
