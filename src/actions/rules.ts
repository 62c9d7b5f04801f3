import * as z from 'zod';
import {present} from '../api/fields.ts';
import {addFirewallRule, removeFirewallRule} from '../api/firewalls.ts';
import {addMachineRule, removeMachineRule} from '../api/virtual-machines.ts';
import {type Evidence, elsewhere, type Inverse, NOTHING, TARGET, TRANSITION, UNCHANGED} from '../domain/action.ts';
import {presentIn} from '../domain/attachment-state.ts';
import {ruleNotes} from '../domain/check-rule.ts';
import {type Firewall, isInForce, lastingRules, ruleState, withState} from '../domain/firewall.ts';
import {parseIpPrefix} from '../domain/ip-prefix.ts';
import type {History} from '../domain/observation.ts';
import {holderOf, holdersOf, type RuleHolder} from '../domain/outgoing-traffic.ts';
import {nameInWords, type SafeText, safeText, say} from '../domain/safe-text.ts';
import {
  covers,
  hasPorts,
  isExposed,
  isOpenToWorld,
  overlaps,
  portWords,
  prefixWords,
  type RuleSpec,
  type RuleTerms,
  ruleWords,
  mayBeRule,
  sameRule,
} from '../domain/security-rule.ts';
import {MINUTE_MS} from '../domain/time.ts';
import type {SecurityRule, VirtualMachine} from '../domain/virtual-machine.ts';
import type {Feed} from '../state/feed.ts';
import {firewallsFeed, observedFirewalls} from '../state/firewalls.ts';
import {machinesFeed, observedMachines} from '../state/machines.ts';
import {formatCounted} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import {type AccessRisk, cutOffLines, incomingLines, listed, outgoingLines} from './question/access-lines.ts';
import type {Assessment, Candidate, UndoWords} from './question/assessment.ts';
import {actionOn} from './define.ts';
import type {AssessmentInput} from './question/assessment-input.ts';
import {KEYS} from './keys.ts';
import {firewall, machine, ruleSpec, text} from './parameters.ts';
import {someNames, typedAnswer} from './question/question.ts';

// A rule is created or removed as a whole: the interface cannot change one.

/** The owners of rules. */
export type RuleOwner = VirtualMachine | Firewall;

/** Rules take seconds to apply; minutes are worth mentioning. */
const OVERDUE_AFTER_MS = 5 * MINUTE_MS;

const port = z.number().int();
const ruleTerms: z.ZodType<RuleTerms> = z
  .object({
    direction: text.optional(),
    protocol: text.optional(),
    etherType: text.optional(),
    remoteIpPrefix: text.optional(),
    portRangeMin: port.optional(),
    portRangeMax: port.optional(),
    hasUnreadPorts: z.literal(true).optional(),
  })
  .transform(present);

/** What rules of machines and of firewalls have in common. */
const ADDING = {
  change: 'rule added',
  verb: say`add rule`,
  words: ({rule}: {readonly rule: RuleSpec}) => say`add rule ${ruleWords(rule)} on`,
  overdueAfterMs: OVERDUE_AFTER_MS,
  precondition: ({rule}: {readonly rule: RuleSpec}, owner: RuleOwner): SafeText | undefined => {
    const there = sameRuleOf(owner, rule);
    return there && say`the same rule ${notInForceReason(there) ?? say`is already there`}`;
  },
  evidence: ({rule}: {readonly rule: RuleSpec}, owner: RuleOwner, history: History<RuleOwner>): Evidence => {
    const was = history.before?.records[0];
    const added = addedRule(rule, owner.rules, was);
    // What could not be read may be the rule.
    const isUnread = mayHaveOtherRules(owner) || rulesSince(owner.rules, was).some(each => mayBeRule(each, rule));
    return added === undefined && isUnread ? NOTHING : additionEvidence(added, history);
  },
  assess: ({rule}: {readonly rule: RuleSpec}, owner: RuleOwner, known: AssessmentInput): Assessment => {
    const {lines, cutsOff} = ruleChangeRisk(owner, {added: [rule], removed: []}, known);
    return {
      title: say`add rule on ${nameInWords(owner.name)}  #${owner.id}`,
      happens: [addedLine(rule), reachLine(owner)],
      warnings: lines,
      undo: {words: 'remove it again', key: KEYS.undo},
      answer: cutsOff ? typedAnswer(owner.name, owner.id) : {kind: 'key'},
    };
  },
  assessChain: assessRuleChain,
  ignoresStatus: true,
} as const;

/** The owner's rule with the same terms; of several, one that is in force. */
export function sameRuleOf({rules}: RuleOwner, wanted: RuleTerms): SecurityRule | undefined {
  const same = rules.filter(rule => sameRule(rule, wanted));
  return same.find(rule => ruleState(rule) === 'in-force') ?? same[0];
}

/** Why a rule allows nothing yet, or no longer; undefined if it is in force or its state is unknown. */
export function notInForceReason(rule: SecurityRule): SafeText | undefined {
  switch (ruleState(rule)) {
    case 'removing':
      return say`is being removed: wait until it is gone`;
    case 'failed':
      return say`failed: remove it first`;
    case 'pending':
      return say`is not in force yet: wait`;
    case 'in-force':
    case 'unknown':
      return undefined;
  }
}

type Removal = {readonly ruleId: number; readonly rule: RuleTerms};

const REMOVING = {
  change: 'rule removed',
  verb: say`remove rule`,
  words: ({rule}: Removal) => say`remove rule ${ruleWords(rule)} on`,
  overdueAfterMs: OVERDUE_AFTER_MS,
  precondition: (removal: Removal, owner: RuleOwner): SafeText | undefined => {
    const found = owner.rules.filter(({id}) => id === removal.ruleId);
    if (found.length === 0 && mayHaveOtherRules(owner)) return UNREAD_RULES;
    if (found.length === 0) return say`the rule is already gone`;
    if (found.length > 1) return say`there are ${found.length} rules #${removal.ruleId}`;
    const isGoing = found.some(rule => ruleState(rule) === 'removing');
    return otherRuleReason(removal, found) ?? (isGoing ? say`it is being removed already` : undefined);
  },
  evidence: (removal: Removal, owner: RuleOwner, {hasSeenTransition, before}: History<RuleOwner>): Evidence => {
    const found = owner.rules.filter(({id}) => id === removal.ruleId);
    if (found.length === 0) return absenceEvidence(removal, owner, before?.records[0]);
    const otherRule = otherRuleReason(removal, found);
    const mayBeIt = found.every(each => mayBeRule(each, removal.rule));
    if (otherRule !== undefined && !mayBeIt) return elsewhere(otherRule);
    if (found.some(rule => ruleState(rule) === 'removing')) return TRANSITION;
    return hasSeenTransition ? elsewhere(say`the rule is still there`) : UNCHANGED;
  },
  assess: ({ruleId, rule}: Removal, owner: RuleOwner, known: AssessmentInput): Assessment => {
    const removed = owner.rules.filter(({id}) => id === ruleId);
    const {lines, cutsOff} = ruleChangeRisk(owner, {added: [], removed}, known);
    return {
      title: say`remove rule on ${nameInWords(owner.name)}  #${owner.id}`,
      happens: [removedLine(rule), reachLine(owner)],
      warnings: lines,
      undo: undoWords('add it again', [rule]),
      answer: cutsOff ? typedAnswer(owner.name, owner.id) : {kind: 'key'},
    };
  },
  assessChain: assessRuleChain,
  ignoresStatus: true,
} as const;

export const UNREAD_RULES = say`its rules could not be read completely`;

/** Whether it may have another rule than those with their ids: one was not read, or its id was not. */
export function mayHaveOtherRules({rules, hasUnreadRules}: RuleOwner): boolean {
  return hasUnreadRules === true || rules.some(({id}) => id === undefined);
}

/** An id that is no longer listed proves nothing while the rule itself may be, without that id or with a new one. */
function absenceEvidence({rule}: Removal, owner: RuleOwner, was: RuleOwner | undefined): Evidence {
  if (mayHaveOtherRules(owner)) return NOTHING;
  const added = rulesSince(owner.rules, was);
  const same = added.find(each => isAlike(each, rule));
  if (same?.id !== undefined && was !== undefined) return elsewhere(say`the same rule is listed as #${same.id}`);
  return added.some(each => isAlike(each, rule) || mayBeRule(each, rule)) ? NOTHING : TARGET;
}

/** Its id alone does not make it the rule that was shown. */
function otherRuleReason({ruleId, rule}: Removal, found: readonly SecurityRule[]): SafeText | undefined {
  const changed = found.find(each => !isAlike(each, rule));
  return changed && say`rule #${ruleId} is now ${ruleWords(changed)}`;
}

/** The same words are the same rule too where a term of it could not be read. */
function isAlike(rule: RuleTerms, other: RuleTerms): boolean {
  return sameRule(rule, other) || ruleWords(rule) === ruleWords(other);
}

/** Rules that are added and removed together: an edited rule or several, on one owner or on more, and their undo. */
function assessRuleChain(chain: readonly Candidate[], known: AssessmentInput): Assessment | undefined {
  const changes = changesByOwner(chain);
  if (changes === undefined) return undefined;
  const isEdit = isEditing(chain);
  const owners = [...changes.keys()];
  const [first] = owners;
  if (first === undefined || (owners.length > 1 && !isEdit)) return undefined;
  const removals = [...changes].map(([owner, {removed}]) => ({owner, removed}));
  const risks = [...changes].map(([owner, change]) => ({owner, ...ruleChangeRisk(owner, change, known, removals)}));
  const cutOff = risks.find(({cutsOff}) => cutsOff)?.owner;
  const count = [...changes.values()].reduce((sum, {removed}) => sum + removed.length, 0);
  const {what, back} = isEdit ? editWords(count) : changeWords(changes);
  const isOne = owners.length === 1;
  return {
    title: say`${what} on ${ownersInWords(owners)}`,
    happens: [
      ...[...changes].flatMap(([owner, {added, removed}]) => [
        ...(isOne ? [] : [ownerLine(owner)]),
        ...added.map(addedLine),
        ...removed.map(removedLine),
        reachLine(owner),
      ]),
      ...(isEdit ? (count === 1 ? EDIT_LINES : EDIT_MANY_LINES) : []),
    ],
    warnings: [...(isOne ? [] : refusedLines(chain)), ...risks.flatMap(({lines}) => lines)],
    undo: undoWords(
      back,
      removals.flatMap(({removed}) => removed),
    ),
    answer: cutOff === undefined ? {kind: 'key'} : typedAnswer(cutOff.name, cutOff.id),
  };
}

/** A rule that is not fully known cannot be added again. */
function undoWords(words: string, removed: readonly RuleTerms[]): UndoWords {
  const isUnknown = removed.some(rule => typeof specOf(rule) === 'string');
  return isUnknown ? `none: ${UNREADABLE}` : {words, key: KEYS.undo};
}

/** What a question about several rules is called, and what takes it back. */
type ChainWords = {readonly what: SafeText; readonly back: string};

function editWords(count: number): ChainWords {
  return count === 1
    ? {what: say`edit rule`, back: 'edit it back'}
    : {what: say`edit ${count} rules`, back: 'edit all of them back at once'};
}

function changeWords(changes: ReadonlyMap<RuleOwner, OwnChange>): ChainWords {
  const all = [...changes.values()];
  const [added, removed] = [all.flatMap(change => change.added), all.flatMap(change => change.removed)];
  if (added.length === 0) return {what: say`remove ${removed.length} rules`, back: 'add them again'};
  if (removed.length === 0) return {what: say`add ${added.length} rules`, back: 'remove them again'};
  return {what: say`change rules`, back: 'undo all of it at once'};
}

type OwnChange = {readonly added: RuleSpec[]; readonly removed: SecurityRule[]};

/** What is added and removed on each owner; undefined if anything else is to be done. */
function changesByOwner(chain: readonly Candidate[]): ReadonlyMap<RuleOwner, OwnChange> | undefined {
  const changes = new Map<RuleOwner, OwnChange>();
  for (const {action, subject} of chain) {
    if (subject === undefined || !('rules' in subject)) return undefined;
    const known = [...changes.keys()].find(owner => isSameOwner(owner, subject)) ?? subject;
    const change = changes.get(known) ?? {added: [], removed: []};
    changes.set(known, change);
    if (addRuleToMachine.is(action) || addRuleToFirewall.is(action)) change.added.push(action.rule);
    else if (removeRuleFromMachine.is(action) || removeRuleFromFirewall.is(action))
      change.removed.push(...known.rules.filter(({id}) => id === action.ruleId));
    else return undefined;
  }
  return changes;
}

function isSameOwner(left: RuleOwner, right: RuleOwner): boolean {
  return left.id === right.id && 'attachments' in left === 'attachments' in right;
}

function isEditing(chain: readonly Candidate[]): boolean {
  const isAdding = ({action}: Candidate) => addRuleToMachine.is(action) || addRuleToFirewall.is(action);
  return chain.some(isAdding) && !chain.every(isAdding);
}

/** The title has no room for more names. */
const MAX_TITLE_CELLS = 40;

/** For example `edge  #12`, or `edge, lab and 2 more`. */
export function ownersInWords(owners: readonly RuleOwner[]): SafeText {
  const [first, ...others] = owners;
  if (first === undefined) return say`nothing`;
  return others.length === 0
    ? say`${nameInWords(first.name)}  #${first.id}`
    : safeText(someNames(owners, MAX_TITLE_CELLS));
}

function ownerLine({name, id}: RuleOwner): Line {
  return [{text: `${nameInWords(name)}  #${id}`, tone: 'strong'}];
}

/** Why a later step cannot be sent now: the first one's reason is said anyway. */
function refusedLines([first, ...others]: readonly Candidate[]): readonly Line[] {
  const reasons = new Set(
    others.flatMap(({subject, reason}) =>
      reason === undefined || subject === first?.subject || subject === undefined || !('rules' in subject)
        ? []
        : [`${nameInWords(subject.name)}: ${reason}`],
    ),
  );
  return [...reasons].map(text => [{text, tone: 'danger'}]);
}

const EDIT_LINES: readonly Line[] = [
  [{text: 'The old rule is removed once the new one is in force.'}],
  [{text: 'If removing it fails, both rules stay and you are told.'}],
];

const EDIT_MANY_LINES: readonly Line[] = [
  [{text: 'One after the other: each old rule is removed once its new one is in force.'}],
  [{text: 'It stops at the first one that fails or stays unknown: the rest is unchanged and you are told.'}],
];

function addedLine(rule: RuleTerms): Line {
  const open = portsLeftOpen(rule);
  return [{text: '+ ', tone: 'good'}, {text: open === undefined ? ruleWords(rule) : `${ruleWords(rule)}: ${open}`}];
}

/** A rule that names no ports allows all of them, which its words do not show: `all tcp ports`. */
function portsLeftOpen({protocol = say``, portRangeMin}: RuleTerms): string | undefined {
  return portRangeMin === undefined && hasPorts(protocol) ? `all ${protocol} ports` : undefined;
}

function removedLine(rule: RuleTerms): Line {
  return [{text: '− ', tone: 'danger'}, {text: ruleWords(rule)}];
}

function reachLine(owner: RuleOwner): Line {
  if (!('attachments' in owner)) return [{text: 'Applies to this machine.'}];
  const count = presentIn(owner).length;
  const isWhole = owner.hasUnreadAttachments !== true;
  return [{text: `Applies to ${isWhole ? '' : 'at least '}${formatCounted(count, 'machine')}.`}];
}

type RuleChange = {readonly added: readonly RuleSpec[]; readonly removed: readonly SecurityRule[]};

/** What one confirmation removes on each owner. */
type Removals = readonly {readonly owner: RuleOwner; readonly removed: readonly SecurityRule[]}[];

/**
 * The warnings about a change of rules, and whether it cuts something off: our own session, or outbound traffic. It may
 * be one of several with the same confirmation.
 */
export function ruleChangeRisk(
  owner: RuleOwner,
  {added, removed}: RuleChange,
  known: AssessmentInput,
  removals: Removals = [{owner, removed}],
): AccessRisk {
  const holders = holdersOfOwner(owner, known);
  const staying = lastingRules(owner).filter(rule => !removed.includes(rule));
  const change = {gone: removed, staying: [...staying, ...added]};
  const inForce = staying.filter(isInForce);
  const cut = [
    // What is added is in force before the first rule is removed.
    ...cutOffLines(known, {gone: removed, staying: [...inForce, ...added]}),
    ...outgoingLines(change, holders),
  ];
  const closed = incomingLines(change, holders);
  const closing = removed.filter(
    rule => isOpenToWorld(rule) && ![...staying, ...added].some(each => covers(each, rule)),
  );
  const open = stillOpenLines(owner, closing, removals, known);
  const others = added.length > 0 ? [] : removed.filter(rule => !closing.includes(rule));
  const covered = others.flatMap(rule => coveredLines(rule, inForce, holders));
  const opened = [...worldLines(added), ...added.flatMap(spec => additionLines(spec, staying))];
  return {lines: [...cut, ...closed, ...open, ...covered, ...opened], cutsOff: cut.length > 0};
}

/** Which of them open something to everyone, named if there are several rules. */
function worldLines(added: readonly RuleSpec[]): readonly Line[] {
  const open = new Set(added.filter(isOpenToWorld).map(ruleWords));
  if (open.size === 0) return [];
  const [first] = added;
  const one = first && (portsLeftOpen(first) ?? 'this');
  const what = added.length === 1 ? one : [...open].join(', ');
  return [[{text: `It opens ${what} to the whole internet.`, tone: 'danger'}]];
}

/** The machines to which its rules apply. */
function holdersOfOwner(owner: RuleOwner, {store}: AssessmentInput): readonly RuleHolder[] {
  const firewalls = observedFirewalls(store) ?? [];
  return 'attachments' in owner
    ? holdersOf(owner, {machines: observedMachines(store) ?? [], firewalls})
    : [holderOf(owner, firewalls)];
}

/**
 * What stays open to everyone on the same machines, by other rules of this owner, of theirs or of their other firewalls:
 * also by one that is being removed, and perhaps by one that failed.
 */
function stillOpenLines(
  owner: RuleOwner,
  closing: readonly SecurityRule[],
  removals: Removals,
  {store}: AssessmentInput,
): readonly Line[] {
  if (closing.length === 0) return [];
  const names = machineNames(owner);
  const others = [...(observedMachines(store) ?? []), ...(observedFirewalls(store) ?? [])];
  const open = others.flatMap(other => {
    const machines = [...machineNames(other).keys()].flatMap(id => names.get(id) ?? []);
    if (machines.length === 0) return [];
    const going = removals.find(each => isSameOwner(each.owner, other))?.removed.map(({id}) => id) ?? [];
    return other.rules
      .filter(rule => isOpenToWorld(rule) && !going.includes(rule.id) && closing.some(each => overlaps(rule, each)))
      .map(rule => ({rule, machines, other}));
  });
  const byRule = Map.groupBy(open, ({rule}) => say`${portWords(rule)} ${withState(prefixWords(rule), rule)}`);
  return [...byRule.values()].flatMap(same => {
    const [first] = same;
    if (first === undefined) return [];
    const machines = new Set(same.flatMap(each => each.machines).map(nameInWords));
    const by = [...new Set(same.map(({other}) => allowedBy(other, machines.size)))];
    const where = 'attachments' in owner ? ` on ${listed([...machines])}` : '';
    const allow = `${listed(by)} ${by.length === 1 ? 'allows' : 'allow'} ${withState(prefixWords(first.rule), first.rule)}`;
    const text = `${portWords(first.rule)} ${stayingWords(first.rule)}${where}: ${allow}.`;
    return [[{text, tone: 'warning'} as const]];
  });
}

function stayingWords(rule: SecurityRule): string {
  switch (ruleState(rule)) {
    case 'failed':
      return 'may stay open';
    case 'removing':
      return 'stays open for now';
    default:
      return 'stays open';
  }
}

/** `its own rule` where the line names that machine already. */
function allowedBy(other: RuleOwner, machineCount: number): string {
  const name = `${nameInWords(other.name)} #${other.id}`;
  if ('attachments' in other) return name;
  return machineCount === 1 ? 'its own rule' : `the own rule of ${name}`;
}

/** The machines that its rules apply to, by id. */
function machineNames(owner: RuleOwner): ReadonlyMap<VirtualMachine['id'], SafeText> {
  return 'attachments' in owner
    ? new Map(
        presentIn(owner).flatMap(({machineId, machineName}) =>
          machineId === undefined ? [] : [[machineId, machineName] as const],
        ),
      )
    : new Map([[owner.id, owner.name]]);
}

function coveredLines(
  rule: SecurityRule,
  inForce: readonly SecurityRule[],
  holders: readonly RuleHolder[],
): readonly Line[] {
  const covering = inForce.find(other => covers(other, rule));
  if (covering !== undefined) return [[{text: `${ruleWords(covering)} still allows the same.`, tone: 'warning'}]];
  const isCovered = ({otherRules}: RuleHolder) => otherRules.some(other => isInForce(other) && covers(other, rule));
  if (holders.length === 0 || !holders.every(isCovered)) return [];
  return [[{text: 'Other rules of the same machines still allow the same.', tone: 'warning'}]];
}

function additionLines(spec: RuleSpec, staying: readonly SecurityRule[]): readonly Line[] {
  const wider = staying.filter(rule => covers(rule, spec));
  // A narrow rule is added before the open one that it replaces is removed.
  const covering = wider.find(rule => isOpenToWorld(spec) || !isExposed(rule));
  const until = `${listed(wider.map(ruleWords))} ${wider.length === 1 ? 'is' : 'are'} removed`;
  const effect =
    covering !== undefined
      ? `adds nothing: ${ruleWords(covering)} already allows it`
      : wider.length > 0
        ? `adds nothing until ${until}`
        : undefined;
  const covered = staying.find(rule => covers(spec, rule));
  return [
    ...(effect === undefined ? [] : [[{text: `The new rule ${effect}.`, tone: 'warning'} as const]]),
    ...(covered === undefined ? [] : [[{text: `It makes ${ruleWords(covered)} redundant.`, tone: 'dim'} as const]]),
    ...ruleNotes(spec).map((text): Line => [{text, tone: 'dim'}]),
  ];
}

const READS_OF_MACHINE: readonly Feed<unknown>[] = [firewallsFeed];
const READS_OF_FIREWALL: readonly Feed<unknown>[] = [machinesFeed, firewallsFeed];

const addRuleToMachine = actionOn({
  kind: 'vm.add-rule',
  comparesNames: true,
  parameters: z.object({id: machine, rule: ruleSpec}),
  endpoint: addMachineRule,
  ...ADDING,
  reads: () => READS_OF_MACHINE,
  undo: ({id, rule}, was, is): Inverse | SafeText => {
    const ruleId = addedId(rule, was, is);
    return ruleId === undefined
      ? NO_ID
      : {action: removeRuleFromMachine.with({id, ruleId, rule}), words: removes(rule)};
  },
  commandWords: ({id, rule}) => ['rule', 'add', '--vm', `${id}`, ...ruleOptions(rule)],
});

const addRuleToFirewall = actionOn({
  kind: 'firewall.add-rule',
  parameters: z.object({id: firewall, rule: ruleSpec}),
  endpoint: addFirewallRule,
  ...ADDING,
  reads: () => READS_OF_FIREWALL,
  undo: ({id, rule}, was, is): Inverse | SafeText => {
    const ruleId = addedId(rule, was, is);
    return ruleId === undefined
      ? NO_ID
      : {action: removeRuleFromFirewall.with({id, ruleId, rule}), words: removes(rule)};
  },
  commandWords: ({id, rule}) => ['rule', 'add', '--firewall', `${id}`, ...ruleOptions(rule)],
});

const removeRuleFromMachine = actionOn({
  kind: 'vm.remove-rule',
  comparesNames: true,
  parameters: z.object({id: machine, ruleId: z.number(), rule: ruleTerms}),
  endpoint: removeMachineRule,
  ...REMOVING,
  reads: () => READS_OF_MACHINE,
  undo: ({id, rule: terms}): Inverse | SafeText => {
    const rule = specOf(terms);
    return typeof rule === 'string' ? rule : {action: addRuleToMachine.with({id, rule}), words: adds(rule)};
  },
  commandWords: ({id, ruleId}) => ['rule', 'remove', `${ruleId}`, '--vm', `${id}`],
});

const removeRuleFromFirewall = actionOn({
  kind: 'firewall.remove-rule',
  parameters: z.object({id: firewall, ruleId: z.number(), rule: ruleTerms}),
  endpoint: removeFirewallRule,
  ...REMOVING,
  reads: () => READS_OF_FIREWALL,
  undo: ({id, rule: terms}): Inverse | SafeText => {
    const rule = specOf(terms);
    return typeof rule === 'string' ? rule : {action: addRuleToFirewall.with({id, rule}), words: adds(rule)};
  },
  commandWords: ({id, ruleId}) => ['rule', 'remove', `${ruleId}`, '--firewall', `${id}`],
});

/** The action that adds a rule to a machine or firewall. */
export function addRuleTo(owner: RuleOwner, rule: RuleSpec) {
  return 'attachments' in owner
    ? addRuleToFirewall.with({id: owner.id, rule})
    : addRuleToMachine.with({id: owner.id, rule});
}

export function removeRuleFrom(owner: RuleOwner, ruleId: number, rule: RuleTerms) {
  return 'attachments' in owner
    ? removeRuleFromFirewall.with({id: owner.id, ruleId, rule})
    : removeRuleFromMachine.with({id: owner.id, ruleId, rule});
}

export const RULES = [addRuleToMachine, addRuleToFirewall, removeRuleFromMachine, removeRuleFromFirewall] as const;

const NO_ID = say`the service returned no id for the new rule`;
const UNREADABLE = say`the old rule is not fully known`;

function ruleOptions(rule: RuleSpec): readonly string[] {
  const {portRangeMin: from, portRangeMax: to} = rule;
  const ports = from === undefined ? [] : ['--port', from === to || to === undefined ? `${from}` : `${from}-${to}`];
  const terms = ['--protocol', rule.protocol, '--direction', rule.direction, '--ethertype', rule.etherType];
  return ['--cidr', rule.remoteIpPrefix, ...ports, ...terms];
}

function additionEvidence(added: SecurityRule | undefined, history: History<unknown>): Evidence {
  if (added === undefined) {
    return history.hasSeenTransition ? elsewhere(say`the rule no longer exists`) : UNCHANGED;
  }
  switch (ruleState(added)) {
    case 'in-force':
      return TARGET;
    case 'pending':
    case 'removing':
      return TRANSITION;
    case 'failed':
      return elsewhere(say`the rule is ${added.status ?? say`failed`}`);
    case 'unknown':
      return NOTHING;
  }
}

/** An identical rule that did not exist before. */
function addedRule(
  wanted: RuleTerms,
  rules: readonly SecurityRule[],
  was: RuleOwner | undefined,
): SecurityRule | undefined {
  return rulesSince(rules, was).find(rule => isAlike(rule, wanted));
}

/** Those that did not exist before, as far as their ids tell. */
function rulesSince(rules: readonly SecurityRule[], was: RuleOwner | undefined): readonly SecurityRule[] {
  const known = new Set(was?.rules.flatMap(({id}) => id ?? []));
  return rules.filter(({id}) => id === undefined || !known.has(id));
}

function addedId(rule: RuleTerms, was: RuleOwner, is: RuleOwner): number | undefined {
  return addedRule(rule, is.rules, was)?.id;
}

/** A rule in the form needed to create it again, or why that is impossible. */
function specOf(terms: RuleTerms): RuleSpec | SafeText {
  const {protocol, remoteIpPrefix, portRangeMin, portRangeMax, hasUnreadPorts} = terms;
  const direction = (['ingress', 'egress'] as const).find(each => each === terms.direction?.toLowerCase());
  const etherType = (['IPv4', 'IPv6'] as const).find(each => each.toLowerCase() === terms.etherType?.toLowerCase());
  if (direction === undefined || etherType === undefined) return UNREADABLE;
  if (protocol === undefined || remoteIpPrefix === undefined || hasUnreadPorts === true) return UNREADABLE;
  return {
    direction,
    etherType,
    protocol: safeText(protocol),
    remoteIpPrefix: safeText(remoteIpPrefix),
    ...(portRangeMin === undefined ? {} : {portRangeMin}),
    ...(portRangeMax === undefined ? {} : {portRangeMax}),
  };
}

/** Everything starts with an IPv6 rule for 0.0.0.0/0. No document says whether the service accepts one as well. */
function adds(rule: RuleTerms): SafeText {
  const isOfFamily = parseIpPrefix(rule.remoteIpPrefix ?? '')?.family === rule.etherType;
  return say`adds ${ruleWords(rule)}${isOfFamily ? say`` : say`, if the service accepts it`}`;
}

function removes(rule: RuleTerms): SafeText {
  return say`removes ${ruleWords(rule)}`;
}
