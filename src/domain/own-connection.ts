import {parseIpPrefix} from './ip-prefix.ts';
import {type SafeText, safeText} from './safe-text.ts';
import {covers, MAX_PORT, type RuleTerms} from './security-rule.ts';

/** The SSH session that skydeck itself runs in: who comes in, and at which port. */
export type OwnConnection = {readonly clientAddress: SafeText; readonly serverPort: number};

/** Reads what the SSH server leaves in `SSH_CONNECTION`: client address, client port, server address, server port. */
export function parseSshConnection(text: string | undefined): OwnConnection | undefined {
  const [client = '', , , port = ''] = text?.trim().split(/\s+/) ?? [];
  // The address of a link-local client names its interface behind a percent sign; rules do not.
  const [address = ''] = client.split('%');
  const serverPort = Number(port);
  const isPort = /^\d+$/.test(port) && serverPort >= 1 && serverPort <= MAX_PORT;
  return isPort && !address.includes('/') && parseIpPrefix(address) !== undefined
    ? {clientAddress: safeText(address), serverPort}
    : undefined;
}

/**
 * Whether a change of rules would shut out a session like our own: one of the rules that go lets it in, and none of
 * those that stay does. It says nothing about which machine the session runs on: that cannot be known.
 */
export function cutsOff(
  own: OwnConnection,
  {gone, staying}: {readonly gone: readonly RuleTerms[]; readonly staying: readonly RuleTerms[]},
): boolean {
  const needed = neededRule(own);
  return gone.some(rule => covers(rule, needed)) && !staying.some(rule => covers(rule, needed));
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
