import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {costCommand} from '../../src/cli/commands/cost.ts';
import {getCommand} from '../../src/cli/commands/get.ts';
import {epochMs} from '../../src/domain/time.ts';
import {openHome} from '../support/program.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';
import {run} from './a-command.ts';
import {aUsedMachine, openService} from './a-service.ts';

/** Ten of November's thirty days have passed. */
const NOW = {SKYDECK_NOW: '2026-11-11T00:00:00Z'};

test('skydeck cost prints no table without rows for an empty account', async () => {
  const {simulator} = await openService({'/billing/billing/usage': {data: []}});
  const {stdout, exitCode} = await run(costCommand, '--metrics none', {simulator, env: NOW});
  expect(exitCode).toBe(0);
  expect(stdout).not.toContain('PER HOUR');
  expect(stdout).not.toMatch(/\n\n\n/);
  expect(stdout).toContain('nothing was billed this month');
});

describe('skydeck cost -o json, from usage alone', () => {
  test.each([
    ['get vms -o json', getCommand, 'vms -o json'],
    ['get vms -o csv', getCommand, 'vms -o csv'],
    ['cost --by label', costCommand, '--by label --metrics none'],
    ['cost -o focus', costCommand, '-o focus --metrics none'],
  ])('%s prints no piece of a key whose pieces are the labels and names of several machines', async (_name, command, line) => {
    const pieces = ['key-01', '23456', '789'];
    const instances = pieces.map((piece, index) => ({
      id: index + 1,
      name: piece,
      status: 'ACTIVE',
      labels: [`t=${piece}`],
    }));
    const usage = pieces.map((piece, index) => aUsedMachine({resource_id: index + 1, name: piece}));
    const {simulator} = await openService({
      '/core/virtual-machines': {status: true, instances},
      '/billing/billing/usage': {data: usage},
    });
    const {exitCode, stdout} = await run(command, line, {simulator, env: {SKYDECK_NOW: '2026-11-11T00:00:00Z'}});
    expect(exitCode).toBe(0);
    expect(stdout).toContain('[key');
    for (const piece of pieces) expect(stdout).not.toMatch(new RegExp(`(?<![0-9.])${piece}(?![0-9])`));
  });

  test('prints the burn rate, the month and its groups as calculated by hand', async () => {
    const {simulator} = await openService({
      '/billing/billing/usage': {
        data: [
          aUsedMachine(),
          // 30 days until the 6th at a dollar a day, five of them in November.
          aUsedMachine({
            resource_id: 2,
            name: 'old',
            create_time: '2026-10-07T00:00:00Z',
            terminate_time: '2026-11-06T00:00:00Z',
            bill_per_minute: null,
            total_up_time: 43_200,
            total_bill: 30,
            active: false,
          }),
          aUsedMachine({
            resource_id: 3,
            resource_type: 'volume',
            name: 'disk',
            bill_per_minute: 1.6129e-6,
            total_bill: 0.0116,
          }),
        ],
      },
    });
    const {stdout, exitCode} = await run(costCommand, '-o json --budget 1450 --credit 144', {simulator, env: NOW});
    expect(exitCode).toBe(0);
    const cost = JSON.parse(stdout);
    // 0.1 + 0.0000016129 dollars a minute; rounded once each: 60 and 1440 minutes, and 730 hours.
    expect(cost.burn).toEqual({
      perMinuteMicrousd: 100_002,
      perHourMicrousd: 6_000_097,
      perDayMicrousd: 144_002_323,
      per730hMicrousd: 4_380_070_645,
    });
    expect(cost.month).toEqual({start: '2026-11-01T00:00:00Z', end: '2026-12-01T00:00:00Z'});
    // 720 of gpu-1, 5 of old, 0.0116 of disk.
    expect(cost.monthToDateMicrousd).toBe(725_011_600);
    expect(cost.days).toHaveLength(10);
    expect(cost.days[0]).toEqual({
      start: '2026-11-01T00:00:00Z',
      end: '2026-11-02T00:00:00Z',
      microusd: 1_000_000,
      source: 'usage',
    });
    expect(cost.days[5].microusd).toBe(144_002_320);
    expect(cost.groups).toEqual([
      {key: 'gpu-1', monthToDateMicrousd: 720_000_000, perHourMicrousd: 6_000_000},
      {key: 'old', monthToDateMicrousd: 5_000_000, perHourMicrousd: 0},
      {key: 'volume disk', monthToDateMicrousd: 11_600, perHourMicrousd: 97},
    ]);
    // Twenty days of 1440 minutes remain, and ten of thirty days have passed.
    expect(cost.forecast).toEqual({
      status: 'insufficient-data',
      method: null,
      monthEndMicrousd: null,
      low80Microusd: null,
      high80Microusd: null,
      ifNothingChangesMicrousd: 725_011_600 + 2_880_046_452,
      runRateMicrousd: 3 * 725_011_600,
      replay: null,
    });
    // Half the budget in a third of the month; 724.99 dollars last 5 d 49 min at 0.100002 a minute.
    expect(cost.budget.pace).toBeCloseTo(1.5, 3);
    expect(cost.budget.crossings[2]).toEqual({ratio: 1, at: expect.stringMatching(/^2026-11-16T00:49/)});
    expect(cost.runway).toMatchObject({creditMicrousd: 144_000_000, hours: expect.closeTo(24, 2)});
    expect(cost).toMatchObject({unpriced: [], flags: []});
  });

  test('reports as unknown what a service with only usage does not give, and still exits with 0', async () => {
    const {simulator} = await openService({'/billing/billing/usage': {data: [aUsedMachine()]}});
    const {stdout, stderr, exitCode} = await run(costCommand, '-o json', {simulator, env: NOW});
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      monthToDateMicrousd: 720_000_000,
      waste: null,
      commitments: null,
      budget: null,
      runway: null,
    });
    expect(stderr).toMatch(/machines are unknown/);
    expect(stderr).toMatch(/contracts are unknown/);
    expect(stderr).toMatch(/credit is unknown/);
  });

  test.each(['1e999', '-1', '"NaN"'])('prints no figures when every number in the usage is %s', async number => {
    const figure = JSON.rawJSON(number);
    const record = aUsedMachine({bill_per_minute: figure, total_up_time: figure, total_bill: figure});
    const {simulator} = await openService({'/billing/billing/usage': {data: [record]}});
    for (const format of ['table', 'csv', 'json']) {
      const {stdout, stderr, exitCode} = await run(costCommand, `-o ${format}`, {simulator, env: NOW});
      expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 6});
      expect(stderr).toMatch(/^skydeck: cost: the costs are unknown: no usage record \(of \d+\) has a rate or a bill/m);
    }
  });

  test('reports the burn rate as unknown when bills can be read but no rate of what is running', async () => {
    const {simulator} = await openService({'/billing/billing/usage': {data: [aUsedMachine({bill_per_minute: null})]}});
    const json = await run(costCommand, '-o json', {simulator, env: NOW});
    expect(JSON.parse(json.stdout).burn).toEqual({
      perMinuteMicrousd: null,
      perHourMicrousd: null,
      perDayMicrousd: null,
      per730hMicrousd: null,
    });
    const table = await run(costCommand, '', {simulator, env: NOW});
    expect(table.stdout).toMatch(/^burn rate +unknown +without 1 resource of unknown price$/m);
  });

  test('prints null, not 0, for everything of a shift and of a group that is unknown', async () => {
    // No list of machines or volumes, so no waste; no rate of what is running, so no burn rate now or then.
    const {simulator} = await openService({'/billing/billing/usage': {data: [aUsedMachine({bill_per_minute: null})]}});
    const {stdout} = await run(costCommand, '-o json --since 8h', {simulator, env: NOW});
    const {shift, groups} = JSON.parse(stdout);
    expect(shift).toMatchObject({
      wastedMicrousd: null,
      perHourMicrousd: null,
      thenPerHourMicrousd: null,
      monthEndChangeMicrousd: null,
    });
    expect(groups).toEqual([{key: 'gpu-1', monthToDateMicrousd: 720_000_000, perHourMicrousd: null}]);
    const csv = await run(costCommand, '-o csv', {simulator, env: NOW});
    expect(csv.stdout.split('\r\n')[1]).toBe('gpu-1,720.000000,');
  });

  test('prints null for the forecast of a month of which nothing is known', async () => {
    // Two months at a dollar a day have ended; what runs since has neither a price nor a bill.
    const ended = aUsedMachine({
      resource_id: 2,
      name: 'old',
      create_time: '2026-09-01T00:00:00Z',
      terminate_time: '2026-11-01T00:00:00Z',
      bill_per_minute: null,
      total_up_time: 87_840,
      total_bill: 61,
      active: false,
    });
    const unknown = aUsedMachine({bill_per_minute: null, total_bill: null, create_time: '2026-11-01T00:00:00Z'});
    const {simulator} = await openService({'/billing/billing/usage': {data: [unknown, ended]}});
    const {stdout} = await run(costCommand, '-o json', {simulator, env: NOW});
    const cost = JSON.parse(stdout);
    expect(cost.monthToDateMicrousd).toBe(null);
    expect(cost.forecast).toMatchObject({monthEndMicrousd: null, low80Microusd: null, high80Microusd: null});
  });

  test('says which part of the usage its figures lack', async () => {
    const {simulator} = await openService({
      '/billing/billing/usage': {data: [aUsedMachine(), aUsedMachine({resource_id: null})]},
    });
    const {stderr} = await run(costCommand, '-o json', {simulator, env: NOW});
    expect(stderr).toMatch(/^skydeck: 1 usage record could not be read, missing in all figures$/m);
    expect(stderr).toMatch(/^skydeck: 1 usage record of deleted resources could not be read/m);
  });

  test('stops at a limit when the list of usage never ends, and says what its figures cover', async () => {
    const one = JSON.stringify(aUsedMachine());
    const endless = createServer(({url = ''}, response) => {
      if (!url.includes('/usage')) return void response.writeHead(404).end('{}');
      response.writeHead(200, {'content-type': 'application/json'});
      const pour = (): void => {
        while (!response.destroyed && response.write(`${one},`.repeat(500)));
      };
      response.on('drain', pour).write('{"data":[');
      pour();
    });
    onTestFinished(() => void endless.close().closeAllConnections());
    await new Promise<void>(listening => endless.listen(0, '127.0.0.1', listening));
    const address = endless.address();
    const port = typeof address === 'object' ? address?.port : '';
    const simulator = {url: `http://127.0.0.1:${port}/v1`, apiKey: 'key-0123456789'};
    const home = openHome();
    writeFileSync(join(home.path, 'config', 'settings.json'), '{"maxListMib": 1}', {mode: 0o600});
    const {stderr, exitCode} = await run(costCommand, '-o json', {simulator, env: NOW, home});
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(
      /the usage was not read completely \(\w+-limit\): all figures cover its first \d+ records only/,
    );
  });

  test('prints what a shift has cost', async () => {
    const {simulator} = await openService({'/billing/billing/usage': {data: [aUsedMachine()]}});
    const line = (await run(costCommand, '--since 8h', {simulator, env: NOW})).stdout.split('\n')[0];
    // Eight hours at six dollars, and nothing changed.
    expect(line).toBe('since 10 Nov 16:00Z (8h00): $48.00 spent (estimated from usage), burn +$0.00/h, month end +$0');
    const {stdout} = await run(costCommand, '-o json --since 16:00', {simulator, env: NOW});
    expect(JSON.parse(stdout).shift).toMatchObject({since: '2026-11-10T16:00:00Z', spentMicrousd: 48_000_000});
    const refused = await run(costCommand, '--since 2026-11-12', {simulator, env: NOW});
    expect(refused).toMatchObject({exitCode: 2, stderr: expect.stringMatching(/--since needs a moment that is past/)});
  });

  test('says that it counts as wasted only what still is', async () => {
    // Stopped and billed for longer than the shift. What was hibernated during it is not known to have been wasted.
    const stopped = {id: 1, name: 'train-1', status: 'SHUTOFF', created_at: '2026-10-01T00:00:00'};
    const {simulator} = await openService({
      '/billing/billing/usage': {data: [aUsedMachine()]},
      '/core/virtual-machines': {instances: [stopped], count: 1, total_count: 1},
      '/core/virtual-machines/1/events': {
        instance_events: [{id: 1, type: 'stop', reason: 'STOP', time: '2026-11-10T12:00:00'}],
      },
    });
    const line = (await run(costCommand, '--since 8h', {simulator, env: NOW})).stdout.split('\n')[0];
    expect(line).toContain(
      '$48.00 spent (estimated from usage), at least $48.00 of it on 1 resource still wasteful, burn',
    );
  });

  test('says that a short shift cost at least its present rate if a machine cost more before', async () => {
    // A cent a minute now, and $6 an hour on average; nothing says when that changed.
    const {simulator} = await openService({'/billing/billing/usage': {data: [aUsedMachine({bill_per_minute: 0.01})]}});
    const {stdout} = await run(costCommand, '--since 9m', {simulator, env: NOW});
    expect(stdout).toMatch(/^since .*: at least \$0\.09 spent \(estimated from usage\)/);
    const json = await run(costCommand, '-o json --since 9m', {simulator, env: NOW});
    expect(JSON.parse(json.stdout).shift).toMatchObject({spentMicrousd: 90_000, isAtLeast: true});
  });

  test('prints a plus where what a shift has changed rounds to nothing', async () => {
    // Ended an hour ago, at a cent a month.
    const ended = aUsedMachine({
      resource_id: 2,
      name: 'old',
      terminate_time: '2026-11-10T23:00:00Z',
      bill_per_minute: 2e-7,
      total_bill: 0.003,
      active: false,
    });
    const {simulator} = await openService({'/billing/billing/usage': {data: [aUsedMachine(), ended]}});
    const {stdout} = await run(costCommand, '--since 8h', {simulator, env: NOW});
    expect(stdout.split('\n')[0]).toMatch(/, burn \+\$0\.00\/h \(\+\$0\.00\/h old\), month end \+\$0$/);
  });

  describe('when no record has a valid creation time', () => {
    const undated = ['x', '0000-00-00', '2027-01-01T00:00:00', '9999-01-01T00:00:00', '+275760-09-13T00:00:00Z'];
    const bills = {billing_history: {billing_history: [{attributes: {}, metrics: {incurred_bill: 10.5}}]}};

    test.each(undated)('takes the month from the bills, with the creation time %s', async create_time => {
      const {simulator} = await openService({
        '/billing/billing/usage': {data: [aUsedMachine({create_time})]},
        '/billing/billing/history': bills,
      });
      const {stdout} = await run(costCommand, '-o json', {simulator, env: NOW});
      // Ten days have gone, 10.50 each.
      expect(JSON.parse(stdout).monthToDateMicrousd).toBe(105_000_000);
    });

    test.each(
      undated,
    )('reports the month as unknown when there is no bill either, with the creation time %s', async create_time => {
      const {simulator} = await openService({'/billing/billing/usage': {data: [aUsedMachine({create_time})]}});
      const {stdout} = await run(costCommand, '-o json --budget 1450', {simulator, env: NOW});
      const cost = JSON.parse(stdout);
      expect(cost).toMatchObject({monthToDateMicrousd: null, budget: {pace: null, crossings: []}});
      expect(cost.forecast).toMatchObject({ifNothingChangesMicrousd: null, runRateMicrousd: null});
      expect(cost.days.map(({microusd}: {microusd: unknown}) => microusd)).toEqual(
        Array.from({length: 10}, () => null),
      );
      expect(cost.groups).toEqual([{key: 'gpu-1', monthToDateMicrousd: null, perHourMicrousd: 6_000_000}]);
      const table = (await run(costCommand, '--budget 1450', {simulator, env: NOW})).stdout;
      expect(table).toMatch(/^month-to-date +unknown$/m);
      expect(table).toMatch(/^budget +\$1,450\.00 {2}unknown how much of it is spent$/m);
      expect(table).toMatch(/^gpu-1 +\$6\.00 +– +–$/m);
      expect(table).toMatch(/^1 h ago +unknown$/m);
      expect(table).toMatch(/^24 h ago +unknown$/m);
      expect(table).toMatch(/^month end +unknown if nothing changes {2}unknown at the run rate$/m);
    });

    test('says how many resources a sum lacks', async () => {
      const {simulator} = await openService({
        '/billing/billing/usage': {
          data: [aUsedMachine(), aUsedMachine({resource_id: 2, name: 'gpu-2', create_time: 'x'})],
        },
      });
      const {stdout} = await run(costCommand, '', {simulator, env: NOW});
      expect(stdout).toMatch(/^month-to-date +\$720\.00 {2}estimated from usage, without 1 resource of unknown cost$/m);
    });
  });

  test('fails without usage', async () => {
    const {simulator} = await openService({});
    const {stdout, stderr, exitCode} = await run(costCommand, '-o json', {simulator, env: NOW});
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 4});
    expect(stderr).toMatch(/^skydeck: cost: /m);
  });

  test('flags odd records, lists those without a price, and counts none of them silently as zero', async () => {
    const {simulator} = await openService({
      '/billing/billing/usage': {
        data: [
          aUsedMachine({resource_id: 4, bill_per_minute: null}),
          aUsedMachine({resource_id: 5, bill_per_minute: -0.1, total_bill: null}),
          aUsedMachine({resource_id: 6, create_time: '2026-11-12T00:00:00Z', total_bill: 0}),
          aUsedMachine({
            resource_id: 7,
            create_time: '2026-11-05T00:00:00Z',
            terminate_time: '2026-11-04T00:00:00Z',
            active: false,
          }),
          aUsedMachine({resource_id: 8, bill_per_minute: 'free', exclude_billing: true}),
          aUsedMachine({resource_id: 9, total_bill: -1}),
          aUsedMachine({resource_id: 10, bill_per_minute: 1e6, total_bill: 1e11, total_up_time: 100}),
          aUsedMachine({resource_id: 11, bill_per_minute: 1e50, total_bill: 0}),
        ],
      },
    });
    const {stdout} = await run(costCommand, '-o json', {simulator, env: NOW});
    const {flags, unpriced, burn, monthToDateMicrousd} = JSON.parse(stdout);
    expect(unpriced).toEqual([4, 5, 10, 11]);
    expect(flags).toEqual([
      {resourceId: 4, flag: 'NO_RATE'},
      {resourceId: 5, flag: 'NEGATIVE_RATE'},
      {resourceId: 5, flag: 'NO_BILL'},
      {resourceId: 6, flag: 'FUTURE'},
      {resourceId: 7, flag: 'INVERTED'},
      {resourceId: 9, flag: 'NEGATIVE_BILL'},
      {resourceId: 10, flag: 'RATE_TOO_LARGE'},
      {resourceId: 10, flag: 'BILL_TOO_LARGE'},
      {resourceId: 11, flag: 'NO_RATE'},
    ]);
    // The future one counts in the burn rate, as the service says; 9 counts as five days at 0.1 a minute, and 4 and 7
    // by their bills.
    expect(burn.perMinuteMicrousd).toBe(200_000);
    expect(monthToDateMicrousd).toBe(3 * 720_000_000);
  });

  test('prefers what the provider has billed to an estimate from usage', async () => {
    const billed = {billing_history: {billing_history: [{attributes: {}, metrics: {incurred_bill: 10.5}}]}};
    const {simulator, asked} = await openService({
      '/billing/billing/usage': {data: [aUsedMachine()]},
      '/billing/billing/history': billed,
    });
    const {stdout} = await run(costCommand, '-o json --by type', {simulator, env: NOW});
    const {days, monthToDateMicrousd, groups} = JSON.parse(stdout);
    // Five days cost something; the service says 10.50 of each.
    expect(days.map(({microusd, source}: {microusd: number; source: string}) => [microusd, source])).toEqual([
      ...Array.from({length: 5}, () => [0, 'usage']),
      ...Array.from({length: 5}, () => [10_500_000, 'billed']),
    ]);
    expect(monthToDateMicrousd).toBe(52_500_000);
    expect(asked.filter(({path}) => path.startsWith('/billing/billing/history?'))).toHaveLength(5);
    expect(groups).toEqual([
      {key: 'vm', monthToDateMicrousd: 720_000_000, perHourMicrousd: 6_000_000},
      {key: 'not attributed', monthToDateMicrousd: -667_500_000, perHourMicrousd: 0},
    ]);
  });

  test('reads the bills of four weeks but shows only those of the month, and reads no more for a past month', async () => {
    const {simulator, asked} = await openService({
      '/billing/billing/usage': {data: [aUsedMachine({create_time: '2026-07-01T00:00:00Z'})]},
      '/billing/billing/history': {billing_history: {billing_history: [{attributes: {}, metrics: {incurred_bill: 2}}]}},
    });
    const bills = () => asked.filter(({path}) => path.startsWith('/billing/billing/history?')).length;
    const {stdout} = await run(costCommand, '-o json', {simulator, env: NOW});
    const {days, monthToDateMicrousd} = JSON.parse(stdout);
    expect(monthToDateMicrousd).toBe(2_000_000 * days.length);
    // It is midnight: today has nothing to ask for yet.
    expect(bills()).toBe(28);
    await run(costCommand, '-o json --month 2026-10', {simulator, env: NOW});
    expect(bills()).toBe(28 + 31);
  });

  test.each(['csv', 'focus'])('reads nothing that -o %s does not print', async format => {
    const {simulator, asked} = await openService({
      '/billing/billing/usage': {data: [aUsedMachine({create_time: '2026-07-01T00:00:00Z'})]},
      '/billing/billing/history': {billing_history: {billing_history: [{attributes: {}, metrics: {incurred_bill: 2}}]}},
      '/core/virtual-machines': {instances: [{id: 1, name: 'gpu-1', status: 'SHUTOFF'}]},
    });
    await run(costCommand, `-o ${format} --since 8h`, {simulator, env: NOW});
    const paths = asked.map(({path}) => path);
    // The ten days of the month: none before it, and no bill of the shift.
    expect(paths.filter(path => path.startsWith('/billing/billing/history?'))).toHaveLength(10);
    expect(paths.filter(path => /\/(events|metrics)/.test(path))).toEqual([]);
  });

  test('of a past month says nothing of the burn rate an hour or a day ago, which its bills do not tell', async () => {
    const simulator = await openSmallCloud({startedAt: Date.UTC(2026, 10, 20), speed: 1});
    for (const [month, isShown] of [
      ['2026-11', true],
      ['2026-10', false],
      ['2025-12', false],
    ] as const) {
      const {stdout} = await run(costCommand, `--month ${month} --budget 1000`, {simulator, env: NOW});
      expect([stdout.includes('1 h ago'), stdout.includes('24 h ago')]).toEqual([isShown, isShown]);
      expect(stdout).toContain('burn rate');
    }
  });

  test.each([
    ['the bills of machines', 'status=503,match=GET /billing/billing/history/virtual-machine*'],
    ['the machines', 'status=503,match=GET /core/virtual-machines'],
  ])('marks the burn rate of an hour ago as not exact when %s cannot be read', async (_, fault) => {
    const at = {startedAt: Date.UTC(2026, 10, 20), speed: 1};
    const whole = (await run(costCommand, '', {simulator: await openSmallCloud(at), env: NOW})).stdout;
    expect(whole).toMatch(/^1 h ago +\$\d/m);
    const {stdout} = await run(costCommand, '', {simulator: await openSmallCloud({...at, faults: [fault]}), env: NOW});
    expect(stdout).toMatch(/^1 h ago +about \$\d/m);
  });

  describe('of a month before the first record', () => {
    const history = '/billing/billing/history';
    const bill = (amount: number) => ({
      billing_history: {billing_history: [{attributes: {}, metrics: {incurred_bill: amount}}]},
    });
    const costOf = async (line: string, answers = {}) => {
      const {simulator, asked} = await openService({'/billing/billing/usage': {data: [aUsedMachine()]}, ...answers});
      const bills = () => asked.filter(({path}) => path.startsWith(`${history}?`)).length;
      return {...(await run(costCommand, `${line} --metrics none`, {simulator, env: NOW})), bills};
    };

    test.each([
      ['no bill', {}],
      ['an empty bill', {[history]: bill(0)}],
    ])('says that its cost is unknown, and not $0.00, with %s', async (_, answers) => {
      const {stdout, exitCode, bills} = await costOf('--month 2020-01 --budget 100', answers);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^month +unknown: no bill, and no usage record goes back that far$/m);
      expect(stdout).not.toContain('$0.00');
      expect(stdout).not.toContain('nothing was billed');
      // One request for the month, not one a day.
      expect(bills()).toBe(1);
      const {monthToDateMicrousd, days, groups, forecast} = JSON.parse(
        (await costOf('-o json --month 2020-01', answers)).stdout,
      );
      expect([monthToDateMicrousd, forecast.monthEndMicrousd]).toEqual([null, null]);
      expect(new Set(days.map(({microusd}: {microusd: unknown}) => microusd))).toEqual(new Set([null]));
      expect(groups).toMatchObject([{key: 'gpu-1', monthToDateMicrousd: null}]);
    });

    test('prints no zero for one of its days', async () => {
      const {stdout, stderr, exitCode} = await costOf('--day 2020-01-01');
      expect([stdout, exitCode]).toEqual(['', 6]);
      expect(stderr).toContain('nothing is known of that day');
    });

    test('prints what the provider has billed all the same', async () => {
      const {stdout} = await costOf('-o json --month 2020-01', {[history]: bill(2)});
      // $2 on each of 31 days.
      expect(JSON.parse(stdout).monthToDateMicrousd).toBe(62_000_000);
    });
  });

  test('prints a past month in full', async () => {
    const {simulator} = await openService({
      '/billing/billing/usage': {data: [aUsedMachine({create_time: '2026-10-22T00:00:00Z', total_bill: 200})]},
    });
    const {stdout} = await run(costCommand, '-o json --month 2026-10', {simulator, env: NOW});
    const {monthToDateMicrousd, forecast, days} = JSON.parse(stdout);
    // Ten of twenty days at ten dollars each.
    expect(monthToDateMicrousd).toBe(100_000_000);
    expect(days).toHaveLength(31);
    expect(forecast).toMatchObject({status: 'ready', monthEndMicrousd: 100_000_000, low80Microusd: 100_000_000});
    const future = await run(costCommand, '-o json --month 2026-12', {simulator, env: NOW});
    expect(future.exitCode).toBe(2);
  });
});

describe('skydeck cost', () => {
  test.each([
    '--month 2026-13',
    '--month november',
    '--by owner',
    '--budget -1',
    '--credit lots',
    '--metrics top',
    '-o yaml',
  ])('refuses %s as wrong usage', async words => {
    expect((await run(costCommand, words)).exitCode).toBe(2);
  });

  test('finds the waste in the simulated account, with sums that agree', async () => {
    const simulator = await openSimulator();
    const {stdout, exitCode} = await run(costCommand, '-o json --metrics top:3', {simulator});
    expect(exitCode).toBe(0);
    const cost = JSON.parse(stdout);
    const sum = (parts: readonly Record<string, number>[], key: string) =>
      parts.reduce((total, part) => total + (part[key] ?? 0), 0);
    expect(sum(cost.days, 'microusd')).toBe(cost.monthToDateMicrousd);
    expect(sum(cost.groups, 'monthToDateMicrousd')).toBe(cost.monthToDateMicrousd);
    expect(sum(cost.groups, 'perHourMicrousd')).toBe(cost.burn.perHourMicrousd);
    expect(cost.waste.map(({kind, name}: {kind: string; name: string}) => `${kind} ${name}`)).toEqual(
      expect.arrayContaining(['stopped-but-billed train-03', 'unattached-volume scratch-3', 'kept-address sweep-02']),
    );
    const [, deleting] = cost.commitments;
    expect(deleting).toMatchObject({contractId: 118, policy: 'delete', daysLeft: expect.closeTo(6, 1)});
    expect(deleting.cliffPer730hMicrousd).toBeLessThan(0);
  });

  test.each([
    ['/core/virtual-machines', /^waste at least .*machines unknown/m, false],
    ['/core/volumes', /^waste at least .*volumes unknown/m, false],
    ['/pricebook/contracts', /^forecast .*without ends of contracts$/m, true],
    ['/billing/user-credit/credit', /^credit +unknown +runway unknown$/m, false],
  ])('claims no more than is known without %s', async (path, words, isOfContracts) => {
    const simulator = await openSmallCloud({faults: [`status=503,match=GET ${path}`]});
    const {stdout} = await run(costCommand, '--metrics all', {simulator});
    expect(stdout).toMatch(words);
    if (isOfContracts) expect(stdout).toMatch(/^month end .*at the run rate {2}without ends of contracts$/m);
  });

  test('draws nothing as zero that only the list of machines tells, when it cannot be read', async () => {
    const simulator = await openSmallCloud({faults: ['status=503,match=GET /core/virtual-machines']});
    const {stdout, stderr} = await run(costCommand, '', {simulator});
    expect(stderr).toMatch(/machines are unknown: waste, environments, labels and what contracts cover/);
    expect(stdout).toMatch(/^waste at least \$[\d.]+\/h, machines unknown$/m);
    expect(stdout).toMatch(/#118 .* – +– +– +what it covers DELETED, at an unknown change$/m);
    expect(stdout).toMatch(/^\d+ \w{3}.* #118 DELETES what it covers$/m);
    expect(stdout).not.toMatch(/ 0% |\b0 machines|\+\$0\.00/);
  });

  test('estimates days from the events of machines when there are no bills, close to what the provider would have billed', async () => {
    const noon = '2026-11-20T12:00:00Z';
    const wallClock = () => epochMs(Date.parse(noon));
    const daysOf = async (faults: readonly string[]) => {
      const simulator = await openSimulator({wallClock, faults});
      const {stdout} = await run(costCommand, '-o json --metrics none', {simulator, env: {SKYDECK_NOW: noon}});
      const days: {microusd: number; source: string}[] = JSON.parse(stdout).days;
      return {costs: days.map(({microusd}) => microusd), sources: new Set(days.map(({source}) => source))};
    };
    const billed = await daysOf([]);
    const told = await daysOf(['status=404,match=GET /billing/billing/history*']);
    expect([...billed.sources]).toEqual(['billed']);
    expect([...told.sources]).toEqual(['events']);
    // A deleted machine has no events, so its bill is also spread over the minutes in which it was created.
    for (const [index, cost] of told.costs.entries()) expect(cost / (billed.costs[index] ?? 0)).toBeCloseTo(1, 2);
  });

  test('says that the waste may be more when running machines were not measured', async () => {
    const simulator = await openSmallCloud();
    const wasteOf = async (metrics: string) =>
      (await run(costCommand, `--metrics ${metrics}`, {simulator})).stdout
        .split('\n')
        .find(line => line.startsWith('waste '));
    expect(await wasteOf('none')).toMatch(/^waste at least \$\d/);
    expect(await wasteOf('all')).toMatch(/^waste \$\d/);
  });

  test('gives the same figures as YAML, and on one line as ndjson', async () => {
    const {simulator} = await openService({'/billing/billing/usage': {data: [aUsedMachine()]}});
    const [json, line, yaml] = await Promise.all(
      ['json', 'ndjson', 'yaml'].map(format => run(costCommand, `-o ${format}`, {simulator, env: NOW})),
    );
    expect(JSON.parse(line?.stdout ?? '')).toEqual(JSON.parse(json?.stdout ?? ''));
    expect(line?.stdout.trimEnd()).not.toContain('\n');
    // Six dollars an hour are a tenth of a dollar a minute.
    expect(yaml?.stdout).toMatch(/^burn:\n {2}perMinuteMicrousd: 100000$/m);
  });

  test('prints tables, groups for a spreadsheet, and FOCUS rows that add up to the month', async () => {
    const {simulator} = await openService({
      '/billing/billing/usage': {
        data: [
          aUsedMachine(),
          aUsedMachine({resource_id: 2, name: '=cmd', total_bill: 0.1, create_time: '2026-11-03T07:00:00Z'}),
        ],
      },
    });
    const [table, csv, focus] = await Promise.all(
      ['table', 'csv', 'focus'].map(format => run(costCommand, `-o ${format}`, {simulator, env: NOW})),
    );
    expect(table?.stdout).toMatch(/^burn rate {7}\$12\.00\/h/m);
    expect(table?.stdout).toMatch(/^month-to-date {3}\$720\.10 {2}estimated from usage/m);
    expect(csv?.stdout).toBe(
      "key,month_to_date_usd,per_hour_usd\r\ngpu-1,720.000000,6.000000\r\n'=cmd,0.100000,6.000000\r\n",
    );
    const [head = '', ...rows] = (focus?.stdout ?? '').trimEnd().split('\r\n');
    const column = head.split(',').indexOf('BilledCost');
    const micro = rows.map(row => Math.round(Number(row.split(',')[column]) * 1e6));
    // Five days of one and eight of the other, the first of them seventeen hours long.
    expect(rows).toHaveLength(5 + 8);
    expect(micro.reduce((sum, each) => sum + each, 0)).toBe(720_100_000);
  });
});

test.each([
  // $6 an hour since the sixth, five days: $720 then, and $6 × 480 h more, or three times the ten days.
  ['2026-11-11T00:00:00Z', 'not enough history; between $2,160.00 and $3,600.00'],
  // Without any cost there is no run rate.
  ['2026-12-01T00:00:00Z', 'not enough history'],
])('says at %s what can be expected from too short a history', async (now, expected) => {
  const {simulator} = await openService({'/billing/billing/usage': {data: [aUsedMachine()]}});
  const {stdout} = await run(costCommand, '--metrics none', {simulator, env: {SKYDECK_NOW: now}});
  const forecast = stdout.split('\n').find(line => line.startsWith('forecast '));
  expect(forecast?.replace('forecast', '').trim()).toBe(expected);
});

test('writes the metadata of FOCUS rows, and no such file for another format', async () => {
  const {simulator} = await openService({'/billing/billing/usage': {data: [aUsedMachine()]}});
  const path = join(openHome().path, 'november.json');
  const write = (format: string) =>
    run(costCommand, `-o ${format} --focus-period hour --focus-metadata ${path}`, {simulator, env: NOW});
  expect(await write('json')).toMatchObject({exitCode: 2, stderr: expect.stringContaining('only with -o focus')});
  expect(existsSync(path)).toBe(false);
  const {stdout} = await write('focus');
  const {version: packageVersion} = JSON.parse(readFileSync('package.json', 'utf8'));
  const {Schema: schema, ...rest} = JSON.parse(readFileSync(path, 'utf8'));
  const columns: readonly {ColumnName: string}[] = schema.ColumnDefinition;
  expect(columns.map(({ColumnName}) => ColumnName).join(',')).toBe(stdout.split('\r\n')[0]);
  const definition = (name: string) => columns.find(({ColumnName}) => ColumnName === name);
  expect(definition('BilledCost')).toEqual({ColumnName: 'BilledCost', DataType: 'DECIMAL', NumberScale: 6});
  expect(definition('ListUnitPrice')).toMatchObject({DataType: 'DECIMAL', NumberScale: 9});
  expect(definition('ChargePeriodEnd')).toMatchObject({DataType: 'DATETIME'});
  expect(schema).toMatchObject({FocusVersion: '1.2', CreationDate: '2026-11-11T00:00:00Z'});
  expect(rest).toMatchObject({
    DataGenerator: {DataGenerator: 'skydeck'},
    x_DataGeneratorVersion: packageVersion,
    x_BillingPeriodStart: '2026-11-01T00:00:00Z',
    x_BillingPeriodEnd: '2026-12-01T00:00:00Z',
    x_ChargePeriod: 'hour',
    x_IsOpenPeriod: true,
  });
});

test.each([
  ['--include-excluded', '--include-excluded: only with -o focus'],
  ['-o json --focus-version 1.3', '--focus-version: only with -o focus'],
  ['-o csv --focus-period day', '--focus-period: only with -o focus'],
])('refuses an option that the output would not use: %s', async (line, mistake) => {
  const {simulator, asked} = await openService({'/billing/billing/usage': {data: [aUsedMachine()]}});
  const given = await run(costCommand, line, {simulator, env: NOW});
  expect(given).toMatchObject({exitCode: 2, stdout: '', stderr: `skydeck: ${mistake}\n`});
  expect(asked).toEqual([]);
});

test('the tables of the cost fit the terminal, and are complete in a pipe', async () => {
  const simulator = await openSmallCloud();
  const tables = (text: string) => text.slice(text.indexOf('\nVM '));
  const narrow = (await run(costCommand, '--metrics none', {simulator, columns: 70})).stdout;
  expect(
    tables(narrow)
      .split('\n')
      .filter(line => line.length > 70 && !line.startsWith('billed ')),
  ).toEqual([]);
  const piped = (await run(costCommand, '--metrics none', {simulator})).stdout;
  expect(piped).toMatch(/^stopped-but-billed +vm train-03 .*its hardware stays reserved$/m);
});

test.each([
  // 720 of 1,000 dollars are billed by the 11th; at $6/h the rest takes 46.7 h.
  ['is known', 0.1, '100% on 12 Nov 22:40Z', /if nothing changes/],
  ['is unknown', null, '100% unknown when', /^month end +unknown if nothing changes/m],
])('tells when the budget is reached as far as the burn rate %s', async (_, bill_per_minute, reached, monthEnd) => {
  const {simulator} = await openService({'/billing/billing/usage': {data: [aUsedMachine({bill_per_minute})]}});
  const {stdout} = await run(costCommand, '--budget 1000', {simulator, env: NOW});
  expect(stdout).toMatch(/^budget +\$1,000.00 {2}72% spent/m);
  expect(stdout).toContain(reached);
  expect(stdout).toMatch(monthEnd);
});

test('says of a credit that is used up that it is, though nothing is billed any more', async () => {
  const {simulator} = await openService({
    '/billing/billing/usage': {data: []},
    '/billing/user-credit/credit': {data: {credit: -12, threshold: 10}},
  });
  const {stdout} = await run(costCommand, '', {simulator, env: NOW});
  expect(stdout).toMatch(/^credit +-\$12\.00 {2}runway used up$/m);
});

test('says of an account in which nothing is billed that its credit has no end', async () => {
  const {stdout} = await run(costCommand, '', {simulator: await openSimulator({scenario: 'empty'})});
  expect(stdout).toMatch(/^credit +\$[\d.,]+ {2}runway no end, nothing is billed$/m);
});
