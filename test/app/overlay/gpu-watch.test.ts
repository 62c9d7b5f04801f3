import {describe, expect, it} from 'vitest';
import {GpuWatch, type StartProgram} from '../../../src/app/overlay/gpu-watch.ts';
import {say} from '../../../src/domain/safe-text.ts';

function aWatch() {
  const timers: {readonly delayMs: number; readonly run: () => void}[] = [];
  const log: string[] = [];
  let told: Parameters<StartProgram>[0] | undefined;
  const watch = new GpuWatch({
    name: say`train-01`,
    start: given => {
      told = given;
      return () => log.push('stopped');
    },
    clock: {
      after: (delayMs, run) => {
        timers.push({delayMs, run});
        return () => log.push('limit cancelled');
      },
    },
    changed: () => log.push('changed'),
  });
  return {
    watch,
    log,
    timers,
    print: (line: string) => told?.onLine(line),
    end: (reason: string) => told?.onEnd(reason),
  };
}

const line = (index: number, utilization: number) =>
  `${index}, NVIDIA H100, ${utilization}, 100, 200, 300.00, 700.00, 50`;

describe('watched GPUs', () => {
  it('are kept by their index, with their utilization over time', () => {
    const {watch, print} = aWatch();
    print(line(1, 90));
    print(line(0, 10));
    print(line(0, 20));
    expect(watch.readings().map(({latest, history}) => [latest.index, history])).toEqual([
      [0, [0.1, 0.2]],
      [1, [0.9]],
    ]);
  });

  it('are limited to as many as a machine can have, each with ten minutes of history', () => {
    const {watch, print} = aWatch();
    for (let index = 0; index < 200; index += 1) print(line(index, 1));
    for (let count = 0; count < 300; count += 1) print(line(0, count % 100));
    expect(watch.readings()).toHaveLength(64);
    // The last of 0…299 modulo 100 is 99.
    expect(watch.readings()[0]?.history).toHaveLength(120);
    expect(watch.readings()[0]?.history.at(-1)).toBe(0.99);
  });

  it('report other output, made safe, and why the output ended', () => {
    const {watch, print, end} = aWatch();
    print('\u001b]0;x\u0007NVIDIA-SMI has failed');
    expect(watch.lastMessage()).toContain('NVIDIA-SMI has failed');
    expect(watch.lastMessage()).not.toContain('\u001b');
    expect(watch.endReason()).toBeUndefined();
    end('Permission denied (publickey).');
    expect(watch.endReason()).toBe('Permission denied (publickey).');
  });

  it('are no longer read once the box is closed, or after ten minutes', () => {
    const closed = aWatch();
    closed.watch.stop();
    expect(closed.log).toEqual(['limit cancelled', 'stopped']);
    const long = aWatch();
    expect(long.timers.map(({delayMs}) => delayMs)).toEqual([600_000]);
    long.timers[0]?.run();
    expect(long.log).toContain('stopped');
    expect(long.watch.endReason()).toContain('10 minutes');
  });
});
