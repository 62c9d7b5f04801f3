/** What can be done with a machine beside its power operations; named as in the paths where those have a name for it. */
export type MachineVerb =
  | 'create-machine'
  | 'delete-machine'
  | 'resize'
  | 'label'
  | 'attach-floatingip'
  | 'detach-floatingip'
  | 'attach-callback'
  | 'update-callback'
  | 'delete-callback'
  | 'attach-firewalls'
  | 'request-console'
  | 'request-logs';

export type FirewallVerb = 'create-firewall' | 'delete-firewall' | 'update-attachments';

/** The id that goes with each of these is that of the cluster. */
export type ClusterVerb =
  | 'create-cluster'
  | 'delete-cluster'
  | 'reconcile'
  | 'create-node-group'
  | 'update-node-group'
  | 'delete-node-group'
  | 'create-nodes'
  | 'delete-nodes';

/** What of a cluster was acted on. */
export type ClusterParts = {readonly nodeGroupId?: number; readonly nodeIds?: readonly number[]};

/** Writes down that something really took effect. */
export type Executed = (verb: MachineVerb | FirewallVerb | ClusterVerb, id: number, parts?: ClusterParts) => void;
