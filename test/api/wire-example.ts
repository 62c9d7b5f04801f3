import {readFileSync} from 'node:fs';
import type {OperationEndpoint, Quarantined, ReadEndpoint} from '../../src/api/endpoint.ts';
import {parseJson} from '../../src/api/json.ts';
import type {OperationResult} from '../../src/domain/operation-result.ts';
import {atOnce} from '../../src/domain/steps.ts';

/** The text of one reply as the interface's documents show it. */
export function wireExample(name: string): string {
  return readFileSync(new URL(`../wire-examples/${name}.json`, import.meta.url), 'utf8');
}

/** What an endpoint reads from a wire example, without a network. */
export function readExample<R>(
  endpoint: ReadEndpoint<never, R>,
  name: string = endpoint.id,
): {records: R[]; quarantined: Quarantined[]} {
  const parsed = atOnce(parseJson(wireExample(name)));
  if (!parsed.ok) throw new Error(`${name}.json is ${parsed.detail}.`);
  const raw = endpoint.collect(parsed.value);
  if (raw === undefined) throw new Error(`${name}.json is not the envelope of ${endpoint.id}.`);
  const readings = raw.map(endpoint.record);
  return {
    records: readings.flatMap(reading => (reading.ok ? [reading.value] : [])),
    quarantined: readings.flatMap(reading => (reading.ok ? (reading.lost ?? []) : [{fields: reading.fields}])),
  };
}

/** The result that an operation reads from the wire example of its reply. */
export function readResult(
  endpoint: OperationEndpoint<never>,
  name: string = endpoint.id,
): OperationResult | undefined {
  const parsed = atOnce(parseJson(wireExample(name)));
  if (!parsed.ok) throw new Error(`${name}.json is ${parsed.detail}.`);
  if (!endpoint.isAccepted(parsed.value)) throw new Error(`${name}.json is no acceptance of ${endpoint.id}.`);
  return endpoint.result(parsed.value);
}
