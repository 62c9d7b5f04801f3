import {checkRule, OWN_ADDRESS_WORD} from '../../domain/check-rule.ts';
import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import {
  DOCUMENTED_PROTOCOLS,
  hasPorts,
  RULE_PRESETS,
  type RuleSpec,
  ruleWords,
  sameRule,
} from '../../domain/security-rule.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {SecurityRule} from '../../domain/virtual-machine.ts';
import {protocolsFeed} from '../../state/firewalls.ts';
import type {FormField, FormValues} from '../../ui/form-field.ts';
import type {Line} from '../../ui/text.ts';
import {candidate, questionFor} from '../question-for.ts';
import {type Form, type FormCheck, NOTHING_CHANGED} from './form.ts';
import {KEYS} from '../keys.ts';
import {type AssessmentInput, ownAddress, ownAddressHint} from '../assessment-input.ts';
import type {Question} from '../question.ts';
import {addRuleTo, removeRuleFrom, ruleChangeRisk, type RuleOwner} from '../rules.ts';

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
export function narrowRuleForm(owner: RuleOwner, rule: SecurityRule, known: AssessmentInput): Form {
  const form = editRuleForm(owner, rule, known);
  return {
    ...form,
    fields: fields({...valuesOf(rule), prefix: ''}, known),
    startsAt: 'prefix',
    check: values => {
      const checked = form.check(values);
      return checked.question === undefined ? {...checked, notes: [...checked.notes, narrowLine(rule)]} : checked;
    },
  };
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
    {
      key: 'prefix',
      label: 'CIDR',
      initial: initial.prefix ?? '',
      hint: ownAddressHint(known) ?? 'a network or an address',
    },
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
  if (owner.rules.some(rule => sameRule(rule, spec))) {
    return {mistakes: {prefix: 'The same rule is already there.'}, notes: [], question: undefined};
  }
  const removed = replaced === undefined ? [] : [replaced];
  const {lines: notes} = ruleChangeRisk(owner, {added: [spec], removed}, known);
  return {mistakes: {}, notes, question: questionOf(spec, owner, replaced, known)};
}

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
  replaced: SecurityRule | undefined,
  known: AssessmentInput,
): Question | undefined {
  const add = candidate(addRuleTo(owner, spec), owner, known);
  if (replaced?.id === undefined) return questionFor([add], known);
  const question = questionFor([add, candidate(removeRuleFrom(owner, replaced.id, replaced), owner, known)], known);
  if (question === undefined) return undefined;
  const [first, ...others] = question.steps;
  const {name} = owner;
  return {
    ...question,
    steps: [
      {...first, ifNotDone: say`${nameInWords(name)}: the new rule is not in force, the old one is unchanged`},
      ...others.map(step => ({
        ...step,
        ifNotDone: say`${nameInWords(name)}: both rules are there now, ${KEYS.remove} removes the old one`,
      })),
    ],
  };
}

/** Why a rule cannot be changed by the form; undefined if it can. */
export function editReason(rule: SecurityRule): SafeText | undefined {
  if (rule.portRangeMin === undefined || hasPorts(rule.protocol ?? '') || rule.protocol === 'any') return undefined;
  return say`it has a type or a code that the form does not know; remove it (X) and add another (n)`;
}
