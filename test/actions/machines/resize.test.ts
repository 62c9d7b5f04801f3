import {describe, expect, it} from 'vitest';
import {resizeMachine} from '../../../src/actions/machines/resize.ts';
import {isQuestionVisible} from '../../app/a-scene.ts';
import type {Flavor} from '../../../src/domain/flavor.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import type {MachineMetrics} from '../../../src/domain/series.ts';
import type {VirtualMachine} from '../../../src/domain/virtual-machine.ts';
import {textOf} from '../../../src/ui/text.ts';
import {factText} from '../../panes/a-catalogue.ts';
import {A_FLAVOR, aContract, aKnownScene, aUsageRecord, busyMetrics} from '../../panes/a-known-scene.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {formOf} from './form-of.ts';

const resizeForm = formOf(resizeMachine);
const QUIET = busyMetrics(0.01);
const NAME = {kind: 'text', what: 'name', expected: 'train-02'};
const SMALL: Flavor = {
  id: 9,
  name: safeText('n1-cpu-small'),
  labels: [],
  cpuCount: 4,
  ramGb: 4,
  rootDiskGb: 100,
  ephemeralDiskGb: 0,
  gpuCount: 0,
  isInStock: true,
};

/** The question before train-02, metered at $5.41 an hour, becomes a flavor published at $0.35. */
function ask(
  fields: Partial<Omit<VirtualMachine, 'id'>> = {},
  {metrics = QUIET, flavor = SMALL}: {readonly metrics?: MachineMetrics; readonly flavor?: Flavor} = {},
) {
  const machine = aVirtualMachine({id: 7, name: safeText('train-02'), flavor: A_FLAVOR, ...fields});
  const scene = aKnownScene({
    machines: [machine],
    flavors: [flavor],
    usage: [aUsageRecord(7, '5.41')],
    contracts: [aContract(5)],
    metrics: new Map([[machine.id, metrics]]),
  });
  const {question, notes} = resizeForm(machine, scene).check({flavor: flavor.name});
  if (question === undefined) throw new Error('no question');
  const care = factText(question, 'Warnings');
  return {question, notes: notes.map(textOf).join('\n'), care, scene};
}

describe('resizing a machine', () => {
  it('compares both flavors including the address, and names the volumes separately', () => {
    const volumes = [{volumeId: 1, name: safeText('data'), sizeGb: 3000, status: safeText('ATTACHED')}];
    // $0.35 and $0.00672043 for the address; 3,000 GB × $0.000096774 = $0.290322 an hour.
    const withAddress = ask({floatingIp: safeText('192.0.2.7'), volumes});
    expect(factText(withAddress.question, 'What it costs').split('\n')).toEqual([
      'now $5.41/h  after $0.36/h  (saves $5.05/h)  with its address',
      'Its volume stays, billed at $0.29/h: data',
    ]);
    expect(withAddress.notes).toContain('Its volume stays');
    expect(factText(ask().question, 'What it costs')).toBe('now $5.41/h  after $0.35/h  (saves $5.06/h)');
  });

  it('counts an address that could not be read, and says so', () => {
    expect(factText(ask({hasUnreadAddress: true}).question, 'What it costs').split('\n')).toEqual([
      // $0.35 and $0.00672043.
      'now $5.41/h  after at most $0.36/h  (saves at least $5.05/h)',
      'Its public address could not be read: if it has one, that is billed at $0.0067/h.',
    ]);
  });

  it('requires the full name, and says whether the machine is working right now', () => {
    const working = ask({}, {metrics: busyMetrics(4)});
    expect(working.care).toContain('It is WORKING right now: cpu 25%, memory 50%.');
    expect(working.question.answer).toEqual(NAME);
    expect(working.notes).toContain('WORKING');
    expect(ask().question.answer).toEqual(NAME);
    expect(factText(ask().question, 'Right now')).toContain('It is quiet');
  });

  it.each([
    ['none', 0, 'Its ephemeral disk of 6,500 GB becomes none: what is on it is lost.'],
    ['smaller', 750, 'Its ephemeral disk of 6,500 GB becomes 750 GB: what is on it may be lost.'],
  ])('says what is lost when the ephemeral disk becomes %s', (_, ephemeralDiskGb, told) => {
    const {care} = ask({flavor: {...A_FLAVOR, ephemeralDiskGb: 6500}}, {flavor: {...SMALL, ephemeralDiskGb}});
    expect(care).toContain(told);
  });

  it('says nothing about disks that keep their size or grow', () => {
    expect(ask({}, {flavor: {...SMALL, ephemeralDiskGb: 750}}).care).not.toContain('disk');
  });

  it('warns of the contract, which may reduce the saving', () => {
    const {question, care} = ask({contractId: 118});
    expect(care).toContain('Contract #118 ends in 5 days, then DELETES what it covers.');
    expect(factText(question, 'What it costs')).toContain(
      '(saves up to $5.06/h)  less if a contract is charged anyway',
    );
  });

  it('fits 80×24 with everything that can be lost', () => {
    const {question, scene} = ask(
      {
        name: safeText('nightly-regression-suite-runner-for-driver-r570-01'),
        contractId: 118,
        floatingIp: safeText('192.0.2.7'),
        flavor: {...A_FLAVOR, ephemeralDiskGb: 6500},
        volumes: [{volumeId: 1, name: safeText('checkpoints-02'), sizeGb: 3000, status: safeText('ATTACHED')}],
      },
      {metrics: busyMetrics(4)},
    );
    expect(isQuestionVisible(question, {columns: 80, rows: 24}, scene)).toBe(true);
  });
});
