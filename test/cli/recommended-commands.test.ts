import {expect, test} from 'vitest';
import {triageCommand} from '../../src/cli/commands/triage.ts';
import type {Finding} from '../../src/domain/triage/finding.ts';
import {SUBCOMMANDS} from '../../src/program.tsx';
import {openSimulator} from '../support/simulator.ts';
import {sweepOf} from '../support/tier.ts';
import {run} from './a-command.ts';

/** A command that sends an operation only shows its calls. */
const OPERATIONS = /^(vm|cluster|firewall|rule|ip|volume)$/;

test('every command that a finding recommends exists and works on its subject', {
  timeout: 120_000,
}, async () => {
  const [failed, rules]: [string[], Set<string>] = [[], new Set()];
  // A narrower rule is for the address of the SSH session.
  const env = {SSH_CONNECTION: '203.0.113.7 50000 192.0.2.7 22'};
  for (const scenario of ['troubles', 'on-call', 'stuck-cluster', 'runaway-spend']) {
    const simulator = await openSimulator({scenario, rateLimitPerMinute: 'off'});
    const {stdout} = await run(triageCommand, '-o json', {simulator, env});
    const findings: readonly Finding[] = JSON.parse(stdout).findings;
    // Each rule once, or each of its findings.
    const tried = findings.filter(({rule}, index) => {
      const isNew = !rules.has(rule) && findings.findIndex(each => each.rule === rule) === index;
      return sweepOf({sample: isNew, deep: true});
    });
    for (const {rule} of findings) rules.add(rule);
    for (const command of new Set(tried.flatMap(({commands}) => commands))) {
      for (const [index, part] of command.split(' && ').entries()) {
        const [program, name = '', ...words] = part.split(' ');
        const build = await SUBCOMMANDS[name]?.load();
        const line = OPERATIONS.test(name) ? [...words, '--dry-run'] : name === 'console' ? [...words, '--yes'] : words;
        const ran = build && (await run(build, line, {simulator, env}));
        // The second command needs the outcome of the first, which was not sent.
        const isRight = ran?.exitCode === 0 || (index > 0 && /not sent: must be ACTIVE/.test(ran?.stderr ?? ''));
        if (program !== 'skydeck' || !isRight) failed.push(`${scenario}: ${part}: ${ran?.stderr ?? 'no such command'}`);
      }
    }
  }
  expect(failed).toEqual([]);
  expect(rules.size).toBeGreaterThan(20);
});
