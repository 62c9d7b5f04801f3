import type {UsageRecord} from '../domain/billing.ts';
import {type Cluster, clusterProgress, nodeCounts} from '../domain/cluster.ts';
import {type Contract, daysLeft, isContractInForce} from '../domain/contract.ts';
import {isBurning, usableRate} from '../domain/cost.ts';
import type {Firewall} from '../domain/firewall.ts';
import {hourlyUsd, sumRates} from '../domain/money.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {isExposed, ruleWords} from '../domain/security-rule.ts';
import {type EpochMs, MINUTE_MS} from '../domain/time.ts';
import type {SecurityRule, VirtualMachine} from '../domain/virtual-machine.ts';
import {presentAttachments, type Volume} from '../domain/volume.ts';

/** A contract that deletes what it covers is told two weeks before its end. */
const CONTRACT_TOLD_DAYS = 14;

export function machineFindings(machine: VirtualMachine, metered: readonly UsageRecord[]): readonly SafeText[] {
  const cost = costWords(metered);
  return [
    ...(machine.status === 'SHUTOFF' && cost !== undefined
      ? [say`shut off and still billed ${cost}: hibernating keeps the disk and gives the rest back`]
      : []),
    ...(machine.status === 'ERROR' ? [say`in state ERROR: look at its events`] : []),
    ...(machine.status === 'UNKNOWN' ? [say`its state ${machine.statusText} is not known to skydeck`] : []),
    ...exposedRules(machine.rules),
  ];
}

export function clusterFindings(cluster: Cluster, now: EpochMs): readonly SafeText[] {
  const progress = clusterProgress(cluster, now);
  const counts = nodeCounts(cluster);
  const failed = Object.values(counts).reduce((sum, {failed: count}) => sum + count, 0);
  const minutes = 'elapsedMs' in progress ? Math.floor(progress.elapsedMs / MINUTE_MS) : 0;
  return [
    ...(progress.kind === 'overdue'
      ? [say`being created for ${minutes} min: past 60 the service says to delete it and to create it again`]
      : []),
    ...(progress.kind === 'slow' ? [say`being created for ${minutes} min, longer than the usual 20`] : []),
    ...(cluster.status === 'ERROR' ? [say`in state ERROR: reconcile it, or look at its events`] : []),
    ...(failed > 0 ? [say`${failed} of its nodes ${failed === 1 ? say`is` : say`are`} in state ERROR`] : []),
  ];
}

export function firewallFindings(firewall: Firewall): readonly SafeText[] {
  return [
    ...exposedRules(firewall.rules),
    ...(firewall.attachments.length === 0 && firewall.hasUnreadAttachments === undefined
      ? [say`holds for no machine`]
      : []),
  ];
}

export function volumeFindings(volume: Volume, metered: readonly UsageRecord[]): readonly SafeText[] {
  const cost = costWords(metered);
  const isLoose = volume.status === 'AVAILABLE' && presentAttachments(volume).length === 0;
  return [
    ...(isLoose ? [say`attached to nothing${cost === undefined ? say`` : say`, and billed ${cost}`}`] : []),
    ...(volume.status === 'ERROR' ? [say`in state ERROR`] : []),
  ];
}

export function contractFindings(contract: Contract, now: EpochMs): readonly SafeText[] {
  const days = daysLeft(contract, now);
  if (days === undefined || !isContractInForce(contract, now) || days > CONTRACT_TOLD_DAYS) return [];
  const end =
    contract.expirationPolicy.kind === 'market'
      ? say`its resources go on at market rates`
      : say`its resources are deleted`;
  return [say`ends in ${Math.floor(days)} days; then ${end}`];
}

function exposedRules(rules: readonly SecurityRule[]): readonly SafeText[] {
  return rules.filter(isExposed).map(rule => say`open to everyone: ${ruleWords(rule)}`);
}

function costWords(metered: readonly UsageRecord[]): SafeText | undefined {
  const rates = metered.filter(isBurning).flatMap(record => usableRate(record) ?? []);
  const hourly = hourlyUsd(sumRates(rates));
  return rates.length === 0 || hourly === 0 ? undefined : safeText(`$${hourly.toFixed(hourly < 0.1 ? 4 : 2)}/h`);
}
