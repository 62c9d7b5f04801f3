import {containsPrefix, parseIpPrefix} from './ip-prefix.ts';
import {type SafeText, safeText} from './safe-text.ts';
import {covers, MAX_PORT, type RuleTerms} from './security-rule.ts';
import type {VirtualMachine} from './virtual-machine.ts';

/** The SSH session that skydeck itself runs in: where it comes from, and the address and port it connects to. */
export type OwnConnection = {
  readonly clientAddress: SafeText;
  readonly serverPort: number;
  /** Undefined if the SSH server names none that is an address. */
  readonly serverAddress?: SafeText;
};

/** Parses `SSH_CONNECTION`, set by the SSH server: client address, client port, server address, server port. */
export function parseSshConnection(text: string | undefined): OwnConnection | undefined {
  const [client = '', , server = '', port = ''] = text?.trim().split(/\s+/) ?? [];
  // A link-local client address has its interface after a percent sign, which rules do not.
  const [address = ''] = client.split('%');
  const serverPort = Number(port);
  const isPort = /^\d+$/.test(port) && serverPort >= 1 && serverPort <= MAX_PORT;
  if (!isPort || !isAddress(address)) return undefined;
  const [serverAddress = ''] = server.split('%');
  const own = {clientAddress: safeText(address), serverPort};
  return isAddress(serverAddress) ? {...own, serverAddress: safeText(serverAddress)} : own;
}

function isAddress(text: string): boolean {
  return !text.includes('/') && parseIpPrefix(text) !== undefined;
}

/** Our own address as a rule of the public cloud needs it; undefined if it is private. */
export function publicAddressOf({clientAddress}: OwnConnection): SafeText | undefined {
  const address = parseIpPrefix(clientAddress);
  if (address === undefined || PRIVATE_NETWORKS.some(network => containsPrefix(network, address))) return undefined;
  return clientAddress;
}

/** Loopback, link-local, private, shared by a provider's customers (RFC 1918, 3927, 4193, 6598). */
const PRIVATE_NETWORKS = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
].flatMap(text => parseIpPrefix(text) ?? []);

/**
 * Whether the session may run on this machine: it connects to one of its addresses, although a private address may
 * exist several times.
 */
export function mayRunOn(
  {serverAddress}: OwnConnection,
  {fixedIp, floatingIp}: Pick<VirtualMachine, 'fixedIp' | 'floatingIp'>,
): boolean {
  return serverAddress !== undefined && (serverAddress === fixedIp || serverAddress === floatingIp);
}

/**
 * Whether a change of rules would shut out a session like ours: a removed rule allows it, and no remaining one does. It
 * does not say which machine the session runs on, since an address alone proves that for none.
 */
export function cutsOff(
  own: OwnConnection,
  {gone, staying}: {readonly gone: readonly RuleTerms[]; readonly staying: readonly RuleTerms[]},
): boolean {
  const needed = neededRule(own);
  return gone.some(rule => mayCover(rule, needed)) && !staying.some(rule => covers(rule, needed));
}

/** Ports that could not be read may be all of them. */
function mayCover({hasUnreadPorts: _unread, ...rule}: RuleTerms, needed: RuleTerms): boolean {
  return covers(rule, needed);
}

function neededRule({clientAddress, serverPort}: OwnConnection): RuleTerms {
  const family = parseIpPrefix(clientAddress)?.family ?? 'IPv4';
  return {
    direction: 'ingress',
    protocol: 'tcp',
    etherType: family,
    remoteIpPrefix: clientAddress,
    portRangeMin: serverPort,
    portRangeMax: serverPort,
  };
}
