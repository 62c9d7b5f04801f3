import {describe, expect, test} from 'vitest';
import {executed, machineNamed} from '../support/colleague.ts';
import {ARMED, contractEnd, questionIsRead, typeName} from '../support/deck.ts';
import {reportMeasured} from '../support/measured.ts';
import {type App, openApp} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {sweepOf} from '../support/tier.ts';
import type {Simulator} from '../../src/simulator/http/server.ts';

// What somebody on call does at night, with the keys counted: `npm run keys` prints the table. A complete name that has
// to be typed is a confirmation and not counted, nor are the letters of a word that is searched for; the keys that open
// and close the search are.

const PATIENT = {timeout: 90_000};
const MOST_KEYS = 6;

type Hand = {
  readonly app: App;
  readonly simulator: Simulator;
  /** Presses keys that count. */
  readonly press: (...keys: readonly string[]) => Promise<void>;
  /** Down to the finding, by the fewest keys: each line is one. */
  readonly goTo: (what: RegExp) => Promise<void>;
  /** What is typed to confirm. */
  readonly confirm: (...keys: readonly string[]) => Promise<void>;
};

type Task = {
  readonly name: string;
  readonly scenario?: string;
  readonly run: (hand: Hand) => Promise<void>;
};

const TASKS: readonly Task[] = [
  {
    name: 'find the costliest idle machine and hibernate it',
    run: async ({app, simulator, press, goTo}) => {
      const {id} = await machineNamed(simulator, 'train-02');
      await app.sees('idle and billed', {withinMs: 30_000});
      await goTo(/idle and billed/);
      await press('f');
      // Its ephemeral disk is lost, so its name is the answer.
      await typeName(app, 'train-02');
      await app.press('enter');
      await app.becomes('to be sent', () => executed(simulator).includes(`hibernate ${id}`));
    },
  },
  {
    name: 'who opened ssh to the world, and close it to all but one network',
    run: async ({app, simulator, press, confirm}) => {
      await press('/');
      await app.press('edge');
      await press('enter');
      await app.sees(/▶ +WARN tcp\/22 open to the world +edge/);
      await press('f');
      await app.sees('edit rule on edge');
      await app.press('198.51.100.0/24');
      await press('enter');
      await confirm('y');
      await app.becomes('to be sent', () => simulator.executions().some(({verb}) => verb === 'remove-firewall-rule'));
    },
  },
  {
    name: 'why did the burn rate jump',
    scenario: 'runaway-spend',
    run: async ({app, press}) => {
      await press('!');
      await app.sees('[2 Machines]');
      await app.sees(/burn rate up by/);
      await app.sees('9 marked');
    },
  },
  {
    name: 'stop a step in the burn rate',
    scenario: 'runaway-spend',
    run: async ({app, press}) => {
      await app.sees(/▶ +CRIT burn rate up by/);
      await press('f');
      await app.sees(/hibernate 9/);
    },
  },
  {
    name: 'which contract deletes what, and when',
    run: async ({app, press, goTo}) => {
      await goTo(/deletion in/);
      await press('enter');
      await app.sees('H100 training, quarter #118');
      await app.sees(contractEnd(app));
    },
  },
  {
    name: 'restore a machine after a look at the stock',
    run: async ({app, press}) => {
      await press('2', '/');
      await app.press('dev-ines');
      await press('enter');
      await app.sees(/▶ +dev-ines/);
      await press('p', 'u');
      await app.sees(/in stock/);
      await app.sees(ARMED);
    },
  },
  {
    name: 'what is a failed hibernation about',
    run: async ({app, press}) => {
      await press('/');
      await app.press('in error');
      await press('enter');
      await app.sees(/▶ +WARN machine in ERROR/);
      await app.sees(/HibernateInstanceFailed/);
    },
  },
  {
    name: 'how long does the credit last',
    run: async ({app}) => {
      await app.sees(/runway +4\dh/);
    },
  },
  {
    name: 'where is the money going',
    run: async ({app, press}) => {
      await press('5');
      await app.sees('top spenders');
    },
  },
  {
    name: 'why is a cluster not ready, and since when',
    run: async ({app, press}) => {
      await press('3');
      await app.sees(/1 of 2 workers is not/);
    },
  },
  {
    name: 'delete a cluster that is stuck in creation',
    scenario: 'stuck-cluster',
    run: async ({app, press, goTo}) => {
      await goTo(/cluster stuck in creation/);
      await press('f');
      await app.sees(/delete cluster k8s-batch|delete k8s-batch/);
    },
  },
  {
    name: 'look at the metrics of a machine whose memory fills',
    run: async ({app, press}) => {
      await press('/');
      await app.press('memory full');
      await press('enter');
      await app.sees(/▶ +WARN memory full/);
      await press('enter', 'm');
      await app.sees(/infer-04/);
      await app.sees(/MEM/);
    },
  },
  {
    name: 'acknowledge what is known',
    run: async ({app, press}) => {
      await press('A');
      await app.sees('1 muted');
    },
  },
  {
    name: 'snooze a finding until the morning',
    run: async ({app, press}) => {
      await press('j', 'S', 't');
      await app.sees('1 muted');
    },
  },
  {
    name: 'what happened in the last hours',
    run: async ({app, press}) => {
      await press('9');
      await app.sees(/etl-03/);
    },
  },
  {
    name: 'hand over',
    run: async ({app, press}) => {
      await press(':');
      await app.press('handover');
      await press('enter');
      await app.sees('# Handover of acme-prod');
      await press('ctrl-s');
      await app.sees('saved as txt,ansi,csv,json,md');
    },
  },
];

/** Two of them in `npm test`: the way from the finding to the action, and the way to all that a finding is about. */
const TRIED = TASKS.filter((_, index) => sweepOf({sample: index === 0 || index === 2, deep: true}));

describe('a task on call', () => {
  test.each(TRIED)('$name: at most six keys', PATIENT, async ({name, scenario, run}) => {
    const simulator = await openSimulator({speed: 6, ...(scenario === undefined ? {} : {scenario})});
    const app = await openApp({simulator, rows: 60});
    await app.sees(/needs attention [1-9]/, {withinMs: 20_000});
    await app.sees(/clusters \d/, {withinMs: 20_000});
    await app.seesNot('without metrics: ', {withinMs: 30_000});
    let count = 0;
    const press = async (...keys: readonly string[]) => {
      count += keys.length;
      await app.press(...keys);
    };
    const goTo = async (what: RegExp) => {
      const findings = app.screen().filter(line => /^│[▶ ] +(CRIT|WARN|NOTE) /.test(line));
      const index = findings.findIndex(line => what.test(line));
      expect(index, `${what} among the findings`).toBeGreaterThanOrEqual(0);
      await press(...Array.from({length: index}, () => 'j'));
      await app.becomes(`on ${what}`, () => app.screen().some(line => line.includes('▶') && what.test(line)));
    };
    const confirm = async (...keys: readonly string[]) => {
      await app.sees(ARMED);
      await questionIsRead(app);
      await app.press(...keys);
    };
    await run({app, simulator, press, goTo, confirm});
    reportMeasured(`${String(count).padStart(2)} keys  ${name}`);
    expect(count).toBeLessThanOrEqual(MOST_KEYS);
  });
});
