import {listedWords} from './listed-words.ts';
import {nameInWords, type SafeText, safeText, say} from './safe-text.ts';
import {hasPorts, isAllPorts, overlaps, portsOf, type RuleTerms} from './security-rule.ts';

/** The rules removed from one machine, and those that apply to it afterwards. */
type IncomingLoss = {
  readonly machineName: SafeText;
  readonly gone: readonly RuleTerms[];
  readonly staying: readonly RuleTerms[];
};

/**
 * Sentences about the ports that nothing can connect to once rules are removed, and on which machines. Ports still open
 * to some addresses, by a rule of the machine or of its firewalls, are not included.
 */
export function incomingWarnings(machines: readonly IncomingLoss[]): readonly SafeText[] {
  const losses = machines.flatMap(({machineName, gone, staying}) =>
    gone
      .filter(rule => isIncoming(rule) && !staying.some(other => isKnown(other) && overlaps(other, rule)))
      .map(rule => ({machineName, port: portOf(rule), family: safeText(rule.etherType ?? 'IPv4')})),
  );
  const byPort = Map.groupBy(losses, ({port, family}) => `${port} ${family}`);
  return [...byPort.values()].flatMap(losing => {
    const [first] = losing;
    if (first === undefined) return [];
    const names = [...new Set(losing.map(({machineName}) => nameInWords(machineName)))];
    return say`Nothing can connect to ${first.port} on ${listedWords(say`machine`, names)} afterwards: no other known ${first.family} rule allows it.`;
  });
}

/** What a rule allows whose ports could not be read cannot be relied on. */
function isKnown({hasUnreadPorts}: RuleTerms): boolean {
  return hasUnreadPorts !== true;
}

function isIncoming({direction, protocol = ''}: RuleTerms): boolean {
  return direction?.toLowerCase() === 'ingress' && (protocol.toLowerCase() === 'any' || hasPorts(protocol));
}

/** `tcp/22`, `udp/6000-6100`, `any tcp port`, `any port`. */
function portOf(rule: RuleTerms): SafeText {
  const protocol = (rule.protocol ?? '').toLowerCase();
  const ports = portsOf(rule);
  if (protocol === 'any') return say`any port`;
  if (isAllPorts(ports)) return safeText(`any ${protocol} port`);
  return safeText(`${protocol}/${ports.min === ports.max ? ports.min : `${ports.min}-${ports.max}`}`);
}
