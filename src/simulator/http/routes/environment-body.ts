import type {Environment} from '../../world/environments.ts';
import {zuluTimestamp} from '../timestamps.ts';
import {environmentFeatures} from './features.ts';

/** An environment as it stands by itself and in key pairs. */
export function environmentBody(environment: Environment) {
  return {
    id: environment.id,
    name: environment.name,
    region: environment.regionName,
    created_at: zuluTimestamp(environment.createdAt),
    features: environmentFeatures(environment),
  };
}
