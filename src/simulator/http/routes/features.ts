import {type Flavor, REGIONS} from '../../world/catalogue.ts';
import type {Environment} from '../../world/environments.ts';

/** The flags of a flavor. `no_hibernation` is false even for flavors without a GPU, which cannot hibernate. */
export function flavorFeatures(flavor: Flavor) {
  return {
    network_optimised: flavor.isNetworkOptimised,
    no_reboot: false,
    no_hibernation: !flavor.canHibernate && flavor.gpu !== '',
    no_snapshot: flavor.name.endsWith('-K8s'),
    local_storage_only: flavor.name.endsWith('-K8s'),
    api_only: flavor.name.endsWith('-spot'),
  };
}

/** The flags of an environment, which are those of its region. */
export function environmentFeatures({regionName}: Environment) {
  return FEATURES.get(regionName) ?? {network_optimised: false, green_status: 'NOT_GREEN'};
}

const FEATURES = new Map(
  REGIONS.map(({name, greenStatus}) => [name, {network_optimised: name === 'CANADA-1', green_status: greenStatus}]),
);
