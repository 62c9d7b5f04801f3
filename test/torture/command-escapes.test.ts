import {createServer} from 'node:http';
import {expect, onTestFinished, test, vi} from 'vitest';
import {openAccount} from '../../src/cli/account.ts';
import {actionGroup} from '../../src/cli/operations/action-commands.ts';
import type {BuildCommand} from '../../src/cli/command-io.ts';
import {costCommand} from '../../src/cli/commands/cost.ts';
import {describeCommand} from '../../src/cli/commands/describe.ts';
import {doctorCommand} from '../../src/cli/commands/doctor.ts';
import {eventsCommand} from '../../src/cli/commands/events.ts';
import {exporterCommand} from '../../src/cli/commands/exporter.ts';
import {getCommand} from '../../src/cli/commands/get.ts';
import {handoverCommand} from '../../src/cli/commands/handover.ts';
import {metricsCommand} from '../../src/cli/commands/metrics.ts';
import {printOverview} from '../../src/cli/commands/overview.ts';
import {sshCommand} from '../../src/cli/commands/ssh.ts';
import {triageCommand} from '../../src/cli/commands/triage.ts';
import {commandIo, run, type Surroundings} from '../cli/a-command.ts';
import {reportMeasured} from '../support/measured.ts';
import {openSimulator} from '../support/simulator.ts';
import {sweepOf} from '../support/tier.ts';
import {FIXED, obeyedIn} from './payloads.ts';
import {withTexts} from './texts.ts';

// Every fixed payload in every text of a whole account, in what every command prints of it.

const PATIENT = {timeout: 4 * 60 * 60_000};
const MOMENT = '2026-11-20T20:58:12Z';
/** Without these a record is of no kind, at no time, and of no account. */
const WORD =
  /^\d{4}-\d\d-\d\d|^[\d.]+$|^[A-Z]+$|^(?:vm|volume|cluster|snapshot|ingress|egress|tcp|udp|icmp|[iI][pP]v[46])$/;
/** Each account has all payloads in other texts; this many of them are tried. */
const ROUNDS = FIXED.map((_, round) => round).filter(
  round => round % sweepOf({sample: FIXED.length, deep: 41, whole: 1}) === 0,
);
/** How a payload looks once it is harmless. */
const ESCAPED = /[\u2400-\u2421]|<U\+|\\u\{?00|\\x|\\e/;
/** `skydeck exporter` has read everything. */
const READ_WITHIN = {timeout: 20_000, interval: 5};

const COMMANDS: readonly (readonly [BuildCommand, string, Surroundings?])[] = [
  [costCommand, '--metrics none'],
  [costCommand, '--metrics none -o json'],
  [costCommand, '--metrics none -o csv'],
  [costCommand, '--metrics none -o focus'],
  [costCommand, '--metrics none --by label'],
  [triageCommand, '--metrics none'],
  [triageCommand, '--metrics none -o json'],
  [triageCommand, '--metrics none -o yaml'],
  [triageCommand, '--metrics none --check'],
  [eventsCommand, ''],
  [eventsCommand, '-o json'],
  [eventsCommand, '-o csv'],
  [handoverCommand, '--metrics none'],
  [doctorCommand, ''],
  [doctorCommand, '-o json'],
  [metricsCommand, 'VM'],
  [metricsCommand, 'VM -o json'],
  [sshCommand, 'VM --print'],
  [actionGroup('vm'), 'delete VM --dry-run'],
  [actionGroup('vm'), 'delete VM', {answers: ['']}],
  [actionGroup('cluster'), 'delete CLUSTER', {answers: ['']}],
  [actionGroup('volume'), 'delete VOLUME', {answers: ['']}],
  [describeCommand, 'vm VM'],
  [describeCommand, 'vm VM -o json'],
  [describeCommand, 'vm VM -o yaml'],
  [describeCommand, 'cluster CLUSTER'],
  [describeCommand, 'firewall FIREWALL'],
  [describeCommand, 'volume VOLUME'],
  [describeCommand, 'environment ENVIRONMENT'],
  [describeCommand, 'key-pair KEYPAIR'],
  [describeCommand, 'image IMAGE'],
  [describeCommand, 'contract CONTRACT'],
  [describeCommand, 'org'],
  [describeCommand, 'me'],
];
const TRIED = COMMANDS.filter((_, order) => order % sweepOf({sample: 9, deep: 1}) === 0);

test(
  'no command prints anything that a terminal obeys, whatever stands in the texts of the account',
  PATIENT,
  async () => {
    const account = await openHostileAccount();
    const {simulator, ids} = account;
    const given = {simulator, env: {SKYDECK_NOW: MOMENT}};
    const shown = new Set<string>();
    for (const round of ROUNDS) {
      account.begin(round);
      const judge = (name: string, ...outputs: readonly string[]) => {
        for (const output of outputs) {
          const found = obeyedIn(output.replaceAll('\r\n', '\n'), {isPrinted: true});
          if (found !== undefined) expect({round, name, found, line: lineWith(output)}).toBeUndefined();
          if (ESCAPED.test(output)) shown.add(name);
        }
      };
      for (const [command, words, surroundings] of TRIED) {
        const line = words.replaceAll(/\b[A-Z]+\b/g, kind => `${ids[kind]}`);
        const {stdout, stderr, questions} = await run(command, line, {...given, ...surroundings});
        judge(`${command.name} ${words}`, stdout, stderr, ...questions);
      }
      const {io, stdout, stderr} = commandIo(given);
      const opened = await openAccount(io, {color: false});
      if (!opened.ok) throw new Error(opened.mistake);
      await printOverview(io, opened.account);
      judge('overview', stdout(), stderr());
      judge('exporter', await exported(given));
    }
    reportMeasured(
      `${ROUNDS.length} accounts of payloads in ${account.textCount()} texts, ${TRIED.length + 2} outputs each`,
    );
    // Payloads that are never printed would prove nothing.
    expect(
      [...TRIED.map(([command, words]) => `${command.name} ${words}`), 'overview', 'exporter'].filter(
        name => !shown.has(name),
      ),
    ).toEqual([]);
  },
);

function lineWith(output: string): string | undefined {
  return output.split(/\r?\n/).find(line => obeyedIn(line) !== undefined);
}

/** What Prometheus is given. */
async function exported(given: Surroundings): Promise<string> {
  let stop = () => {};
  const untilStopped = new Promise<void>(resolve => {
    stop = resolve;
  });
  let stderr = '';
  let served: (url: string) => void = () => {};
  const url = new Promise<string>(resolve => {
    served = resolve;
  });
  const running = run(exporterCommand, '--listen 127.0.0.1:0 --metrics none', {
    ...given,
    untilStopped,
    onOutput: text => served(JSON.parse(text).url),
    onError: text => {
      stderr += text;
    },
  });
  const address = await url;
  await vi.waitUntil(() => stderr.includes('series of'), READ_WITHIN);
  const text = await (await fetch(address)).text();
  stop();
  await running;
  return text + stderr;
}

/** An account on call behind somebody who writes what they like into its texts: the same text always the same payload. */
async function openHostileAccount() {
  const origin = await openSimulator({
    seed: 1,
    scenario: 'stuck-cluster',
    vmCount: 8,
    startedAt: Date.parse(MOMENT),
    speed: 0,
    rateLimitPerMinute: 'off',
  });
  const answers = new Map<string, {readonly status: number; readonly body: unknown}>();
  const orders = new Map<string, number>();
  let begunAt = 0;
  const payloadFor = (text: string) => {
    if (WORD.test(text)) return text;
    const order = orders.get(text) ?? orders.size;
    orders.set(text, order);
    return FIXED[(begunAt + order * 97) % FIXED.length] ?? '';
  };
  const answerTo = async (path: string) => {
    const response = await fetch(origin.url.replace(/\/v1$/, '') + path, {headers: {api_key: origin.apiKey}});
    return {status: response.status, body: await response.json()};
  };
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const answer = answers.get(path) ?? (await answerTo(path));
    answers.set(path, answer);
    response.writeHead(answer.status, {'content-type': 'application/json'});
    response.end(JSON.stringify(withTexts(answer.body, {change: payloadFor})));
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : '';
  const simulator = {url: `http://127.0.0.1:${port}/v1`, apiKey: origin.apiKey};
  const kinds = {
    VM: 'vms',
    CLUSTER: 'clusters',
    FIREWALL: 'firewalls',
    VOLUME: 'volumes',
    ENVIRONMENT: 'environments',
    KEYPAIR: 'key-pairs',
    IMAGE: 'images',
    CONTRACT: 'contracts',
  };
  const ids: Record<string, number> = {};
  const named = TRIED.map(([, words]) => words).join(' ');
  for (const [word, name] of Object.entries(kinds).filter(([kind]) => named.includes(kind))) {
    const {stdout} = await run(getCommand, `${name} -o json`, {simulator: origin});
    ids[word] = JSON.parse(stdout)[0].id;
  }
  return {
    simulator,
    ids,
    begin: (round: number) => {
      begunAt = round;
    },
    textCount: () => orders.size,
  };
}
