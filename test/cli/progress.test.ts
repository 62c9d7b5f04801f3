import {describe, expect, test} from 'vitest';
import {openProgress} from '../../src/cli/print/progress.ts';
import {createVirtualClock} from '../support/clock.ts';

function opened({isTTY = true, TERM = 'xterm'} = {}) {
  const written: string[] = [];
  const time = createVirtualClock();
  const stderr = {isTTY, write: (text: string) => written.push(text)};
  const progress = openProgress({stderr, environment: {TERM}}, time.clock, 'reading vms');
  return {written, time, progress};
}

describe('openProgress', () => {
  test('prints nothing for work that is done within a second', async () => {
    const {written, time, progress} = opened();
    await time.advance(999);
    progress.say('half way');
    progress.end();
    await time.advance(5000);
    expect(written).toEqual([]);
  });

  test('prints the progress after a second, and clears it at the end', async () => {
    const {written, time, progress} = opened();
    await time.advance(1000);
    progress.say('page 2 \u001b[31m');
    progress.end();
    expect(written).toEqual(['\r\u001b[Kskydeck: reading vms', '\r\u001b[Kskydeck: page 2 \u241b[31m', '\r\u001b[K']);
  });

  test('stays on one line', async () => {
    const {written, time, progress} = opened();
    progress.say('x'.repeat(500));
    await time.advance(1000);
    expect(written.join('').length).toBeLessThan(90);
    progress.end();
  });

  test.each([{isTTY: false}, {TERM: 'dumb'}])('prints nothing at all with %j', async surroundings => {
    const {written, time, progress} = opened(surroundings);
    await time.advance(5000);
    progress.end();
    expect(written).toEqual([]);
  });
});
