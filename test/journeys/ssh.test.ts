import {chmodSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {cursorOn, goToMachines} from '../support/deck.ts';
import {openAppOnTerminal, openHome} from '../support/program.ts';

/** In the place of ssh: says what it got, and waits for a line. */
const FAKE_SSH = `#!/bin/sh
echo "fake ssh: $*"
echo "key: \${SKYDECK_API_KEY:-none}"
read line
echo "typed: $line"
exit 3
`;

test('s gives the terminal to ssh and takes it back where the deck was', {timeout: 60_000}, async () => {
  const home = openHome();
  const folder = join(home.path, 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'ssh'), FAKE_SSH);
  chmodSync(join(folder, 'ssh'), 0o755);
  const app = await openAppOnTerminal({
    home,
    env: {PATH: `${folder}:${process.env.PATH}`},
  });
  await goToMachines(app);
  await app.sees(cursorOn('train-01'));

  await app.press('s');
  await app.sees(/ssh -- ubuntu@10\.0\.\d+\.\d+/);
  await app.sees('y runs it');
  await app.press('y');
  await app.sees(/fake ssh: -- ubuntu@10\.0\.\d+\.\d+/);
  await app.sees('key: none');
  expect(app.modes()).toMatchObject({isAltScreen: false, isCursorHidden: false, isBracketedPaste: false});
  // Every key is for the other program now.
  await app.press('j', 'q', 'enter');
  await app.sees(cursorOn('train-01'));
  expect(app.raw()).toContain('typed: jq');
  await app.sees('ssh to train-01 ended with 3');
  await app.press('j');
  await app.sees(cursorOn('train-03'));

  // Ctrl-c in it ends it alone.
  await app.press('s');
  await app.sees('y runs it');
  await app.press('y');
  await app.becomes('to wait in ssh again', () => !app.isAltScreen());
  // What the first one printed is still on the screen.
  await app.becomes('to run ssh again', () => app.screen().filter(line => line.includes('key: none')).length === 2);
  await app.press('ctrl-c');
  await app.sees('ssh to train-03 ended with 130');
  await app.sees(cursorOn('train-03'));
  await app.press('q', 'q');
  expect(await app.exited).toMatchObject({exitCode: 0});
});
