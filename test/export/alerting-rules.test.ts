import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {parse} from 'yaml';
import {exporterCommand} from '../../src/cli/commands/exporter.ts';
import {TRIAGE_RULES} from '../../src/domain/triage/rules.ts';
import {run} from '../cli/a-command.ts';
import {TESTED_ALERTS} from '../integration/alert-tests.ts';
import {openHome} from '../support/program.ts';

type Rule = {readonly alert: string; readonly expr: string; readonly labels: {readonly rule?: string}};
type Panel = {readonly gridPos: {readonly x: number; readonly y: number; readonly w: number; readonly h: number}};

describe('skydeck exporter rules', () => {
  test('has an alert for every rule of triage, each with a unit test for promtool', async () => {
    const {exitCode, stdout} = await run(exporterCommand, 'rules');
    expect(exitCode).toBe(0);
    const rules: readonly Rule[] = parse(stdout).groups[0].rules;
    const told = new Set(rules.flatMap(({labels}) => labels.rule ?? []));
    const missing = (what: string) => `each rule of triage needs ${what}`;
    expect([...told].sort(), missing('an alert in src/export/alerting-rules.ts')).toEqual(
      TRIAGE_RULES.map(({id}) => id).sort(),
    );
    expect(
      rules.map(({alert}) => alert).sort(),
      missing('a test of its alert in test/integration/alert-tests.ts'),
    ).toEqual([...TESTED_ALERTS].sort());
  });

  test.each([
    ['without a profile', undefined, 'instance, Hostname', '$labels.Hostname'],
    ['with its own label', 'exported_instance', 'instance, exported_instance', '$labels.exported_instance'],
    ['with the label of the scrape', 'instance', 'instance', '$labels.instance'],
  ])("names the machine of GPUs by the profile's label: %s", async (_name, gpuLabel, by, shown) => {
    const home = openHome();
    const prometheus = {url: 'https://prometheus.test', tokenFile: '/none', gpuLabel};
    const settings = {profiles: {team: {baseUrl: 'https://cloud.test/v1', prometheus}}};
    writeFileSync(join(home.path, 'config', 'settings.json'), JSON.stringify(settings), {mode: 0o600});
    const {stdout, exitCode} = await run(exporterCommand, gpuLabel === undefined ? 'rules' : 'rules --profile team', {
      home,
    });
    expect(exitCode).toBe(0);
    const rules: readonly (Rule & {readonly annotations: {readonly summary: string}})[] = parse(stdout).groups[0].rules;
    const ofGpus = rules.filter(({expr}) => expr.includes('DCGM'));
    expect(ofGpus.length).toBe(4);
    expect(ofGpus.filter(({annotations}) => !annotations.summary.includes(shown))).toEqual([]);
    expect(rules.find(({alert}) => alert === 'GpuIdle')?.expr).toContain(`on (${by}) max by (${by})`);
  });
});

test('the alert of a contract of unknown policy does not say that it deletes', async () => {
  const {stdout} = await run(exporterCommand, 'rules');
  const rules: readonly (Rule & {readonly annotations: {readonly summary: string}})[] = parse(stdout).groups[0].rules;
  expect(rules.find(({alert}) => alert === 'ContractDeletes')?.annotations.summary).toMatch(
    /\{\{ if eq \$labels\.policy "unknown" \}\}may delete\{\{ else \}\}deletes\{\{ end \}\} what it covers$/,
  );
});

describe('skydeck exporter dashboard', () => {
  test('is valid JSON whose panels do not overlap', async () => {
    const {exitCode, stdout} = await run(exporterCommand, 'dashboard');
    expect(exitCode).toBe(0);
    const panels: readonly Panel[] = JSON.parse(stdout).panels;
    const cells = panels.flatMap(({gridPos: {x, y, w, h}}) =>
      Array.from({length: w * h}, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...panels.map(({gridPos: {x, w}}) => x + w))).toBe(24);
  });
});
