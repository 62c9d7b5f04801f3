import type {Action} from '../domain/action.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import type {RuleSpec} from '../domain/security-rule.ts';
import {requestOf} from './action-requests.ts';

/** The `skydeck` command that does the same. It asks before it sends, and `--dry-run` shows its calls. */
export function commandOf(action: Action): SafeText {
  return commandLine(wordsOf(action) ?? apiWords(action));
}

/** The request as `curl` would send it. The key stays where it is: in the environment of whoever runs the line. */
export function curlOf(action: Action): SafeText {
  const {method, path, body} = requestOf(action);
  const words = ['curl', '--fail-with-body', '--request', method];
  const data = body === undefined ? [] : ['--header', 'content-type: application/json', '--data', JSON.stringify(body)];
  const target = `"$SKYDECK_BASE_URL"${quoted(path)} --header "api_key: $SKYDECK_API_KEY"`;
  return safeText([...words.map(quoted), target, ...data.map(quoted)].join(' '));
}

/** A request that reads, as `curl` would send it. */
export function curlRead(path: string): SafeText {
  return safeText(`curl --fail-with-body "$SKYDECK_BASE_URL"${quoted(path)} --header "api_key: $SKYDECK_API_KEY"`);
}

export function commandLine(words: readonly string[]): SafeText {
  return safeText(['skydeck', ...words.map(quoted)].join(' '));
}

/** The words of the command made for this kind of action; undefined where only the raw call says exactly the same. */
function wordsOf(action: Action): readonly string[] | undefined {
  if (action.kind === 'bucket.delete') return ['bucket', 'delete', action.name, '--region', action.regionName];
  if (!('id' in action)) return undefined;
  const id = `${action.id}`;
  switch (action.kind) {
    case 'vm.hibernate':
      return ['vm', 'hibernate', id, ...(action.retainsIp ? ['--retain-ip'] : [])];
    case 'vm.resize':
      return ['vm', 'resize', id, '--flavor', action.flavorName];
    case 'vm.set-labels':
      return action.labels.some(label => label.includes(','))
        ? undefined
        : ['vm', 'label', id, '--set', action.labels.join(',')];
    case 'vm.attach-ip':
    case 'vm.detach-ip':
      return ['ip', action.kind === 'vm.attach-ip' ? 'attach' : 'detach', id];
    case 'vm.remove-callback':
      return ['callback', 'remove', id];
    case 'vm.request-console':
      return ['console', id];
    case 'vm.request-logs':
      return ['vm', 'logs', id, '--lines', `${action.lineCount}`];
    case 'vm.add-rule':
    case 'firewall.add-rule':
      return ['rule', 'add', ...holderWords(action), ...ruleOptions(action.rule)];
    case 'vm.remove-rule':
    case 'firewall.remove-rule':
      return ['rule', 'remove', `${action.ruleId}`, ...holderWords(action)];
    case 'key-pair.rename':
    case 'environment.rename':
      return [...action.kind.split('.'), id, action.name];
    case 'vm.set-callback':
    case 'vm.attach-volumes':
    case 'vm.detach-volumes':
    case 'vm.set-firewalls':
    case 'firewall.set-attachments':
      return undefined;
    default:
      // Everything else is a verb and an id: `vm stop 7`, `volume delete 9`.
      return [...action.kind.split('.'), id];
  }
}

function holderWords({kind, id}: {readonly kind: string; readonly id: number}): readonly string[] {
  return [kind.startsWith('vm.') ? '--vm' : '--firewall', `${id}`];
}

function ruleOptions(rule: RuleSpec): readonly string[] {
  const {portRangeMin: from, portRangeMax: to} = rule;
  const port = from === undefined ? [] : ['--port', from === to || to === undefined ? `${from}` : `${from}-${to}`];
  const terms = ['--protocol', rule.protocol, '--direction', rule.direction, '--ethertype', rule.etherType];
  return ['--cidr', rule.remoteIpPrefix, ...port, ...terms];
}

function apiWords(action: Action): readonly string[] {
  const {method, path, body} = requestOf(action);
  return ['api', method, path, ...(body === undefined ? [] : ['--body', JSON.stringify(body)]), '--yes'];
}

/** One word of a POSIX shell, whatever stands in it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
