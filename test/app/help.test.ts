import {describe, expect, it} from 'vitest';
import {helpLineCount, helpLines} from '../../src/app/help.ts';
import {COMMAND_GROUPS} from '../../src/panes/command.ts';
import {textOf} from '../../src/ui/text.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';
import {openDeck} from './an-open-deck.ts';

describe('helpLines', () => {
  it('have their groups in the order of the key table, each once', () => {
    const lines = helpLines(openDeck('machines').deck, '').map(textOf);
    const shown = lines.filter(line => !line.startsWith(' '));
    expect(shown).toEqual([...COMMAND_GROUPS.filter(group => shown.includes(group)), 'Signs']);
    expect(shown).toEqual(expect.arrayContaining(['Everywhere', 'Panes', 'Move', 'Look', 'Actions']));
  });

  it('find a key by its keys, its title and its help, in upper or lower case', () => {
    const {deck} = openDeck('machines');
    for (const typed of ['p x', 'HARD REBOOT', 'cuts the power']) {
      const lines = helpLines(deck, typed).map(textOf);
      expect(lines.length).toBeLessThan(8);
      expect(lines[0]).toBe('Actions');
    }
  });

  it('say why a key does not apply, and what the others do', () => {
    const reading = openDeck('machines');
    const text = (typed: string) => helpLines(reading.deck, typed).map(textOf).join('\n');
    expect(text('p x')).toContain('off: read-only session');
    expect(text('ctrl-l')).toContain('Redraws the whole screen.');
    const acting = openDeck('machines', {operations: inMemoryOperations()});
    expect(helpLines(acting.deck, 'p x').map(textOf).join('\n')).not.toContain('off:');
  });

  it('find a key that only another pane has, and say which pane', () => {
    const {deck} = openDeck('machines');
    const lines = helpLines(deck, 'snooze').map(textOf);
    expect(lines[0]).toBe('in Overview (1)');
    expect(lines[1]).toMatch(/^ {2}S +snooze/);
    // It has no key and is opened by its name.
    expect(helpLines(deck, 'copies the handover').map(textOf)[0]).toBe('in Handover (:handover)');
    // The title of the overview counts the checks not run; the handover names them.
    expect(helpLines(deck, 'check').map(textOf)).toContain('in Handover (:handover)');
    expect(helpLines(deck, 'no such key').map(textOf)).toEqual(['no key matches "no such key"']);
  });

  it('find the keys of other panes too when a key here matches, but none that does the same here', () => {
    const {deck} = openDeck('machines');
    const lines = helpLines(deck, 'rule').map(textOf);
    const firewalls = lines.indexOf('in Firewalls (4)');
    expect(lines.slice(0, firewalls).join('\n')).toMatch(/^ {2}a R +/m);
    const ofFirewalls = lines.slice(firewalls).join('\n');
    for (const key of ['tab', 'n', 'i', 'X']) expect(ofFirewalls).toMatch(new RegExp(`^ {2}(?:\\S+ )*${key}\\b`, 'm'));
    expect(helpLines(deck, 'redraw').map(textOf).join('\n')).not.toContain('in Firewalls');
    expect(helpLines(deck, '').map(textOf).join('\n')).not.toContain('in Firewalls');
  });

  it('find a setting by its name, with the command that changes it', () => {
    const text = helpLines(openDeck('machines').deck, 'idle').map(textOf).join('\n');
    expect(text).toContain('Settings, in a shell: skydeck profile set <setting> <value>');
    expect(text).toMatch(/^ {2}idleAfterDays +a machine without activity for this long counts as idle/m);
    expect(text).not.toContain('quietAfterHours ');
    expect(helpLines(openDeck('machines').deck, '').map(textOf).join('\n')).not.toContain('idleAfterDays');
  });

  it('find all signs by their heading', () => {
    const {deck} = openDeck('machines');
    const signsIn = (typed: string) => {
      const lines = helpLines(deck, typed).map(textOf);
      return lines.slice(lines.indexOf('Signs'));
    };
    expect(signsIn('').length).toBeGreaterThan(5);
    expect(signsIn('sign')).toEqual(signsIn(''));
    expect(signsIn('signs')).toEqual(signsIn(''));
  });

  it('find the same after a slash, which starts a search elsewhere, and find the key / itself', () => {
    const {deck} = openDeck('machines');
    const text = (typed: string) => helpLines(deck, typed).map(textOf);
    expect(text('/sort')).toEqual(text('sort'));
    expect(text('/').join('\n')).toMatch(/^ {2}\/ +filter/m);
  });

  it('explain each sign of a row, with a different one for each way that a state changes', () => {
    const {deck} = openDeck('machines');
    const text = (typed: string) => helpLines(deck, typed).map(textOf).join('\n');
    for (const sign of Object.values(deck.scene().theme.glyphs.states)) expect(text('')).toContain(`\n  ${sign} `);
    expect(text('hibernating')).toMatch(/▽ +stopping: STOPPING/);
    expect(text('restoring')).toMatch(/△ +starting: CREATING/);
    expect(text('reconciling')).toMatch(/◌ +other changes/);
    expect(text('63%!')).toContain('the figure is old');
  });

  it('find an entry that has no key and is opened by its name', () => {
    const {deck} = openDeck('machines');
    expect(helpLines(deck, 'settings').map(textOf).join(' ')).toMatch(
      /:settings +settings +How to list and change settings/,
    );
  });

  it.each([60, 80, 200])('are never wider than a terminal of %i columns', columns => {
    const {deck} = openDeck('machines', {columns, rows: 30});
    for (const line of helpLines(deck, '').map(textOf)) expect(line.length).toBeLessThanOrEqual(columns - 4);
  });

  it('are as many as are counted', () => {
    const {deck} = openDeck('machines', {columns: 60, rows: 30});
    for (const typed of ['', 'sort', 'nothing like it']) {
      expect(helpLineCount(deck, typed)).toBe(helpLines(deck, typed).length);
    }
  });
});
