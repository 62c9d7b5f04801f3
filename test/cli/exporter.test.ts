import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {createServer} from 'node:http';
import {dirname, join} from 'node:path';
import {describe, expect, test, vi} from 'vitest';
import {exporterCommand} from '../../src/cli/commands/exporter.ts';
import {atEnd} from '../support/lifetime.ts';
import {openHome} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {run, type Surroundings} from './a-command.ts';
import {openService} from './a-service.ts';

const KEY = 'key-0123456789';
const PATIENCE = {timeout: 10_000};

/** Runs the command until `work` is done with what it serves. */
async function whileServing(
  line: string,
  given: Surroundings,
  work: (url: string, outputs: {readonly stderr: () => string}) => Promise<void>,
) {
  let stop = () => {};
  const untilStopped = new Promise<void>(resolve => {
    stop = resolve;
  });
  let stderr = '';
  let served: (url: string) => void = () => {};
  const url = new Promise<string>(resolve => {
    served = resolve;
  });
  const running = run(exporterCommand, `--listen 127.0.0.1:0 ${line}`, {
    ...given,
    untilStopped,
    onOutput: text => served(JSON.parse(text).url),
    onError: text => {
      stderr += text;
    },
  });
  try {
    await work(await url, {stderr: () => stderr});
  } finally {
    stop();
  }
  return running;
}

async function scrape(url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await fetch(url, {headers})).text();
}

/** The samples of one name, with their label sets as printed. */
function samplesOf(text: string, name: string): readonly string[] {
  return text.split('\n').filter(line => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

const MACHINES = {
  status: true,
  instances: [
    {
      id: 7,
      name: `say "hi"\\ ${KEY}`,
      status: 'ACTIVE',
      flavor: {name: 'n3-A100x4', gpu: 'A100-80G-PCIe', gpu_count: 4},
      environment: {name: 'lab', region: 'CANADA-1'},
    },
    {id: 8, name: 'web', status: 'SHUTOFF', flavor: {name: 'n1-cpu-small'}},
  ],
};

const USAGE = {
  status: true,
  data: [
    {resource_id: 7, resource_type: 'vm', name: 'gpu', bill_per_minute: 0.09, total_bill: 12.5, active: true},
    {resource_id: 8, resource_type: 'vm', name: 'web', bill_per_minute: 0.01, total_bill: 2, active: true},
    // Ended, excluded, and without a rate: none of them is in the burn rate.
    {resource_id: 9, resource_type: 'vm', name: 'gone', bill_per_minute: 5, active: false},
    {resource_id: 10, resource_type: 'vm', name: 'free', bill_per_minute: 5, active: true, exclude_billing: true},
    {resource_id: 11, resource_type: 'vm', name: 'odd', bill_per_minute: null, active: true},
    {resource_id: 3, resource_type: 'volume', name: 'disk', bill_per_minute: 0.002, active: true},
  ],
};

const ACCOUNT = {
  '/core/virtual-machines': MACHINES,
  '/billing/billing/usage': USAGE,
  '/core/volumes': {status: true, volumes: [{id: 3, name: 'disk', size: 12, status: 'available'}]},
};

describe('skydeck exporter', () => {
  test('exports the cost of machines under the names of OpenCost, and all costs under its own', async () => {
    const {simulator} = await openService(ACCOUNT);
    const {exitCode, stdout} = await whileServing('--metrics none', {simulator}, async (url, {stderr}) => {
      await vi.waitUntil(() => stderr().includes('series of 2 machines'), PATIENCE);
      // Each list is read by itself: the volumes, and that contracts cannot be, may come later.
      await vi.waitUntil(async () => /^pv_hourly_cost\{[\s\S]*feed="contracts"/m.test(await scrape(url)), PATIENCE);
      const text = await scrape(url);
      // $0.09 a minute are $5.40 an hour, for four GPUs $1.35 each.
      expect(samplesOf(text, 'node_total_hourly_cost').map(line => line.split(' ').at(-1))).toEqual(['5.4', '0.6']);
      expect(samplesOf(text, 'node_gpu_hourly_cost').map(line => line.split(' ').at(-1))).toEqual(['1.35']);
      expect(samplesOf(text, 'node_gpu_count').map(line => line.split(' ').at(-1))).toEqual(['4']);
      expect(samplesOf(text, 'pv_hourly_cost')).toEqual([
        'pv_hourly_cost{volumename="disk",persistentvolume="disk",provider_id="3"} 0.01',
      ]);
      expect(samplesOf(text, 'cloudcost_burn_hourly_cost')).toEqual(['cloudcost_burn_hourly_cost 6.12']);
      expect(samplesOf(text, 'cloudcost_unpriced_resources')).toEqual(['cloudcost_unpriced_resources 1']);
      expect(samplesOf(text, 'cloudcost_resource_cost_dollars_total')).toEqual([
        'cloudcost_resource_cost_dollars_total{resource_id="7",type="vm",name="gpu"} 12.5',
        'cloudcost_resource_cost_dollars_total{resource_id="8",type="vm",name="web"} 2',
      ]);
      expect(samplesOf(text, 'skydeck_machines')).toEqual([
        'skydeck_machines{status="ACTIVE"} 1',
        'skydeck_machines{status="SHUTOFF"} 1',
      ]);
      expect(samplesOf(text, 'skydeck_findings')).toContain(
        'skydeck_findings{rule="stopped-but-billed",severity="warning"} 1',
      );
      // Contracts cannot be read, and a rule that cannot be judged has no count.
      expect(text).not.toContain('skydeck_findings{rule="contract-ending"');
      expect(samplesOf(text, 'skydeck_reading_failed')).toContain(
        'skydeck_reading_failed{feed="contracts",reason="not-found"} 1',
      );
    });
    expect({exitCode, lines: stdout.trimEnd().split('\n').length}).toEqual({exitCode: 0, lines: 1});
  });

  test('never exports the key, even when a name contains it, and escapes what would end a label', async () => {
    const {simulator} = await openService(ACCOUNT);
    await whileServing('--metrics none', {simulator}, async (url, {stderr}) => {
      await vi.waitUntil(() => stderr().includes('series of'), PATIENCE);
      const text = await scrape(url, {accept: 'application/openmetrics-text'});
      expect(text).not.toContain(KEY);
      expect(text).toContain(String.raw`name="say \"hi\"\\ [key]"`);
      expect(text.endsWith('\n# EOF\n')).toBe(true);
    });
  });

  test('reads the metrics of the costliest running machines, as many as requested', async () => {
    const simulator = await openSimulator({rateLimitPerMinute: 'off'});
    await whileServing('--metrics top:2', {simulator}, async (url, {stderr}) => {
      await vi.waitUntil(
        async () => samplesOf(await scrape(url), 'skydeck_machine_cpu_utilization_ratio').length === 2,
        PATIENCE,
      );
      expect(stderr()).toMatch(/about \d+ series of 40 machines; metrics of 2 are read every 5m/);
      const text = await scrape(url);
      const rates = new Map(
        samplesOf(text, 'cloudcost_resource_hourly_cost')
          .filter(line => line.includes('type="vm"') && line.includes('status="ACTIVE"'))
          .map(line => [/resource_id="(\d+)"/.exec(line)?.[1], Number(line.split(' ').at(-1))] as const),
      );
      const measured = samplesOf(text, 'skydeck_machine_cpu_utilization_ratio').map(
        line => rates.get(/resource_id="(\d+)"/.exec(line)?.[1]) ?? 0,
      );
      const costliest = [...rates.values()].sort((left, right) => right - left).slice(0, 2);
      expect(measured.toSorted((left, right) => right - left)).toEqual(costliest);
    });
  });

  test('says for how long the service refuses requests', async () => {
    const server = createServer((_request, response) => response.writeHead(429, {'retry-after': '600'}).end());
    atEnd(() => void server.close());
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : '';
    const simulator = {url: `http://127.0.0.1:${port}/v1`, apiKey: KEY};
    await whileServing('--metrics none', {simulator}, async (_url, {stderr}) => {
      const words = 'skydeck: exporter: the service refuses requests (429); it is asked again in 10m\n';
      await vi.waitUntil(() => stderr().includes(words), PATIENCE);
    });
  });

  test('drops series that could not be read for a while, says so, and has them again afterwards', async () => {
    const simulator = await openSimulator({rateLimitPerMinute: 'off', vmCount: 4, scenario: 'calm'});
    // Five minutes pass in two seconds.
    await whileServing('--metrics none', {simulator, speed: 150}, async (url, {stderr}) => {
      const has = (series: string) => async () => (await scrape(url)).includes(`\n${series}`);
      await vi.waitUntil(has('skydeck_machines{'), PATIENCE);
      simulator.setFaults(['status=503']);
      await vi.waitUntil(async () => !(await has('skydeck_machines{')()), PATIENCE);
      const text = await scrape(url);
      expect(text).not.toContain('\nskydeck_machine_status{');
      // On a busy machine an answer may first come too late for a clock that is this fast.
      await vi.waitUntil(has('skydeck_reading_failed{feed="machines",reason="service-error"} 1'), PATIENCE);
      simulator.setFaults([]);
      await vi.waitUntil(has('skydeck_machines{'), PATIENCE);
      // It is said once everything that had failed was read again, which may be after the machines.
      await vi.waitUntil(() => stderr().includes('skydeck: exporter: the service answers again\n'), PATIENCE);
    });
  });

  test('says once that acknowledged findings come back, and when their file can be read again', async () => {
    const simulator = await openSimulator({rateLimitPerMinute: 'off', vmCount: 2, scenario: 'calm'});
    const home = openHome();
    const folder = join(home.path, 'state', 'skydeck', 'findings');
    const path = join(folder, `${new URL(simulator.url).host.replace(':', '_')}.json`);
    mkdirSync(folder, {recursive: true, mode: 0o700});
    writeFileSync(path, '[]', {mode: 0o600});
    const said = `exporter: acknowledged and snoozed findings are listed again: ${path} is damaged\n`;
    const ended = 'exporter: acknowledged and snoozed findings can be read again\n';
    await whileServing('--metrics none', {simulator, home, speed: 150}, async (_url, {stderr}) => {
      await vi.waitUntil(() => stderr().includes(said), PATIENCE);
      rmSync(path);
      await vi.waitUntil(() => stderr().includes(ended), PATIENCE);
      expect(stderr().split(said)).toHaveLength(2);
    });
  });

  test('requires a token that only its owner can read when others can reach it', async () => {
    const {simulator} = await openService(ACCOUNT);
    const file = join(openHome().path, 'token');
    writeFileSync(file, 'token-0123456789\n');
    const asked = async (line: string) => run(exporterCommand, line, {simulator, untilStopped: Promise.resolve()});
    expect(await asked('--listen 0.0.0.0:0')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: 'skydeck: --listen: an address that others can reach needs --token-file\n',
    });
    chmodSync(file, 0o644);
    const open = await asked(`--listen 0.0.0.0:0 --token-file ${file}`);
    expect(open).toMatchObject({exitCode: 2, stdout: ''});
    expect(open.stderr).toContain(`the token file ${file} can be read by others`);
    chmodSync(file, 0o600);
    await whileServing(`--token-file ${file}`, {simulator}, async url => {
      expect((await fetch(url)).status).toBe(401);
      expect((await fetch(url, {headers: {authorization: 'Bearer token-0123456789'}})).status).toBe(200);
    });
  });

  test('repeats its own token in no name', async () => {
    const token = 'CANARY-of-the-exporter-4321';
    const named = JSON.stringify(ACCOUNT).replaceAll('"disk"', `"disk ${token}"`);
    const {simulator} = await openService(JSON.parse(named));
    const file = join(openHome().path, 'token');
    writeFileSync(file, token, {mode: 0o600});
    await whileServing(`--metrics none --token-file ${file}`, {simulator}, async (url, {stderr}) => {
      await vi.waitUntil(() => stderr().includes('series of 2 machines'), PATIENCE);
      const headers = {authorization: `Bearer ${token}`};
      // The volumes are read by themselves, and may come later.
      await vi.waitUntil(async () => (await scrape(url, headers)).includes('\npv_hourly_cost{'), PATIENCE);
      const text = await scrape(url, headers);
      expect(samplesOf(text, 'pv_hourly_cost')).toEqual([expect.stringContaining('volumename="disk [key …4321]"')]);
    });
  });

  test('writes a file that others can read, and removes it at its end', async () => {
    const {simulator} = await openService(ACCOUNT);
    const home = openHome();
    const file = join(home.path, 'skydeck.prom');
    await whileServing(`--metrics none --textfile ${file}`, {simulator, home}, async () => {
      await vi.waitUntil(() => existsSync(file), PATIENCE);
      expect(statSync(file).mode & 0o777).toBe(0o644);
      expect(readFileSync(file, 'utf8')).toContain('# TYPE skydeck_service_state gauge');
    });
    expect(existsSync(file)).toBe(false);
  });

  test('writes the next time when the metrics could not be created once, and says so', async () => {
    const {simulator} = await openService(ACCOUNT);
    const home = openHome();
    const file = join(home.path, 'skydeck.prom');
    // Every scrape asks for it.
    vi.spyOn(process, 'cpuUsage').mockImplementationOnce(() => {
      throw new Error('made up');
    });
    await whileServing(`--metrics none --textfile ${file}`, {simulator, home, speed: 30}, async (_url, {stderr}) => {
      await vi.waitUntil(() => existsSync(file), PATIENCE);
      expect(stderr()).toContain('exporter: a scrape failed: made up');
    });
  });

  test('goes on with the file of an exporter that was killed', async () => {
    const {simulator} = await openService(ACCOUNT);
    const home = openHome();
    const file = join(home.path, 'skydeck.prom');
    const line = `--metrics none --textfile ${file}`;
    let left = '';
    await whileServing(line, {simulator, home}, async () => {
      await vi.waitUntil(() => existsSync(file), PATIENCE);
      left = readFileSync(file, 'utf8');
    });
    writeFileSync(file, left);
    await whileServing(line, {simulator, home}, async () => {
      await vi.waitUntil(() => readFileSync(file, 'utf8') !== left, PATIENCE);
    });
    expect(existsSync(file)).toBe(false);
  });

  test.each<[string, (path: string) => void]>([
    ['is not an earlier textfile of skydeck; name another file, or remove it', path => writeFileSync(path, 'buy milk')],
    ['is a link, and links are not followed', path => symlinkSync(join(dirname(path), 'own'), path)],
    ['is not a plain file', path => void execFileSync('mkfifo', [path])],
    ['is not a plain file', path => mkdirSync(path)],
  ])('refuses a textfile that %s, and leaves it', async (reason, plant) => {
    const {simulator} = await openService(ACCOUNT);
    const home = openHome();
    const file = join(home.path, 'skydeck.prom');
    writeFileSync(join(home.path, 'own'), 'own');
    plant(file);
    const {ino, mode, mtimeMs} = lstatSync(file);
    const ran = await run(exporterCommand, `--listen 127.0.0.1:0 --metrics none --textfile ${file}`, {
      simulator,
      home,
      untilStopped: Promise.resolve(),
    });
    expect(ran).toMatchObject({exitCode: 2, stdout: '', stderr: `skydeck: --textfile: ${file} ${reason}\n`});
    expect(lstatSync(file)).toMatchObject({ino, mode, mtimeMs});
    expect(readFileSync(join(home.path, 'own'), 'utf8')).toBe('own');
  });

  test('leaves what took the place of its textfile meanwhile, and says so', async () => {
    const {simulator} = await openService(ACCOUNT);
    const home = openHome();
    const file = join(home.path, 'skydeck.prom');
    const line = `--metrics none --textfile ${file}`;
    const {exitCode, stderr} = await whileServing(line, {simulator, home, speed: 30}, async (_url, {stderr}) => {
      await vi.waitUntil(() => existsSync(file), PATIENCE);
      writeFileSync(`${file}.new`, 'buy milk');
      renameSync(`${file}.new`, file);
      await vi.waitUntil(() => stderr().includes('is not an earlier textfile of skydeck'), PATIENCE);
    });
    expect([exitCode, readFileSync(file, 'utf8')]).toEqual([0, 'buy milk']);
    expect(stderr).toContain(`skydeck: --textfile: ${file} is left, because something else was written there\n`);
  });

  test('says why it cannot write', async () => {
    const {simulator} = await openService(ACCOUNT);
    const home = openHome();
    const file = join(home.path, 'missing', 'skydeck.prom');
    const line = `--metrics none --textfile ${file}`;
    const {exitCode} = await whileServing(line, {simulator, home}, async (_url, {stderr}) => {
      await vi.waitUntil(() => stderr().includes('--textfile: ENOENT'), PATIENCE);
    });
    expect(exitCode).toBe(0);
  });

  test.each([
    ['--listen nonsense', /an address and a port/],
    ['--metrics top:0', /none, top:N or all/],
  ])('refuses %s', async (line, reason) => {
    const {exitCode, stderr} = await run(exporterCommand, line);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(reason);
  });
});

describe('skydeck exporter backfill', () => {
  test('prints the history of the costliest machines, each series in order of time, and says how much it is', async () => {
    const simulator = await openSimulator({rateLimitPerMinute: 'off', scenario: 'calm', vmCount: 6});
    const {exitCode, stdout, stderr} = await run(
      exporterCommand,
      'backfill --since 6h --metrics top:2 --label job=deck',
      {
        simulator,
      },
    );
    expect(exitCode).toBe(0);
    expect(stdout.endsWith('\n# EOF\n')).toBe(true);
    const samples = stdout.split('\n').filter(line => line !== '' && !line.startsWith('#'));
    const timesBySeries = Map.groupBy(samples, line => line.slice(0, line.lastIndexOf(' ', line.lastIndexOf(' ') - 1)));
    expect(stderr).toBe(
      `skydeck: exporter backfill: wrote ${samples.length} samples of ${timesBySeries.size} series; the past of 2 of 6 machines\n`,
    );
    for (const [series, lines] of timesBySeries) {
      expect(series).toContain('job="deck"');
      const times = lines.map(line => Number(line.slice(line.lastIndexOf(' '))));
      expect(times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0))).toBe(true);
    }
    const cpu = [...timesBySeries].filter(([series]) => series.startsWith('skydeck_machine_cpu_utilization_ratio'));
    expect(cpu).toHaveLength(2);
    // A sample every five minutes for six hours, and finer ones recently.
    expect(cpu.every(([, lines]) => lines.length >= 70)).toBe(true);
    const sent = [...timesBySeries].filter(([series]) =>
      series.startsWith('skydeck_machine_network_transmit_bytes_total'),
    );
    expect(sent).toHaveLength(2);
    for (const [, lines] of sent) {
      const values = lines.map(line => Number(line.split(' ').at(-2)));
      expect(values.length).toBeGreaterThanOrEqual(70);
      expect(values.every((value, index) => index === 0 || value >= (values[index - 1] ?? 0))).toBe(true);
    }
    expect(stdout).toContain('# TYPE skydeck_machine_network_transmit_bytes counter\n');
    // Each family is in one piece, as the format requires.
    const names = samples.map(line => /^\w+/.exec(line)?.[0]);
    expect(names.filter((name, index) => name !== names[index - 1])).toHaveLength(new Set(names).size);
  });

  test('gives up on a service that answers nothing about one machine after the other, and writes nothing', async () => {
    const simulator = await openSimulator({rateLimitPerMinute: 'off', scenario: 'calm', vmCount: 40});
    simulator.setFaults(['status=503,match=GET /core/virtual-machines/*']);
    const {exitCode, stdout, stderr} = await run(exporterCommand, 'backfill --since 6h --metrics all', {simulator});
    expect({exitCode, stdout}).toEqual({exitCode: 6, stdout: ''});
    expect(stderr).toContain(
      'exporter backfill: nothing was written: the service did not answer about 5 machines in a row: ',
    );
    // What was asked at the same time as the fifth is still told; the other thirty are not asked about.
    expect(stderr.match(/the metrics of/g)?.length).toBeLessThan(10);
  });

  test('writes what it has when a few machines in between are not answered about', async () => {
    const simulator = await openSimulator({rateLimitPerMinute: 'off', scenario: 'calm', vmCount: 40});
    simulator.setFaults(['status=503,match=GET /core/virtual-machines/*,times=4']);
    const {exitCode, stdout} = await run(exporterCommand, 'backfill --since 6h --metrics top:12', {simulator});
    expect(exitCode).toBe(0);
    expect(stdout.endsWith('\n# EOF\n')).toBe(true);
  });

  test('fails like any reading when there is no usage', async () => {
    const {simulator} = await openService({});
    const {exitCode, stdout, stderr} = await run(exporterCommand, 'backfill', {simulator});
    expect({exitCode, stdout}).toEqual({exitCode: 4, stdout: ''});
    expect(stderr).toContain('exporter backfill: ');
  });

  test.each([
    '--since 0d',
    '--since 400d',
    '--since week',
    '--label job',
    '--label __name__=x',
  ])('refuses %s', async line => {
    expect(await run(exporterCommand, `backfill ${line}`)).toMatchObject({exitCode: 2, stdout: ''});
  });
});

describe('the help of skydeck exporter', () => {
  const help = async (line: string) => (await run(exporterCommand, `${line} --help`)).stdout.replaceAll(/\s+/g, ' ');

  test('says of --profile which variable sets it too, for the rules as elsewhere', async () => {
    expect(await help('rules')).toContain('(SKYDECK_PROFILE)');
  });

  test('of a word too many says which commands there are, and does not repeat the word, which may be a key', async () => {
    const {exitCode, stderr} = await run(exporterCommand, 'CANARY-0123456789');
    expect({exitCode, stderr}).toEqual({
      exitCode: 2,
      stderr:
        'skydeck: too many arguments; expected 0 arguments but got 1; the commands of skydeck exporter are backfill, rules, dashboard\n',
    });
  });

  test.each(['', 'backfill'])('says how many machines are read at most: exporter %s', async line => {
    expect(await help(line)).toContain('the costliest first, at most 400 (default: top:50)');
  });
});
