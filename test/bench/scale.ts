// How skydeck handles large fleets: `npm run scale [-- 1000 10000 100000]`. For each fleet it runs a simulator, the
// whole list with `get`, an exporter for two minutes, and a deck on a virtual terminal. It prints the table in the
// README.
import {type ChildProcess, spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {createHome, launchOnTerminal, projectRoot} from '../support/launch.ts';

const PROGRAM = join(projectRoot, 'dist', 'skydeck.js');
const FLEETS = process.argv.slice(2).map(Number);
const SCRAPES = 3;
const AT_ONCE = 20;
const WATCHED_MS = 90_000;
const PATIENCE_MS = 20 * 60_000;
/** The limit of the exporter is above that of a deck, so that it reads everything. */
const EXPORTER_RECORDS = 200_000;
const MIB = 1024 ** 2;

type Row = Readonly<Record<string, string>>;

const rows: Row[] = [];
for (const vms of FLEETS.length > 0 ? FLEETS : [1000, 10_000, 100_000]) {
  console.error(`${vms} machines`);
  rows.push(await measured(vms));
}
const titles = Object.keys(rows[0] ?? {});
console.log(`| ${titles.join(' | ')} |\n|${titles.map(() => '---|').join('')}`);
for (const row of rows) console.log(`| ${titles.map(title => row[title]).join(' | ')} |`);
process.exit(0);

async function measured(vms: number): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'skydeck-scale-'));
  const children: ChildProcess[] = [];
  const start = (words: readonly string[], settings: object = {}) => {
    const config = join(folder, `config-${children.length}`);
    mkdirSync(config, {mode: 0o700});
    writeFileSync(join(config, 'settings.json'), JSON.stringify(settings), {mode: 0o600});
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      SKYDECK_CONFIG_DIR: config,
      XDG_STATE_HOME: join(config, 'state'),
    };
    const child = spawn(process.execPath, [PROGRAM, ...words], {env, stdio: ['ignore', 'pipe', 'pipe']});
    children.push(child);
    return child;
  };
  try {
    const words = ['simulator', '--scenario', 'big', '--vms', String(vms), '--seed', '1', '--rate-limit', 'off'];
    const {url, apiKey} = JSON.parse(await firstLine(start(words)));
    const keyFile = join(folder, 'key');
    writeFileSync(keyFile, apiKey, {mode: 0o600});
    const account = ['--base-url', url, '--key-file', keyFile];
    const list = await listed(start(['get', 'vms', '-o', 'ndjson', ...account]));
    console.error(`  list: ${list.seconds.toFixed(1)} s`);
    const exported = await exporterOver(start(['exporter', '--listen', '127.0.0.1:0', ...account], boundless()));
    const deck = await deckOver(url, apiKey);
    return {
      machines: vms.toLocaleString('en-US'),
      'list, whole': `${list.count.toLocaleString('en-US')} in ${list.seconds.toFixed(1)} s`,
      'exporter: first whole reading': `${exported.readySeconds.toFixed(0)} s`,
      'series: served of announced': `${exported.series.toLocaleString('en-US')} of ${exported.announced.toLocaleString('en-US')}`,
      scrape: `${(exported.bytes / MIB).toFixed(1)} MiB in ${exported.scrapeSeconds.toFixed(2)} s`,
      '20 at once': `${exported.atOnceSeconds.toFixed(1)} s`,
      'lists left out': exported.leftOut,
      'exporter: memory': `${Math.round(exported.residentBytes / MIB)} MiB`,
      'exporter: requests/min': String(exported.requests),
      'deck: first rows': `${deck.seconds.toFixed(1)} s`,
      'deck: memory': `${deck.residentMib} MiB`,
      'deck: shows': deck.shows,
    };
  } finally {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, {recursive: true, force: true});
  }
}

function boundless(): object {
  return {maxListRecords: EXPORTER_RECORDS, maxListMib: 2048};
}

async function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', chunk => resolve(String(chunk).split('\n')[0] ?? ''));
    child.once('exit', code => reject(new Error(`ended with ${code}`)));
  });
}

async function listed(child: ChildProcess): Promise<{readonly seconds: number; readonly count: number}> {
  const startedAt = performance.now();
  let count = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) count += 1;
  });
  await new Promise(resolve => child.once('close', resolve));
  return {seconds: (performance.now() - startedAt) / 1000, count};
}

async function exporterOver(child: ChildProcess) {
  const startedAt = performance.now();
  let told = '';
  child.stderr?.on('data', chunk => {
    told += String(chunk);
  });
  const {url} = JSON.parse(await firstLine(child));
  while (!told.includes('series of')) {
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error(`no whole reading within 20 min: ${told}`);
    await pause(200);
  }
  const readySeconds = (performance.now() - startedAt) / 1000;
  console.error(`  exporter: ${readySeconds.toFixed(0)} s, ${told.trim().split('\n').join(' / ')}`);
  await pause(WATCHED_MS);
  const times: number[] = [];
  let text = '';
  for (let index = 0; index < SCRAPES; index += 1) {
    const at = performance.now();
    text = await (await fetch(url)).text();
    const tookMs = performance.now() - at;
    times.push(tookMs / 1000);
    // The exporter repeats an answer for as long as it took to produce.
    await pause(tookMs);
  }
  const onceAt = performance.now();
  await Promise.all(Array.from({length: AT_ONCE}, async () => (await fetch(url)).arrayBuffer()));
  const atOnceSeconds = (performance.now() - onceAt) / 1000;
  const leftOut = [...text.matchAll(/^skydeck_reading_too_old\{feed="([^"]+)"\} 1$/gm)].map(([, feed]) => feed);
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    readySeconds,
    bytes: Buffer.byteLength(text),
    atOnceSeconds,
    announced: Number(/about (\d+) series of/.exec(told)?.[1]),
    leftOut: leftOut.length === 0 ? 'none' : leftOut.join(', '),
    scrapeSeconds: times.sort((left, right) => left - right)[Math.floor(SCRAPES / 2)] ?? Number.NaN,
    series: text.split('\n').filter(line => line !== '' && !line.startsWith('#')).length,
    residentBytes: value('process_resident_memory_bytes'),
    requests: value('skydeck_requests_last_minute'),
  };
}

async function deckOver(url: string, apiKey: string) {
  const home = createHome();
  const startedAt = performance.now();
  const deck = launchOnTerminal({home, connection: {url, apiKey}, columns: 200, rows: 50});
  try {
    await deck.sees('[1 Overview]', {withinMs: PATIENCE_MS});
    await deck.press('2');
    await deck.sees(/machines \d+ of \d+/, {withinMs: PATIENCE_MS});
    const seconds = (performance.now() - startedAt) / 1000;
    await pause(WATCHED_MS / 3);
    const status = readFileSync(`/proc/${deck.pid}/status`, 'utf8');
    const residentMib = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
    const shows = /showing [\d,]+ of [\d,]+/.exec(deck.text())?.[0] ?? 'all';
    return {seconds, residentMib, shows};
  } finally {
    await deck.close();
    home.remove();
  }
}
