import {beforeEach, describe, expect, test} from 'vitest';
import {operationRequests} from '../support/colleague.ts';
import {cursorOn} from '../support/deck.ts';
import {shared} from '../support/lifetime.ts';
import {openApp} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';

const PATIENT = {timeout: 60_000};

test(
  'a cluster that does not come up is the worst that the overview knows, and enter leads to it: on top, with what is usual beside it',
  PATIENT,
  async () => {
    const app = await openApp({scenario: 'stuck-cluster'});
    await app.sees('[1 Overview]', {withinMs: 20_000});
    await app.sees(/▶ +CRIT cluster stuck in creation +k8s-batch +1h1/, {withinMs: 20_000});
    await app.press('enter');
    await app.sees('[3 Clusters]');
    await app.sees(cursorOn('k8s-batch'));
    await app.sees('clusters 3 of 3');
    await app.sees(/▶ +k8s-batch .*CREATING .* 0\/3 .*STUCK 1h1\d/);
    await app.sees(/creation +STUCK 1h1\d: past 60 min/);
    await app.sees('it and create it again');
    await app.sees(/worker +✖ ERROR +k8s-batch-worker-2/);
    await app.sees(/NodeCreationFailed +k8s-batch-worker-2 could not be created/);
    const rows = app.screen().filter(line => /\d\/\d +[▮▯]+ +\d\/\d/.test(line));
    expect(rows.map(row => /^│[▶ ] +(\S+)/.exec(row)?.[1])).toEqual(['k8s-batch', 'serve', 'embed']);
  },
);

describe('the clusters with their nodes', PATIENT, () => {
  const opened = shared(async () => {
    const simulator = await openSimulator();
    const app = await openApp({simulator});
    await app.sees('clusters 2', {withinMs: 20_000});
    return {app, simulator};
  });

  beforeEach(async () => {
    const {app} = opened();
    await app.press('esc', '3', 'g');
    await app.sees('clusters 2 of 2');
    await app.sees(cursorOn('embed'));
    await app.sees('nodes of embed');
  });

  test('shows the nodes of the cluster under the cursor, and tab moves in them and back', async () => {
    const {app} = opened();
    await app.press('j');
    await app.sees(cursorOn('serve'));
    await app.sees('nodes of serve');
    await app.press('tab', 'j');
    await app.sees(/▶ +master .*serve-master-1/);
    await app.press('tab', 'k');
    await app.sees(cursorOn('embed'));
    await app.sees('nodes of embed');
  });

  test('leads back from the nodes to the clusters by escape', async () => {
    const {app} = opened();
    await app.press('enter', 'j');
    await app.sees(/▶ +master .*embed-master-0/);
    await app.press('esc', 'j');
    await app.sees('nodes of serve');
  });

  test('goes from a cluster to a node and on to its machine, whose power is the cluster’s', async () => {
    const {app, simulator} = opened();
    // The node that is not ready comes first.
    await app.press('enter');
    await app.sees(/▶ +worker .*embed-worker-1/);
    await app.press('enter');
    await app.sees('[2 Machines]');
    await app.sees(cursorOn('embed-worker-1'));
    await app.press('p');
    await app.sees(/x +stop +off: a node of cluster #1637: its power is managed by the cluster/);
    await app.press('x');
    await app.sees('stop: a node of cluster #1637: its power is managed by the cluster');
    await app.seesNot('What happens');
    expect(operationRequests(simulator)).toEqual([]);
  });
});

test('has nothing to open in an account without clusters, and says so', PATIENT, async () => {
  const app = await openApp({scenario: 'empty'});
  await app.sees('[1 Overview]', {withinMs: 20_000});
  await app.press('3', 'enter');
  await app.sees('open: there is nothing under the cursor');
});
