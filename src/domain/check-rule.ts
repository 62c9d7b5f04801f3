import {formatIpPrefix, networkOf, parseIpPrefix} from './ip-prefix.ts';
import {type SafeText, safeText, say} from './safe-text.ts';
import {type EtherType, hasPorts, MAX_PORT, MIN_PORT, type RuleDirection, type RuleSpec} from './security-rule.ts';

export type RuleField = keyof RuleSpec;

/** A rule as a person types it; a field not filled in yet is absent or empty. */
export type TypedRule = {readonly [Field in RuleField]?: string | undefined};

type RuleMistake = {readonly field: RuleField; readonly mistake: SafeText};
export type RuleNote = {readonly field: RuleField; readonly note: SafeText};

export type CheckedRule =
  /** What may go out, unchanged but for white space and capitals, with what a careful eye would ask about. */
  | {readonly ok: true; readonly spec: RuleSpec; readonly notes: readonly RuleNote[]}
  /** Every mistake, in the order of the fields; at most one a field. */
  | {readonly ok: false; readonly mistakes: readonly RuleMistake[]};

const DIRECTIONS: readonly RuleDirection[] = ['ingress', 'egress'];
const ETHER_TYPES: readonly EtherType[] = ['IPv4', 'IPv6'];
const PORT = /^\d{1,5}$/;

/** Whether the service will take a rule, before it is sent. `protocols` is the service's own list. */
export function checkRule(typed: TypedRule, protocols: readonly SafeText[]): CheckedRule {
  const direction = checkWord('direction', typed.direction, DIRECTIONS);
  const protocol = checkProtocol(typed.protocol, protocols);
  const etherType = checkWord('etherType', typed.etherType, ETHER_TYPES);
  const prefix = checkPrefix(typed.remoteIpPrefix, etherType.ok ? etherType.value : undefined);
  const ports = checkPorts(typed, protocol.ok ? protocol.value : undefined);
  if (direction.ok && protocol.ok && etherType.ok && prefix.ok && ports.ok) {
    const spec: RuleSpec = {
      direction: direction.value,
      protocol: protocol.value,
      etherType: etherType.value,
      remoteIpPrefix: prefix.value,
      ...ports.value,
    };
    return {ok: true, spec, notes: notesOn(spec)};
  }
  return {ok: false, mistakes: [direction, protocol, etherType, prefix, ports].flatMap(mistakesOf)};
}

type Checked<T> = {readonly ok: true; readonly value: T} | {readonly ok: false; readonly mistakes: RuleMistake[]};
type Ports = Pick<RuleSpec, 'portRangeMin' | 'portRangeMax'>;

function checkWord<Word extends RuleDirection | EtherType>(
  field: RuleField,
  text: string | undefined,
  words: readonly Word[],
): Checked<Word> {
  const found = words.find(word => word.toLowerCase() === clean(text).toLowerCase());
  return found === undefined
    ? mistaken(field, say`It must be ${safeText(words.join(' or '))}.`)
    : {ok: true, value: found};
}

function checkProtocol(text: string | undefined, protocols: readonly SafeText[]): Checked<SafeText> {
  const name = clean(text);
  if (name === '') return mistaken('protocol', say`It is missing.`);
  const found = protocols.find(protocol => protocol.toLowerCase() === name.toLowerCase());
  return found === undefined
    ? mistaken('protocol', say`The service knows no protocol ${safeText(name)}.`)
    : {ok: true, value: found};
}

function checkPrefix(text: string | undefined, etherType: EtherType | undefined): Checked<SafeText> {
  const field = 'remoteIpPrefix';
  const written = clean(text);
  const prefix = parseIpPrefix(written);
  if (written === '') return mistaken(field, say`It is missing.`);
  if (prefix === undefined) return mistaken(field, say`It must be a network such as 10.0.0.0/16 or 2001:db8::/32.`);
  if (!written.includes('/')) {
    const alone = safeText(formatIpPrefix(prefix));
    return mistaken(field, say`It has no length; this address alone is ${alone}.`);
  }
  if (etherType !== undefined && prefix.family !== etherType) {
    return mistaken(field, say`It is ${safeText(prefix.family)}, and the rule is for ${safeText(etherType)}.`);
  }
  return {ok: true, value: safeText(written)};
}

function checkPorts({portRangeMin, portRangeMax}: TypedRule, protocol: SafeText | undefined): Checked<Ports> {
  const [minText, maxText] = [clean(portRangeMin), clean(portRangeMax)];
  if (minText === '' && maxText === '') return {ok: true, value: {}};
  if (protocol !== undefined && !hasPorts(protocol)) {
    const field = minText === '' ? 'portRangeMax' : 'portRangeMin';
    return mistaken(field, say`The protocol ${protocol} has no ports.`);
  }
  const min = checkPort('portRangeMin', minText);
  const max = checkPort('portRangeMax', maxText);
  if (!min.ok || !max.ok) return {ok: false, mistakes: [min, max].flatMap(mistakesOf)};
  return min.value > max.value
    ? mistaken('portRangeMax', say`It is below the first port.`)
    : {ok: true, value: {portRangeMin: min.value, portRangeMax: max.value}};
}

function checkPort(field: RuleField, text: string): Checked<number> {
  if (text === '') return mistaken(field, say`It is missing; one port alone stands in both.`);
  const port = PORT.test(text) ? Number(text) : Number.NaN;
  return port >= MIN_PORT && port <= MAX_PORT
    ? {ok: true, value: port}
    : mistaken(field, say`It must be a whole number from ${MIN_PORT} to ${MAX_PORT}.`);
}

function notesOn({protocol, remoteIpPrefix, portRangeMin}: RuleSpec): RuleNote[] {
  const prefix = parseIpPrefix(remoteIpPrefix);
  const notes: RuleNote[] = [];
  if (prefix !== undefined && networkOf(prefix).bits !== prefix.bits) {
    const network = safeText(formatIpPrefix(networkOf(prefix)));
    notes.push({field: 'remoteIpPrefix', note: say`It holds for the whole network ${network}.`});
  }
  if (hasPorts(protocol) && portRangeMin === undefined) {
    notes.push({field: 'portRangeMin', note: say`Without ports it holds for all of them.`});
  }
  return notes;
}

function clean(text: string | undefined): string {
  return text?.trim() ?? '';
}

function mistaken(field: RuleField, mistake: SafeText): {readonly ok: false; readonly mistakes: RuleMistake[]} {
  return {ok: false, mistakes: [{field, mistake}]};
}

function mistakesOf(checked: Checked<unknown>): readonly RuleMistake[] {
  return checked.ok ? [] : checked.mistakes;
}
