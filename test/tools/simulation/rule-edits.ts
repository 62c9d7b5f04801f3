import {mkdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {firewallId} from '../../../src/domain/firewall.ts';
import {isEnded} from '../../../src/domain/operation.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import type {RuleSpec} from '../../../src/domain/security-rule.ts';
import {SECOND_MS} from '../../../src/domain/time.ts';
import {type PlanStep, startPlan} from '../../../src/state/operations/plan.ts';
import {createUndoStacks} from '../../../src/state/operations/undo.ts';
import {type Cloud, createCloud, type Mishap} from './cloud.ts';
import {openSkydeck} from './skydeck.ts';

export type Edits = {
  readonly seed: number;
  readonly editCount: number;
  readonly undoCount: number;
  readonly sentCount: number;
  readonly violations: readonly string[];
};

type WireRule = {
  readonly id: number;
  readonly direction: 'ingress' | 'egress';
  readonly protocol: string;
  readonly ethertype: 'IPv4' | 'IPv6';
  readonly remote_ip_prefix: string;
  readonly port_range_min: number | null;
  readonly port_range_max: number | null;
};
type WireFirewall = {readonly id: number; readonly name: string; readonly rules: readonly WireRule[]};

const FIREWALL = 'web';
const EDITS = 6;
const MOST_UNDOS = 60;
/** Longer than an operation is watched for before something is said of it. */
const STEPS_TO_SETTLE = 200;
const PORTS = 8;
/** Every way a call can fail in which it was done or not done by the time it is told. */
const MISHAPS: readonly (Mishap | undefined)[] = [
  undefined,
  undefined,
  undefined,
  {kind: 'unconnected'},
  {kind: 'unsent'},
  {kind: 'dropped'},
  {kind: 'cut'},
  {kind: 'instead', isExecuted: true, reply: () => ({httpStatus: 500, body: '{}'})},
  {kind: 'instead', isExecuted: false, reply: () => ({httpStatus: 502, body: '{}'})},
  {kind: 'instead', isExecuted: false, reply: () => ({httpStatus: 429, body: '{}'})},
  {kind: 'instead', isExecuted: false, reply: () => ({httpStatus: 409, body: '{"status":false,"message":"no"}'})},
  {kind: 'instead', isExecuted: true, reply: ({body}) => ({body: body.slice(0, 5)})},
];

/** Rules added, removed and changed, undone and done again, with any call failing: once all is undone, all is as before. */
export async function editRules(seed: number, folder: string): Promise<Edits> {
  const cloud = createCloud(seed);
  const place = join(folder, `rules-${seed}`);
  mkdirSync(place, {recursive: true});
  const violations: string[] = [];
  const skydeck = openSkydeck(cloud, {
    name: 'first',
    journalPath: join(place, 'journal', 'here.jsonl'),
    running: new Set(),
    tell: () => {},
  });
  const stacks = createUndoStacks(skydeck.operations);
  const {id, name} = await firewall(cloud);
  const before = await termsNow(cloud);
  const pick = (count: number) => Math.floor(cloud.chance() * count);
  let undoCount = 0;

  const settle = async () => {
    for (let count = 0; count < STEPS_TO_SETTLE; count += 1) {
      await cloud.settle();
      await cloud.time.advance(SECOND_MS);
      if (skydeck.operations.all().every(({phase}) => isEnded(phase))) return;
    }
    violations.push('never settled');
  };
  const act = async (...steps: readonly PlanStep[]) => {
    const [first, ...rest] = steps;
    if (first === undefined) return;
    const start = startPlan(skydeck.operations, [first, ...rest], {mode: 'chain', tell: () => {}});
    if (start.status === 'begun') stacks.remember(start.plan);
    await settle();
  };
  const goBack = async (direction: 'undo' | 'redo') => {
    const offer = direction === 'undo' ? stacks.toUndo() : stacks.toRedo();
    if (offer?.kind === 'possible' && stacks[direction](offer, () => {}) !== undefined) undoCount += 1;
    await settle();
  };
  const adding = (port: number): PlanStep => ({
    action: {kind: 'firewall.add-rule', id: firewallId(id), rule: ruleFor(port)},
    subjectName: safeText(name),
  });
  const removing = async (): Promise<readonly PlanStep[]> => {
    const {rules} = await firewall(cloud);
    // The rule that everything begins with, and that nobody can make again, stays.
    const own = rules.filter(each => each.ethertype === (each.remote_ip_prefix.includes(':') ? 'IPv6' : 'IPv4'));
    const rule = own[pick(own.length)];
    if (rule === undefined) return [];
    const terms = specOf(rule);
    const removal = {kind: 'firewall.remove-rule', id: firewallId(id), ruleId: rule.id, rule: terms} as const;
    return [{action: removal, subjectName: safeText(name)}];
  };

  try {
    cloud.setMishaps(({isOperation}) => (isOperation ? MISHAPS[pick(MISHAPS.length)] : undefined));
    for (let count = 0; count < EDITS; count += 1) {
      const what = pick(5);
      if (what === 0) await act(adding(7001 + pick(PORTS)));
      else if (what === 1) await act(...(await removing()));
      else if (what === 2) await act(adding(7001 + pick(PORTS)), ...(await removing()));
      else await goBack(what === 3 ? 'undo' : 'redo');
    }
    // What failed on the way back is kept for the next try; in the end the line is good again.
    for (let count = 0; count < MOST_UNDOS && stacks.toUndo() !== undefined; count += 1) {
      if (count > MOST_UNDOS / 2) cloud.setMishaps(() => undefined);
      await goBack('undo');
    }
    if (stacks.toUndo() !== undefined) violations.push('something is left that cannot be undone');
    const after = await termsNow(cloud);
    if (after !== before) violations.push(`the rules are ${after}, and were ${before}`);
    const sentCount = cloud.sent.filter(({isOperation}) => isOperation).length;
    return {seed, editCount: EDITS, undoCount, sentCount, violations};
  } finally {
    skydeck.die();
    rmSync(place, {recursive: true, force: true});
  }
}

async function firewall(cloud: Cloud): Promise<WireFirewall> {
  const {firewalls} = await cloud.ask<{firewalls: readonly WireFirewall[]}>('GET', '/core/firewalls');
  const found = firewalls.find(each => each.name === FIREWALL);
  if (found === undefined) throw new Error(`The simulated cloud has no ${FIREWALL}.`);
  return found;
}

/** What the rules say, in no order: a rule that was put back has another id and another place. */
async function termsNow(cloud: Cloud): Promise<string> {
  const {rules} = await firewall(cloud);
  return rules
    .map(rule => Object.values(specOf(rule)).join(' '))
    .sort()
    .join('; ');
}

function specOf(rule: WireRule): RuleSpec {
  return {
    direction: rule.direction,
    protocol: safeText(rule.protocol),
    etherType: rule.ethertype,
    remoteIpPrefix: safeText(rule.remote_ip_prefix),
    ...(rule.port_range_min === null ? {} : {portRangeMin: rule.port_range_min}),
    ...(rule.port_range_max === null ? {} : {portRangeMax: rule.port_range_max}),
  };
}

function ruleFor(port: number): RuleSpec {
  return {
    direction: 'ingress',
    protocol: safeText('tcp'),
    etherType: 'IPv4',
    remoteIpPrefix: safeText('10.0.0.0/8'),
    portRangeMin: port,
    portRangeMax: port,
  };
}
