import {me, permissions} from '../../api/account.ts';
import {credit, usage} from '../../api/billing.ts';
import {listClusters} from '../../api/clusters.ts';
import type {ReadEndpoint} from '../../api/endpoint.ts';
import {listEnvironments, machineQuota} from '../../api/environments.ts';
import {listFirewalls} from '../../api/firewalls.ts';
import {listVirtualMachines} from '../../api/virtual-machines.ts';
import {listVolumes} from '../../api/volumes.ts';
import {profileOf} from '../../config/profiles.ts';
import {describeReadFailure, type Failure} from '../../domain/failure.ts';
import {isPositive} from '../../domain/money.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {SECOND_MS} from '../../domain/time.ts';
import type {Account} from '../account.ts';
import {type Checkup, fail, ok, warn} from './checkup.ts';
import type {CommandIo} from '../command-io.ts';
import {EXIT, exitCodeOf} from '../../domain/exit-codes.ts';
import {gapsIn} from '../print/print-records.ts';

/** Some whole seconds of difference are normal; half a minute makes ages and bills wrong. */
const SKEW_TOLD_MS = 5 * SECOND_MS;
const SKEW_WRONG_MS = 60 * SECOND_MS;
/** A person notices more than this. */
const SLOW_MS = SECOND_MS;
const MAX_QUOTAS = 10;

/**
 * Checks the service with this key: whether it answers, accepts the key, lets it read, and how many requests are left.
 */
export async function askService(
  io: CommandIo,
  account: Account,
  {profileName}: {readonly profileName: string | undefined},
): Promise<readonly Checkup[]> {
  const {session} = account;
  const who = await session.client.read(me, {}, {signal: io.gone});
  if (!who.ok) return [unreachable(account, who.failure, profileName)];
  const [user] = who.value.records;
  return [
    reached(account),
    ok(say`key`, say`accepted, belongs to ${user?.email ?? say`somebody without an address`}`),
    clockCheckup(io, account),
    ...(await permissionCheckups(io, account)),
    ...(await limitCheckups(io, account)),
  ];
}

function unreachable(account: Account, failure: Failure, profileName: string | undefined): Checkup {
  const words = safeText(account.redact(describeReadFailure(failure)));
  const code = exitCodeOf(failure, 'read');
  if (failure.kind === 'not-authorised')
    return fail(say`key`, words, say`create a new key, then ${renewal(account, profileName)}`, code);
  if (failure.kind === 'rate-limited') return tooManyRequests(words, failure);
  const remedy =
    failure.kind === 'not-sent'
      ? say`check the name in the base URL, the network, a proxy, and the certificate`
      : say`check the base URL (it ends in /v1), and the status page of the service`;
  return fail(say`service`, words, remedy, code);
}

/** Where a new key belongs: in the place that this one came from. */
function renewal({options: {keySource}, settings}: Account, profileName: string | undefined): SafeText {
  if (keySource?.kind === 'environment') return say`set SKYDECK_API_KEY to it`;
  if (keySource?.kind === 'command') return say`let the key command print it`;
  const profile = profileName === undefined ? undefined : profileOf(settings, profileName);
  return profileName !== undefined && profile?.keyFile === keySource?.path
    ? say`skydeck profile add ${safeText(profileName)} --replace`
    : say`put it in the key file`;
}

function tooManyRequests(words: SafeText, failure: Extract<Failure, {kind: 'rate-limited'}>): Checkup {
  const remedy = say`${waitWords(failure)}; the limit is shared by everyone behind your address`;
  return fail(say`limits`, words, remedy, exitCodeOf(failure, 'read'));
}

function waitWords({retryAfterMs}: Extract<Failure, {kind: 'rate-limited'}>): SafeText {
  return retryAfterMs === undefined
    ? say`wait until the minute ends`
    : say`wait ${Math.ceil(retryAfterMs / SECOND_MS)} s`;
}

function reached({link, baseUrl}: Account): Checkup {
  const latencyMs = Math.round(link.latencyMs() ?? 0);
  const host = safeText(new URL(baseUrl).host);
  return latencyMs > SLOW_MS
    ? warn(
        say`service`,
        say`${host} answers in ${latencyMs} ms`,
        say`the connection is slow; --timeout sets a longer limit`,
      )
    : ok(say`service`, say`${host} answers in ${latencyMs} ms`);
}

function clockCheckup(io: CommandIo, {link, options}: Account): Checkup {
  const check = say`clock`;
  if (options.fixedNow !== undefined) return warn(check, say`fixed by SKYDECK_NOW`, say`unset it outside of tests`);
  const offsetMs = link.clockOffsetMs();
  if (offsetMs === undefined) {
    const found = link.hasOddDate()
      ? say`the service sends a date that cannot be read`
      : say`the service sends no date`;
    return warn(check, found, say`ages follow the local clock`);
  }
  const seconds = Math.round(Math.abs(offsetMs) / SECOND_MS);
  const side = offsetMs > 0 ? say`behind` : say`ahead of`;
  const found = say`the local clock is ${seconds} s ${side} the service`;
  if (Math.abs(offsetMs) <= SKEW_TOLD_MS) return ok(check, say`within ${SKEW_TOLD_MS / SECOND_MS} s of the service`);
  if (!link.isClockFollowed()) {
    return fail(check, found, say`check both clocks; the service's is too far off to be followed`, EXIT.refused);
  }
  const remedy = say`set the clock (${safeText(io.platform === 'darwin' ? 'sntp' : 'timedatectl')}); what is shown follows the service`;
  return Math.abs(offsetMs) > SKEW_WRONG_MS ? fail(check, found, remedy, EXIT.refused) : warn(check, found, remedy);
}

/** Each list is read, since a list of permissions proves less than an answer. */
async function permissionCheckups(io: CommandIo, {session, redact}: Account): Promise<readonly Checkup[]> {
  const probe = async <R>(
    what: SafeText,
    read: () => ReturnType<typeof session.client.read<never, R>>,
  ): Promise<Checkup> => {
    const answer = await read();
    if (answer.ok) {
      const [gap] = gapsIn(what, answer.value);
      return gap === undefined
        ? ok(say`permission`, say`may read ${what}`)
        : warn(say`permission`, gap, say`tell the provider, or look for a newer skydeck; figures lack these records`);
    }
    return unread(what, answer.failure);
  };
  const unread = (what: SafeText, failure: Failure): Checkup => {
    const words = say`${what}: ${safeText(redact(describeReadFailure(failure)))}`;
    if (failure.kind === 'not-authorised') {
      return warn(say`permission`, words, say`an administrator can give your user a role with it`);
    }
    if (failure.kind === 'rate-limited') return tooManyRequests(words, failure);
    const remedy = say`try again; if it stays, see the status page of the service`;
    return fail(say`service`, words, remedy, exitCodeOf(failure, 'read'));
  };
  type Answer = {readonly ok: true} | {readonly ok: false; readonly failure: Failure};
  const failed = (what: SafeText, answer: Answer): readonly Checkup[] =>
    answer.ok ? [] : [unread(what, answer.failure)];
  const {client} = session;
  const options = {signal: io.gone};
  const granted = await client.read(permissions, {}, options);
  const count = granted.ok ? granted.value.records.length : undefined;
  return [
    ...(count === undefined ? [] : [ok(say`permissions`, say`${count} granted`)]),
    await probe(say`machines`, () => client.read(firstPage(listVirtualMachines), {}, options)),
    await probe(say`usage and cost`, () => client.read(usage, {isDeleted: false}, options)),
    // The deck works without these, so they are told only if they cannot be read.
    ...failed(say`volumes`, await client.read(firstPage(listVolumes), {}, options)),
    ...failed(say`clusters`, await client.read(firstPage(listClusters), {}, options)),
    ...failed(say`firewalls`, await client.read(firstPage(listFirewalls), {}, options)),
  ];
}

/** Only the list shows whether it may be read, but a fleet of thousands need not be fetched for that. */
function firstPage<Params, R>(endpoint: ReadEndpoint<Params, R>): ReadEndpoint<Params, R> {
  return {...endpoint, paging: 'none', query: params => ({...endpoint.query(params), page: 1, pageSize: 1})};
}

async function limitCheckups(io: CommandIo, account: Account): Promise<readonly Checkup[]> {
  const {session} = account;
  const left = session.budget.ceilingPerMinute - session.budget.usedLastMinute();
  const requests = ok(
    say`requests`,
    say`${left} of ${session.budget.ceilingPerMinute} a minute left to this program; the service allows 500 to your address`,
  );
  return [requests, ...(await creditCheckup(io, account)), ...(await quotaCheckups(io, account))];
}

async function creditCheckup(io: CommandIo, {session}: Account): Promise<readonly Checkup[]> {
  const read = await session.client.read(credit, {}, {signal: io.gone});
  const balance = read.ok ? read.value.records[0]?.balance : undefined;
  if (balance === undefined) return [];
  const {formatUsd} = await import('../../ui/format.ts');
  const words = say`${safeText(formatUsd(balance))} left`;
  return [
    isPositive(balance)
      ? ok(say`credit`, words)
      : warn(say`credit`, words, say`add credit: below zero the service suspends everything`),
  ];
}

async function quotaCheckups(io: CommandIo, {session}: Account): Promise<readonly Checkup[]> {
  const listed = await session.client.read(listEnvironments, {}, {signal: io.gone});
  if (!listed.ok) return [];
  const checkups: Checkup[] = [];
  for (const {id, name} of listed.value.records.slice(0, MAX_QUOTAS)) {
    const read = await session.client.read(machineQuota, {id}, {signal: io.gone});
    const quota = read.ok ? read.value.records[0] : undefined;
    if (quota?.availableCount === undefined) continue;
    const words = say`${name}: room for ${quota.availableCount} of ${quota.maxCount ?? say`?`} machines`;
    checkups.push(
      quota.availableCount > 0
        ? ok(say`quota`, words)
        : warn(say`quota`, words, say`delete machines there, or create another environment`),
    );
  }
  return checkups;
}
