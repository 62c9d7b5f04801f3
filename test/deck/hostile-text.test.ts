import {createServer} from 'node:http';
import fc from 'fast-check';
import {expect, onTestFinished, test} from 'vitest';
import type {Simulator} from '../../src/simulator/http/server.ts';
import {reportMeasured} from '../support/measured.ts';
import {type App, openApp} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {sweepOf} from '../support/tier.ts';
import {changesIn, EXAMPLES, openExamples} from '../torture/example-cloud.ts';
import {anyMutation, mutated} from '../torture/mutations.ts';
import {anyPayload, CANARY, FIXED, obeyedIn} from '../torture/payloads.ts';
import {spread, withTexts} from '../torture/texts.ts';

const PATIENT = {timeout: 10 * 60_000};
const SESSIONS = sweepOf({sample: 1, deep: 5, whole: 40});
/** Lists, their details, histories, charts, the filter, the menu of actions, help and palette. */
const VISITS: readonly (readonly string[])[] = [
  ['1', 'j', 'enter', 'esc'],
  ['2', 'enter', 'tab', 'esc', 'p', 'esc', '/', 'a', 'esc', 'w', 'o', 'n'],
  ['3', 'enter', 'tab', 'esc'],
  ['4', 'enter', 'tab', 'esc'],
  ['5', 'j', 'enter', 'esc'],
  ['6', 'j', 'enter', 'esc'],
  ['7', 'j', 'enter', 'esc'],
  ['8', 'j', 'enter', 'esc'],
  ['0', 'j', 'enter', 'esc'],
  ['?', 'esc', ':', 'm', 'esc'],
];
const VISITED = VISITS.slice(0, sweepOf({sample: 2, deep: VISITS.length}));
/** How a payload looks once it is harmless. */
const ESCAPED = /[\u2400-\u2421]|<U\+/g;
/** What the deck itself sends: colours, moves, erasing, its own modes. Nothing runs on to a terminator. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const OWN = /\u001b\[(?:[\d;]*[mHGKJXABCD]|\?(?:25|1049|2004|2026|1004)[hl]|=0u|>4;0m)|[\r\n]/g;

test(
  'nothing that stands in a name is obeyed, and nothing that is odd breaks a pane, wherever the deck shows it',
  PATIENT,
  async () => {
    for (let session = 1; session <= SESSIONS; session += 1) {
      const app = await openApp({simulator: await openHostileCloud(session)});
      const obeyed = watchStrings(app);
      await app.sees(/\[1 /, {withinMs: 60_000});
      let shownCount = 0;
      for (const keys of VISITED) {
        await app.press(...keys);
        // No pane is blank, whatever its answers were.
        expect(app.text(), `session ${session}, at ${keys[0]}`).toMatch(/[╭╰]/);
        if (app.text().match(ESCAPED) !== null) shownCount += 1;
        expect(foreignIn(app.raw()), `session ${session}, at ${keys[0]}`).toBeUndefined();
        expect(obeyedIn(app.text(), {isPrinted: true}), `session ${session}, at ${keys[0]}`).toBeUndefined();
      }
      expect(obeyed).toEqual([]);
      // Names that never come into sight would prove nothing.
      expect(shownCount).toBeGreaterThan(0);
      expect(app.modes()).toMatchObject({mouse: 'none', kittyKeyboardDepth: 0, isAltScreen: true});
    }
    reportMeasured(`${SESSIONS} decks over a cloud whose every text is one, ${VISITED.length} panes each`);
  },
);

const isSample = sweepOf({sample: true, deep: false});
const LONGEST = {timeout: 2 * 60 * 60_000};
const PAYLOADS = FIXED.filter((_, index) => index % sweepOf({sample: 41, deep: 41, whole: 1}) === 0);
/** All of them in one answer would be more than some lists may send at once. */
const PARTS = sweepOf({sample: 1, deep: 1, whole: 2});
/** The panes of lists, and the further lists in each; the timeline of so many objects takes seconds a page. */
const LISTS = '2 3 tab 4 tab 6 7 tab 8 tab tab tab tab tab 0 tab tab tab'.split(' ');
const SCREEN = {columns: 240, rows: 160};
const MOST_PAGES = 1000;
/** Above it, the header has texts of its own. */
const PANE_TOP = 2;
const READ_LIMIT = {withinMs: 60_000};

test.skipIf(isSample)('no row of any list has anything that is obeyed, whatever its texts are', LONGEST, async () => {
  let [pageCount, escapedCount] = [0, 0];
  for (let part = 0; part < PARTS; part += 1) {
    const payloads = PAYLOADS.filter((_, index) => index % PARTS === part);
    const app = await openApp({...SCREEN, simulator: await openListsOf(payloads)});
    const obeyed = watchStrings(app);
    await app.sees(/\[1 /, {withinMs: 60_000});
    for (const key of LISTS) {
      await app.press(key);
      await app.becomes(`to have read what ${key} shows`, () => escapesIn(app) > 0, READ_LIMIT);
      let shown = '';
      for (let page = 0; page < MOST_PAGES && shown !== app.text(); page += 1) {
        shown = app.text();
        pageCount += 1;
        escapedCount += escapesIn(app);
        expect(foreignIn(app.raw()), `at ${key}`).toBeUndefined();
        expect(obeyedIn(shown, {isPrinted: true}), `at ${key}`).toBeUndefined();
        await app.press('pagedown');
      }
    }
    expect(obeyed).toEqual([]);
  }
  reportMeasured(`${PAYLOADS.length} payloads in the rows of ${LISTS.length} lists: ${pageCount} pages`);
  expect(escapedCount).toBeGreaterThan(PAYLOADS.length);
});

/** A cloud whose lists have each payload in each text without which a record can be read as well. */
async function openListsOf(payloads: readonly string[]): Promise<Simulator> {
  const cloud = await openExamples();
  for (const [path, {answer}] of EXAMPLES) {
    const [places = []] = await changesIn(path);
    const [body, ...others] = spread(answer, places, payloads);
    // What is no list is shown by the sessions above.
    if (others.length === 0 && body !== undefined) cloud.answers.set(path, body);
  }
  return {...(await openSimulator({vmCount: 1})), ...cloud.simulator};
}

/** How often a text in the pane is harmless only because it was escaped. */
function escapesIn(app: App): number {
  return app.screen().slice(PANE_TOP).join(' ').match(ESCAPED)?.length ?? 0;
}

/** What came that is no sequence of the deck's own and can be obeyed. */
function foreignIn(raw: string): string | undefined {
  // What was received is cut at its start, perhaps within a sequence.
  return obeyedIn(raw.slice(raw.indexOf('\u001b')).replaceAll(OWN, ''));
}

/** Titles, links, clipboards, questions to the terminal: whatever the emulator would carry out. */
function watchStrings({emulator}: App): readonly string[] {
  const obeyed: string[] = [];
  for (const number of [0, 1, 2, 4, 7, 8, 9, 10, 11, 12, 52, 104, 777, 1337]) {
    emulator.parser.registerOscHandler(number, data => {
      obeyed.push(`OSC ${number} ${data}`);
      return false;
    });
  }
  emulator.onTitleChange(title => obeyed.push(`title ${title}`));
  emulator.onBell(() => obeyed.push('bell'));
  emulator.onData(answer => {
    if (answer.includes(CANARY) || answer.startsWith('\u001b[')) obeyed.push(`answer ${JSON.stringify(answer)}`);
  });
  return obeyed;
}

/** The small cloud behind somebody who writes what they like into its texts. */
async function openHostileCloud(seed: number): Promise<Simulator> {
  const simulator = await openSimulator({scenario: 'calm', seed: 1});
  const payloads = [...fc.sample(anyPayload, {numRuns: 3000, seed}), ...FIXED];
  const changes = fc.sample(anyMutation, {numRuns: 1000, seed});
  let at = seed * 1000;
  const next = () => {
    at += 1;
    return payloads[at % payloads.length] ?? '';
  };
  const server = createServer(async (request, response) => {
    const url = simulator.url.replace(/\/v1$/, '') + request.url;
    const answer = await fetch(url, {headers: {api_key: simulator.apiKey}});
    const body = withTexts(await answer.json(), {change: text => (isWordOrMoment(text) ? text : next())});
    response.writeHead(answer.status, {'content-type': 'application/json'});
    // And one in three is not even of the shape that it should have.
    response.end(at % 3 === 0 ? mutated(body, changes[at % changes.length] ?? []) : JSON.stringify(body));
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : '';
  return {...simulator, url: `http://127.0.0.1:${port}/v1`};
}

/** What a record cannot be read without. */
function isWordOrMoment(text: string): boolean {
  return /^\d{4}-\d\d-\d\d|^[\d.]+$|^[A-Z]+$/.test(text);
}
