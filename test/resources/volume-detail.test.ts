import {describe, expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {DAY_MS, epochMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {type VolumeRow, volumes} from '../../src/resources/volumes.ts';
import {lineWidth} from '../../src/ui/text.ts';
import {dollarsPerHour, NOW} from '../panes/a-known-scene.ts';
import {aReadScene, textsOf} from '../panes/a-read-scene.ts';
import {aVolume} from '../panes/volumes/a-volume.ts';

const WIDTH = 60;
const linesOf = (row: VolumeRow) => volumes.detail?.(row, aReadScene([]), WIDTH) ?? [];

describe('the detail of a volume', () => {
  it('shows the most an unattached volume can have cost since it was created', () => {
    const volume = aVolume({createdAt: epochMs(NOW - 10 * DAY_MS)});
    const lines = linesOf({volume, rate: dollarsPerHour('0.25'), machineNames: [], now: NOW});
    // 240 hours at a quarter of a dollar.
    expect(textsOf(lines).replace(/\s+/g, ' ')).toContain(
      'unattached and still billed, at most $60.00 since it was created',
    );
  });

  it('does not say that an unattached volume is billed while nothing is known of its cost', () => {
    const lines = linesOf({volume: aVolume({}), rate: undefined, machineNames: [], now: NOW});
    expect(textsOf(lines)).toContain('unattached; its cost is unknown');
    expect(textsOf(lines)).not.toContain('billed');
  });

  it('wraps long words from the service without cutting them', () => {
    const description = `${'説明'.repeat(40)} END1`;
    const volume = aVolume({
      description: safeText(description),
      status: 'IN_USE',
      attachments: [{machineId: virtualMachineId(1), device: safeText(`/dev/disk/by-id/${'x'.repeat(60)}END2`)}],
    });
    const lines = linesOf({volume, rate: undefined, machineNames: ['train-01'], now: NOW});
    for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(WIDTH);
    expect(textsOf(lines)).toContain('END1');
    expect(textsOf(lines)).toContain('END2');
  });
});
