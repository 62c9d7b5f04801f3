import {type EnvironmentVariables, withoutNearbyPrograms} from './environment-variables.ts';
import {containsPrefix, formatIpPrefix, type IpPrefix, parseIpPrefix} from './ip-prefix.ts';
import {nameInWords, type SafeText, safeText, say} from './safe-text.ts';
import {isNode, type VirtualMachine} from './virtual-machine.ts';

export type SshLine =
  | {readonly ok: true; readonly words: readonly string[]}
  /** Why there is none, and whether another user or another machine would help. */
  | {readonly ok: false; readonly about: 'machine' | 'user'; readonly reason: SafeText};

type SshTarget = Pick<VirtualMachine, 'name' | 'floatingIp' | 'fixedIp' | 'imageName' | 'osName'>;

/** Systems whose images accept a user with the system's own name. */
const IMAGE_USERS = ['ubuntu', 'debian', 'fedora', 'rocky', 'almalinux'];
const USER = /^[a-z_][a-z0-9_-]*$/;
const ADDRESS_ALONE = /^[\da-f.:]+$/i;
/** Where no machine of a cloud is: a command meant for one would run here. */
const LOCAL = ['0.0.0.0/8', '127.0.0.0/8', '::/127', '::ffff:0:0/104', '::ffff:127.0.0.0/104'].flatMap(
  text => parseIpPrefix(text) ?? [],
);

/**
 * The words that start the system's `ssh` to a machine: to its public address, or its private one if it has no other.
 * What the service says about the machine must not become an option or a command: the address must be an IP literal,
 * the user a plain name, and `--` comes before both. Without a `user`, that of the image is used.
 */
export function sshLine(
  {name, floatingIp, fixedIp, imageName, osName}: SshTarget,
  {
    user,
    command = [],
    options = [],
  }: {
    readonly user?: string | undefined;
    readonly command?: readonly string[];
    /** The limit of ssh itself. */
    readonly options?: readonly string[];
  } = {},
): SshLine {
  const given = floatingIp || fixedIp;
  if (given === undefined || given === '') return invalid('machine', say`${nameInWords(name)} has no address`);
  const address = addressOf(given);
  if (address === undefined)
    return invalid('machine', say`the address of ${nameInWords(name)} is not an IP address: "${given}"`);
  if (LOCAL.some(local => containsPrefix(local, address)))
    return invalid('machine', say`the address of ${nameInWords(name)} is this computer's own: "${given}"`);
  const imageUser = imageUserOf(imageName) ?? imageUserOf(osName);
  const chosen = user ?? imageUser;
  if (chosen === undefined)
    return invalid('user', say`the user of the image of ${nameInWords(name)} is not known: add --user NAME`);
  if (!USER.test(chosen)) return invalid('user', say`"${safeText(chosen)}" is not a user name: use a-z, 0-9, _ and -`);
  return {ok: true, words: ['ssh', ...options, '--', `${chosen}@${formatIpPrefix(address).split('/')[0]}`, ...command]};
}

/** For a program without a terminal: it asks nothing, and times out soon. */
export const SSH_UNATTENDED: readonly string[] = ['-T', '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=10'];

type Reached = Pick<
  VirtualMachine,
  'name' | 'status' | 'statusText' | 'floatingIp' | 'hasUnreadAddress' | 'hasRandomizedPorts'
>;

/**
 * Why ssh may get no answer; nothing for a running machine with a public address, unless it goes `through` a jump host.
 */
export function sshWarnings(
  {name, status, statusText, floatingIp, hasUnreadAddress, hasRandomizedPorts}: Reached,
  {through}: {readonly through?: string | undefined} = {},
): readonly SafeText[] {
  const machine = nameInWords(name);
  const none =
    hasUnreadAddress === true
      ? say`the public address of ${machine} could not be read`
      : say`${machine} has no public address`;
  return [
    ...(!floatingIp && through === undefined
      ? [say`${none}: its private one is reached from inside its network, or by skydeck ssh --jump HOST`]
      : []),
    ...(floatingIp && hasRandomizedPorts === true
      ? [say`${machine} has randomized ports: its SSH may be at another port than 22`]
      : []),
    ...(status === 'ACTIVE' ? [] : [say`${machine} is ${statusText}, so it may not answer`]),
  ];
}

/** How a machine is started that is off, which ssh would only wait for; undefined if it may answer. */
export function offReason(machine: VirtualMachine): SafeText | undefined {
  const {id, name, status, statusText, powerState} = machine;
  const start = status === 'SHUTOFF' ? say`start` : status === 'HIBERNATED' ? say`restore` : undefined;
  if (start === undefined || powerState?.toUpperCase() === 'RUNNING') return undefined;
  const is = say`${nameInWords(name)} is ${statusText}`;
  return isNode(machine) ? is : say`${is}: ${start} it first, with skydeck vm ${start} ${id}`;
}

/**
 * The environment for a program that must not have the key: without any variable that contains it, and without the
 * current folder in its PATH.
 */
export function environmentWithoutKey(
  environment: EnvironmentVariables,
  redact: (text: string) => string,
): EnvironmentVariables {
  const kept = Object.entries(environment).filter(
    ([name, value]) => name !== 'SKYDECK_API_KEY' && (value === undefined || redact(value) === value),
  );
  return withoutNearbyPrograms(Object.fromEntries(kept));
}

function invalid(about: 'machine' | 'user', reason: SafeText): SshLine {
  return {ok: false, about, reason};
}

/** Formatted again from its bits, so that nothing else can be in it. */
function addressOf(text: string): IpPrefix | undefined {
  return ADDRESS_ALONE.test(text) ? parseIpPrefix(text) : undefined;
}

function imageUserOf(text: SafeText | undefined): string | undefined {
  const words = text?.toLowerCase().split(/[^a-z]+/) ?? [];
  return IMAGE_USERS.find(user => words.includes(user));
}
