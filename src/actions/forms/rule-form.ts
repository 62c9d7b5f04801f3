import type {Action} from '../../domain/action.ts';
import {checkRule, OWN_ADDRESS_WORD} from '../../domain/check-rule.ts';
import {ruleState} from '../../domain/firewall.ts';
import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import {
  DOCUMENTED_PROTOCOLS,
  hasPorts,
  isOpenToWorld,
  RULE_PRESETS,
  type RuleSpec,
  rangeText,
  ruleWords,
  sameRule,
} from '../../domain/security-rule.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {SecurityRule} from '../../domain/virtual-machine.ts';
import {protocolsFeed} from '../../state/firewalls.ts';
import type {PlanStep} from '../../state/operations/plan.ts';
import type {FormField, FormValues} from '../../ui/form-field.ts';
import type {Line} from '../../ui/text.ts';
import {candidate, questionFor} from '../question/question-for.ts';
import {type Form, type FormCheck, NOTHING_CHANGED} from './form.ts';
import {KEYS} from '../keys.ts';
import {type AssessmentInput, ownAddress, ownAddressHint} from '../question/assessment-input.ts';
import {modeOf, type Question} from '../question/question.ts';
import {
  addRuleTo,
  notInForceReason,
  ownersInWords,
  removeRuleFrom,
  ruleChangeRisk,
  type RuleOwner,
  sameRuleOf,
} from '../rules.ts';

const EMPTY: FormValues = {
  preset: 'none',
  direction: 'ingress',
  protocol: 'tcp',
  etherType: 'IPv4',
  ports: '',
  prefix: '',
};

/** A form for a new rule, checked while it is typed. */
export function addRuleForm(owner: RuleOwner, known: AssessmentInput): Form {
  return {
    title: say`new rule on ${nameInWords(owner.name)}  #${owner.id}`,
    fields: fields(EMPTY, known),
    check: values => check(values, owner, undefined, known),
  };
}

/** Changes a rule: the interface cannot do that, so the new rule is added before the old one is removed. */
export function editRuleForm(owner: RuleOwner, rule: SecurityRule, known: AssessmentInput): Form {
  return {
    title: say`edit rule on ${nameInWords(owner.name)}  #${owner.id}`,
    fields: fields(valuesOf(rule), known),
    check: values => check(values, owner, rule, known),
  };
}

/** The same for a rule that is open to the world: only the address of those who need it is to be filled in. */
function narrowRuleForm(owner: RuleOwner, rule: SecurityRule, known: AssessmentInput): Form {
  const form = editRuleForm(owner, rule, known);
  return {
    ...form,
    fields: fields({...valuesOf(rule), prefix: ''}, known),
    startsAt: 'prefix',
    check: values => {
      const checked = check(values, owner, rule, known, {isNarrowing: true});
      return checked.question === undefined ? {...checked, notes: [...checked.notes, narrowLine(rule)]} : checked;
    },
  };
}

/** The rules of one machine or firewall that let everybody in. */
export type OpenRules = {readonly owner: RuleOwner; readonly rules: readonly SecurityRule[]};

/** The same for several rules, on one owner or on more: each is replaced by itself with the one address typed here. */
export function narrowRulesForm(open: readonly OpenRules[], known: AssessmentInput): Form | undefined {
  const all = open.flatMap(({owner, rules}) => rules.map(rule => ({owner, rule})));
  const [first, ...others] = all;
  if (first === undefined) return undefined;
  if (others.length === 0) return narrowRuleForm(first.owner, first.rule, known);
  return {
    title: say`edit ${all.length} rules on ${ownersInWords(open.map(({owner}) => owner))}`,
    fields: [prefixField('', known)],
    check: ({prefix = ''}) => checkAll(prefix, open, known),
  };
}

function narrowLines(open: readonly OpenRules[]): readonly Line[] {
  return [
    ...open.map(({owner, rules}): Line => {
      const words = rules.map(ruleWords).join(', ');
      return [{text: `Now on ${nameInWords(owner.name)}: ${words}.`, tone: 'dim'}];
    }),
    [{text: 'Each is replaced in turn: its new rule is added first, then the old one is removed.', tone: 'dim'}],
  ];
}

function checkAll(prefix: string, open: readonly OpenRules[], known: AssessmentInput): FormCheck {
  const refused = (mistake: string): FormCheck => ({
    mistakes: {prefix: mistake},
    notes: [...ownAddressLines(known), ...narrowLines(open)],
    question: undefined,
  });
  const replacements: Replacement[] = [];
  for (const {owner, rules} of open) {
    const specs: RuleSpec[] = [];
    for (const removed of rules) {
      // The address decides the family: an address of one family replaces the open rules of both.
      const {etherType: _, ...typed} = typedRule({...valuesOf(removed), prefix});
      const checked = checkRule(typed, {protocols: protocolsOf(known), ownAddress: ownAddress(known)});
      if (!checked.ok) return refused(firstMistake(checked.mistakes, removed));
      const {spec} = checked;
      if (isOpenToWorld(spec)) return refused('That is the whole internet.');
      if (!hasId(removed)) return refused(noIdMistake(removed));
      const there = sameRuleOf(owner, spec);
      if (there !== undefined && ruleState(there) !== 'in-force') {
        const reason = notInForceReason(there) ?? 'is there already, but its state is unknown';
        return refused(`${ruleWords(there)} ${reason}.`);
      }
      const isNew = there === undefined && !specs.some(each => sameRule(each, spec));
      if (isNew) specs.push(spec);
      replacements.push({owner, removed, spec, isNew});
    }
  }
  const question = replacementQuestion(replacements, known);
  if (question === undefined) return refused('These rules are there already; mark firewalls or machines, not both.');
  const removals = open.map(({owner, rules}) => ({owner, removed: rules}));
  const notes = removals.flatMap(
    ({owner, removed}) => ruleChangeRisk(owner, {added: addedTo(owner, replacements), removed}, known, removals).lines,
  );
  return {mistakes: {}, notes, question};
}

function firstMistake(mistakes: readonly {readonly field: string; readonly mistake: string}[], rule: SecurityRule) {
  const own = mistakes.find(({field}) => field === 'remoteIpPrefix');
  return own?.mistake ?? `${ruleWords(rule)}: ${mistakes[0]?.mistake ?? 'not valid'}`;
}

function addedTo(owner: RuleOwner, replacements: readonly Replacement[]): readonly RuleSpec[] {
  return replacements.flatMap(each => (each.owner === owner && each.isNew ? [each.spec] : []));
}

function narrowLine(rule: SecurityRule): Line {
  const text = `Now ${ruleWords(rule)}. The new rule is added first, then this one is removed; ${KEYS.remove} in the list of rules only removes it.`;
  return [{text, tone: 'dim'}];
}

function fields(initial: FormValues, known: AssessmentInput): readonly FormField[] {
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
    {key: 'protocol', label: 'protocol', initial: initial.protocol ?? '', choices: protocolsOf(known)},
    {key: 'etherType', label: 'ethertype', initial: initial.etherType ?? '', choices: ['IPv4', 'IPv6']},
    prefixField(initial.prefix ?? '', known),
    {key: 'ports', label: 'ports', initial: initial.ports ?? '', hint: '22 or 80-90; empty: all'},
  ];
}

function prefixField(initial: string, known: AssessmentInput): FormField {
  return {key: 'prefix', label: 'CIDR', initial, hint: ownAddressHint(known) ?? 'a network or an address'};
}

function presetFills(choice: string): FormValues {
  const preset = RULE_PRESETS.find(({name}) => name === choice);
  return preset === undefined ? {} : {direction: 'ingress', protocol: 'tcp', ports: String(preset.port)};
}

function valuesOf(rule: SecurityRule): FormValues {
  const ports = hasPorts(rule.protocol ?? '') ? (rangeText(rule) ?? '') : '';
  return {
    preset: 'none',
    direction: rule.direction ?? 'ingress',
    protocol: rule.protocol ?? 'tcp',
    etherType: rule.etherType ?? 'IPv4',
    prefix: rule.remoteIpPrefix ?? '',
    ports,
  };
}

function protocolsOf({store}: AssessmentInput): readonly SafeText[] {
  return lastValue(store.get(protocolsFeed))?.records ?? DOCUMENTED_PROTOCOLS;
}

/** The form field in which an error of the rule is shown. */
const FORM_FIELDS: Readonly<Record<string, string>> = {
  remoteIpPrefix: 'prefix',
  portRangeMin: 'ports',
  portRangeMax: 'ports',
};

function check(
  values: FormValues,
  owner: RuleOwner,
  replaced: SecurityRule | undefined,
  known: AssessmentInput,
  {isNarrowing = false} = {},
): FormCheck {
  const checked = checkRule(typedRule(values), {protocols: protocolsOf(known), ownAddress: ownAddress(known)});
  if (!checked.ok) {
    const mistakes = checked.mistakes.map(({field, mistake}) => [FORM_FIELDS[field] ?? field, mistake] as const);
    return {mistakes: Object.fromEntries(mistakes), notes: ownAddressLines(known), question: undefined};
  }
  const {spec} = checked;
  if (replaced !== undefined && sameRule(replaced, spec)) {
    return NOTHING_CHANGED;
  }
  if (replaced !== undefined && !hasId(replaced)) {
    return {mistakes: {prefix: noIdMistake(replaced)}, notes: [], question: undefined};
  }
  const there = sameRuleOf(owner, spec);
  if (isNarrowing && replaced !== undefined && there !== undefined && ruleState(there) === 'in-force') {
    const {lines} = ruleChangeRisk(owner, {added: [], removed: [replaced]}, known);
    const question = replacementQuestion([{owner, removed: replaced, spec, isNew: false}], known);
    return {mistakes: {}, notes: [...lines, ALREADY_NARROWED], question};
  }
  if (there !== undefined) {
    const way = replaced === undefined ? 'nothing to add' : 'remove this one instead';
    const reason = notInForceReason(there) ?? `is already there: ${way}`;
    return {mistakes: {prefix: `The same rule ${reason}.`}, notes: [], question: undefined};
  }
  const removed = replaced === undefined ? [] : [replaced];
  const {lines: notes} = ruleChangeRisk(owner, {added: [spec], removed}, known);
  return {mistakes: {}, notes, question: questionOf(spec, owner, replaced, known)};
}

const ALREADY_NARROWED: Line = [{text: 'The same rule is already there: this one is only removed.', tone: 'dim'}];

/** The error of an empty field replaces its hint. */
function ownAddressLines(known: AssessmentInput): readonly Line[] {
  const hint = ownAddressHint(known);
  const text =
    hint === undefined
      ? `CIDR: an address or a network, e.g. 203.0.113.7/32; ${OWN_ADDRESS_WORD} works only in an SSH session`
      : `CIDR: ${hint}, your own public address`;
  return [[{text, tone: 'dim'}]];
}

function typedRule({direction, protocol, etherType, prefix, ports = ''}: FormValues) {
  const [from, to, ...rest] = ports.split('-');
  // Text that is neither a port nor a range is passed to the check unchanged, which then says what is wrong.
  const isRange = rest.length === 0;
  return {
    direction,
    protocol,
    etherType,
    remoteIpPrefix: prefix,
    portRangeMin: isRange ? (from?.trim() ?? '') : ports,
    portRangeMax: isRange ? ((to ?? from)?.trim() ?? '') : ports,
  };
}

function questionOf(
  spec: RuleSpec,
  owner: RuleOwner,
  replaced: RemovableRule | undefined,
  known: AssessmentInput,
): Question | undefined {
  return replaced === undefined
    ? questionFor([candidate(addRuleTo(owner, spec), owner, known)], known)
    : replacementQuestion([{owner, removed: replaced, spec, isNew: true}], known);
}

/** A rule is removed by its id. */
type RemovableRule = SecurityRule & {readonly id: number};

function hasId(rule: SecurityRule): rule is RemovableRule {
  return rule.id !== undefined;
}

function noIdMistake(rule: SecurityRule): string {
  return `The service gave ${ruleWords(rule)} no id, so it cannot be replaced.`;
}

/** A rule that takes the place of another. It is not added if it is in force already, or replaces several. */
type Replacement = {
  readonly owner: RuleOwner;
  readonly removed: RemovableRule;
  readonly spec: RuleSpec;
  readonly isNew: boolean;
};

/** One rule after the other: each new one is added, and its old one removed once the new one is in force. */
function replacementQuestion(replacements: readonly Replacement[], known: AssessmentInput): Question | undefined {
  const planned = replacements.flatMap(({owner, removed, spec, isNew}, index) => {
    const name = nameInWords(owner.name);
    const isOne = replacements.length === 1;
    const [which, old] = isOne ? [say`the new rule`, say`the old one`] : [ruleWords(spec), ruleWords(removed)];
    const rest = isOne ? say`` : say`; ${index} of ${replacements.length} rules are replaced`;
    const add = {
      action: addRuleTo(owner, spec),
      ifNotDone: say`${name}: ${which} is not in force, ${old} is unchanged${rest}`,
    };
    const both = isOne
      ? say`both rules are there now, ${KEYS.remove} in the list of rules removes the old one`
      : say`${old} is still there`;
    const remove = {action: removeRuleFrom(owner, removed.id, removed), ifNotDone: say`${name}: ${both}${rest}`};
    return [...(isNew ? [{...add, owner}] : []), {...remove, owner}];
  });
  const question = questionFor(
    planned.map(({action, owner}) => candidate(action, owner, known)),
    known,
  );
  if (question === undefined || question.steps.length < 2 || modeOf(question) === 'batch') return question;
  const words = new Map<Action, SafeText>(planned.map(({action, ifNotDone}) => [action, ifNotDone]));
  const withWords = (step: PlanStep): PlanStep => {
    const ifNotDone = words.get(step.action);
    return ifNotDone === undefined ? step : {...step, ifNotDone};
  };
  const [first, ...others] = question.steps;
  return {...question, steps: [withWords(first), ...others.map(withWords)]};
}

/** Why a rule cannot be changed by the form; undefined if it can. */
export function editReason(rule: SecurityRule): SafeText | undefined {
  if (ruleState(rule) === 'removing') return say`it is being removed: ${KEYS.create} adds another`;
  if (rule.hasUnreadPorts === true) return say`its ports could not be read`;
  if (rule.portRangeMin === undefined || hasPorts(rule.protocol ?? '') || rule.protocol === 'any') return undefined;
  return say`it has a type or a code that the form does not know; remove it (X) and add another (n)`;
}
