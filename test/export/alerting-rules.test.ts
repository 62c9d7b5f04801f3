import {describe, expect, test} from 'vitest';
import {parse} from 'yaml';
import {exporterCommand} from '../../src/cli/exporter.ts';
import {TRIAGE_RULES} from '../../src/domain/triage/rules.ts';
import {run} from '../cli/a-command.ts';
import {TESTED_ALERTS} from '../integration/alert-tests.ts';

type Rule = {readonly alert: string; readonly expr: string; readonly labels: {readonly rule?: string}};
type Panel = {readonly gridPos: {readonly x: number; readonly y: number; readonly w: number; readonly h: number}};

describe('skydeck exporter rules', () => {
  test('has an alert for every rule of triage, each with a unit test for promtool', async () => {
    const {exitCode, stdout} = await run(exporterCommand, 'rules');
    expect(exitCode).toBe(0);
    const rules: readonly Rule[] = parse(stdout).groups[0].rules;
    const told = new Set(rules.flatMap(({labels}) => labels.rule ?? []));
    expect([...told].sort()).toEqual(TRIAGE_RULES.map(({id}) => id).sort());
    expect(rules.map(({alert}) => alert).sort()).toEqual([...TESTED_ALERTS].sort());
  });
});

describe('skydeck exporter dashboard', () => {
  test('is one piece of JSON whose panels do not cover each other', async () => {
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
