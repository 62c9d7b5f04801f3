import {chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {costCommand} from '../../src/cli/commands/cost.ts';
import {run} from '../cli/a-command.ts';
import {openService} from '../cli/a-service.ts';
import {openHome} from '../support/program.ts';

const HISTORY = '/billing/billing/history';
const at = (moment: string) => ({SKYDECK_NOW: `2026-11-11T${moment}Z`});

/** A service with a machine that has run since the month began, and a bill of $2 for any period. */
async function aBilledService(clock?: () => number) {
  const record = {
    resource_id: 1,
    resource_type: 'vm',
    organization_id: 7,
    name: 'gpu-1',
    bill_per_minute: 0.001,
    create_time: '2026-11-01T00:00:00Z',
    total_up_time: 14_400,
    total_bill: 14.4,
    active: true,
  };
  const service = await openService(
    {
      '/billing/billing/usage': {data: [record]},
      [HISTORY]: {billing_history: {billing_history: [{metrics: {incurred_bill: 2}}]}},
    },
    clock,
  );
  const daysAsked = () =>
    service.asked
      .filter(({path}) => path.startsWith(`${HISTORY}?`))
      .map(({path}) => /start_date=2026-11-(\d\d)/.exec(decodeURIComponent(path))?.[1])
      .sort();
  const forget = () => void service.asked.splice(0);
  return {...service, daysAsked, forget};
}

function billsPath(home: ReturnType<typeof openHome>, url: string): string {
  return join(home.path, 'state/skydeck/bills', `${new URL(url).host.replace(':', '_')}.json`);
}

const DAYS = ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10'];

test('a new start reads only the open day once the closed ones are stored, and the last two closed days again an hour later', async () => {
  const [service, home] = [await aBilledService(), openHome()];
  const cost = (moment: string) =>
    run(costCommand, '-o json', {simulator: service.simulator, home, env: at(moment)}).then(({stdout}) => {
      const asked = service.daysAsked();
      service.forget();
      return {asked, monthToDate: JSON.parse(stdout).monthToDateMicrousd};
    });
  // Ten closed days at $2 each, and $2 for the open day.
  expect(await cost('12:00:00')).toEqual({asked: [...DAYS, '11'], monthToDate: 22_000_000});
  expect(await cost('12:30:00')).toEqual({asked: ['11'], monthToDate: 22_000_000});
  expect(await cost('13:30:00')).toEqual({asked: ['09', '10', '11'], monthToDate: 22_000_000});
});

test('stores the bill of a day only once it is over by both clocks', async () => {
  // The service's clock is in the middle of the 8th.
  const [service, home] = [await aBilledService(() => Date.UTC(2026, 10, 8, 12)), openHome()];
  const daysAskedAt = async (moment: string) => {
    await run(costCommand, '-o json', {simulator: service.simulator, home, env: at(moment)});
    const asked = service.daysAsked();
    service.forget();
    return asked;
  };
  expect(await daysAskedAt('12:00:00')).toEqual([...DAYS, '11']);
  expect(await daysAskedAt('12:30:00')).toEqual(['08', '09', '10', '11']);
});

test('stores the bills in a private file, and ignores one that others can read or that is a link', async () => {
  const [service, home] = [await aBilledService(), openHome()];
  const cost = () => run(costCommand, '-o json', {simulator: service.simulator, home, env: at('12:00:00')});
  const path = billsPath(home, service.simulator.url);
  await cost();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(dirname(path))).toHaveLength(1);

  const kept = readFileSync(path, 'utf8');
  writeFileSync(path, kept.replaceAll('2/1', '999/1'));
  chmodSync(path, 0o644);
  service.forget();
  await cost();
  expect(service.daysAsked()).toHaveLength(11);

  const planted = join(home.path, 'planted.json');
  writeFileSync(planted, kept.replaceAll('2/1', '999/1'), {mode: 0o600});
  const other = billsPath(home, 'http://127.0.0.1:1/v1');
  mkdirSync(dirname(other), {recursive: true});
  const linked = await aBilledService();
  symlinkSync(planted, billsPath(home, linked.simulator.url));
  await run(costCommand, '-o json', {simulator: linked.simulator, home, env: at('12:00:00')});
  expect(linked.daysAsked()).toHaveLength(11);
  expect(readFileSync(planted, 'utf8')).toContain('999/1');
});

test.each([
  ['of another account', (text: string) => text.replace('7 since', '8 since')],
  [
    'read later than now, by a different clock',
    (text: string) => text.replaceAll('"readAt": "2026', '"readAt": "2027'),
  ],
  ['that are not JSON', (text: string) => text.slice(0, -9)],
  ['with invalid amounts', (text: string) => text.replaceAll('2/1', '2/0')],
])('asks again for bills %s', async (_, change) => {
  const [service, home] = [await aBilledService(), openHome()];
  const cost = () => run(costCommand, '-o json', {simulator: service.simulator, home, env: at('12:00:00')});
  await cost();
  const path = billsPath(home, service.simulator.url);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
  service.forget();
  const {stdout} = await cost();
  expect(service.daysAsked()).toHaveLength(11);
  expect(JSON.parse(stdout).monthToDateMicrousd).toBe(22_000_000);
});

test('says in the log why bills are not used', async () => {
  const [service, home] = [await aBilledService(), openHome()];
  const logPath = join(home.path, 'requests.log');
  const cost = () => run(costCommand, `--log ${logPath}`, {simulator: service.simulator, home, env: at('12:00:00')});
  await cost();
  expect(readFileSync(logPath, 'utf8')).not.toContain('not read');
  const path = billsPath(home, service.simulator.url);
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -9));
  await cost();
  expect(readFileSync(logPath, 'utf8')).toMatch(
    /"request":"file bills\/\S+\.json".*"outcome":"not read: it is not valid JSON"/,
  );
});
