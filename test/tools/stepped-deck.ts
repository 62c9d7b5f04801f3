import {once} from 'node:events';
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {createServer, type Server, type Socket} from 'node:net';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import type {EnvironmentVariables} from '../../src/domain/environment-variables.ts';
import {type Simulator, startSimulator} from '../../src/simulator/http/server.ts';
import {type FakePrometheus, type GpuHost, startFakePrometheus} from '../support/fake-prometheus.ts';
import {keySequences} from '../support/keys.ts';
import {createHome, environmentOf, type Home, programPath} from '../support/launch.ts';
import {openTerminal, type Terminal} from '../support/terminal.ts';
import {TIME_MARK, TIME_SOCKET, TIME_START, type TimeOrder, timeMark} from './stepped-time.ts';

export type SteppedDeckOptions = {
  readonly columns: number;
  readonly rows: number;
  readonly scenario?: string | undefined;
  readonly faults?: readonly string[] | undefined;
  readonly arguments?: readonly string[] | undefined;
  readonly env?: EnvironmentVariables | undefined;
  readonly hasPrometheus?: boolean | undefined;
  readonly sshPrints?: readonly string[] | undefined;
};

/** The built deck and its cloud, both in a time that passes only when asked to. */
export type SteppedDeck = {
  readonly terminal: Terminal;
  readonly simulator: Simulator;
  /** Resolves when all that was drawn meanwhile is in the cells. */
  readonly letPass: (durationMs: number, options?: Passing) => Promise<void>;
  /** Sends one key, by its name, and lets a moment pass. */
  readonly press: (key: string, durationMs: number, passing?: Passing) => Promise<void>;
  /** Resolves when the stand-in for ssh has printed everything. */
  readonly sshHasPrinted: () => Promise<void>;
  /** What the program sent, without the marks of time. */
  readonly receivedBytes: () => number;
  readonly close: () => Promise<void>;
};

export type Passing = {
  /** Time waits for answers that are on their way; false where none is ever to come. */
  readonly waitsForAnswers?: boolean;
};

/** The evening of one day, in the same small world each time. */
const START = Date.UTC(2026, 10, 20, 20, 58, 12);
const SEED = 1;
/** The cloud's clock moves on at each order, so orders are short: two clocks a second apart would be one too many. */
const ORDER_MS = 250;
const PATIENCE_MS = 20_000;

const timePath = fileURLToPath(new URL('stepped-time.ts', import.meta.url));

export async function openSteppedDeck(options: SteppedDeckOptions): Promise<SteppedDeck> {
  let elapsedMs = 0;
  let typedBytes = 0;
  let markBytes = 0;
  const home = createHome();
  const simulator = await startSimulator({
    seed: SEED,
    startedAt: START,
    wallClock: () => START + elapsedMs,
    rateLimitPerMinute: 'off',
    scenario: options.scenario,
    faults: options.faults,
    hasGpuMetrics: options.hasPrometheus,
  });
  const prometheus = options.hasPrometheus === true ? await givePrometheus(home, simulator) : undefined;
  const line = await listenForDeck(home);
  const terminal = launch(options, {home, simulator, socketPath: line.path});

  async function letPass(durationMs: number, {waitsForAnswers = true}: Passing = {}): Promise<void> {
    const deck = await line.deck;
    const endMs = elapsedMs + durationMs;
    do {
      elapsedMs = Math.min(endMs, elapsedMs + ORDER_MS);
      const order: TimeOrder = {untilMs: elapsedMs, stdinBytes: typedBytes, waitsForAnswers};
      const drawn = markSeen(terminal, elapsedMs);
      deck.write(`${JSON.stringify(order)}\n`);
      await drawn;
      markBytes += timeMark(elapsedMs).length;
    } while (elapsedMs < endMs);
  }

  async function press(key: string, durationMs: number, passing: Passing = {}): Promise<void> {
    for (const sequence of keySequences(key, {isApplicationCursor: false})) {
      terminal.write(sequence);
      typedBytes += Buffer.byteLength(sequence);
      await letPass(durationMs, passing);
    }
  }

  async function close(): Promise<void> {
    await terminal.close();
    line.close();
    prometheus?.close();
    await simulator.close();
    home.remove();
  }

  await terminal
    .becomes('to be taken by the deck', terminal.isAltScreen, {withinMs: PATIENCE_MS})
    .catch(async error => {
      await close();
      throw error;
    });
  const sshHasPrinted = () => waitFor(sshMark(home));
  return {
    terminal,
    simulator,
    letPass,
    press,
    sshHasPrinted,
    receivedBytes: () => terminal.receivedByteCount() - markBytes,
    close,
  };
}

function launch(
  {columns, rows, arguments: given = [], env, sshPrints}: SteppedDeckOptions,
  {home, simulator, socketPath}: {home: Home; simulator: Simulator; socketPath: string},
): Terminal {
  return openTerminal({
    command: process.execPath,
    arguments: ['--import', timePath, programPath, ...given],
    env: environmentOf({
      home,
      connection: simulator,
      env: {
        [TIME_SOCKET]: socketPath,
        [TIME_START]: String(START),
        ...(sshPrints === undefined ? {} : {PATH: `${giveSsh(home, sshPrints)}:/usr/bin:/bin`}),
        ...env,
      },
    }),
    cwd: home.path,
    columns,
    rows,
  });
}

/** A Prometheus that has of each running machine what its GPUs do, and a sample of its CPU every minute. */
async function givePrometheus(home: Home, {url, apiKey, gpuMetricsUrl = ''}: Simulator): Promise<FakePrometheus> {
  const listed = await fetch(`${url}/core/virtual-machines?pageSize=100`, {headers: {api_key: apiKey}});
  const {instances}: {readonly instances: readonly {readonly id: number; readonly status: string}[]} = JSON.parse(
    await listed.text(),
  );
  const running = instances.filter(({status}) => status === 'ACTIVE');
  const prometheus = await startFakePrometheus(
    running.map(({id}) => ({
      id,
      cpu: second => ((id % 7) + 1) * (0.09 + 0.02 * Math.sin(second / 400 + id)),
      bytes: second => 1e6 * (id % 9) * (1.2 + Math.sin(second / 300 + id)),
      memory: () => 0.2 + (id % 6) / 10,
    })),
  );
  prometheus.giveGpus(gpuHosts(await (await fetch(gpuMetricsUrl)).text()));
  const tokenFile = join(home.path, 'token');
  writeFileSync(tokenFile, 'a-token-for-pictures', {mode: 0o600});
  const profiles = {acme: {baseUrl: url, prometheus: {url: prometheus.url, tokenFile}}};
  const settings = {profile: 'acme', profiles};
  writeFileSync(join(home.path, 'config', 'settings.json'), JSON.stringify(settings), {mode: 0o600});
  return prometheus;
}

/** What DCGM's text format tells of the first GPU of each host, and how many there are. */
function gpuHosts(text: string): Readonly<Record<string, GpuHost>> {
  const lines = [...text.matchAll(/^(DCGM_FI_DEV_\w+)\{gpu="(\d+)",.*Hostname="([^"]*)"\} (\S+)$/gm)];
  const byHost = Map.groupBy(lines, ([, , , host = '']) => host);
  return Object.fromEntries(
    [...byHost].map(([host, own]) => {
      const value = (name: string) => Number(own.find(([, family]) => family === `DCGM_FI_DEV_${name}`)?.[4]);
      const [used, xid] = [value('FB_USED'), value('XID_ERRORS')];
      const gpu: GpuHost = {
        count: new Set(own.map(([, , index]) => index)).size,
        utilization: value('GPU_UTIL'),
        memoryRatio: used / (used + value('FB_FREE')),
        watts: value('POWER_USAGE'),
        celsius: value('GPU_TEMP'),
        ...(xid === 0 ? {} : {xid}),
      };
      return [host, gpu];
    }),
  );
}

/** A program named ssh that prints these lines and then waits to be ended; gives its folder. */
function giveSsh(home: Home, lines: readonly string[]): string {
  const folder = join(home.path, 'bin');
  mkdirSync(folder);
  const text = join(home.path, 'ssh.txt');
  writeFileSync(text, `${lines.join('\n')}\n`);
  const script = `#!/bin/sh\ncat '${text}'\n: > '${sshMark(home)}'\nexec sleep 60\n`;
  writeFileSync(join(folder, 'ssh'), script, {mode: 0o755});
  return folder;
}

function sshMark(home: Home): string {
  return join(home.path, 'ssh.done');
}

async function waitFor(path: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!existsSync(path)) {
    if (performance.now() > deadline) throw new Error(`No ssh ran within ${PATIENCE_MS} ms.`);
    await pause(20);
  }
}

/** Resolves when all that the deck drew up to the moment is in the cells. */
function markSeen({emulator, becomes}: Terminal, momentMs: number): Promise<void> {
  let isSeen = false;
  const handler = emulator.parser.registerOscHandler(TIME_MARK, moment => {
    if (Number(moment) === momentMs) isSeen = true;
    return true;
  });
  return becomes(`to have reached ${momentMs} ms`, () => isSeen, {withinMs: PATIENCE_MS}).finally(() =>
    handler.dispose(),
  );
}

/** Where the deck calls to be told how much time has passed. */
async function listenForDeck(home: Home): Promise<{path: string; deck: Promise<Socket>; close: () => void}> {
  const path = join(home.path, 'time');
  const server: Server = createServer().listen(path);
  await once(server, 'listening');
  const deck = once(server, 'connection').then(([socket]: Socket[]) => {
    if (socket === undefined) throw new Error('The deck called without a line.');
    return socket;
  });
  return {path, deck, close: () => server.close()};
}
