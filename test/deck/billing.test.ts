import {beforeEach, describe, expect, test} from 'vitest';
import * as z from 'zod';
import {HOUR_MS} from '../../src/domain/time.ts';
import type {Simulator} from '../../src/simulator/http/server.ts';
import {contractEnd, cursorOn} from '../support/deck.ts';
import {shared} from '../support/lifetime.ts';
import {type App, openApp} from '../support/program.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';
import type {Terminal} from '../support/terminal.ts';

const PATIENT = {timeout: 60_000};
/** The overview may have used the requests of the first minute up. */
const AFTER_A_MINUTE = {withinMs: 90_000};

describe('an account in which nothing changes by itself, so the rates of one moment are those of the next', () => {
  const billing = sharedBilling('calm');

  test('burns what the active records of usage add up to', PATIENT, async () => {
    const {app, simulator} = billing();
    const perMinute = (await activeUsage(simulator)).reduce((sum, {bill_per_minute: rate}) => sum + (rate ?? 0), 0);
    const perHour = perMinute * 60;
    expect(perHour).toBeGreaterThan(1);
    await app.sees(new RegExp(`burn +\\$${perHour.toFixed(2)}/h`));
    await app.sees(new RegExp(`per minute +\\$${perMinute.toFixed(4)}`));
    expect(dollarsAfter(app, 'per day')).toBeCloseTo(perHour * 24, 1);
    // The header says the same as the pane.
    expect(app.screen()[0]).toContain(`$${perHour.toFixed(2)}/h`);
  });

  test('adds up the month so far to no more than the records ever cost', PATIENT, async () => {
    const {app, simulator} = billing();
    await app.sees(/month-to-date +\$[\d,]+\.\d\d/);
    const monthToDate = dollarsAfter(app, 'month-to-date');
    const everSpent = (await allUsage(simulator)).reduce((sum, {total_bill: bill}) => sum + bill, 0);
    expect(monthToDate).toBeGreaterThan(0);
    expect(monthToDate).toBeLessThanOrEqual(everSpent);
    const spent = spenders(app).map(({monthUsd}) => monthUsd);
    expect(spent.length).toBeGreaterThan(5);
    expect(spent.reduce((sum, part) => sum + part, 0)).toBeLessThanOrEqual(monthToDate);
  });

  test('shows what the provider billed: yesterday, the month, each machine', PATIENT, async () => {
    const {app, simulator} = billing();
    const {data} = lastDayAnswer.parse(await ask(simulator, '/billing/billing/last-day-cost'));
    await app.sees(/bill read \d+s ago/);
    await app.sees(/yesterday +\$/);
    expect(dollarsAfter(app, 'yesterday')).toBeCloseTo(data.total_cost, 1);
    await app.sees(/▶.* vm +\S+ +[\d,]+\.\d\d +\d+%/);
    await app.press('enter');
    await app.sees('[2 Machines]');
    await app.press('$');
    await app.sees(/price +\$[\d.]+\/h/, AFTER_A_MINUTE);
    await app.sees(/metered +[\d.]+h +ACTIVE/, AFTER_A_MINUTE);
    await app.sees(/by day .* from 1 \w{3} to today/, AFTER_A_MINUTE);
  });
});

describe('an account in use', () => {
  const billing = sharedBilling();

  test('narrows the spenders by a filter and lets it go by escape', PATIENT, async () => {
    const {app} = billing();
    await app.press('/', 'postgres', 'enter');
    await app.sees(/top spenders \d of \d+ +\/postgres/);
    await app.sees(cursorOn('postgres-main'));
    await app.seesNot('train-01');
    await app.press('esc');
    await app.sees(/top spenders (\d+) of \1 /);
  });

  test('shows the top spender first, and enter opens its machine', PATIENT, async () => {
    const {app} = billing();
    const shown = spenders(app).map(({monthUsd}) => monthUsd);
    expect(shown.length).toBeGreaterThan(5);
    expect(shown).toEqual([...shown].sort((left, right) => right - left));
    await app.sees(cursorOn('train-01 +vm '));
    await app.press('j');
    await app.sees(cursorOn('train-03 +vm '));
    await app.press('enter');
    await app.sees('[2 Machines]');
    await app.sees(cursorOn('train-03'));
  });

  test('shows what is wasted, the most money lost first', PATIENT, async () => {
    const {app} = billing();
    await app.sees(/waste 3 of 3 {2}at least \$\d+\.\d\d\/h/);
    // Nine hours and fourteen minutes at 25.60 $/h.
    await app.sees(/train-03 {2}shut off +9h1\d +25\.60 +23[67]\.\d\d/, AFTER_A_MINUTE);
    await app.sees(/scratch-3 {2}unattached +31d/);
  });

  test('shows the contracts with the days they have left and what then happens', PATIENT, async () => {
    const {app, simulator} = billing();
    const contracts = await contractsOf(simulator);
    await app.sees(`contracts ${contracts.length} `);
    const policies = contracts.map(contract => {
      const days = Math.floor((Date.parse(`${contract.end_date}Z`) - app.wallNow()) / 86_400_000);
      const end = contract.end_date.slice(0, 10);
      const left = days < 14 ? `${days} d \\d+ h` : `${days}d`;
      return [contract.id, `#${contract.id} .*${end} +${left} left +then (DELETES|market price)`] as const;
    });
    expect(policies.map(([id]) => id).sort()).toEqual([118, 97]);
    for (const [, line] of policies) await app.sees(new RegExp(line));
    await app.sees(/#118 .*then DELETES what it covers .*30% off/);
    await app.sees(/#97 .*then market price/);
  });

  test(
    'shows the last two days by the hour beside the history, with every sixth hour of the clock below',
    PATIENT,
    async () => {
      const {app} = billing();
      await app.press('tab', 'tab', 'tab');
      await app.sees('last 48 hours, $ per hour (UTC)');
      await app.sees(hoursOfClock(app));
    },
  );

  test('opens a contract: what it covers, what that costs, and what is deleted when', PATIENT, async () => {
    const {app} = billing();
    // The history comes between, going backwards.
    const isThere = () => cursorOn('#118 ').test(app.text());
    for (let count = 0; count < 3 && !isThere(); count += 1) await app.press('shift-tab');
    await app.sees(cursorOn('#118 '));
    await app.press('enter');
    await app.sees('H100 training, quarter #118');
    await app.sees(contractEnd(app));
    await app.sees(/at the end +DELETES 2 machines with their disks/);
    await app.sees(/costs +\$28\.56\/h now/);
    await app.sees(/train-0\d +ACTIVE +\$\d+\.\d\d\/h/);
    await app.press('esc');
    await app.sees(cursorOn('#118 '));
  });
});

test('tells a runaway spend as soon as it is read: how much more an hour, since when, by what', PATIENT, async () => {
  const app = await openBilling(await openSimulator({scenario: 'runaway-spend'}));
  // Nine machines of 25.60 $/h were started, 25 minutes apart.
  await app.sees(/\+\$2\d\d\.\d\d\/h now, above the usual since .* \+\$[\d.]+k this month/);
  await app.sees(/by hyperparam-sweep-01 and \d+ others/);
});

describe('at 80 columns', PATIENT, () => {
  const opened = shared(async () => openApp({simulator: await openSmallCloud(), columns: 80, rows: 24}));

  test('shows at 80 columns above its history the month by day, and what the burn rate was and why', async () => {
    const app = opened();
    await app.press('5', 'tab', 'tab', 'tab');
    await app.sees('month, $ per day (UTC)', AFTER_A_MINUTE);
    // Eval-02 was started at $2.50 an hour since this time yesterday.
    await app.sees(/24 h ago +\$\d+\.\d\d\/h +\+[\d.]+% +since \+\$2\.50\/h eval-02/, AFTER_A_MINUTE);
    await app.sees(/yesterday \$[\d,]+\.\d\d/);
    await app.sees(/history \d+ of \d+/);
    await app.press('enter');
    await app.sees(/VM +COST +SHARE +DAY BEFORE +CHANGE/, AFTER_A_MINUTE);
    await app.press('esc');
    await app.sees(/history \d+ of \d+/);
    await app.press('shift-tab');
    await app.sees(/contracts \d of \d/);
  });

  test('shows the waste with what ends it at 80 columns, one key from the spenders', async () => {
    const app = opened();
    await app.press('5');
    // Until all running machines were judged it is at least so much.
    await app.sees(/waste (?:at least \$\d+\.\d\d\/h|\$\d+\.\d\d\/h \(tab\))/);
    await app.press('tab');
    await app.sees(/train-03 {2}shut off +9h1\d +25\.60 +23[67]\.\d\d start and hibernate/, AFTER_A_MINUTE);
    await app.seesNot('top spenders');
    await app.press('g', 'd');
    await app.sees(/fix +\w+.*, saves up to \$/);
    await app.press('esc', '/', 'train-03', 'enter');
    await app.sees(/▶ +train-03 {2}shut off/);
    await app.press('f');
    await app.sees(/start train-03/);
    await app.sees('What happens');
    await app.press('esc', 'enter');
    await app.sees(/machines › train-03/);
  });
});

test('opens a day of the history by machine, beside the day before, adding up to its bill', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const app = await openApp({simulator, columns: 120, rows: 50});
  const {data} = lastDayAnswer.parse(await ask(simulator, '/billing/billing/last-day-cost'));
  await app.press('5', 'tab', 'tab', 'tab');
  await app.sees(/history \d+ of \d+/, AFTER_A_MINUTE);
  // The list says it too, beside the weekday.
  await app.sees(new RegExp(`\\w{3} ${yesterdayOf(app)} +[\\d.]+ .* ${rowFigure(data.total_cost)} `), AFTER_A_MINUTE);
  await app.press('j', 'enter');
  await app.sees(/cost +\$[\d,]+\.\d\d +as billed by the provider/, AFTER_A_MINUTE);
  await app.sees(/by machine +as billed by the provider/);
  await app.sees(/VM +COST +SHARE +DAY BEFORE +CHANGE/);
  await app.sees(/train-01 +\$614\.40 +\d+% +\$614\.40 +\$0\.00/);
  const rows = app.screen().flatMap(line => /^│ {4}(\S.*?) {2,}(<?\$[\d,.]+) +<?\d+%/.exec(line)?.slice(1, 3) ?? []);
  const amounts = new Map(rows.flatMap((name, index) => (index % 2 === 0 ? [[name, dollarsOf(rows[index + 1])]] : [])));
  const total = amounts.get('total') ?? Number.NaN;
  expect(total).toBeCloseTo(data.total_cost, 1);
  const parts = [...amounts].filter(([name]) => name !== 'total').map(([, dollars]) => dollars);
  expect(parts.length).toBeGreaterThan(5);
  expect(parts).toEqual([...parts].sort((left, right) => right - left));
  // Each of them is rounded to a cent.
  expect(Math.abs(parts.reduce((sum, part) => sum + part, 0) - total)).toBeLessThan(0.01 * parts.length);
  await app.sees(/as a command +skydeck cost --day \d{4}-\d\d-\d\d/);
  await app.press('esc');
  await app.sees(/history \d+ of \d+/);
});

test('says what it may not know instead of a sum', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const app = await openApp({simulator: {...simulator, apiKey: simulator.keys.member}});
  await app.sees('[1 Overview]', {withinMs: 20_000});
  await app.press('5');
  await app.sees('this key may not do that (403)');
  expect(app.text()).not.toContain('$0.00');
});

function yesterdayOf(app: Pick<Terminal, 'wallNow'>): string {
  return new Date(app.wallNow() - 24 * HOUR_MS).toISOString().slice(0, 10);
}

function rowFigure(dollars: number): string {
  return dollars.toLocaleString('en-US', {minimumFractionDigits: 2, maximumFractionDigits: 2});
}

/** Each sixth of the last 48 hours, below its bar; those at the edges may have no room for two digits. */
function hoursOfClock(app: Pick<Terminal, 'wallNow'>): string {
  const lastHour = Math.floor(app.wallNow() / HOUR_MS);
  const hours = Array.from({length: 48}, (_, index) => (lastHour - 47 + index) % 24);
  return hours
    .map((hour, index) =>
      hour % 6 === 0 ? String(hour) : hours[index - 1] === 12 || hours[index - 1] === 18 ? '' : ' ',
    )
    .join('')
    .trim()
    .slice(0, 40);
}

/** One deck and its cloud for a suite, at the spenders before each test. */
function sharedBilling(scenario?: string) {
  const opened = shared(async () => {
    const simulator = await openSimulator(scenario === undefined ? {} : {scenario});
    return {app: await openBilling(simulator), simulator};
  });
  beforeEach(async () => {
    const {app} = opened();
    await app.press('esc', 'esc', '5', 'g');
    await app.sees(/top spenders (\d+) of \1 /);
  });
  return opened;
}

async function openBilling(simulator: Simulator): Promise<App> {
  const app = await openApp({simulator});
  await app.sees('[1 Overview]', {withinMs: 20_000});
  await app.press('5');
  await app.sees(/top spenders (\d+) of \1 /, {withinMs: 20_000});
  await app.sees(/contracts \d/);
  return app;
}

type ShownSpender = {readonly name: string; readonly monthUsd: number};

/** The list from the top, as far as it is in sight. */
function spenders(app: Pick<Terminal, 'screen'>): ShownSpender[] {
  return app.screen().flatMap(line => {
    const [, name, month] = /^│[▶ ] +(\S+) +\S+(?: ended)? +\S+ +([\d,]+\.\d\d) +<?\d+%/.exec(line) ?? [];
    return name === undefined || month === undefined ? [] : [{name, monthUsd: Number(month.replaceAll(',', ''))}];
  });
}

/** The first amount behind a label. */
function dollarsAfter(app: Pick<Terminal, 'text'>, label: string): number {
  const amount = new RegExp(`${label} +\\$([\\d,]+\\.\\d\\d)`).exec(app.text())?.[1];
  return Number((amount ?? 'missing').replaceAll(',', ''));
}

/** Less than a cent counts as nothing. */
function dollarsOf(text: string | undefined): number {
  return text?.startsWith('<') === true ? 0 : Number((text ?? 'missing').replaceAll(/[$,]/g, ''));
}

const usageAnswer = z.object({
  data: z.array(z.object({active: z.boolean(), bill_per_minute: z.number().nullable(), total_bill: z.number()})),
});
const lastDayAnswer = z.object({data: z.object({total_cost: z.number()})});
const contractsAnswer = z.object({contracts: z.array(z.object({id: z.number(), end_date: z.string()}))});

async function activeUsage(simulator: Simulator) {
  const {data} = usageAnswer.parse(await ask(simulator, '/billing/billing/usage'));
  return data.filter(({active}) => active);
}

async function allUsage(simulator: Simulator) {
  const ended = usageAnswer.parse(await ask(simulator, '/billing/billing/usage?deleted=true'));
  return [...(await activeUsage(simulator)), ...ended.data];
}

async function contractsOf(simulator: Simulator) {
  return contractsAnswer.parse(await ask(simulator, '/pricebook/contracts')).contracts;
}

async function ask(simulator: Simulator, path: string): Promise<unknown> {
  const answer = await fetch(`${simulator.url}${path}`, {headers: {api_key: simulator.apiKey}});
  return answer.json();
}
