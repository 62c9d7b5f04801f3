import {listedWords} from './listed-words.ts';
import {nameInWords, type SafeText, safeText, say} from './safe-text.ts';
import {hasPorts, isAllPorts, overlaps, portsOf, type RuleTerms} from './security-rule.ts';

/** The rules that one machine loses, and those that hold for it afterwards. */
type IncomingLoss = {
  readonly machineName: SafeText;
  readonly gone: readonly RuleTerms[];
  readonly staying: readonly RuleTerms[];
};

/**
 * The ports that nothing can connect to once rules are gone, as sentences, and on which machines. A port that is still
 * open to some addresses, by a rule of the machine or of its firewalls, is not among them.
 */
export function incomingWarnings(machines: readonly IncomingLoss[]): readonly SafeText[] {
  const losses = machines.flatMap(({machineName, gone, staying}) =>
    gone
      .filter(rule => isIncoming(rule) && !staying.some(other => overlaps(other, rule)))
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
