import module from 'node:module';
import {type CrashReporter, createCrashReporter} from './app/crash-report.ts';
import {openWithFirstFrame} from './app/opening.ts';
import {compileCacheFolder} from './config/compile-cache.ts';
import {collectOnce, limitHeapGrowth} from './config/heap.ts';
import {type Clock, epochMs, monotonicMs, SECOND_MS} from './domain/time.ts';

/** By then the deck shows its first answers, and the code they need is compiled. A command that still runs runs for long. */
const IS_UP_MS = 4 * SECOND_MS;

const clock: Clock = {
  wallNow: () => epochMs(Date.now()),
  monotonicNow: () => monotonicMs(performance.now()),
  after: (delayMs, action) => {
    const timer = setTimeout(action, delayMs);
    return () => clearTimeout(timer);
  },
};

/** What this program writes is private to its user, and a crash report of Node's own must not contain the key. */
function keepPrivate(): void {
  process.umask(0o077);
  if (process.report !== undefined) process.report.excludeEnv = true;
  // Without a listener, this signal opens Node's inspector, and with it the program's memory, to everybody on the computer.
  process.on('SIGUSR1', () => undefined);
}

/** Compiling takes half of a start, so if that is safe, Node keeps what it compiled for the next one. */
function keepCompiledCode(): void {
  const folder = compileCacheFolder(process.env);
  if (folder !== undefined) module.enableCompileCache(folder);
}

/** The last resort for unhandled errors. A deck gives its terminal back first, and then does the same. */
function failOn(crash: CrashReporter): (error: unknown) => void {
  return error => {
    if (process.listenerCount('uncaughtException') > 1) return;
    process.stderr.write(`${crash.report(error)}\n`);
    process.exit(crash.exitCode);
  };
}

/** Resolves when all output was handed over, or the reader has gone: a pipe takes it in pieces. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  // With nothing left to write, even an empty write would fail on a full disk.
  if (stream.writableLength === 0) return Promise.resolve();
  return new Promise(resolve => stream.write('', () => resolve()));
}

async function start(argv: readonly string[], crash: CrashReporter): Promise<void> {
  const opening = openWithFirstFrame(process, argv, {clock, crash});
  keepCompiledCode();
  try {
    const {run} = await import('./program.tsx');
    clock.after(IS_UP_MS, () => {
      limitHeapGrowth();
      collectOnce();
    });
    const exitCode = await run(argv, {opening, crash});
    if (exitCode === undefined) {
      limitHeapGrowth();
      // So that a deck that is killed later leaves its compiled code too.
      clock.after(IS_UP_MS, module.flushCompileCache);
    } else {
      await Promise.all([written(process.stdout), written(process.stderr)]);
      module.flushCompileCache();
      process.exit(exitCode);
    }
  } catch (error) {
    if (opening === undefined) throw error;
    opening.lifecycle.fail(error);
  }
}

keepPrivate();
// A crash report names the command or pane, also below many calls.
Error.stackTraceLimit = 30;
const crash = createCrashReporter(process.env, [`Node ${process.version} on ${process.platform} ${process.arch}`]);
process.on('uncaughtException', failOn(crash));
process.on('unhandledRejection', failOn(crash));
await start(process.argv.slice(2), crash);
