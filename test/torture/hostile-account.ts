import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {expect, onTestFinished} from 'vitest';
import {getCommand} from '../../src/cli/commands/get.ts';
import type {BuildCommand} from '../../src/cli/command-io.ts';
import {run, type Surroundings} from '../cli/a-command.ts';
import {reportCounted, reportMeasured} from '../support/measured.ts';
import {openSimulator} from '../support/simulator.ts';
import {sweepOf} from '../support/tier.ts';
import {FIXED, generated, obeyedIn} from './payloads.ts';
import {withTexts} from './texts.ts';

// An account whose every text is a payload, and what commands print of it.

/** A command with its words, in which `VM` and other kinds stand for an id of the account. */
export type Tried = readonly [command: BuildCommand, words: string, surroundings?: Surroundings];
/** Payloads, and the one that comes first. */
type Round = {readonly of: readonly string[]; readonly at: number};
/** Another output, by its name. */
export type Output = (given: Surroundings) => Promise<string>;

const MOMENT = '2026-11-20T20:58:12Z';
/** Without these a record is of no kind, at no time, and of no account. */
const WORD =
  /^\d{4}-\d\d-\d\d|^[\d.]+$|^[A-Z]+$|^(?:vm|volume|cluster|snapshot|ingress|egress|tcp|udp|icmp|[iI][pP]v[46])$/;
/** A random share of what is generated, besides. */
const GENERATED = generated(sweepOf({sample: 200, deep: 1000, whole: 10_000}), 9);
/** Each account has all payloads in other texts; this many of them are tried. */
const ROUNDS: readonly Round[] = [
  ...FIXED.flatMap((_, at) => (at % sweepOf({sample: FIXED.length, deep: 41, whole: 1}) === 0 ? {of: FIXED, at} : [])),
  ...GENERATED.flatMap((_, at) => (at % sweepOf({sample: 200, deep: 100}) === 0 ? {of: GENERATED, at} : [])),
];
const STRIDE = 97;
/** How a payload looks once it is harmless. */
const ESCAPED = /[\u2400-\u2421]|<U\+|\\u\{?00|\\x|\\e/;

/** The nodes of the cluster, and two that are none: to nodes nothing can be done by itself. */
const MACHINE_COUNT = 8;

/** Every fixed payload in every text of the account, in what the commands and the other outputs print of it. */
export async function tryOutputs(
  commands: readonly Tried[],
  others: Readonly<Record<string, Output>> = {},
): Promise<void> {
  const tried = commands.filter((_, order) => order % sweepOf({sample: 9, deep: 1}) === 0);
  const account = await openHostileAccount(tried.map(([, words]) => words).join(' '));
  const {simulator, ids} = account;
  const given = {simulator, env: {SKYDECK_NOW: MOMENT}};
  const shown = new Set<string>();
  for (const round of ROUNDS) {
    account.begin(round);
    const judge = (name: string, ...outputs: readonly string[]) => {
      for (const output of outputs) {
        const found = obeyedIn(output.replaceAll('\r\n', '\n'), {isPrinted: true});
        if (found !== undefined) expect({round: round.at, name, found, line: lineWith(output)}).toBeUndefined();
        if (ESCAPED.test(output)) shown.add(name);
      }
    };
    for (const [command, words, surroundings] of tried) {
      const line = words.replaceAll(/\b[A-Z]+\b/g, kind => `${ids[kind]}`);
      const {stdout, stderr, questions} = await run(command, line, {...given, ...surroundings});
      judge(`${command.name} ${words}`, stdout, stderr, ...questions);
    }
    for (const [name, output] of Object.entries(others)) judge(name, await output(given));
  }
  const names = [...tried.map(([command, words]) => `${command.name} ${words}`), ...Object.keys(others)];
  const generatedCount = Math.min(
    GENERATED.length,
    ROUNDS.filter(({of}) => of === GENERATED).length * account.textCount(),
  );
  reportCounted('generated payloads in other outputs', generatedCount);
  reportMeasured(
    `${ROUNDS.length} accounts of payloads in ${account.textCount()} texts, ${names.length} outputs each, ${generatedCount} of them generated`,
  );
  // Payloads that are never printed would prove nothing.
  expect(names.filter(name => !shown.has(name))).toEqual([]);
}

function lineWith(output: string): string | undefined {
  return output.split(/\r?\n/).find(line => obeyedIn(line) !== undefined);
}

/** An account on call behind somebody who writes what they like into its texts: the same text always the same payload. */
async function openHostileAccount(named: string) {
  const origin = await openSimulator({
    seed: 1,
    scenario: 'stuck-cluster',
    vmCount: MACHINE_COUNT,
    startedAt: Date.parse(MOMENT),
    speed: 0,
    rateLimitPerMinute: 'off',
  });
  const answers = new Map<string, {readonly status: number; readonly body: unknown}>();
  /** The answers of this round, which many commands ask for. */
  const written = new Map<string, string>();
  const orders = new Map<string, number>();
  let round: Round = {of: FIXED, at: 0};
  const payloadFor = (text: string) => {
    if (WORD.test(text)) return text;
    const order = orders.get(text) ?? orders.size;
    orders.set(text, order);
    return round.of[(round.at + order * STRIDE) % round.of.length] ?? '';
  };
  const answerTo = async (path: string) => {
    const response = await fetch(origin.url.replace(/\/v1$/, '') + path, {headers: {api_key: origin.apiKey}});
    return {status: response.status, body: await response.json()};
  };
  const respond = async ({url: path = ''}: IncomingMessage, response: ServerResponse) => {
    const answer = answers.get(path) ?? (await answerTo(path));
    answers.set(path, answer);
    response.writeHead(answer.status, {'content-type': 'application/json'});
    const text = written.get(path) ?? JSON.stringify(withTexts(answer.body, {change: payloadFor}));
    written.set(path, text);
    response.end(text);
  };
  // The simulator may be closed while the last request of a command is under way.
  const server = createServer((request, response) => respond(request, response).catch(() => response.destroy()));
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
  for (const [word, name] of Object.entries(kinds).filter(([kind]) => named.includes(kind))) {
    const {stdout} = await run(getCommand, `${name} -o json`, {simulator: origin});
    ids[word] = JSON.parse(stdout)[0].id;
  }
  return {
    simulator,
    ids,
    begin: (next: Round) => {
      round = next;
      written.clear();
    },
    textCount: () => orders.size,
  };
}
