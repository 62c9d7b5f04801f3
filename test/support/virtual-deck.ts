import {randomUUID} from 'node:crypto';
import {Readable} from 'node:stream';
import type {Exchange} from '../../src/api/client.ts';
import {firstAnswerFirst} from '../../src/api/first-answer.ts';
import {exchangeOperation} from '../../src/api/operation-exchange.ts';
import {exchangeRead} from '../../src/api/read-exchange.ts';
import {askPrometheus} from '../../src/api/prometheus.ts';
import {createCrashReporter} from '../../src/app/crash-report.ts';
import {themesOn} from '../../src/app/themes.ts';
import {takeTerminal} from '../../src/app/opening.ts';
import {startDeck} from '../../src/app/start-deck.tsx';
import {DECK_JOURNAL_INTERVAL_MS, openAsked} from '../../src/cli/account.ts';
import type {CommandIo} from '../../src/cli/command-io.ts';
import {parseDeckOptions} from '../../src/cli/connection-options.ts';
import {lastScreenFile} from '../../src/config/last-screen.ts';
import {stateFolder} from '../../src/config/own-files.ts';
import {atEnd} from './lifetime.ts';
import {environmentOf, type LaunchOptions} from './launch.ts';
import {cleanEnvironment} from './terminal.ts';
import {createVirtualTerminal, type VirtualTerminal} from './virtual-terminal.ts';
import {type TestTime, testTime} from './virtual-time.ts';

/** The deck in this process, on a virtual screen and on the test's clock. Assembled as in program.tsx. */
export async function launchVirtually(
  options: LaunchOptions & {readonly columns: number; readonly rows: number},
): Promise<VirtualTerminal> {
  const time = testTime();
  const terminal = createVirtualTerminal({columns: options.columns, rows: options.rows, time});
  atEnd(terminal.close);
  const environment = cleanEnvironment(environmentOf(options));
  const parsed = parseDeckOptions(options.arguments ?? [], environment, {version: '', commands: []});
  if (parsed.kind !== 'options') throw new Error('The deck does not start with these arguments.');
  const {exchange, release} = firstAnswerFirst(exchangeIn(time));
  const opened = await openAsked(ioOf(environment, time), parsed.options, {
    canEmbed: false,
    canOperate: true,
    journalIntervalMs: DECK_JOURNAL_INTERVAL_MS,
    exchange,
    askPrometheus: (...asked) => time.whileOnItsWay(askPrometheus(...asked)),
  });
  if (!opened.ok) throw new Error(opened.mistake);
  const {options: asked, settings, ...account} = opened.account;
  const {stdin, stdout} = terminal;
  const themes = themesOn({...asked, ...settings, environment});
  const look = themes.named(themes.inUse);
  if (!look.ok) throw new Error(look.mistake);
  const theme = look.value;
  const place = {
    stdin,
    stdout,
    // Both outputs go to the same terminal, which needs a return before each line feed.
    stderr: {write: (text: string) => stdout.write(text.replaceAll('\n', '\r\n'))},
    process: terminal.process,
    crash: createCrashReporter(environment, []),
    clock: account.clock,
    environment,
    stateFolder: stateFolder(environment),
  };
  const lastScreen = lastScreenFile(place.stateFolder, {
    baseUrl: account.baseUrl,
    key: account.key.reveal(),
  });
  const opening = takeTerminal({...place, theme, lastScreen, isAttached: () => true});
  const others = new Set(process.listeners('beforeExit'));
  startDeck({
    ...account,
    theme,
    themes,
    ...place,
    opening,
    onShown: release,
  });
  // Ink releases a deck when its process ends, which does not happen here.
  const inkEndings = process.listeners('beforeExit').filter(listener => !others.has(listener));
  atEnd(() => {
    for (const end of inkEndings) end(0);
  });
  return terminal;
}

/** Uses the network as always, and stops the clock until the answer arrives. */
function exchangeIn(time: TestTime): Exchange {
  return {
    read: (...request) => time.whileOnItsWay(exchangeRead(...request)),
    operation: (...request) => time.whileOnItsWay(exchangeOperation(...request)),
  };
}

function ioOf(environment: CommandIo['environment'], {clock}: TestTime): CommandIo {
  return {
    stdin: Object.assign(Readable.from([]), {isTTY: true}),
    stdout: {write: () => true},
    stderr: {write: () => true},
    gone: new AbortController().signal,
    environment,
    platform: 'linux',
    localNow: clock.wallNow,
    clockFor: fixedNow => (fixedNow === undefined ? clock : {...clock, wallNow: () => fixedNow}),
    random: () => 0.5,
    newId: randomUUID,
    ask: async () => undefined,
    forgetKey: () => {},
    learnKey: () => {},
    onExit: () => {},
    runProgram: () => Promise.resolve({kind: 'ended', exitCode: 0}),
    terminal: {
      canShowDeck: true,
      remark: '',
      colours: '256',
      isUtf8: true,
      columns: undefined,
      rows: undefined,
    },
    beforeSignal: () => () => {},
    untilStopped: async () => {},
  };
}
