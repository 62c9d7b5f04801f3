import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {hasSeries, readMetrics} from '../../src/api/metric-rows.ts';
import {virtualMachineMetrics} from '../../src/api/virtual-machines.ts';
import type {MachineMetrics} from '../../src/domain/series.ts';
import {readExample} from './wire-example.ts';

const AT_0119 = Date.UTC(2023, 8, 1, 1, 19);
const MIDNIGHT = Date.UTC(2026, 4, 1);
const MINUTE = 60_000;

describe('readMetrics', () => {
  it('reads the six series in base units', () => {
    const {records, quarantined} = readExample(virtualMachineMetrics);
    expect(records.map(unpacked)).toStrictEqual([
      {
        cpu: [
          {sampledAt: AT_0119, value: 1041433070000000},
          {sampledAt: AT_0119 + 5 * MINUTE, value: 1041441320000000},
        ],
        memory: [{sampledAt: AT_0119, value: 512.5 * 1024 * 1024}],
        networkIn: [{sampledAt: AT_0119, value: 1000}],
        networkOut: [{sampledAt: AT_0119, value: 2000}],
        diskRead: [{sampledAt: AT_0119, value: 3000}],
        diskWrite: [],
      },
    ]);
    expect(quarantined).toEqual([]);
  });

  it('takes the finest of overlapping samples and an unknown series of bytes as inbound, and counts malformed rows', () => {
    const {records, quarantined} = readExample(virtualMachineMetrics, 'virtual-machines.metrics.overlapping');
    expect(records.map(unpacked)).toStrictEqual([
      {
        cpu: [
          {sampledAt: MIDNIGHT, value: 90},
          // Beyond 2^53 the counter is off by a nanosecond at most, which no rate shows.
          {sampledAt: MIDNIGHT + 5 * MINUTE, value: 2 ** 54},
          {sampledAt: MIDNIGHT + 60 * MINUTE, value: 510},
        ],
        networkIn: [{sampledAt: MIDNIGHT, value: 77}],
        networkOut: [{sampledAt: MIDNIGHT, value: 78}],
      },
    ]);
    expect(quarantined).toEqual([{fields: ['cpu']}, {fields: ['cpu']}, {fields: ['cpu']}]);
  });

  it('prefers the true name of the inbound series', () => {
    const series = (value: number) => ({unit: 'B', data: [['2026-05-01T00:00:00Z', 300, value]]});
    expect(inboundValues({'{base_url}': series(1), 'network.in': series(2)})).toEqual([2]);
  });

  it('takes an unknown series as inbound when its unit is bytes, and none when two of other units are unclear', () => {
    const series = (unit: string, value: number) => ({unit, data: [['2026-05-01T00:00:00Z', 300, value]]});
    expect(inboundValues({cpu: series('ns', 1), 'net.rx': series('bytes', 2)})).toEqual([2]);
    expect(inboundValues({'gpu.temperature': series('C', 60), 'net.rx': series('B', 2)})).toEqual([2]);
    const unclear = readMetrics({'gpu.temperature': series('C', 60), 'gpu.power': series('W', 300)});
    expect(unclear.ok && unclear.value.networkIn).toBeUndefined();
  });

  it('distinguishes a reply about metrics from any other', () => {
    expect(hasSeries({cpu: {unit: 'ns', data: []}})).toBe(true);
    for (const other of [{status: true, message: 'ok'}, {}, null, [], 'cpu', {cpu: []}]) {
      expect(hasSeries(other)).toBe(false);
    }
  });

  it('gives ascending samples, one per moment, for rows in any order', () => {
    const row = fc.tuple(fc.integer({min: 0, max: 20}), fc.constantFrom(60, '300', 3600, null), fc.nat());
    fc.assert(
      fc.property(fc.array(row), rows => {
        const data = rows.map(([minute, ...rest]) => [new Date(MIDNIGHT + minute * MINUTE).toISOString(), ...rest]);
        const reading = readMetrics({cpu: {unit: 'ns', columns: ['time', 'granularity', 'value'], data}});
        const samples = reading.ok ? (reading.value.cpu ?? []) : [];
        const minutes = [...new Set(rows.map(([minute]) => minute))].sort((left, right) => left - right);
        expect(Array.from(samples, sample => (sample.sampledAt - MIDNIGHT) / MINUTE)).toEqual(minutes);
      }),
    );
  });
});

function inboundValues(raw: unknown): readonly number[] | undefined {
  const reading = readMetrics(raw);
  return reading.ok ? [...(reading.value.networkIn ?? [])].map(({value}) => value) : undefined;
}

/** Each series as a plain list. */
function unpacked(metrics: MachineMetrics) {
  return Object.fromEntries(Object.entries(metrics).map(([name, series]) => [name, [...series]]));
}
