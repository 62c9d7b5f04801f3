import {ruleState} from '../domain/firewall.ts';
import {hasPorts, isExposed, isOpenToWorld, prefixWords, ruleWords} from '../domain/security-rule.ts';
import type {SecurityRule} from '../domain/virtual-machine.ts';
import type {TableColumn} from '../ui/table.ts';
import type {Line} from '../ui/text.ts';
import type {Theme, Tone} from '../ui/theme.ts';

/** A rule in a list; rules of one owner that say the same are told apart by their id. */
export type RuleRow = {readonly rule: SecurityRule; readonly key: string};

/** The rules of a firewall or of a machine: what comes in before what goes out, and what is open to the world first. */
export function ruleRows(rules: readonly SecurityRule[]): readonly RuleRow[] {
  return rules
    .map(rule => ({rule, key: `${rule.id ?? ''} ${ruleWords(rule)} ${rule.etherType ?? ''}`}))
    .sort((left, right) => rankOf(left.rule) - rankOf(right.rule) || (left.rule.id ?? 0) - (right.rule.id ?? 0));
}

export function ruleKey({key}: RuleRow): string {
  return key;
}

function rankOf(rule: SecurityRule): number {
  if (isExposed(rule)) return 0;
  return rule.direction?.toLowerCase() === 'egress' ? 2 : 1;
}

export const RULE_COLUMNS: readonly TableColumn<RuleRow>[] = [
  {key: 'direction', title: 'DIR', minWidth: 7, cell: ({rule}) => [{text: rule.direction ?? '–'}]},
  {
    key: 'protocol',
    title: 'PROTO',
    minWidth: 5,
    maxWidth: 12,
    flex: 1,
    cell: ({rule}) => [{text: rule.protocol ?? '–'}],
  },
  {key: 'ports', title: 'PORTS', minWidth: 9, maxWidth: 11, flex: 1, cell: ({rule}) => [{text: portsText(rule)}]},
  {key: 'prefix', title: 'CIDR', minWidth: 17, maxWidth: 43, flex: 2, cell: prefixCell},
  {
    key: 'ether',
    title: 'ETHER',
    minWidth: 5,
    priority: 2,
    cell: ({rule}) => [{text: rule.etherType ?? '–', tone: 'dim'}],
  },
  {key: 'state', title: 'STATE', minWidth: 8, priority: 1, cell: ruleStateCell},
  // As wide as its longest word, since half of it would say something else.
  {key: 'risk', title: 'RISK', minWidth: 13, cell: riskCell},
];

function portsText({portRangeMin: from, portRangeMax: to}: SecurityRule): string {
  if (from === undefined) return 'all';
  return from === to || to === undefined ? String(from) : `${from}-${to}`;
}

function prefixCell({rule}: RuleRow): Line {
  return [{text: prefixWords(rule), tone: isOpenToWorld(rule) ? 'warning' : 'text'}];
}

const RULE_TONES: Readonly<Record<ReturnType<typeof ruleState>, Tone>> = {
  pending: 'notice',
  'in-force': 'good',
  failed: 'danger',
  unknown: 'notice',
};

function ruleStateCell({rule}: RuleRow): Line {
  return [{text: rule.status ?? 'unknown', tone: RULE_TONES[ruleState(rule)]}];
}

function riskCell({rule}: RuleRow, _width: number, theme: Theme): Line {
  if (!isOpenToWorld(rule)) return [];
  if (isExposed(rule)) return [{text: `${theme.glyphs.warning} open to all`, tone: 'warning'}];
  return [{text: hasPorts(rule.protocol ?? '') ? 'open (web)' : 'open (ping)', tone: 'dim'}];
}
