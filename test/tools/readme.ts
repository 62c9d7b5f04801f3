// Writes the parts of the README that are made from the program: `npm run readme`. A test compares them.
import {readFileSync, writeFileSync} from 'node:fs';
import {firstWays, globalBindings, paneBindings} from '../../src/app/keymap.ts';
import {COMMAND_GROUPS} from '../../src/panes/command.ts';
import {openPanes} from '../../src/panes/panes.ts';
import {endpointTable} from './endpoint-table.ts';

const README = 'README.md';

/** The key table, one row a key and what it does, with the panes where it does so, grouped as help shows it. */
export function keyTable(): string {
  const panes = openPanes();
  const bindings = [
    ...panes.flatMap(pane => firstWays(paneBindings(pane)).map(binding => ({...binding, where: `${pane.title}`}))),
    ...globalBindings(panes).map(binding => ({...binding, where: 'everywhere'})),
  ];
  const rows = COMMAND_GROUPS.flatMap(group => {
    const merged = new Map<string, readonly string[]>();
    for (const {keysText, title, help, where} of bindings.filter(binding => binding.group === group)) {
      const row = `${code(keysText)} | ${cell(title)} | ${cell(help)} |`;
      merged.set(row, [...(merged.get(row) ?? []), where]);
    }
    return [...merged].map(([row, where]) => `| ${group} | ${placeOf(where, panes.length)} | ${row}`);
  });
  return ['| | in | key | does | |', '|---|---|---|---|---|', ...rows].join('\n');
}

function placeOf(where: readonly string[], paneCount: number): string {
  return where.length === paneCount ? 'every pane' : where.join(', ');
}

/** The README with its made parts written anew. */
export function withTables(readme: string): string {
  return withTable(withTable(readme, 'keys', keyTable()), 'endpoints', endpointTable());
}

function withTable(readme: string, name: 'keys' | 'endpoints', table: string): string {
  const [before, rest = ''] = readme.split(`<!-- ${name} -->\n`);
  const [, after] = rest.split(`<!-- /${name} -->`);
  if (before === undefined || after === undefined) throw new Error(`README.md has lost its <!-- ${name} --> marks`);
  return `${before}<!-- ${name} -->\n${table}\n<!-- /${name} -->${after}`;
}

function code(keysText: string): string {
  return keysText
    .split(/(?<=\S) (?=\S)/)
    .map(key => `\`${key.replaceAll('|', '\\|')}\``)
    .join(' ');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

if (process.argv[2] === 'write') writeFileSync(README, withTables(readFileSync(README, 'utf8')));
