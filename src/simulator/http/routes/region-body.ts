import type {Region} from '../../world/catalogue.ts';

/** A region as it is listed and as it stands in Kubernetes versions. */
export function regionBody(region: Region) {
  return {
    id: region.id,
    name: region.name,
    country: region.country,
    description: null,
    green_status: region.greenStatus,
    features: {floating_ip: true, volumes: true},
  };
}
