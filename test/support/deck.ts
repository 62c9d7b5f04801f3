import {DAY_MS} from '../../src/domain/time.ts';
import {type App, type AppOnTerminal, type AppOptions, openApp, openAppOnTerminal} from './program.ts';
import type {Terminal} from './terminal.ts';

/** Shown once an open question takes its yes. */
export const ARMED = 'y sends it';

/** The tabs are there: with their names, or where it is narrow by their keys. */
const TABS = /[ []2(?: Machines)?[ \]]+3/;

/** A question takes no key before somebody could have read it. */
const READING_MS = 500;

/** An open question has stood on the screen for long enough that it takes keys. */
export function questionIsRead(app: Terminal): Promise<void> {
  const openedAt = app.now();
  return app.becomes('to stand still while it is read', () => app.now() - openedAt >= READING_MS);
}

/** The deck at its list of machines, read whole. */
export async function openMachines(options: AppOptions = {}): Promise<App> {
  const app = await openApp(options);
  await goToMachines(app);
  return app;
}

/** As `openMachines`, on a real terminal whatever the tier. */
export async function openMachinesOnTerminal(options: AppOptions = {}): Promise<AppOnTerminal> {
  const app = await openAppOnTerminal(options);
  await goToMachines(app);
  return app;
}

/** Deeper than anything that is opened over a list, filtered and searched. */
const MOST_ESCAPES = 6;

/** From wherever a test before this one left the deck: at the top of its list of machines, which shows all of them. */
export async function backToMachines(app: Terminal): Promise<void> {
  const isBack = () => /machines ([\d,]+) of \1 [^/]*─/.test(app.text());
  for (let count = 0; count < MOST_ESCAPES && !isBack(); count += 1) await app.press('esc', '2');
  await app.press('g');
  await app.sees(/machines ([\d,]+) of \1 [^/]*─/);
  await app.sees(cursorOn('train-01'));
}

/** Wherever the deck opens: its list of machines, read whole. */
export async function goToMachines(app: Terminal): Promise<void> {
  await app.sees(TABS, {withinMs: 20_000});
  await app.press('2');
  await app.sees(/machines ([\d,]+) of \1 /, {withinMs: 20_000});
}

/** The cursor stands on this machine; the beginning of a long name will do. */
export function cursorOn(name: string): RegExp {
  return new RegExp(`▶ +${name}`);
}

/** The contract of the scenarios `on-call` and `calm` ends six days after their start, less some seconds of the test. */
export function contractEnd(app: Terminal): RegExp {
  const endsAt = new Date(app.wallNow() + 6 * DAY_MS);
  return new RegExp(`ends +${endsAt.toISOString().slice(0, 10)} \\d\\d:\\d\\d:\\d\\dZ +5 d 23 h left`);
}

/** The names in the list of machines, from the top, as far as they are in sight. */
export function shownNames(app: Pick<Terminal, 'screen'>): string[] {
  return listRows(app).map(({name}) => name);
}

/** The list's row of a machine, without its frame; undefined while it is not in sight. */
export function rowOf(app: Pick<Terminal, 'screen'>, wanted: string): string | undefined {
  return listRows(app).find(({name}) => name === wanted)?.row;
}

/** Filters the list down to one machine and waits until its metrics were asked for. */
export async function choose(app: Terminal, name: string): Promise<void> {
  await app.press('/', 'ctrl-u');
  // In one piece, as over a slow line: what a filter shows after each letter is not what these tests look at.
  app.write(name);
  await app.press('enter');
  await app.sees(new RegExp(`machines 1 of \\d+ /${name}`));
  await app.sees(cursorOn(name));
  await app.seesNot('reading the metrics');
}

function listRows(app: Pick<Terminal, 'screen'>): {readonly name: string; readonly row: string}[] {
  const lines = app.screen();
  const titlesIndex = lines.findIndex(line => /^[│┊╎┆|] +NAME/.test(line));
  const endIndex = lines.findIndex((line, index) => index > titlesIndex && line.startsWith('╰'));
  if (titlesIndex < 0 || endIndex < 0) return [];
  const nameStart = lines[titlesIndex]?.indexOf('NAME') ?? 0;
  return lines.slice(titlesIndex + 1, endIndex).flatMap(line => {
    const name = /^\S+/.exec(line.slice(nameStart))?.[0];
    return name === undefined ? [] : [{name, row: line.slice(nameStart).replace(/\S$/, '')}];
  });
}
