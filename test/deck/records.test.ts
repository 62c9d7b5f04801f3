import {expect, test} from 'vitest';
import {cursorOn, openMachines} from '../support/deck.ts';

/** Keys to a list, a field of its records, and the way back. */
const LISTS: readonly (readonly [list: string, keys: readonly string[], field: string])[] = [
  ['findings', ['1'], '"rule": "'],
  ['clusters', ['3'], '"kubernetes_version": "'],
  ['firewalls', ['4'], '"port_range_min": '],
  ['contracts', ['5', 'tab', 'tab'], '"expiration_policy"'],
  ['timeline', ['9'], '"suspects": '],
];

test('y shows the record of what is under the cursor, its own or the one that -o json prints', async () => {
  const app = await openMachines({scenario: 'on-call', columns: 120, rows: 50});
  await app.sees(cursorOn('train-01'));
  for (const [list, keys, field] of LISTS) {
    await app.press(...keys);
    await app.press('y');
    await app.sees(field);
    expect(app.text(), list).not.toContain('record unknown');
    await app.press('esc');
    await app.seesNot(field);
  }
  await app.press('4', 'tab', 'y');
  await app.sees("JSON: a rule is part of its firewall's record; y in the list of firewalls shows it");
});
