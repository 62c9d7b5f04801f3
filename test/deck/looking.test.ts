import {beforeEach, describe, expect, test} from 'vitest';
import {backToMachines, choose, cursorOn, openMachines, shownNames} from '../support/deck.ts';
import {shared} from '../support/lifetime.ts';

const atTop = shared(openMachines);

beforeEach(() => backToMachines(atTop()));

test('sorts by the letter of a column, and the other way round by the same letter again', async () => {
  const app = await openMachines({scenario: 'on-call'});
  await app.sees(cursorOn('train-01'));
  await app.press('o');
  await app.sees('sort by (now $/h)');
  await app.sees(/n +name/);
  await app.press('n');
  await app.sees('NAME↑');
  await app.press('g');
  await app.sees(cursorOn('🚀-launch-demo'));

  await app.press('o', 'n');
  await app.sees('NAME↓');
  await app.press('g');
  await app.sees(/▶ +推論サー/);

  await app.press('o', 'esc');
  await app.seesNot('sort by');
});

test('opens a machine and goes through every part of it, and round again', async () => {
  const app = atTop();
  await app.press('enter');
  await app.seesNot('machines 16 of 16');
  await app.sees(/train-01 #\d+ . ACTIVE .*1\/7: metrics/);
  await app.sees(/CPU +\d+% +max \d+%/);

  await app.press('tab');
  await app.sees('2/7: record');
  await app.sees(/root disk +100 GB/);
  await app.press('tab');
  await app.sees('3/7: rules');
  await app.sees(/egress +any +1-65535/);
  await app.press('tab');
  await app.sees('4/7: volumes');
  await app.sees(/datasets-01 +4,000 GB/);
  await app.press('tab');
  await app.sees('5/7: events');
  await app.sees('InstanceCreationSuccess');
  await app.press('tab');
  await app.sees('6/7: cost');
  await app.sees('cost of each action');
  await app.press('tab');
  await app.sees('7/7: json');
  await app.sees('"name": "train-01"');
  await app.press('tab');
  await app.sees('1/7: metrics');
  await app.press('shift-tab');
  await app.sees('7/7: json');
});

test('scrolls a part that is longer than the screen', async () => {
  const app = atTop();
  await app.press('y');
  await app.sees(/ 1-\d+ of \d+ +7\/7: json/);
  await app.press('j', 'j');
  await app.sees(/ 3-\d+ of \d+ +7\/7: json/);
  await app.press('G');
  await app.sees(/(\d\d+) of \1 +7\/7: json/);
  await app.press('g');
  await app.sees('"name": "train-01"');
});

test('shows the metrics over an hour, six hours, a day, a week and a month', async () => {
  const app = atTop();
  await app.press('m');
  for (const window of ['1h', '6h', '1d', '7d', '30d', '1h']) {
    await app.sees(new RegExp(`1/7: metrics +${window} +\\d+s`));
    await app.sees(/CPU +\d+% +max \d+%/);
    await app.press('w');
  }
});

describe('the way back from an open machine', () => {
  test.each(['esc', 'q'])('is %s, to the same place in the list', async key => {
    const app = atTop();
    await app.sees(cursorOn('train-01'));
    await app.press('j', 'enter');
    await app.sees(/train-03 #\d+ . SHUTOFF/);
    await app.seesNot('machines 16 of 16');
    await app.press(key);
    await app.sees('machines 16 of 16');
    await app.sees(cursorOn('train-03'));
  });
});

test('opens one part by its letter', async () => {
  // The others have used up the requests of this minute.
  const app = await openMachines();
  await choose(app, 'jupyter-mira');
  await app.press('d');
  await app.sees('2/7: record');
  await app.sees(/public address +198\.18\.0\.\d+/);
  await app.press('y');
  await app.sees('"name": "jupyter-mira"');
  await app.press('e');
  await app.sees('5/7: events');
  await app.press('m');
  await app.sees('1/7: metrics');
  await app.press('$');
  await app.sees('6/7: cost');
  // 1.35 for the machine and 0.00672043 for its address.
  await app.sees(/now +\$1\.36\/h/);
  await app.press('tab', 'tab', 'tab', 'tab');
  await app.sees('3/7: rules');
  await app.sees(/ingress +tcp +22 +0\.0\.0\.0\/0.*exposed/);
  await app.sees(/ingress +tcp +8888 +0\.0\.0\.0\/0.*exposed/);
});

test('gives the columns of figures more room on a wish', async () => {
  const app = atTop();
  expect(app.text()).not.toContain('LABELS');
  await app.press('ctrl-w');
  await app.sees('LABELS');
  await app.sees('team=ml');
  await app.press('ctrl-w');
  await app.seesNot('LABELS');
  expect(shownNames(app)[0]).toBe('train-01');
});

test('explains each action of a long menu in one column, which follows the cursor', async () => {
  const app = await openMachines({columns: 80, rows: 24});
  await app.press('a');
  await app.sees(/ s +start +off: already ACTIVE/);
  await app.sees('now n3-H100-SXM5x8; not enabled for most accounts');
  await app.sees('action 1 of 19, +2 more below');
  await app.press(...Array.from({length: 18}, () => 'down'));
  await app.sees(/▶ X +delete +permanent/);
  expect(app.screen()[0]).toContain('acme-prod');
  expect(app.screen().at(-1)).toContain('<esc>close');
});

test('shows a long menu side by side, with header and keys in sight', async () => {
  const app = await openMachines({columns: 80, rows: 24});
  await app.press('o');
  await app.sees('sort by (now $/h)');
  // The last choice too, and what lies around the menu.
  await app.sees(/labels/);
  expect(app.screen()[0]).toContain('acme-prod');
  expect(app.screen().at(-1)).toContain('<esc>close');
  await app.press('n');
  await app.sees(/NAME↑/);
});

test('says over which time the charts under the list are, whatever part of a machine was open before', async () => {
  const app = await openMachines({columns: 80, rows: 24});
  await app.sees(/─ train-01 #\d+ ▲ ACTIVE ─+ 1h +\d+s old ─/);
  await app.press('enter', 'tab');
  await app.sees('2/7: record');
  await app.press('esc');
  await app.sees(/─ train-01 #\d+ ▲ ACTIVE ─+ 1h +\d+s old ─/);
  await app.press('w');
  await app.sees(/─ train-01 #\d+ ▲ ACTIVE ─+ 6h +\d+s old ─/);
});
