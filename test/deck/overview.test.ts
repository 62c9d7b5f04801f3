import {beforeEach, describe, expect, test} from 'vitest';
import type {SimulatorOptions} from '../../src/simulator/http/server.ts';
import {ARMED, contractEnd, cursorOn, questionIsRead} from '../support/deck.ts';
import {shared} from '../support/lifetime.ts';
import {type App, openApp} from '../support/program.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';
import type {Terminal} from '../support/terminal.ts';

const PATIENT = {timeout: 60_000};
/** On a real terminal it takes minutes until the sweep has more machines. */
const FOR_THE_SWEEP = {timeout: 240_000};

describe('an account in use', PATIENT, () => {
  const overview = shared(() => openOverview('credit ends'));

  beforeEach(async () => {
    const app = overview();
    await app.press('esc', 'esc', '1', 'g');
    await app.sees('needs attention 17');
    await app.sees(/▶ +CRIT credit ends/);
  });

  test('opens first, with what needs somebody at the top', async () => {
    const app = overview();
    const shown = attentionRows(app);
    expect(shown.slice(0, 2).map(({severity, what}) => `${severity} ${what}`)).toEqual([
      expect.stringMatching(/^CRIT credit ends in 4\d h/),
      expect.stringMatching(/^CRIT deletion in 5d, at contract end/),
    ]);
    await app.sees(/WARN SHUTOFF but billed in full +train-03 +\d+h\d\d +25\.60/);
    await app.sees(/WARN tcp\/22 open to the world .* edge/);
  });

  test('shows the worst first, and the costliest first among equals', async () => {
    const app = overview();
    const shown = attentionRows(app);
    expect(shown).toHaveLength(17);
    expect(new Set(shown.map(({severity}) => severity))).toEqual(new Set(SEVERITIES));
    const worstFirst = [...shown].sort(
      (left, right) => SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity) || right.cost - left.cost,
    );
    expect(shown).toEqual(worstFirst);
  });

  test('the preview and the keys are about the finding under the cursor from the first moment on', async () => {
    const app = overview();
    await app.sees(/at \$[\d.]+\/h [\s\S]*the credit lasts/);
    await app.sees('<enter>open');
    expect(app.text()).not.toContain('there is nothing under the cursor');
  });

  test('goes from pane to pane by 1 to 5', async () => {
    const app = overview();
    const panes = [
      ['2', '[2 Machines]', 'machines 40 of 40'],
      ['3', '[3 Clusters]', 'clusters 2 of 2'],
      ['4', '[4 Firewalls]', 'firewalls 8 of 8'],
      ['5', '[5 Billing]', 'top spenders'],
      ['1', '[1 Overview]', 'needs attention'],
    ] as const;
    for (const [key, tab, title] of panes) {
      await app.press(key);
      await app.sees(tab);
      await app.sees(title);
    }
  });

  test('the finding under the cursor is told whole, and f asks about the action that ends it', async () => {
    const app = overview();
    await app.press('G');
    await app.sees(/▶ +NOTE unattached firewall +lab-old/);
    await app.sees(/its \d+ rules? ha(s|ve) no effect/);
    await app.press('f');
    await app.sees('delete firewall lab-old');
    await app.press('esc');
    await goToRow(app, 'credit ends');
    await app.sees(/at \$\S+ [\s\S]*the credit lasts 4\d h/);
    await app.press('f');
    await app.sees('fix: no action fixes this; its advice says what to do');
  });

  test('f on a rule that is open to the world asks for a narrower one, and removes it after that', async () => {
    const app = overview();
    await goToRow(app, 'tcp/22 open to the world');
    await app.press('f');
    await app.sees('edit rule on edge');
    await app.sees('only removes it');
    await app.press('198.51.100.0/24', 'enter');
    await app.sees('What happens');
    await app.sees('+ ingress tcp/22 198.51.100.0/24');
    await app.sees('− ingress tcp/22 0.0.0.0/0');
    await app.press('esc');
    await app.sees(/edit rule on edge +#\d+: not sent/);
    await app.press('esc');
    await goToRow(app, 'tcp/22, tcp/8888 open');
    await app.sees('f edit 2 rules');
  });

  test('r leads from a finding to what belongs to it, and C copies the commands for it', async () => {
    const app = overview();
    await goToRow(app, 'SHUTOFF but billed in full');
    await app.press('r');
    await app.sees('related to train-03');
    await app.sees(/\d +environment \S+/);
    await app.press('esc', 'C');
    await app.sees('copy of train-03');
    await app.sees(/d +skydeck describe +skydeck describe vm \d+/);
    await app.sees(/a +address +(\d+\.){3}\d+/);
    await app.sees(/s +ssh +ssh -- \S+@(\d+\.){3}\d+/);
    await app.sees(/c +command +skydeck vm /);
    await app.press('esc');
    // The machines it names come before what belongs to its subject.
    await goToRow(app, 'deletion in');
    await app.press('r');
    await app.sees(/1 +machine train-0[25]/);
    await app.press('1');
    await app.sees('[2 Machines]');
    await app.sees(cursorOn('train-0[25]'));
    await app.press('esc');
    await app.sees(/▶ +CRIT deletion in/);
    // The detail keeps its whole width: only the menu names what is related.
    await app.press('d');
    await app.seesNot('recent events');
    await app.press('esc');
    // The account has no record of its own, but its finding has a command.
    await goToRow(app, 'credit ends');
    await app.press('C');
    await app.sees(/c +command +skydeck get credit/);
    await app.sees(/g +skydeck get +off: nothing to copy/);
    await app.press('esc');
  });

  test('the handover is one screen by its name, as Markdown for the clipboard and for a file', async () => {
    const app = overview();
    await app.press(':', 'handover', 'enter');
    await app.sees('handover of the last 8h');
    await app.sees('# Handover of acme-prod');
    await app.sees(/## Open findings \(17\)/);
    await app.press('w');
    await app.sees('handover of the last 1d');
    await app.press('ctrl-s');
    await app.sees(/saved as txt,ansi,csv,json,md: /);
    await app.press('G');
    await app.sees(/\/h now/);
    await app.press('esc');
    await app.sees('[1 Overview]');
  });

  test('one esc comes back from what a finding opened to the finding, and forward leads there again', async () => {
    const app = overview();
    await goToRow(app, 'deletion in');
    await app.press('enter');
    await app.sees('H100 training, quarter #118');
    await app.press('esc');
    await app.sees(/▶ +CRIT deletion in/);
    await app.press(']');
    await app.sees('H100 training, quarter #118');
    await app.press('esc');
    await app.sees(/▶ +CRIT deletion in/);
    // What a person opened there themselves is closed first.
    await goToRow(app, 'SHUTOFF but billed in full');
    await app.press('enter');
    await app.sees(cursorOn('train-03'));
    await app.press('enter');
    await app.sees(' 1/7');
    await app.press('esc');
    await app.sees(cursorOn('train-03'));
    await app.press('esc');
    await app.sees(/▶ +WARN SHUTOFF but billed in full/);
  });

  test('c copies the name of what a finding is about', async () => {
    const app = overview();
    await goToRow(app, 'SHUTOFF but billed in full');
    await app.press('c');
    await app.sees('copied train-03');
  });

  describe('enter on what needs attention', () => {
    test('opens the machine it is about', async () => {
      const app = overview();
      await goToRow(app, 'SHUTOFF but billed in full');
      await app.press('enter');
      await app.sees('[2 Machines]');
      await app.sees(cursorOn('train-03'));
    });

    test('opens the cluster it is about', async () => {
      const app = overview();
      await goToRow(app, 'cluster RECONCILING');
      await app.press('enter');
      await app.sees('[3 Clusters]');
      await app.sees(cursorOn('embed'));
      await app.sees('embed #1637');
    });

    test('opens the firewall it is about', async () => {
      const app = overview();
      await app.press('/', '3', '3', '8', '9');
      await app.press('enter');
      await app.sees(/▶ +NOTE tcp\/3389 open to the world/);
      await app.press('enter');
      await app.sees('[4 Firewalls]');
      // The list has edge above it, so the cursor was put there.
      await app.sees(/▶ +lab-old +.* 4 +0/);
      await app.sees('rules of lab-old');
    });

    test('opens the money for a contract, and for what is about the whole account', async () => {
      const app = overview();
      await goToRow(app, 'deletion in');
      await app.press('enter');
      await app.sees('[5 Billing]');
      await app.sees('H100 training, quarter #118');
      await app.sees(contractEnd(app));
      await app.press('1');
      await app.sees('[1 Overview]');
      await goToRow(app, 'credit ends');
      await app.press('enter');
      await app.sees('[5 Billing]');
      await app.press('esc');
      await app.sees('[1 Overview]');
    });
  });

  test('marks, sorts, opens, copies and saves findings as every list does', async () => {
    const app = overview();
    await app.press('o', 'c');
    await app.sees('sorted by cost, descending');
    const costs = attentionRows(app).map(({cost}) => cost);
    expect(costs).toEqual([...costs].sort((left, right) => right - left));
    await app.press('o', '-');
    await app.sees('in the default order');
    await goToRow(app, 'SHUTOFF but billed in full');
    await app.press('d');
    await app.sees('overview › train-03');
    await app.sees(/WARN +SHUTOFF but billed in full/);
    await app.sees(/since \d+ \w{3} .* ago +\$25\.60\/h/);
    await app.press('esc', 'space');
    await app.sees('1 marked $25.60/h');
    await app.press('g', 'space');
    await app.sees('2 marked');
    await app.press('ctrl-s');
    await app.sees(/saved as txt,ansi,csv,json: /);
    await app.press('A');
    await app.sees('acknowledged: 2 findings; z undoes it');
    await app.sees('needs attention 15  2 muted');
    await app.press('z');
    await app.sees('undone: acknowledged: 2 findings');
    await app.sees(/needs attention 17 +2 marked/);
    await app.press('M');
    await app.sees('needs attention 17  worst first ─');
    // One is started, the other hibernated.
    await goToRow(app, 'SHUTOFF but billed in full');
    await app.press('space', 'space', 'f');
    await app.sees('fix: these need different actions: mark findings with the same fix');
    await app.press('M');
    await app.sees('needs attention 17  worst first ─');
  });

  // Last, as one finding less is listed from here on.
  test('what costs money on purpose is kept until a date, and is no waste until then', async () => {
    const app = overview();
    await goToRow(app, 'credit ends');
    await app.press('K');
    await app.sees(/7 +7 days +.*only waste can be kept; A acknowledges it/);
    // A digit of the menu opens no pane.
    await app.press('7');
    await app.sees('7 days: only waste can be kept; A acknowledges it');
    await app.sees('needs attention 17 ');
    await goToRow(app, 'SHUTOFF but billed in full');
    await app.press('K', '3');
    await app.sees(/kept until \d+ \w{3} \d\d:\d\dZ: train-03/);
    await app.sees('needs attention 16  1 muted');
    await app.press('5');
    await app.sees(/kept.*1|1 kept/);
  });
});

test('says so when nothing needs anybody', PATIENT, async () => {
  const app = await openApp({scenario: 'calm'});
  await app.sees('machines 27');
  await app.sees('nothing needs attention now', {withinMs: 20_000});
  await app.sees('needs attention 0');
});

test(
  'a step in the burn rate opens exactly the new machines, marked, and f asks to hibernate them',
  FOR_THE_SWEEP,
  async () => {
    const app = await openApp({simulator: await openSimulator({scenario: 'runaway-spend', speed: 4})});
    await app.sees(/CRIT burn rate up by/, {withinMs: 20_000});
    await goToRow(app, 'burn rate up by');
    await app.sees(/f hibernate all \d+/);
    const count = Number(/f hibernate all (\d+)/.exec(app.screen().join('\n'))?.[1]);
    expect(count).toBeGreaterThanOrEqual(9);
    await app.press('f');
    await app.sees(new RegExp(`hibernate (?:the )?${count}`));
    await app.press('esc', 'enter');
    await app.sees('[2 Machines]');
    await app.sees(`${count} marked`);
    await app.sees(/▶● hyperpar/);
    // The sweep goes on: what came since is not marked, and the question says so.
    const machineCount = Number(/machines (\d+) of/.exec(app.screen().join('\n'))?.[1]);
    await app.sees(new RegExp(`machines ${machineCount + 2} of`), {withinMs: 150_000});
    await app.press('p', 'h');
    await app.sees(/hibernate \d+ machines, \d new ones? (?:is|are) not marked/);
    await app.press('esc', 'esc');
    await app.press('1');
    await app.sees(/▶ +CRIT burn rate up by/);
  },
);

test('! leads from finding to finding, wherever one is, and esc comes back', PATIENT, async () => {
  const app = await openOverview('SHUTOFF but billed in full');
  await app.press('!');
  await app.sees('[5 Billing]');
  await app.sees(/1 of 17, critical: credit ends in 4\d h/);
  await app.press('!');
  // Reading what the contract covers finds more: its volumes are known from here on.
  await app.sees(/2 of 1\d, critical: deletion in 5d, at contract end \("H100 training, quarter"\)/);
  await app.press('3');
  await app.sees('[3 Clusters]');
  await app.press('!');
  await app.sees('[2 Machines]');
  await app.sees(/3 of 1\d, warning: SHUTOFF but billed in full \(train-03\)/);
  await app.sees(cursorOn('train-03'));
  await app.press('esc');
  await app.sees('[3 Clusters]');
});

test(
  'what is acknowledged or snoozed is counted and not listed, also after a restart, until it is listed again',
  PATIENT,
  async () => {
    const app = await openSmallOverview();
    await goToRow(app, 'credit ends');
    await app.press('A');
    await app.sees('acknowledged: account');
    await app.sees('needs attention 19  1 muted');
    await goToRow(app, 'SHUTOFF but billed in full');
    await app.press('S', '4');
    await app.sees(/snoozed until \d+ \w{3} \d\d:\d\dZ: train-03/);
    await app.sees('needs attention 18  2 muted');
    await app.press('q');
    await app.exited;
    const again = await openApp({home: app.home, simulator: app.simulator, rows: ROWS});
    await again.sees('needs attention 18  2 muted', {withinMs: 20_000});
    // What the deck before has left on the screen says the same.
    await again.sees(/data \d+s/);
    await again.sees('muted: 1 acknowledged, 1 snooz');
    await again.press('G');
    await again.sees(/▶ +muted: 1 acknowledged, 1 snooz/);
    await again.sees('<A>list again');
    await again.seesNot('<S>snooze');
    await again.press('enter', 'j');
    await again.press('A');
    await again.sees('needs attention 19  1 muted');
  },
);

test('z undoes what was muted last, step by step, and Z mutes it again', PATIENT, async () => {
  const app = await openSmallOverview({speed: 3});
  await goToRow(app, 'credit ends');
  await app.press('A');
  await app.sees(/acknowledged: account: credit ends in .*; z undoes it/);
  await app.press('A');
  await app.sees('acknowledged: "H100 training, quarter"; z undoes it');
  await app.sees('needs attention 18  2 muted');
  await app.press('z');
  await app.sees('undone: acknowledged: "H100 training, quarter"');
  await app.sees('needs attention 19  1 muted');
  await app.press('z');
  await app.sees('needs attention 20 ');
  await app.press('z');
  await app.sees('nothing to undo in this session');
  await app.press('Z');
  await app.sees('needs attention 19  1 muted');
  // What was sent meanwhile is what undo is about.
  await goToRow(app, 'tcp/22 open to the world');
  await app.press('f');
  await app.press('198.51.100.0/24', 'enter');
  await app.sees(ARMED);
  await questionIsRead(app);
  await app.press('y');
  await app.sees('; z to undo', {withinMs: 30_000});
  await goToRow(app, 'SHUTOFF but billed in full');
  await app.press('K', '3');
  await app.sees(/kept until .*: train-03; z undoes it/);
  await app.press('z');
  await app.sees(/undone: kept until .*: train-03/);
  await app.press('z');
  await app.sees('undo: edit rule on edge');
});

test(
  'f on findings with several open rules replaces them all by one address, each only after its new one',
  PATIENT,
  async () => {
    const app = await openSmallOverview({speed: 3});
    const executed = () => app.simulator?.executions().map(({verb}) => verb) ?? [];
    // From below, so that the marked row does not stand before the other.
    await goToRow(app, 'tcp/22, tcp/8888 open');
    await app.press('space');
    await goToRow(app, 'tcp/22 open to the world');
    await app.press('space', 'f');
    await app.sees(/edit 3 rules on edge, jupyter-mira/);
    await app.sees('Now on edge: ingress tcp/22 0.0.0.0/0.');
    await app.press('198.51.100.0/24', 'enter');
    await app.sees('What happens');
    await app.sees('+ ingress tcp/8888 198.51.100.0/24');
    await app.sees(ARMED);
    await questionIsRead(app);
    await app.press('y');
    await app.becomes('done', () => executed().length === 6, {withinMs: 120_000});
    const onMachine = ['add-machine-rule', 'remove-machine-rule'];
    expect(executed()).toEqual(['add-firewall-rule', 'remove-firewall-rule', ...onMachine, ...onMachine]);
    await app.seesNot('tcp/22, tcp/8888 open', {withinMs: 60_000});
  },
);

test('f on a machine that is stopped but billed starts it, and says that hibernating comes next', PATIENT, async () => {
  const app = await openSmallOverview({speed: 3});
  await goToRow(app, 'SHUTOFF but billed in full');
  await app.press('f');
  await app.sees('start train-03');
  // $25.60 less the cents of its disk and address.
  await app.sees('Starting alone saves nothing; hibernating next saves $25.59/h.');
  await app.sees(ARMED);
  await app.press('y');
  await app.sees(/start train-03 #\d+: confirmed; p h on train-03 in Machines hibernates it, saves \$25\.59\/h/, {
    withinMs: 20_000,
  });
  await app.press(':', 'handover', 'enter');
  await app.press('G');
  await app.sees(/start train-03 #\d+: confirmed: next p h/);
  await app.press('2');
  await app.sees(cursorOn('train-03'));
  await app.press('k', '1');
  await app.sees('[1 Overview]');
  await app.press('2');
  await app.sees('[2 Machines]');
  expect(app.text()).not.toMatch(cursorOn('train-03'));
});

/** All that is found stands in the list, without scrolling. */
const ROWS = 60;
const SEVERITIES = ['CRIT', 'WARN', 'NOTE'];

/** The deck where it opens, once everything it lists was read. */
async function openOverview(whole: string | RegExp): Promise<App> {
  const app = await openApp({rows: ROWS, scenario: 'on-call'});
  await app.sees('[1 Overview]', {withinMs: 20_000});
  await app.sees(/clusters 2 /, {withinMs: 20_000});
  await app.sees(whole, {withinMs: 20_000});
  await app.sees('needs attention 17', {withinMs: 20_000});
  return app;
}

/** With few machines: then three of the troubles are found in more firewalls, which nothing is attached to. */
async function openSmallOverview(options: SimulatorOptions = {}): Promise<App> {
  const app = await openApp({rows: ROWS, simulator: await openSmallCloud(options)});
  await app.sees('needs attention 20', {withinMs: 20_000});
  return app;
}

type Shown = {readonly severity: string; readonly what: string; readonly cost: number};

/** The list from the top; what has no price of its own counts as free. */
function attentionRows(app: Pick<Terminal, 'screen'>): Shown[] {
  return app.screen().flatMap(line => {
    const [, severity, what, price] = /^│[▶ ] +(CRIT|WARN|NOTE) (.*?) +(\S+)│/.exec(line) ?? [];
    if (severity === undefined || what === undefined || price === undefined) return [];
    return [{severity, what, cost: price === '–' ? 0 : Number(price)}];
  });
}

/** Moves the cursor from the top down to the row, once it is on the screen. */
async function goToRow(app: App, what: string): Promise<void> {
  const isRow = (row: Shown) => row.what.startsWith(what);
  await app.becomes(`to list ${what}`, () => attentionRows(app).some(isRow));
  const index = attentionRows(app).findIndex(isRow);
  await app.press('g');
  // In one piece, as a held key comes over a slow line.
  app.write('j'.repeat(index));
  await app.sees(new RegExp(`▶ +\\S+ ${what}`));
}

test('tells a long cause to the end in the rows that few findings leave free', async () => {
  const app = await openApp({scenario: 'runaway-spend', columns: 80, rows: 24});
  // Who started them is read last.
  await app.sees(/started\s+by/, {withinMs: 30_000});
  await app.sees(/what\s+is\s+not\s+needed\./);
  const title = app.screen().findIndex(line => line.startsWith('─ burn rate up'));
  const end = app.screen().findIndex(line => line.startsWith('─ money'));
  const told = app.screen().slice(title + 1, end);
  expect(told.join('\n')).not.toContain('…');
  expect(told.map(line => line.trim()).join(' ')).toMatch(
    /, started by \S+ \S+ and \S+ \S+, as far as read.*f hibernate all \d+/,
  );
});
