// The same as little-deck.ts but with Ink, as in the deck: Ink controls the raw mode and reads the keys.
import {isatty} from 'node:tty';
import {render, Text, useInput, usePaste, useWindowSize} from 'ink';
import {createElement, useState} from 'react';
import {type Clock, epochMs, monotonicMs} from '../../src/domain/time.ts';
import {createLifecycle} from '../../src/terminal/lifecycle.ts';
import {createScreen} from '../../src/terminal/screen.ts';

const clock: Clock = {
  wallNow: () => epochMs(Date.now()),
  monotonicNow: () => monotonicMs(performance.now()),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

const screen = createScreen({stdout: process.stdout, clock});
const lifecycle = createLifecycle({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  process,
  screen,
  clock,
  crash: {report: error => `reported: ${error}`, exitCode: 70},
  isAttached: () => isatty(0) && isatty(1),
  onResume: () => undefined,
});

function Deck() {
  const [typed, setTyped] = useState('');
  const {columns, rows} = useWindowSize();
  usePaste(text => setTyped(`${typed}<${text}>`));
  useInput((input, key) => {
    if (key.ctrl && input === 'z') lifecycle.suspend();
    else if (input === 'q') lifecycle.exit(0);
    else if (input === 'b') setTyped('broken');
    else setTyped(typed + input);
  });
  if (typed === 'broken') throw new Error('broken while drawing');
  return createElement(Text, null, `deck ${columns}x${rows} typed ${typed}`);
}

lifecycle.enter();
const instance = render(createElement(Deck), {
  stdout: screen.stdout,
  debug: true,
  interactive: true,
  exitOnCtrlC: false,
  patchConsole: false,
});
instance.waitUntilExit().then(() => lifecycle.exit(0), lifecycle.fail);
