import {checkRule, type RuleNote} from '../domain/check-rule.ts';
import type {RuleHolder} from '../domain/outgoing-traffic.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {
  covers,
  DOCUMENTED_PROTOCOLS,
  hasPorts,
  isOpenToWorld,
  RULE_PRESETS,
  type RuleSpec,
  type RuleTerms,
  ruleWords,
  sameRule,
} from '../domain/security-rule.ts';
import {lastValue} from '../domain/snapshot.ts';
import type {SecurityRule} from '../domain/virtual-machine.ts';
import {protocolsFeed} from '../state/firewalls.ts';
import type {FormField, FormValues} from '../ui/form-field.ts';
import type {Line} from '../ui/text.ts';
import {cutOffLines, outgoingLines} from './access-lines.ts';
import type {ActionOf} from './actions.ts';
import type {Form, FormCheck} from './form.ts';
import type {Known} from './known.ts';
import {type Fact, type Question, typedAnswer} from './question.ts';

/** The object whose rules are changed: a firewall, or a machine with rules of its own. */
export type RuleOwner = {
  readonly id: number;
  readonly name: SafeText;
  readonly rules: readonly SecurityRule[];
  /** Whom a change reaches: `2 machines`, `this machine`. */
  readonly reach: SafeText;
  readonly add: (rule: RuleSpec) => ActionOf<'vm.add-rule' | 'firewall.add-rule'>;
  readonly remove: (ruleId: number, rule: RuleTerms) => ActionOf<'vm.remove-rule' | 'firewall.remove-rule'>;
  /** The path of its rules, for the line that tells which calls are made. */
  readonly path: string;
  /** The machines that its rules hold for. */
  readonly holders: readonly RuleHolder[];
};

const EMPTY: FormValues = {
  preset: 'none',
  direction: 'ingress',
  protocol: 'tcp',
  etherType: 'IPv4',
  ports: '',
  prefix: '',
};

/** A new rule by form, checked as it is typed. */
export function addRuleForm(owner: RuleOwner, known: Known): Form {
  return {
    title: say`new rule on ${owner.name}  #${owner.id}`,
    fields: fields(EMPTY, known),
    check: values => check(values, owner, undefined, known),
  };
}

/** A rule changed: the interface knows no change, so the new one is added before the old one is removed. */
export function editRuleForm(owner: RuleOwner, rule: SecurityRule, known: Known): Form {
  return {
    title: say`edit rule on ${owner.name}  #${owner.id}`,
    fields: fields(valuesOf(rule), known),
    check: values => check(values, owner, rule, known),
  };
}

export function removeRuleQuestion(owner: RuleOwner, rule: SecurityRule, ruleId: number, known: Known): Question {
  const {lines: care, cutsOff} = ruleChangeCare({added: [], removed: [rule], ...owner}, known);
  return {
    title: say`remove rule on ${owner.name}  #${owner.id}`,
    facts: [
      {label: 'What happens', lines: [[{text: '− ', tone: 'danger'}, {text: ruleWords(rule)}]]},
      {label: 'Reaches', lines: [[{text: owner.reach}]]},
      ...(care.length === 0 ? [] : [{label: 'Needs care', lines: care}]),
      calls(`1: DELETE ${owner.path}/${ruleId}`),
      {label: 'Undo', lines: [[{text: 'add it again (n)'}]]},
    ],
    answer: cutsOff ? typedAnswer(owner.name, owner.id) : {kind: 'key'},
    alternatives: [],
    steps: [{action: owner.remove(ruleId, rule), subjectName: owner.name}],
  };
}

/**
 * What a change of rules deserves to be looked at for, wherever it comes from, and whether it cuts something off: our
 * own session, or what the machines send out.
 */
export function ruleChangeCare(
  {
    added,
    removed,
    rules,
    holders,
  }: {
    readonly added: readonly RuleSpec[];
    readonly removed: readonly SecurityRule[];
    readonly rules: readonly SecurityRule[];
    readonly holders: readonly RuleHolder[];
  },
  known: Known,
): {readonly lines: readonly Line[]; readonly cutsOff: boolean} {
  const staying = rules.filter(rule => !removed.includes(rule));
  const change = {gone: removed, staying: [...staying, ...added]};
  const cut = [...cutOffLines(known, change), ...outgoingLines(change, holders)];
  const covered = added.length > 0 ? [] : removed.flatMap(rule => coveredLines(rule, staying, holders));
  return {lines: [...cut, ...covered, ...added.flatMap(spec => noteLines(spec, [], staying))], cutsOff: cut.length > 0};
}

function coveredLines(
  rule: SecurityRule,
  staying: readonly SecurityRule[],
  holders: readonly RuleHolder[],
): readonly Line[] {
  const covering = staying.find(other => covers(other, rule));
  if (covering === undefined) {
    const isCovered = ({otherRules}: RuleHolder) => otherRules.some(other => covers(other, rule));
    if (holders.length === 0 || !holders.every(isCovered)) return [];
    return [[{text: 'What it allows stays allowed by other rules of the same machines.', tone: 'warning'}]];
  }
  return [[{text: `What it allows stays allowed by ${ruleWords(covering)}.`, tone: 'warning'}]];
}

function fields(initial: FormValues, known: Known): readonly FormField[] {
  const protocols = protocolsOf(known);
  return [
    {
      key: 'preset',
      label: 'preset',
      initial: initial.preset ?? 'none',
      choices: ['none', ...RULE_PRESETS.map(({name}) => name)],
      fills: presetFills,
      hint: 'fills in the ports',
    },
    {key: 'direction', label: 'direction', initial: initial.direction ?? '', choices: ['ingress', 'egress']},
    {key: 'protocol', label: 'protocol', initial: initial.protocol ?? '', choices: protocols},
    {key: 'etherType', label: 'ethertype', initial: initial.etherType ?? '', choices: ['IPv4', 'IPv6']},
    {key: 'prefix', label: 'CIDR', initial: initial.prefix ?? '', hint: '0.0.0.0/0 is everyone'},
    {key: 'ports', label: 'ports', initial: initial.ports ?? '', hint: '22, or 8000-8100; empty for all'},
  ];
}

function presetFills(choice: string): FormValues {
  const preset = RULE_PRESETS.find(({name}) => name === choice);
  return preset === undefined ? {} : {direction: 'ingress', protocol: 'tcp', ports: String(preset.port)};
}

function valuesOf(rule: SecurityRule): FormValues {
  const {portRangeMin: from, portRangeMax: to} = rule;
  const ports =
    from === undefined || !hasPorts(rule.protocol ?? '')
      ? ''
      : from === to || to === undefined
        ? `${from}`
        : `${from}-${to}`;
  return {
    preset: 'none',
    direction: rule.direction ?? 'ingress',
    protocol: rule.protocol ?? 'tcp',
    etherType: rule.etherType ?? 'IPv4',
    prefix: rule.remoteIpPrefix ?? '',
    ports,
  };
}

function protocolsOf({store}: Known): readonly SafeText[] {
  return lastValue(store.get(protocolsFeed))?.records ?? DOCUMENTED_PROTOCOLS;
}

/** The field of the form that shows a mistake of the rule. */
const FORM_FIELDS: Readonly<Record<string, string>> = {
  remoteIpPrefix: 'prefix',
  portRangeMin: 'ports',
  portRangeMax: 'ports',
};

function check(values: FormValues, owner: RuleOwner, replaced: SecurityRule | undefined, known: Known): FormCheck {
  const ports = values.ports ?? '';
  const [from, to, ...rest] = ports.split('-');
  // What is neither a port nor a range goes to the check whole, which then says what is wrong with it.
  const isRange = rest.length === 0;
  const checked = checkRule(
    {
      direction: values.direction,
      protocol: values.protocol,
      etherType: values.etherType,
      remoteIpPrefix: values.prefix,
      portRangeMin: isRange ? (from?.trim() ?? '') : ports,
      portRangeMax: isRange ? ((to ?? from)?.trim() ?? '') : ports,
    },
    protocolsOf(known),
  );
  if (!checked.ok) {
    const mistakes = checked.mistakes.map(({field, mistake}) => [FORM_FIELDS[field] ?? field, mistake] as const);
    return {mistakes: Object.fromEntries(mistakes), notes: [], question: undefined};
  }
  const {spec} = checked;
  if (replaced !== undefined && sameRule(replaced, spec)) {
    return {mistakes: {}, notes: [[{text: 'Nothing is changed yet.', tone: 'dim'}]], question: undefined};
  }
  if (owner.rules.some(rule => sameRule(rule, spec))) {
    return {mistakes: {prefix: 'The same rule is already there.'}, notes: [], question: undefined};
  }
  const staying = owner.rules.filter(rule => rule !== replaced);
  const change = {gone: replaced === undefined ? [] : [replaced], staying: [...staying, spec]};
  const cut = [...cutOffLines(known, change), ...outgoingLines(change, owner.holders)];
  const notes = [...cut, ...noteLines(spec, checked.notes, staying)];
  const asked = question(spec, notes, owner, replaced);
  const answer = cut.length === 0 ? asked.answer : typedAnswer(owner.name, owner.id);
  return {mistakes: {}, notes, question: {...asked, answer}};
}

function noteLines(spec: RuleSpec, notes: readonly RuleNote[], staying: readonly SecurityRule[]): readonly Line[] {
  const covering = staying.find(rule => covers(rule, spec));
  const covered = staying.find(rule => covers(spec, rule));
  return [
    ...(isOpenToWorld(spec) ? [[{text: 'It opens this to the whole world.', tone: 'danger'} as const]] : []),
    ...(covering === undefined
      ? []
      : [[{text: `It adds nothing: ${ruleWords(covering)} allows it already.`, tone: 'warning'} as const]]),
    ...(covered === undefined ? [] : [[{text: `It makes ${ruleWords(covered)} superfluous.`, tone: 'dim'} as const]]),
    ...notes.map(({note}): Line => [{text: note, tone: 'dim'}]),
  ];
}

function question(
  spec: RuleSpec,
  notes: readonly Line[],
  owner: RuleOwner,
  replaced: SecurityRule | undefined,
): Question {
  const added: Line = [{text: '+ ', tone: 'good'}, {text: ruleWords(spec)}];
  const shared = {answer: {kind: 'key'}, alternatives: []} as const;
  const care: readonly Fact[] = notes.length === 0 ? [] : [{label: 'Needs care', lines: notes}];
  const add = {action: owner.add(spec), subjectName: owner.name};
  const replacedId = replaced?.id;
  if (replaced === undefined || replacedId === undefined) {
    return {
      ...shared,
      title: say`add rule on ${owner.name}  #${owner.id}`,
      facts: [
        {label: 'What happens', lines: [added]},
        {label: 'Reaches', lines: [[{text: owner.reach}]]},
        ...care,
        calls(`1: POST ${owner.path}`),
        {label: 'Undo', lines: [[{text: 'remove it again (X)'}]]},
      ],
      steps: [add],
    };
  }
  const removed: Line = [{text: '− ', tone: 'danger'}, {text: ruleWords(replaced)}];
  return {
    ...shared,
    title: say`edit rule on ${owner.name}  #${owner.id}`,
    facts: [
      {label: 'What happens', lines: [added, removed]},
      {label: 'Reaches', lines: [[{text: owner.reach}]]},
      ...care,
      calls(`2: POST ${owner.path}, once it holds DELETE ${owner.path}/${replacedId}`),
      {label: 'If 2 fails', lines: [[{text: 'both rules stay, and you are told'}]]},
      {label: 'Undo', lines: [[{text: 'edit it back (i)'}]]},
    ],
    steps: [
      {...add, ifNotDone: say`${owner.name}: the new rule does not hold, the old one was not touched`},
      {
        action: owner.remove(replacedId, replaced),
        subjectName: owner.name,
        ifNotDone: say`${owner.name}: both rules stand now, X removes the old one`,
      },
    ],
  };
}

function calls(text: string): Fact {
  const count = text.startsWith('1:') ? 'sent once and never repeated' : 'each sent once and never repeated';
  return {label: 'Calls', lines: [[{text: safeText(text)}], [{text: count, tone: 'dim'}]]};
}

/** Why a rule cannot be changed by the form; undefined where it can. */
export function editReason(rule: SecurityRule): SafeText | undefined {
  if (rule.portRangeMin === undefined || hasPorts(rule.protocol ?? '') || rule.protocol === 'any') return undefined;
  return say`it has a type or a code that the form does not know; remove it (X) and add another (n)`;
}
