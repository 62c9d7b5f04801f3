import {readFileSync} from 'node:fs';
import {setFlagsFromString} from 'node:v8';
import {Script} from 'node:vm';
import {firstFrame} from './app/first-frame.ts';
import {themeFor} from './app/look.ts';
import {type Opening, takeTerminal} from './app/opening.ts';
import {type EarlyOptions, readEarlyOptions} from './config/early-options.ts';
import {type LastScreenFile, lastScreenFile, readLastScreen} from './config/last-screen.ts';
import {openStateFolder} from './config/own-files.ts';
import {type Clock, epochMs, monotonicMs} from './domain/time.ts';
import type {run} from './program.tsx';
import {checkTerminal} from './terminal/abilities.ts';

/** What an ES module does not have by itself and the packages inside the program ask for. */
declare const require: unknown;

type Run = typeof run;
type Program = (require: unknown, begin: (run: Run) => void) => Promise<void>;

/** Behind this line the build puts the program, as one comment. Put together here, so that it stands in the file once. */
const PROGRAM_MARK = ['', '/*program', ''].join('\n');
const PROGRAM_END = '*/\n';
const SMALLER_CODE_DELAY_MS = 2000;

const thisFile = import.meta.filename;

const clock: Clock = {
  wallNow: () => epochMs(Date.now()),
  monotonicNow: () => monotonicMs(performance.now()),
  after: (delayMs, action) => {
    const timer = setTimeout(action, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Takes the terminal and draws the first frame, where it is plain that the deck is wanted and can have it. */
function open(argv: readonly string[]): Opening | undefined {
  const {stdin, stdout, stderr, env: environment} = process;
  if (checkTerminal({stdin, stdout, env: environment}).kind !== 'deck') return undefined;
  const options = readEarlyOptions(argv, environment);
  if (options === undefined) return undefined;
  const theme = themeFor({...options, environment});
  const lastScreen = lastScreenOf(options);
  const opening = takeTerminal({stdin, stdout, stderr, process, clock, theme, lastScreen});
  const frame = firstFrame({
    size: opening.screen.size(),
    theme,
    last: lastScreen === undefined ? undefined : readLastScreen(lastScreen),
    now: clock.wallNow(),
    isSimulated: options.account === undefined,
    isReadOnly: options.isReadOnly,
  });
  opening.screen.paint(frame);
  return opening;
}

/** Undefined where no folder of our own can hold it. */
function lastScreenOf({account}: Pick<EarlyOptions, 'account'>): LastScreenFile | undefined {
  try {
    return lastScreenFile(openStateFolder(process.env, 'last-screen'), account);
  } catch {
    return undefined;
  }
}

/** The program of this file. */
async function load(): Promise<Run> {
  const file = readFileSync(thisFile, 'latin1');
  const at = file.indexOf(PROGRAM_MARK);
  // The build marks every end of a comment inside, so that the whole can be one comment.
  const text = file.slice(at + PROGRAM_MARK.length, file.lastIndexOf(PROGRAM_END)).replaceAll('*\u0001/', '*/');
  const script = new Script(`(async(require,begin)=>{${text}\n})`, {filename: thisFile});
  const program: Program = script.runInThisContext();
  return new Promise((resolve, reject) => {
    program(require, resolve).catch(reject);
  });
}

if (process.report !== undefined) process.report.excludeEnv = true;
const argv = process.argv.slice(2);
const opening = open(argv);
try {
  const runProgram = await load();
  const exitCode = await runProgram(argv, opening);
  if (exitCode !== undefined) process.exit(exitCode);
  // The memory of an idle deck is mostly code and its compiled forms: a tenth less so, measured. It would slow the start.
  clock.after(SMALLER_CODE_DELAY_MS, () => setFlagsFromString('--optimize-for-size'));
} catch (error) {
  if (opening === undefined) throw error;
  opening.lifecycle.fail(error);
}
