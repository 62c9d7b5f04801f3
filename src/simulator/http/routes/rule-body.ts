import type {SecurityRule} from '../../world/rules.ts';
import {bareTimestamp} from '../timestamps.ts';

/** A rule as it stands in machines and firewalls. */
export function ruleBody(rule: SecurityRule) {
  return {
    id: rule.id,
    direction: rule.direction,
    protocol: rule.protocol,
    port_range_min: rule.portRangeMin,
    port_range_max: rule.portRangeMax,
    ethertype: rule.etherType,
    remote_ip_prefix: rule.remoteIpPrefix,
    status: rule.status,
    created_at: bareTimestamp(rule.createdAt),
  };
}
