import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {tabLine} from '../../src/app/tab-line.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {lineWidth, textOf} from '../../src/ui/text.ts';

/** The ten tabs of the key table. */
const TABS = [
  ['1', 'Overview'],
  ['2', 'Machines'],
  ['3', 'Clusters'],
  ['4', 'Firewalls'],
  ['5', 'Billing'],
  ['6', 'Volumes'],
  ['7', 'Objects'],
  ['8', 'Catalogue'],
  ['9', 'Timeline'],
  ['0', 'Account'],
].map(([key = '', title = '']) => ({id: title.toLowerCase(), key, title: safeText(title)}));

describe('tabLine', () => {
  it('shows every name when there is room, the open one in brackets', () => {
    const text = textOf(tabLine(TABS, 'objects', 120));
    for (const {key, title} of TABS) expect(text).toContain(`${key} ${title}`);
    expect(text).toContain('[7 Objects]');
  });

  it.each(['Journal', 'Handover'])('shows every name beside %s, which has no key, at 120 columns', title => {
    const opened = [...TABS, {id: title, key: '', title: safeText(title)}];
    const line = tabLine(opened, title, 120);
    expect(lineWidth(line)).toBeLessThanOrEqual(120);
    const names = TABS.map(tab => `${tab.key} ${tab.title}`).join(' ');
    expect(textOf(line)).toBe(` ${names} [${title}]`);
  });

  it('keeps every key and the whole name of the open tab at 80 columns, and no part of another name', () => {
    for (const {id, key, title} of TABS) {
      const line = tabLine(TABS, id, 80);
      expect(lineWidth(line)).toBeLessThanOrEqual(80);
      const others = TABS.filter(tab => tab.id !== id).map(tab => tab.key);
      expect(textOf(line).trim().split(/\s+/).sort()).toEqual([...others, `[${key}`, `${title}]`].sort());
    }
  });

  it('never joins a name to the bracket of its neighbour', () => {
    for (const {id} of TABS) expect(textOf(tabLine(TABS, id, 80))).not.toMatch(/\w\[|\]\w/);
  });

  it('fits every terminal the deck draws panes in, with only the open tab in the tone of a title', () => {
    fc.assert(
      fc.property(fc.integer({min: 60, max: 200}), fc.constantFrom(...TABS), (width, open) => {
        const line = tabLine(TABS, open.id, width);
        expect(lineWidth(line)).toBeLessThanOrEqual(width);
        const loud = line.filter(({tone}) => Array.isArray(tone));
        expect(loud.map(({text}) => text)).toEqual([`[${open.key} ${open.title}]`]);
        for (const {key} of TABS) expect(textOf(line)).toMatch(new RegExp(`[ []${key} `));
      }),
    );
  });
});
