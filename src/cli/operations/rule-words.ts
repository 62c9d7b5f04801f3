import {ruleProtocols} from '../../api/firewalls.ts';
import {checkRule, OWN_ADDRESS_WORD, type RuleContext} from '../../domain/check-rule.ts';
import type {EnvironmentVariables} from '../../domain/environment-variables.ts';
import {parseIpPrefix} from '../../domain/ip-prefix.ts';
import {parseSshConnection, publicAddressOf} from '../../domain/own-connection.ts';
import {joinSafe, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {DOCUMENTED_PROTOCOLS, hasPorts, RULE_PRESETS, type RuleSpec} from '../../domain/security-rule.ts';
import type {Reader} from '../../resources/listing.ts';

/** A rule as given by options. */
export type RuleFlags = {
  readonly direction?: string;
  readonly protocol?: string;
  readonly port?: string;
  readonly cidr?: string;
  readonly ethertype?: string;
};

export type RuleOutcome =
  | {readonly ok: true; readonly spec: RuleSpec}
  | {readonly ok: false; readonly mistake: SafeText};

/** The service's own list of protocols, or the documented one if it cannot be read. */
async function protocolsOf({client, signal}: Reader): Promise<readonly SafeText[]> {
  const read = await client.read(ruleProtocols, {}, {signal});
  return read.ok && read.value.records.length > 0 ? read.value.records : DOCUMENTED_PROTOCOLS;
}

export async function ruleContextOf(reader: Reader, {SSH_CONNECTION}: EnvironmentVariables): Promise<RuleContext> {
  const connection = parseSshConnection(SSH_CONNECTION);
  return {protocols: await protocolsOf(reader), ownAddress: connection && publicAddressOf(connection)};
}

/** The rule that the options describe: tcp and ingress by default, the address family according to the network. */
export function ruleOf(
  flags: RuleFlags,
  preset: string | undefined,
  context: RuleContext,
  partNames: PartNames = OPTIONS,
): RuleOutcome {
  const known = RULE_PRESETS.find(({name}) => name === preset);
  if (preset !== undefined && known === undefined) {
    const names = joinSafe(
      RULE_PRESETS.map(({name}) => name),
      ', ',
    );
    return {ok: false, mistake: say`unknown preset "${safeText(preset)}"; available: ${names}`};
  }
  const protocol = flags.protocol ?? 'tcp';
  const [from, to = from] = (flags.port ?? (known === undefined ? '' : String(known.port))).split('-');
  const checked = checkRule(
    {
      direction: flags.direction ?? 'ingress',
      protocol,
      etherType: flags.ethertype,
      remoteIpPrefix: flags.cidr,
      ...(hasPorts(protocol) || flags.port !== undefined ? {portRangeMin: from, portRangeMax: to} : {}),
    },
    context,
  );
  if (checked.ok) return checked;
  const mistakes = checked.mistakes.map(({field, mistake}) => say`${safeText(partNames[field])}: ${mistake}`);
  return {ok: false, mistake: joinSafe([...new Set(mistakes)], '; ')};
}

/** The names that errors use for the parts of a rule. */
type PartNames = Readonly<Record<keyof RuleSpec, string>>;

const OPTIONS: PartNames = {
  direction: '--direction',
  protocol: '--protocol',
  etherType: '--ethertype',
  remoteIpPrefix: '--cidr',
  portRangeMin: '--port',
  portRangeMax: '--port',
};

/** A rule in one argument has no options. */
const WORDS: PartNames = {
  direction: 'direction',
  protocol: 'protocol',
  etherType: 'ethertype',
  remoteIpPrefix: 'network',
  portRangeMin: 'port',
  portRangeMax: 'port',
};

/**
 * A rule in one argument, as for `vm create --rule`: `ingress tcp 22 10.0.0.0/8`, the first and third parts optional.
 */
export function ruleFromWords(text: string, context: RuleContext): RuleOutcome {
  const words = text.split(/\s+/).filter(word => word !== '');
  const direction = words.find(word => word === 'ingress' || word === 'egress');
  const cidr = words.find(word => word === OWN_ADDRESS_WORD || word.includes('/') || parseIpPrefix(word) !== undefined);
  const port = words.find(word => /^\d+(?:-\d+)?$/.test(word));
  const rest = words.filter(word => word !== direction && word !== cidr && word !== port);
  if (rest.length > 1) return {ok: false, mistake: say`--rule "${safeText(text)}": write ingress tcp 22 10.0.0.0/8`};
  const [protocol] = rest;
  const outcome = ruleOf(withoutAbsent({direction, cidr, port, protocol}), undefined, context, WORDS);
  return outcome.ok ? outcome : {ok: false, mistake: say`--rule "${safeText(text)}": ${outcome.mistake}`};
}

function withoutAbsent(flags: {readonly [Key in keyof RuleFlags]: RuleFlags[Key] | undefined}): RuleFlags {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}
