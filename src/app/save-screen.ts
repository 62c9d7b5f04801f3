import {join} from 'node:path';
import {createOwnFile, openStateFolder} from '../config/own-files.ts';
import {csvLine, plainNumber} from '../domain/csv.ts';
import type {EnvironmentVariables} from '../domain/environment-variables.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {type EpochMs, isoText} from '../domain/time.ts';
import type {PlainTable} from '../panes/pane.ts';

/** Writes the screen into the state folder in four files: plain, coloured, and its table as CSV and JSON. */
export function saveScreen(
  table: PlainTable,
  shown: {readonly plain: string; readonly coloured: string},
  {environment, now}: {readonly environment: EnvironmentVariables; readonly now: EpochMs},
): SafeText {
  const stamp = isoText(now).replaceAll(/[:.]/g, '-');
  const records = table.rows.map(row =>
    Object.fromEntries(table.columns.map((column, index) => [column, row[index] ?? null])),
  );
  try {
    const path = join(openStateFolder(environment, 'screens'), `skydeck-${stamp}`);
    createOwnFile(`${path}.txt`, shown.plain);
    createOwnFile(`${path}.ansi`, shown.coloured);
    createOwnFile(`${path}.csv`, [table.columns, ...table.rows].map(row => csvLine(row.map(csvText))).join(''));
    createOwnFile(`${path}.json`, `${JSON.stringify(records, undefined, 2)}\n`);
    if (table.markdown !== undefined) createOwnFile(`${path}.md`, table.markdown);
    const document = table.markdown === undefined ? say`` : say`,md`;
    const place = say`${safeText(shortPath(path, environment))}.*`;
    return table.title === undefined
      ? say`saved as txt,ansi,csv,json${document}: ${place}`
      : say`saved as txt,ansi; ${table.title} as csv,json: ${place}`;
  } catch (error) {
    return say`the screen could not be saved: ${safeText(error instanceof Error ? error.message : String(error))}`;
  }
}

function csvText(cell: string | number | undefined): string {
  if (cell === undefined) return '';
  return typeof cell === 'number' ? plainNumber(cell) : cell;
}

/** As a shell accepts it; below the home folder it is short enough for a narrow terminal. */
function shortPath(path: string, {HOME: home}: EnvironmentVariables): string {
  return home !== undefined && home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
