// The programs of the integration run. Each listens on loopback, on its own port, and is killed at the end.
import {type ChildProcess, spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {projectRoot} from '../support/launch.ts';

const SEED = '5';
const PATIENCE_MS = 150_000;
const PAUSE_MS = 500;

type Environment = Readonly<Record<string, string>>;

/** Where the run stores its files. Removed at the end. */
export type Folder = {
  readonly path: string;
  readonly data: string;
  readonly keyFile: string;
  readonly program: string;
  readonly environment: Environment;
};

export type Output = {readonly exitCode: number | null; readonly text: string; readonly errors: string};

export type Server = {
  readonly url: string;
  readonly port: number;
  readonly output: () => string;
  readonly kill: () => Promise<void>;
  /** Sends SIGTERM and returns the exit code. */
  readonly stop: () => Promise<number | null>;
};

export type Exporter = Server & {readonly scrape: (accept?: string) => Promise<string>};

type Found = {readonly metric: Readonly<Record<string, string>>; readonly value: readonly [number, string]};

export type Database = Server & {
  readonly series: (query: string) => Promise<readonly Found[]>;
  /** The value of the first series of a query. */
  readonly value: (query: string) => Promise<number | undefined>;
  readonly rules: () => Promise<readonly {readonly name: string; readonly health: string; readonly state: string}[]>;
};

export function openFolder(settings: object): Folder {
  const path = mkdtempSync(join(tmpdir(), 'skydeck-integration-'));
  process.on('exit', () => rmSync(path, {recursive: true, force: true}));
  const config = join(path, 'config');
  mkdirSync(config, {mode: 0o700});
  writeFileSync(join(config, 'settings.json'), JSON.stringify(settings), {mode: 0o600});
  const {PATH = ''} = process.env;
  return {
    path,
    data: join(path, 'data'),
    keyFile: join(path, 'key'),
    program: join(projectRoot, 'dist', 'skydeck.js'),
    environment: {PATH, HOME: path, SKYDECK_CONFIG_DIR: config, XDG_STATE_HOME: join(path, 'state')},
  };
}

/** Runs a program until it exits. A missing program fails the whole run. */
export function toolOutput(
  command: string,
  words: readonly string[],
  environment: Environment = {},
  input = '',
): Promise<Output> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, {env: {...process.env, ...environment}});
    let [text, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', chunk => {
      text += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', chunk => {
      errors += chunk;
    });
    child.on('error', error => reject(new Error(`${command} is needed, and could not be run: ${error.message}`)));
    child.on('close', exitCode => resolve({exitCode, text: text === '' ? errors : text, errors}));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

export async function skydeck(folder: Folder, words: readonly string[]): Promise<string> {
  const {exitCode, text, errors} = await toolOutput(process.execPath, [folder.program, ...words], folder.environment);
  if (exitCode !== 0) throw new Error(`skydeck ${words.join(' ')}: exit code ${exitCode}: ${errors}`);
  return text;
}

/** The same cloud with the same keys each time, on any port or the given one. */
export async function startSimulator(
  folder: Folder,
  {port = 0, faults = []}: {readonly port?: number; readonly faults?: readonly string[]} = {},
): Promise<Server> {
  const words = ['simulator', '--seed', SEED, '--rate-limit', 'off', '--gpu-metrics', '--port', String(port)];
  const {child, firstLine, output} = start(folder, [...words, ...faults.flatMap(fault => ['--fault', fault])]);
  const {url, apiKey}: {readonly url: string; readonly apiKey: string} = JSON.parse(await firstLine);
  writeFileSync(folder.keyFile, apiKey, {mode: 0o600});
  return serverOf(child, url, output);
}

export async function startExporter(
  folder: Folder,
  simulator: Server,
  {port = 0}: {readonly port?: number} = {},
): Promise<Exporter> {
  const {child, firstLine, output} = start(folder, [
    ...['exporter', '--metrics', 'all', '--listen', `127.0.0.1:${port}`],
    ...['--base-url', simulator.url, '--key-file', folder.keyFile],
  ]);
  const {url}: {readonly url: string} = JSON.parse(await firstLine);
  return {
    ...serverOf(child, url, output),
    scrape: async (accept = 'text/plain') => (await fetch(url, {headers: {accept}})).text(),
  };
}

export async function startDatabase(
  folder: Folder,
  {
    job,
    target,
    gpuTarget,
    port: wanted,
  }: {readonly job: string; readonly target: string; readonly gpuTarget: string; readonly port?: number},
): Promise<Database> {
  const port = wanted ?? (await freePort());
  const config = join(folder.path, 'prometheus.yaml');
  const scrapes = [
    {job_name: job, honor_labels: true, static_configs: [{targets: [target]}]},
    {job_name: 'dcgm', static_configs: [{targets: [gpuTarget]}]},
  ];
  const pace = {scrape_interval: '5s', scrape_timeout: '5s', evaluation_interval: '5s'};
  writeFileSync(config, JSON.stringify({global: pace, rule_files: ['rules.yaml'], scrape_configs: scrapes}));
  const child = spawn('prometheus', [
    `--config.file=${config}`,
    `--storage.tsdb.path=${folder.data}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=warn',
  ]);
  const url = `http://127.0.0.1:${port}`;
  const server = serverOf(child, url, collected(child));
  await until('Prometheus is ready', () => isOk(`${url}/-/ready`));
  return {...server, ...queriesOf(url)};
}

function queriesOf(url: string): Pick<Database, 'series' | 'value' | 'rules'> {
  const series: Database['series'] = async query => {
    const {status, error, data} = await answerOf(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
    if (status !== 'success') throw new Error(error);
    return data.result;
  };
  return {
    series,
    value: async query => {
      const [first] = await series(query);
      return first === undefined ? undefined : Number(first.value[1]);
    },
    rules: async () => {
      const {data} = await answerOf(`${url}/api/v1/rules`);
      return data.groups.flatMap(({rules}: {readonly rules: readonly object[]}) => rules);
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: what Prometheus answers is looked at, not trusted.
async function answerOf(url: string): Promise<any> {
  return (await fetch(url)).json();
}

async function isOk(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ok}) => ok,
    () => false,
  );
}

function start(folder: Folder, words: readonly string[]) {
  const child = spawn(process.execPath, [folder.program, ...words], {env: folder.environment});
  const output = collected(child);
  const firstLine = new Promise<string>((resolve, reject) => {
    child.stdout.once('data', chunk => resolve(String(chunk).split('\n')[0] ?? ''));
    child.once('exit', exitCode => reject(new Error(`skydeck ${words[0]} ended with ${exitCode}: ${output()}`)));
  });
  return {child, firstLine, output};
}

function collected(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', chunk => {
      text += chunk;
    });
  }
  return () => text;
}

function serverOf(child: ChildProcess, url: string, output: () => string): Server {
  process.on('exit', () => child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', error =>
      reject(new Error(`${child.spawnfile} is needed, and could not be run: ${error.message}`)),
    );
    child.once('exit', resolve);
  });
  return {
    url,
    port: Number(new URL(url).port),
    output,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

function freePort(): Promise<number> {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}

/** Checks repeatedly until the condition is met. Fails the run if it never is. */
export async function until(what: string, isMet: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isMet().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what}`);
    await pause(PAUSE_MS);
  }
  console.log(`  ok     ${what}`);
}
