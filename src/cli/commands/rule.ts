import type {Unplanned} from '../../actions/define.ts';
import {addRuleTo, mayHaveOtherRules, removeRuleFrom, type RuleOwner, UNREAD_RULES} from '../../actions/rules.ts';
import type {Action} from '../../domain/action.ts';
import {nameInWords, safeText, say} from '../../domain/safe-text.ts';
import {RULE_PRESETS} from '../../domain/security-rule.ts';
import {idOf} from '../../resources/find.ts';
import type {Reader} from '../../resources/listing.ts';
import {findFirewall} from './firewall.ts';
import {type OperationCommand, operationCommand, operationGroup} from '../operations/operation.ts';
import {findMachine, type FoundRecord, mistaken, type Planned, planned, plannedOn} from '../operations/plan.ts';
import {ruleContextOf, type RuleFlags, ruleOf} from '../operations/rule-words.ts';

type OwnerFlags = {readonly firewall?: string; readonly vm?: string};

const add: OperationCommand<OwnerFlags & RuleFlags> = {
  name: 'add',
  summary: `add a rule to a firewall or to one machine; a preset fills in the port: ${RULE_PRESETS.map(({name}) => name).join(', ')}`,
  arguments: '[preset]',
  options: command =>
    command
      .option('--firewall <firewall>', 'the firewall')
      .option('--vm <vm>', 'the machine')
      .option(
        '--cidr <network>',
        'a network or an address, e.g. 10.0.0.0/8; "me" is the public address that your SSH session comes from',
      )
      .option('--port <port>', 'a port or a range, e.g. 22 or 8000-8100; default all')
      .option('--protocol <protocol>', 'one of skydeck get protocols; default tcp')
      .option('--direction <direction>', 'ingress or egress; default ingress')
      .option('--ethertype <type>', 'IPv4 or IPv6; default by the network'),
  plan: async ({reader, words, flags, io}) => {
    const outcome = ruleOf(flags, words[0], await ruleContextOf(reader, io.environment));
    return outcome.ok ? planOn(reader, flags, owner => addRuleTo(owner, outcome.spec)) : mistaken(outcome.mistake);
  },
};

const remove: OperationCommand<OwnerFlags> = {
  name: 'remove',
  summary: 'remove a rule, by its id in skydeck get rules',
  arguments: '<rule-id>',
  options: command => command.option('--firewall <firewall>', 'the firewall').option('--vm <vm>', 'the machine'),
  plan: ({reader, words, flags}) =>
    planOn(reader, flags, owner => {
      const ruleId = idOf(words[0] ?? '');
      const rule = owner.rules.find(({id}) => id === ruleId);
      if (ruleId !== undefined && rule !== undefined) return removeRuleFrom(owner, ruleId, rule);
      const [name, wanted] = [say`${nameInWords(owner.name)} #${owner.id}`, safeText(words[0] ?? '')];
      if (mayHaveOtherRules(owner)) {
        const detail = say`whether ${name} has a rule ${wanted} is not known: ${UNREAD_RULES}`;
        return {failure: {kind: 'incomplete', detail}};
      }
      return {failure: {kind: 'not-found', message: say`${name} has no rule ${wanted}`, isSoughtInList: true}};
    }),
};

async function planOn(
  reader: Reader,
  {firewall, vm}: OwnerFlags,
  actionOn: (owner: RuleOwner) => Action | Unplanned,
): Promise<Planned> {
  if ((firewall === undefined) === (vm === undefined)) return mistaken(say`needs either --firewall or --vm`);
  const found: FoundRecord<RuleOwner> =
    firewall === undefined ? await findMachine(reader, vm ?? '') : await findFirewall(reader, firewall);
  if (!found.ok) return found;
  const action = actionOn(found.value);
  return 'kind' in action ? planned(plannedOn(action, found.value)) : {ok: false, ...action};
}

/** `skydeck rule`: one rule of a firewall or a machine. */
export const ruleCommand = operationGroup('rule', [operationCommand(add), operationCommand(remove)]);
