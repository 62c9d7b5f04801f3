import {describe, expect, it} from 'vitest';
import {createLineSlots} from '../../src/terminal/line-slots.ts';

describe('createLineSlots', () => {
  it('keeps the placeholder of a slot whatever line it shows, and reports each change', () => {
    let changeCount = 0;
    const slots = createLineSlots(() => {
      changeCount += 1;
    });
    const [first, second] = [slots.open(), slots.open()];
    first?.show({painted: 'one', layer: 0});
    second?.show({painted: 'two', layer: 1});
    first?.show({painted: 'three', layer: 0});
    expect(slots.lineOf(first?.placeholder ?? '')).toEqual({painted: 'three', layer: 0});
    expect(slots.lineOf(second?.placeholder ?? '')).toEqual({painted: 'two', layer: 1});
    expect([changeCount, slots.version()]).toEqual([3, 3]);
  });

  it('has 6,400 placeholders, each of one private character, and reuses a closed one', () => {
    const slots = createLineSlots();
    const open = Array.from({length: 6400}, () => slots.open());
    const placeholders = new Set(open.map(slot => slot?.placeholder));
    expect(placeholders.size).toBe(6400);
    expect([...placeholders].every(placeholder => /^[\ue000-\uf8ff]$/.test(placeholder ?? ''))).toBe(true);
    expect(slots.open()).toBeUndefined();
    open[7]?.show({painted: 'gone', layer: 0});
    open[7]?.close();
    expect(slots.lineOf(open[7]?.placeholder ?? '')).toBeUndefined();
    expect(slots.open()?.placeholder).toBe(open[7]?.placeholder);
  });
});
