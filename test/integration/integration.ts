// The exporter against a real Prometheus: `npm run integration`. It starts a simulator, an exporter and Prometheus on
// loopback, fills in the past, runs every query of the dashboard and of the alerts, and kills and restarts each of the
// three. It fails without Prometheus, because untested is not passed.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {parse} from 'yaml';
import {alertTests} from './alert-tests.ts';
import {createHome, launchOnTerminal} from '../support/launch.ts';
import {check, checkEqual, finish, step} from './checks.ts';
import {exportedQueryTests} from './exported-queries.ts';
import {openFolder, skydeck, startDatabase, startExporter, startSimulator, toolOutput, until} from './programs.ts';

type Rule = {readonly alert: string; readonly expr: string};
type FoundHere = {
  readonly rule: string;
  readonly subject: {readonly name: string};
  readonly evidence: readonly string[];
};
type Panel = {readonly targets?: readonly {readonly expr: string}[]};

const JOB = 'skydeck';
const CPU = 'skydeck_machine_cpu_utilization_ratio';
const PATIENT = {withinMs: 30_000};
const DAY_SECONDS = 86_400;
/** Its job ended a day ago. */
const IDLE_HOST = 'train-02';
/** A budget, so that the series of a budget exist too. */
const SETTINGS = {budgetUsdPerMonth: 45_000};
/** The one name of OpenCost that promtool mistakes for a part of a histogram. */
const TOLERATED = 'node_gpu_count non-histogram and non-summary metrics should not have "_count" suffix';

const folder = openFolder(SETTINGS);
let simulator = await startSimulator(folder);
let exporter = await startExporter(folder, simulator);
const instance = new URL(exporter.url).host;

const {rules, queries} = await tryFiles();
await tryBackfill();
const gpuTarget = new URL(simulator.url).host;
await fillGpuActivity();
let database = await startDatabase(folder, {job: JOB, target: instance, gpuTarget});
await tryScrape();
await tryQueries();
await tryCosts();
await tryDeck();
await tryGpus();
await trySimulatorLost();
await tryRefusal();
await tryExporterLost();
await tryDatabaseLost();
await tryEnd();
finish();

async function tryFiles(): Promise<{readonly rules: readonly Rule[]; readonly queries: readonly string[]}> {
  step('alerting rules and dashboard');
  const text = await skydeck(folder, ['exporter', 'rules']);
  writeFileSync(join(folder.path, 'rules.yaml'), text);
  const checked = await toolOutput('promtool', ['check', 'rules', join(folder.path, 'rules.yaml')]);
  check('promtool check rules', checked.exitCode === 0, checked.text);
  const file = join(folder.path, 'rules.test.yaml');
  writeFileSync(file, JSON.stringify(alertTests('rules.yaml')));
  const tested = await toolOutput('promtool', ['test', 'rules', file]);
  check('promtool test rules', tested.exitCode === 0, tested.text);
  const pastFile = join(folder.path, 'past.test.yaml');
  writeFileSync(pastFile, JSON.stringify(await exportedQueryTests()));
  const past = await toolOutput('promtool', ['test', 'rules', pastFile]);
  check('a series that changes its labels within a step is counted once', past.exitCode === 0, past.text);
  const dashboard: {readonly panels: readonly Panel[]} = JSON.parse(await skydeck(folder, ['exporter', 'dashboard']));
  return {
    rules: parse(text).groups[0].rules,
    queries: dashboard.panels
      .flatMap(({targets = []}) => targets)
      .map(({expr}) => expr.replaceAll('$environment', '.*')),
  };
}

/** The number of samples reported as written must be the number loaded. */
async function tryBackfill(): Promise<void> {
  step('backfill');
  const labels = ['--label', `job=${JOB}`, '--label', `instance=${instance}`];
  const run = await toolOutput(
    process.execPath,
    [
      folder.program,
      ...['exporter', 'backfill', '--since', '2d', '--metrics', 'top:10', ...labels],
      ...['--base-url', simulator.url, '--key-file', folder.keyFile],
    ],
    folder.environment,
  );
  check('backfill exits with 0', run.exitCode === 0, run.errors);
  const file = join(folder.path, 'past.om');
  writeFileSync(file, run.text);
  const written = Number(/wrote (\d+) samples/.exec(run.errors)?.[1]);
  const loaded = await toolOutput('promtool', [
    ...['tsdb', 'create-blocks-from', 'openmetrics', '--max-block-duration=24h', file, folder.data],
  ]);
  check('promtool takes the file', loaded.exitCode === 0, loaded.text);
  const listed = await toolOutput('promtool', ['tsdb', 'list', folder.data]);
  const counts = listed.text
    .split('\n')
    .slice(1)
    .map(line => Number(line.trim().split(/\s+/)[4] ?? 0) || 0);
  checkEqual(
    'samples written and samples loaded',
    written,
    counts.reduce((sum, each) => sum + each, 0),
  );
}

/** Ten idle days of two GPUs, on a machine whose host was idle too. */
async function fillGpuActivity(): Promise<void> {
  step('the past of a GPU');
  const now = Math.floor(Date.now() / 1000 / 300) * 300 - 300;
  const count = (10 * DAY_SECONDS) / 300;
  const labels = (gpu: number) => `gpu="${gpu}",modelName="NVIDIA A100",Hostname="${IDLE_HOST}",job="dcgm"`;
  const lines = [0, 1].flatMap(gpu =>
    Array.from({length: count}, (_, index) => {
      const second = now - (count - 1 - index) * 300;
      return `DCGM_FI_DEV_GPU_UTIL{${labels(gpu)}} 0 ${second}`;
    }),
  );
  const file = join(folder.path, 'gpus.om');
  writeFileSync(file, `# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n${lines.join('\n')}\n# EOF\n`);
  const loaded = await toolOutput('promtool', [
    ...['tsdb', 'create-blocks-from', 'openmetrics', '--max-block-duration=240h', file, folder.data],
  ]);
  check('promtool takes the file', loaded.exitCode === 0, loaded.text);
}

/** What commands and the deck show of DCGM's series. */
async function tryGpus(): Promise<void> {
  step('GPUs by DCGM');
  const {home, log} = homeWithPrometheus();
  const run = (words: readonly string[]) =>
    toolOutput(process.execPath, [folder.program, ...words], {
      ...folder.environment,
      SKYDECK_CONFIG_DIR: join(home.path, 'config'),
    });
  try {
    const listed = await run(['get', 'vms', '--columns', 'name,gpuload,gpumem,gpuwatts,gputemp', '-o', 'csv']);
    const told = new Map(listed.text.split('\n').map(line => [line.split(',')[0] ?? '', Number(line.split(',')[1])]));
    const loads = await database.series('avg by (Hostname) (DCGM_FI_DEV_GPU_UTIL)');
    const others = loads.filter(({metric: {Hostname = ''}, value}) => {
      const known = told.get(Hostname);
      return known === undefined || Math.abs(known - Number(value[1])) > 20;
    });
    check(
      `get vms shows the GPU load of ${loads.length} machines`,
      loads.length > 10 && others.length === 0,
      listed.text,
    );
    const filtered = await run(['get', 'vms', '--filter', 'gpuload>80', '-o', 'name']);
    const busy = loads.filter(({value}) => Number(value[1]) > 80).length;
    checkEqual('the filter gpuload>80 finds as many as Prometheus', filtered.text.trim().split('\n').length, busy);
    const findings: readonly FoundHere[] = JSON.parse(
      (await run(['triage', '-o', 'json', '--metrics', 'all'])).text,
    ).findings;
    const failed = findings.filter(({rule}) => rule === 'gpu-error').map(({subject: {name}}) => name);
    checkEqual('triage finds the XID error', failed.join(' '), 'infer-06');
    const idle = findings.find(({rule, subject: {name}}) => rule === 'idle' && name === IDLE_HOST);
    check(
      'the finding of an idle machine has high confidence because of its GPUs',
      /its GPUs did nothing.*confidence high/.test(String(idle?.evidence)),
      JSON.stringify(idle),
    );
    const deck = launchOnTerminal({home, arguments: ['--log', log], columns: 200, rows: 50});
    await deck.sees('GPU hardware error', PATIENT);
    await deck.press('2');
    await deck.sees('GPU 1h', PATIENT);
    check('the deck shows GPUs in findings and in the list of machines', true);
    await deck.press('w', 'w', 'w', 'w', 'w');
    await deck.sees(/90d +Prometheus/, PATIENT);
    check('the 90 days of a machine come from Prometheus', true);
    await deck.press('5', 'tab', 'tab', 'tab');
    await deck.sees(/\d{4}-\d\d-\d\d .*Prometheus/, PATIENT);
    check('the days of the account come from Prometheus', true);
    await deck.close();
  } finally {
    home.remove();
  }
}

function homeWithPrometheus() {
  const home = createHome();
  const tokenFile = join(home.path, 'token');
  writeFileSync(tokenFile, 'a-token-that-nobody-asks-for', {mode: 0o600});
  const profile = {baseUrl: simulator.url, keyFile: folder.keyFile, prometheus: {url: database.url, tokenFile}};
  const settings = {profile: 'a', profiles: {a: profile}};
  writeFileSync(join(home.path, 'config', 'settings.json'), JSON.stringify(settings), {mode: 0o600});
  return {home, log: join(home.path, 'requests.log')};
}

async function tryScrape(): Promise<void> {
  step('scrape');
  // One machine of the scenario was just created and has no sample yet.
  const known = async () => (await database.value('count(skydeck_machine_sample_age_seconds)')) ?? 0;
  const wanted = async () => (await database.value('skydeck_measured_machines')) ?? Number.POSITIVE_INFINITY;
  await until('metrics of all running machines', async () => (await known()) >= (await wanted()) - 1);
  const linted = await toolOutput('promtool', ['check', 'metrics'], {}, await exporter.scrape());
  checkEqual('promtool check metrics', linted.text.trim(), TOLERATED);
  const open = await exporter.scrape('application/openmetrics-text; version=1.0.0');
  check('OpenMetrics ends with # EOF', open.endsWith('\n# EOF\n'));
  checkEqual('Prometheus scrapes it', await database.value(`up{job="${JOB}"}`), 1);
  const most = await database.value(`max(count by (resource_id) (count_over_time(${CPU}[2d])))`);
  checkEqual('the past and the present of a machine are one series', most, 1);
  const days = await database.value(`max(count_over_time(${CPU}[2d:1h]))`);
  check('the past was loaded', (days ?? 0) >= 45, `${days} of 48 hours`);
}

async function tryQueries(): Promise<void> {
  step('queries');
  const empty: string[] = [];
  for (const query of queries) if ((await database.series(query)).length === 0) empty.push(query);
  checkEqual(`each of the ${queries.length} queries of the dashboard returns data`, empty.join('\n'), '');
  const failed: string[] = [];
  for (const {alert, expr} of rules) {
    await database.series(expr).catch((error: unknown) => failed.push(`${alert}: ${String(error)}`));
  }
  checkEqual(`each of the ${rules.length} alerts can be queried`, failed.join('\n'), '');
  const unwell = (await database.rules()).filter(({health}) => health !== 'ok').map(({name}) => name);
  checkEqual('Prometheus evaluates the alerts', unwell.join(' '), '');
  await until('the alert of a stopped but billed machine is pending or firing', async () =>
    (await database.rules()).some(({name, state}) => name === 'MachineStoppedButBilled' && state !== 'inactive'),
  );
}

/** The exporter reads the meter once a minute, so within two minutes both have read the same. */
async function tryCosts(): Promise<void> {
  step('costs');
  let [metered, told]: [number | undefined, number | undefined] = [undefined, undefined];
  await until('the exporter and skydeck cost have read the same meter', async () => {
    const costs = await skydeck(folder, [
      ...['cost', '--by', 'type', '-o', 'json', '--metrics', 'none'],
      ...['--base-url', simulator.url, '--key-file', folder.keyFile],
    ]);
    const sum = await database.value('sum(node_total_hourly_cost)');
    const groups: readonly {readonly key: string; readonly perHourMicrousd: number}[] = JSON.parse(costs).groups;
    told = groups.find(({key}) => key === 'vm')?.perHourMicrousd;
    metered = sum === undefined ? undefined : Math.round(sum * 1e6);
    return metered !== undefined && metered === told;
  });
  checkEqual('the cost of all machines, in millionths of a dollar per hour', metered, told);
}

/** The deck on a terminal, with this Prometheus in its profile. */
async function tryDeck(): Promise<void> {
  step('the deck');
  const {home, log} = homeWithPrometheus();
  const deck = launchOnTerminal({home, arguments: ['--log', log], columns: 200, rows: 50});
  try {
    await deck.sees(/Prometheus \d+[smh]/, PATIENT);
    // Machines with a filled-in past have more than one sample. A single sample is not a curve, so for other machines
    // the service is asked too.
    const withPast = `${CPU} and on (resource_id) (${CPU} offset 20m)`;
    const [busiest] = await database.series(`topk(1, ${withPast})`);
    const {name = ''} = busiest?.metric ?? {};
    await deck.press('2', '/', name, 'enter');
    await deck.sees(new RegExp(`machines 1 of \\d+ /${name}`), PATIENT);
    const hasSparkline = (line: string) => line.includes(name.slice(0, 10)) && /[▁▂▃▄▅▆▇█]{3}/.test(line);
    await deck.becomes('to show the sparkline of a row', () => deck.screen().some(hasSparkline), PATIENT);
    check('a row shows its sparkline', true);
    const known = new Set((await database.series(withPast)).map(({metric}) => metric.resource_id));
    checkEqual(
      'machines in Prometheus that are also requested from the service',
      hoursAsked(log)
        .filter(each => known.has(each))
        .join(' '),
      '',
    );
  } finally {
    await deck.close();
    home.remove();
  }
}

/** The machines whose last hour was requested from the service. */
function hoursAsked(log: string): readonly string[] {
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter(line => line.includes('/metrics') && line.includes('"duration":"1h"'))
    .map(line => String(JSON.parse(line).params.id));
}

async function trySimulatorLost(): Promise<void> {
  step('the service stops and starts again');
  await simulator.kill();
  await until('the exporter reports it as down', async () => (await state('down')) === 1);
  check('the exporter still answers', (await exporter.scrape()).includes('skydeck_machines{'));
  simulator = await startSimulator(folder, {port: simulator.port});
  await until('the service is up again', async () => (await state('up')) === 1);
  await until('its machines are read again', async () => (await age('machines')) < 15);
}

async function tryRefusal(): Promise<void> {
  step('the service refuses requests (429)');
  await simulator.kill();
  simulator = await startSimulator(folder, {port: simulator.port, faults: ['status=429,match=GET /core/*,times=1']});
  await until('the exporter pauses', async () => (await state('rate-limited')) === 1);
  await until(
    'the exporter continues after a minute',
    async () => (await state('up')) === 1 && (await age('machines')) < 15,
  );
}

async function tryExporterLost(): Promise<void> {
  step('the exporter is killed and started again');
  await exporter.kill();
  await until('Prometheus reports it as down', async () => (await database.value(`up{job="${JOB}"}`)) === 0);
  checkEqual('its series have ended', (await database.series('skydeck_machines')).length, 0);
  exporter = await startExporter(folder, simulator, {port: exporter.port});
  await until('it is scraped again', async () => (await database.value('sum(skydeck_machines)')) === 40);
}

async function tryDatabaseLost(): Promise<void> {
  step('Prometheus is killed and started again');
  const port = database.port;
  await database.kill();
  database = await startDatabase(folder, {job: JOB, target: instance, gpuTarget, port});
  await until('it scrapes again', async () => (await database.value(`up{job="${JOB}"}`)) === 1);
  check(
    'it still has its earlier samples',
    ((await database.value('count(last_over_time(skydeck_machines[1h]))')) ?? 0) > 0,
  );
}

async function tryEnd(): Promise<void> {
  step('the end');
  const key = readFileSync(folder.keyFile, 'utf8').trim();
  const texts = [await exporter.scrape(), exporter.output(), readFileSync(join(folder.path, 'rules.yaml'), 'utf8')];
  check(
    'the key is not in the metrics, the output or the rules',
    texts.every(text => !text.includes(key)),
  );
  checkEqual('the exporter exits with 0 on SIGTERM', await exporter.stop(), 0);
  await database.stop();
  await simulator.stop();
}

/** 1 if the exporter reports the service in this state. */
async function state(name: string): Promise<number> {
  return sampleIn(await exporter.scrape(), `skydeck_service_state{state="${name}"}`);
}

async function age(feed: string): Promise<number> {
  return sampleIn(await exporter.scrape(), `skydeck_reading_age_seconds{feed="${feed}"}`);
}

function sampleIn(text: string, series: string): number {
  const line = text.split('\n').find(each => each.startsWith(`${series} `));
  return line === undefined ? Number.POSITIVE_INFINITY : Number(line.slice(series.length + 1));
}
