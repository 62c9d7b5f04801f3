import type {Firewall} from '../domain/firewall.ts';
import {outgoingWarnings, type RuleHolder} from '../domain/outgoing-traffic.ts';
import {cutsOff} from '../domain/own-connection.ts';
import {isOpenToWorld, type RuleTerms, ruleWords} from '../domain/security-rule.ts';
import type {Line} from '../ui/text.ts';
import type {Known} from './known.ts';

/** Rules that come and go on one machine, or on one thing that has rules. */
export type AccessChange = {
  readonly gone: readonly RuleTerms[];
  readonly staying: readonly RuleTerms[];
};

/** A change that would shut our own session out is the last one that could be made from it. */
export function cutOffLines(known: Known, change: AccessChange): readonly Line[] {
  return isCutOff(known, change) ? [sessionLine(known, 'no rule that stays here lets it in')] : [];
}

/** The same for machines that lose a firewall: which of them the session runs on is not known. */
export function cutOffMachinesLines(
  known: Known,
  changes: readonly (AccessChange & {readonly machineName: string})[],
): readonly Line[] {
  const names = changes.filter(change => isCutOff(known, change)).map(({machineName}) => machineName);
  return names.length === 0 ? [] : [sessionLine(known, `nothing that stays on ${listed(names)} lets it in`)];
}

/** What the machines can send out no longer. */
export function outgoingLines(change: AccessChange, holders: readonly RuleHolder[]): readonly Line[] {
  return outgoingWarnings(change, holders).map(text => [{text, tone: 'danger'}]);
}

/** What a firewall opens to everyone is open on whatever it is attached to. */
export function worldLines(attached: readonly Firewall[]): readonly Line[] {
  return attached.flatMap(({name, rules}) => {
    const open = rules.filter(isOpenToWorld).map(ruleWords);
    return open.length === 0 ? [] : [[{text: `${name} opens to the whole world: ${listed(open)}.`, tone: 'danger'}]];
  });
}

function isCutOff({ownConnection}: Known, change: AccessChange): boolean {
  return ownConnection !== undefined && cutsOff(ownConnection, change);
}

function sessionLine({ownConnection}: Known, consequence: string): Line {
  const from = ownConnection?.clientAddress ?? 'here';
  const port = ownConnection?.serverPort ?? 'unknown';
  return [{text: `Your own SSH session comes from ${from} to port ${port}: ${consequence}.`, tone: 'danger'}];
}

const MAX_LISTED = 4;

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return more > 0 ? `${names.slice(0, MAX_LISTED).join(', ')} and ${more} more` : names.join(', ');
}
