import {describe, expect, it} from 'vitest';
import {GPU_QUERY, parseGpuReading} from '../../src/domain/gpu-reading.ts';

describe('what nvidia-smi prints', () => {
  it('is requested as eight fields, without header and units', () => {
    expect(GPU_QUERY.join(' ')).toBe(
      'nvidia-smi --query-gpu=index,name,utilization.gpu,memory.used,memory.total,power.draw,power.limit,temperature.gpu --format=csv,noheader,nounits --loop=5',
    );
  });

  it('is read into fields with their units', () => {
    // A line as the manual of the driver shows it.
    expect(parseGpuReading('0, NVIDIA H100 80GB HBM3, 87, 40321, 81559, 512.35, 700.00, 61')).toEqual({
      index: 0,
      name: 'NVIDIA H100 80GB HBM3',
      utilization: 0.87,
      memoryUsedMib: 40321,
      memoryTotalMib: 81559,
      powerWatts: 512.35,
      powerLimitWatts: 700,
      celsius: 61,
    });
  });

  it('is read without the fields that a GPU does not report', () => {
    expect(parseGpuReading('3, NVIDIA A16, [N/A], 0, 15356, [Not Supported], 62.50, 38')).toEqual({
      index: 3,
      name: 'NVIDIA A16',
      memoryUsedMib: 0,
      memoryTotalMib: 15356,
      powerLimitWatts: 62.5,
      celsius: 38,
    });
  });

  it.each([
    '',
    'bash: nvidia-smi: command not found',
    'NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.',
    '0, NVIDIA H100, 87, 40321',
    'x, NVIDIA H100, 87, 40321, 81559, 512.35, 700.00, 61',
    '-1, NVIDIA H100, 87, 40321, 81559, 512.35, 700.00, 61',
  ])('is not a reading when it is %j', line => {
    expect(parseGpuReading(line)).toBeUndefined();
  });

  it('has no escape sequence in the name of a GPU after it is read', () => {
    expect(parseGpuReading('0, \u001b[31mred, 1, 1, 2, 3, 4, 5')?.name).not.toContain('\u001b');
  });
});
