import {test} from 'vitest';
import {describeCommand} from '../../src/cli/commands/describe.ts';
import {metricsCommand} from '../../src/cli/commands/metrics.ts';
import {sshCommand} from '../../src/cli/commands/ssh.ts';
import {actionGroup} from '../../src/cli/operations/action-commands.ts';
import {type Tried, tryOutputs} from './hostile-account.ts';

// A file of its own, so that the whole sweep takes both processors half of the time.

const PATIENT = {timeout: 4 * 60 * 60_000};

const OF_ONE: readonly Tried[] = [
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

test('nothing printed of one record is obeyed by a terminal, whatever the texts of the account are', PATIENT, () =>
  tryOutputs(OF_ONE),
);
