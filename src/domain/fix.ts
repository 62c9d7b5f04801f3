import type {SecurityRule} from './virtual-machine.ts';

/**
 * The action that ends a finding or a waste, with all the parameters it needs. What finds it knows plain numbers; the
 * action's record makes the action of it.
 */
export type Fix =
  | FixWith<'vm.start' | 'vm.hard-reboot' | 'vm.delete'>
  | FixWith<'vm.hibernate', {readonly retainsIp: boolean}>
  | RuleRemoval
  | FixWith<'cluster.reconcile' | 'cluster.delete'>
  | FixWith<'firewall.delete'>
  | FixWith<'volume.delete'>;

export type RuleRemoval = FixWith<
  'vm.remove-rule' | 'firewall.remove-rule',
  {readonly ruleId: number; readonly rule: SecurityRule}
>;

type FixWith<Kind extends string, Parameters = unknown> = {readonly kind: Kind; readonly id: number} & Parameters;
