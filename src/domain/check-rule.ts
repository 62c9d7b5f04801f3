import {closest} from './closest-word.ts';
import {formatIpPrefix, networkOf, parseIpPrefix} from './ip-prefix.ts';
import {type SafeText, safeText, say} from './safe-text.ts';
import {type EtherType, hasPorts, MAX_PORT, MIN_PORT, type RuleDirection, type RuleSpec} from './security-rule.ts';

export type RuleField = keyof RuleSpec;

/**
 * A rule as typed; a field not filled in yet is absent or empty. The address family defaults to that of the network.
 */
export type TypedRule = {readonly [Field in RuleField]?: string | undefined};

type RuleMistake = {readonly field: RuleField; readonly mistake: SafeText};

export type CheckedRule =
  /** The rule to send, unchanged except for white space, capitals, and the prefix length added to a bare address. */
  | {readonly ok: true; readonly spec: RuleSpec}
  /** Every error, in the order of the fields; at most one per field. */
  | {readonly ok: false; readonly mistakes: readonly RuleMistake[]};

export const DIRECTIONS: readonly RuleDirection[] = ['ingress', 'egress'];
export const ETHER_TYPES: readonly EtherType[] = ['IPv4', 'IPv6'];
const PORT = /^\d{1,5}$/;

/** What a typed rule is checked against: the service's own list of protocols, and our own public address if known. */
export type RuleContext = {readonly protocols: readonly SafeText[]; readonly ownAddress?: SafeText | undefined};

/** What a person types for their own public address. */
export const OWN_ADDRESS_WORD = 'me';

/** The address comes from the SSH session; behind a jump host, or on a local computer, that gives no public address. */
const NO_OWN_ADDRESS = say`me is the client address in SSH_CONNECTION, and there is no public one here; type your address, e.g. 203.0.113.7/32`;

/** Whether the service will accept a rule, before it is sent. */
export function checkRule(typed: TypedRule, {protocols, ownAddress}: RuleContext): CheckedRule {
  const direction = checkWord('direction', typed.direction, DIRECTIONS);
  const protocol = checkProtocol(typed.protocol, protocols);
  const network = typed.remoteIpPrefix?.trim() === OWN_ADDRESS_WORD ? ownAddress : typed.remoteIpPrefix;
  const etherType = checkWord(
    'etherType',
    typed.etherType ?? parseIpPrefix(clean(network))?.family ?? 'IPv4',
    ETHER_TYPES,
  );
  const prefix =
    network === undefined && typed.remoteIpPrefix !== undefined
      ? mistaken('remoteIpPrefix', NO_OWN_ADDRESS)
      : checkPrefix(network, etherType.ok ? etherType.value : undefined);
  const ports = checkPorts(typed, protocol.ok ? protocol.value : undefined);
  if (direction.ok && protocol.ok && etherType.ok && prefix.ok && ports.ok) {
    const spec: RuleSpec = {
      direction: direction.value,
      protocol: protocol.value,
      etherType: etherType.value,
      remoteIpPrefix: prefix.value,
      ...ports.value,
    };
    return {ok: true, spec};
  }
  return {ok: false, mistakes: [direction, protocol, etherType, prefix, ports].flatMap(mistakesOf)};
}

type FieldCheck<T> = {readonly ok: true; readonly value: T} | {readonly ok: false; readonly mistakes: RuleMistake[]};
type Ports = Pick<RuleSpec, 'portRangeMin' | 'portRangeMax'>;

function checkWord<Word extends RuleDirection | EtherType>(
  field: RuleField,
  text: string | undefined,
  words: readonly Word[],
): FieldCheck<Word> {
  const found = words.find(word => word.toLowerCase() === clean(text).toLowerCase());
  return found === undefined ? mistaken(field, say`${safeText(words.join(' or '))}`) : {ok: true, value: found};
}

function checkProtocol(text: string | undefined, protocols: readonly SafeText[]): FieldCheck<SafeText> {
  const name = clean(text);
  if (name === '') return mistaken('protocol', say`required`);
  const found = protocols.find(protocol => protocol.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return {ok: true, value: found};
  const meant = closest(name, protocols);
  const hint = meant === undefined ? say`` : say`; did you mean ${meant}?`;
  return mistaken('protocol', say`unknown protocol ${safeText(name)}${hint}`);
}

function checkPrefix(text: string | undefined, etherType: EtherType | undefined): FieldCheck<SafeText> {
  const field = 'remoteIpPrefix';
  const written = clean(text);
  const prefix = parseIpPrefix(written);
  if (written === '') return mistaken(field, say`required`);
  if (prefix === undefined) return mistaken(field, say`not a network or an address, e.g. 10.0.0.0/16 or 2001:db8::/32`);
  if (etherType !== undefined && prefix.family !== etherType) {
    return mistaken(field, say`this is ${safeText(prefix.family)}, the rule is for ${safeText(etherType)}`);
  }
  return {ok: true, value: safeText(written.includes('/') ? written : formatIpPrefix(prefix))};
}

function checkPorts({portRangeMin, portRangeMax}: TypedRule, protocol: SafeText | undefined): FieldCheck<Ports> {
  const [minText, maxText] = [clean(portRangeMin), clean(portRangeMax)];
  if (minText === '' && maxText === '') return {ok: true, value: {}};
  if (protocol !== undefined && !hasPorts(protocol)) {
    const field = minText === '' ? 'portRangeMax' : 'portRangeMin';
    return mistaken(field, say`protocol ${protocol} has no ports`);
  }
  const min = checkPort('portRangeMin', minText);
  const max = checkPort('portRangeMax', maxText);
  if (!min.ok || !max.ok) return {ok: false, mistakes: [min, max].flatMap(mistakesOf)};
  return min.value > max.value
    ? mistaken('portRangeMax', say`lower than the first port`)
    : {ok: true, value: {portRangeMin: min.value, portRangeMax: max.value}};
}

function checkPort(field: RuleField, text: string): FieldCheck<number> {
  if (text === '') return mistaken(field, say`required; for one port give it twice`);
  const port = PORT.test(text) ? Number(text) : Number.NaN;
  return port >= MIN_PORT && port <= MAX_PORT
    ? {ok: true, value: port}
    : mistaken(field, say`a port from ${MIN_PORT} to ${MAX_PORT}`);
}

/** What a rule means beyond its words, if that deserves a second look. */
export function ruleNotes({protocol, remoteIpPrefix, portRangeMin}: RuleSpec): readonly SafeText[] {
  const prefix = parseIpPrefix(remoteIpPrefix);
  const notes: SafeText[] = [];
  if (prefix !== undefined && networkOf(prefix).bits !== prefix.bits) {
    const network = safeText(formatIpPrefix(networkOf(prefix)));
    notes.push(say`It applies to the whole network ${network}.`);
  }
  if (hasPorts(protocol) && portRangeMin === undefined) {
    notes.push(say`Without ports it applies to all ports.`);
  }
  return notes;
}

function clean(text: string | undefined): string {
  return text?.trim() ?? '';
}

function mistaken(field: RuleField, mistake: SafeText): {readonly ok: false; readonly mistakes: RuleMistake[]} {
  return {ok: false, mistakes: [{field, mistake}]};
}

function mistakesOf(checked: FieldCheck<unknown>): readonly RuleMistake[] {
  return checked.ok ? [] : checked.mistakes;
}
