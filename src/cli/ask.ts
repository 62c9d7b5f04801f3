import type {ReadStream, WriteStream} from 'node:tty';

type Terminal = {
  readonly stdin: ReadStream;
  readonly stderr: WriteStream;
  readonly pid: number;
  readonly kill: (pid: number, signal: 'SIGINT') => unknown;
};

const ENTER = /[\r\n]/;
const CTRL_C = '\x03';
const CTRL_D = '\x04';
const CTRL_U = '\x15';
const BACKSPACE: ReadonlySet<string> = new Set(['\b', '\x7f']);
/** Longer than any key or name. */
const MAX_LENGTH = 4096;

/**
 * Puts a question on the terminal and gives the line that is typed, or undefined when the person leaves with ctrl-d;
 * ctrl-c interrupts the program as it does everywhere. What was typed before the question stood there is no answer to it. A hidden answer is not echoed.
 */
export function ask(
  {stdin, stderr, pid, kill}: Terminal,
  question: string,
  {isHidden = false}: {readonly isHidden?: boolean} = {},
): Promise<string | undefined> {
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  // Without a pause the terminal hands over what was typed ahead: it is read and dropped before the question is put.
  stdin.read();
  stderr.write(question);
  return new Promise(resolve => {
    let typed = '';
    const finish = (answer: string | undefined) => {
      stdin.off('data', take);
      stdin.off('end', leave);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write('\n');
      resolve(answer);
    };
    const leave = () => finish(undefined);
    const take = (chunk: string): unknown => {
      for (const character of chunk) {
        if (character === CTRL_C) {
          finish(undefined);
          // In this mode the terminal sends no signal by itself, and a script has to see that one came.
          return kill(pid, 'SIGINT');
        }
        if (character === CTRL_D) return finish(undefined);
        if (ENTER.test(character)) return finish(typed);
        const next = edited(typed, character);
        if (!isHidden) stderr.write(echoOf(typed, next));
        typed = next;
      }
    };
    stdin.on('data', take);
    stdin.on('end', leave);
    stdin.resume();
  });
}

function edited(typed: string, character: string): string {
  if (character === CTRL_U) return '';
  if (BACKSPACE.has(character)) return [...typed].slice(0, -1).join('');
  if (/\p{Cc}/u.test(character) || typed.length >= MAX_LENGTH) return typed;
  return typed + character;
}

function echoOf(before: string, after: string): string {
  if (after.startsWith(before)) return after.slice(before.length);
  return '\b \b'.repeat([...before].length - [...after].length);
}
