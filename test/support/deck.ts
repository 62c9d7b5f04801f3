import {DAY_MS} from '../../src/domain/time.ts';
import {type App, type AppOnTerminal, type AppOptions, openApp, openAppOnTerminal} from './program.ts';
import type {Terminal} from './terminal.ts';

/** Shown once an open question accepts `y`. */
export const ARMED = 'y sends it';

/** The tabs are shown with their names, or only with their keys on a narrow screen. */
const TABS = /[ []2(?: Machines)?[ \]]+3/;

/** A question accepts no key until it could have been read. */
const READING_MS = 500;

/** Answers the open question, which asks for a name, with that name: all but the last key. */
export async function typeName(app: Terminal, name: string): Promise<void> {
  await app.sees(`type the name ${name} and enter:`);
  await questionIsRead(app);
  await app.press(name);
  await questionIsRead(app);
}

/** Waits until an open question has been shown for long enough to accept keys. */
export function questionIsRead(app: Terminal): Promise<void> {
  const openedAt = app.now();
  return app.becomes('to stand still while it is read', () => app.now() - openedAt >= READING_MS);
}

/** The deck with its complete list of machines open. */
export async function openMachines(options: AppOptions = {}): Promise<App> {
  const app = await openApp(options);
  await goToMachines(app);
  return app;
}

/** Like `openMachines`, but on a real terminal in every tier. */
export async function openMachinesOnTerminal(options: AppOptions = {}): Promise<AppOnTerminal> {
  const app = await openAppOnTerminal(options);
  await goToMachines(app);
  return app;
}

/** More than can be open over a list: each escape closes one. */
const MOST_ESCAPES = 6;

/** From wherever an earlier test left the deck, goes to the top of the list of machines, without a filter. */
export async function backToMachines(app: Terminal): Promise<void> {
  const isBack = () => /machines ([\d,]+) of \1 [^/]*─/.test(app.text());
  for (let count = 0; count < MOST_ESCAPES && !isBack(); count += 1) await app.press('esc', '2');
  await app.press('g');
  await app.sees(/machines ([\d,]+) of \1 [^/]*─/);
  await app.sees(cursorOn('train-01'));
}

/** From wherever the deck opens, goes to its complete list of machines. */
export async function goToMachines(app: Terminal): Promise<void> {
  await app.sees(TABS, {withinMs: 20_000});
  await app.press('2');
  await app.sees(/machines ([\d,]+) of \1 /, {withinMs: 20_000});
}

/** Matches the cursor on this machine. The start of a long name is enough. */
export function cursorOn(name: string): RegExp {
  return new RegExp(`▶ +${name}`);
}

/** The contract of `on-call` and `calm` ends six days after their start, minus the few seconds the test has taken. */
export function contractEnd(app: Terminal): RegExp {
  const endsAt = new Date(app.wallNow() + 6 * DAY_MS);
  return new RegExp(`ends +${endsAt.toISOString().slice(0, 10)} \\d\\d:\\d\\d:\\d\\dZ +5 d 23 h left`);
}

/** The names that are visible in the list of machines, from the top. */
export function shownNames(app: Pick<Terminal, 'screen'>): string[] {
  return listRows(app).map(({name}) => name);
}

/** The visible row of a machine without its frame. Undefined if the row is not visible. */
export function rowOf(app: Pick<Terminal, 'screen'>, wanted: string): string | undefined {
  return listRows(app).find(({name}) => name === wanted)?.row;
}

/** Filters the list down to one machine and waits until its metrics have been requested. */
export async function choose(app: Terminal, name: string): Promise<void> {
  await app.press('/', 'ctrl-u');
  // Written as a whole, as on a slow line. These tests are not about what the filter shows after each letter.
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
