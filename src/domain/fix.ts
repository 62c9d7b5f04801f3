import type {SecurityRule} from './virtual-machine.ts';

/**
 * The action that ends a finding or waste, with all the parameters it needs. Rules only know plain numbers; the
 * action's record turns them into an action.
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
  {
    readonly ruleId: number;
    readonly rule: SecurityRule;
    /** Removed alone it would shut out those who need it: a narrower rule is to be added first. */
    readonly needsNarrowerRule?: true;
  }
>;

type FixWith<Kind extends string, Parameters = unknown> = {readonly kind: Kind; readonly id: number} & Parameters;
