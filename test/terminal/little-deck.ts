// A program of a few lines that takes a real terminal the way the deck does; started by the lifecycle tests.
import {isatty} from 'node:tty';
import {safeText} from '../../src/domain/safe-text.ts';
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

let resumeCount = 0;
let typed = '';
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
  onResume: () => {
    resumeCount += 1;
    draw();
  },
});

function draw(): void {
  const {columns, rows} = screen.size();
  screen.paint(`deck ${columns}x${rows} resumed ${resumeCount}\ntyped ${safeText(typed)}`);
}

screen.stdout.on('resize', draw);
lifecycle.enter();
process.stdin.setEncoding('utf8');
process.stdin.on('data', (keys: string) => {
  for (const key of keys) press(key);
});
draw();

function press(key: string): void {
  if (key === '\u001a') lifecycle.suspend();
  else if (key === 'q') lifecycle.exit(0);
  else if (key === 't') throw new Error('thrown');
  else if (key === 'r') void Promise.reject(new Error('rejected'));
  else {
    typed += key;
    draw();
  }
}
