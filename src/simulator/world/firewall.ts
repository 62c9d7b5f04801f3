import type {Environment, SecurityRule} from './machine.ts';

/** Rules of one environment that hold for whatever machines they are attached to. */
export type Firewall = {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly environment: Environment;
  readonly createdAt: number;
  readonly rules: SecurityRule[];
  readonly attachments: FirewallAttachment[];
  status: 'CREATING' | 'SUCCESS' | 'DELETING';
};

export type FirewallAttachment = {
  readonly id: number;
  readonly machineId: number;
  readonly createdAt: number;
  /** In the same spelling as that of a rule. */
  status: 'pending' | 'SUCCESS' | 'DELETING';
};

/** Whether a firewall holds for a machine; one that is being taken from it does not count. */
export function holdsFor({attachments}: Firewall, machineId: number): boolean {
  return attachments.some(each => each.machineId === machineId && each.status !== 'DELETING');
}
