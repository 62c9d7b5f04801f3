import {spawn} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, it, onTestFinished, vi} from 'vitest';
import {runAside, watchAside} from '../../src/terminal/run-aside.ts';

/** No time limit is ever reached, since a program may be slow on a busy computer. */
const patient = {after: () => () => {}};
/** Waits for a hundredth of the given time. */
const quick = {
  after: (delayMs: number, run: () => void) => {
    const timer = setTimeout(run, delayMs / 100);
    return () => clearTimeout(timer);
  },
};

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'aside-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  return folder;
}

function run(script: string, {input = '', words = [] as readonly string[]} = {}) {
  const ends: (() => void)[] = [];
  const ended = runAside([process.execPath, '-e', script, ...words], {
    input,
    environment: {GREETING: 'hello'},
    clock: patient,
    onExit: end => {
      ends.push(end);
      return () => ends.splice(0);
    },
  });
  return {ended, ends};
}

describe('a program in the background of the deck', () => {
  it('gets its arguments, its input and its environment, and nothing else', async () => {
    const path = join(aFolder(), 'seen');
    const script = `let text = ''; process.stdin.on('data', chunk => text += chunk).on('end', () =>
      require('fs').writeFileSync(process.argv[1], JSON.stringify([text, process.env.GREETING, process.env.PATH ?? null])))`;
    expect(await run(script, {input: '{"rule":"idle"}\n', words: [path]}).ended).toBeUndefined();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(['{"rule":"idle"}\n', 'hello', null]);
  });

  it('reports how it failed, or that it does not exist', async () => {
    expect(await run('process.exit(3)').ended).toBe('ended with 3');
    const missing = runAside(['/nonexistent/program'], {
      input: 'x'.repeat(100_000),
      environment: {},
      clock: patient,
      onExit: () => () => {},
    });
    expect(await missing).toMatch(/ENOENT/);
  });

  it('that hangs is ended together with what it started, even when it ignores signals', async () => {
    const path = join(aFolder(), 'pid');
    const script = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);
      const child = require('child_process').spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)']);
      require('fs').writeFileSync(process.argv[1], String(child.pid))`;
    // Long enough for both to be running, so that the limit is what ends them.
    const slow = {
      after: (delayMs: number, then: () => void) => {
        const timer = setInterval(() => {
          if (delayMs < 10_000 || existsSync(path)) then();
        }, 20);
        return () => clearInterval(timer);
      },
    };
    const ended = runAside([process.execPath, '-e', script, path], {
      input: 'nobody reads this',
      environment: {},
      clock: slow,
      onExit: () => () => {},
    });
    expect(await ended).toBe('ended after 10 s');
    const pid = Number(readFileSync(path, 'utf8'));
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false));
  });

  it('is ended when the deck exits', async () => {
    const {ended, ends} = run('process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)');
    for (const end of ends) end();
    expect(await ended).toBe('ended with SIGKILL');
  });
});

describe('a deck that is killed', () => {
  const runAsidePath = fileURLToPath(new URL('../../src/terminal/run-aside.ts', import.meta.url));
  /** Ignores all signals, and starts another program that ignores them too. */
  const stubborn = `for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(signal, () => {});
    setInterval(() => {}, 1000);
    if (process.argv[2] !== 'last') {
      const {pid} = require('child_process').spawn(process.execPath, ['-e', process.argv[2], process.argv[1], 'last']);
      require('fs').writeFileSync(process.argv[1], process.pid + ' ' + pid);
    }`;

  it.each(['runAside', 'watchAside'])('ends what %s started, and what that started', async name => {
    const path = join(aFolder(), 'pids');
    const deck = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import {${name}} from ${JSON.stringify(runAsidePath)};
        ${name}([process.execPath, '-e', ...${JSON.stringify([stubborn, path, stubborn])}], {
          input: 'x', environment: {}, clock: {after: () => () => {}}, onExit: () => () => {},
          onLine: () => {}, onEnd: () => {},
        });
        setInterval(() => {}, 1000);`,
      ],
      {stdio: 'ignore'},
    );
    const pids = await vi.waitFor(() => pidsIn(path), {timeout: 10_000});
    expect(pids.map(isRunning)).toEqual([true, true]);
    deck.kill('SIGKILL');
    await vi.waitFor(() => expect(pids.map(isRunning)).toEqual([false, false]), {timeout: 5000});
  });

  function pidsIn(path: string): readonly number[] {
    const pids = readFileSync(path, 'utf8').split(' ').map(Number);
    expect(pids).toHaveLength(2);
    return pids;
  }
});

/** A process that has ended counts as ended even when nobody has waited for it. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('a watched program', () => {
  function watch(script: string) {
    const lines: string[] = [];
    const ends: (() => void)[] = [];
    let told: (reason: string) => void = () => {};
    const ended = new Promise<string>(resolve => {
      told = resolve;
    });
    const stop = watchAside([process.execPath, '-e', script], {
      environment: {},
      clock: quick,
      onExit: end => {
        ends.push(end);
        return () => ends.splice(0);
      },
      onLine: line => lines.push(line),
      onEnd: told,
    });
    return {lines, ended, stop, ends};
  }

  it('reports its lines, and its error output when it ends', async () => {
    const {lines, ended, ends} = watch(
      `console.log('one\\ntwo'); console.error('no such host'); process.exitCode = 255`,
    );
    expect(await ended).toBe('no such host');
    expect(lines).toEqual(['one', 'two']);
    expect(ends).toEqual([]);
  });

  it('keeps the beginning of a line that is too long, and the line after it', async () => {
    const {lines, ended} = watch(`process.stdout.write('a'.repeat(3_000_000) + '\\nb\\n')`);
    expect(await ended).toBe('ended with 0');
    expect(lines.map(line => line.length)).toEqual([4000, 1]);
  });

  it('reports the last two hundred lines of many that came at once', async () => {
    // One write of less than a pipe holds arrives as one piece.
    const {lines, ended} = watch(`process.stdout.write(Array.from({length: 1000}, (_, at) => at + '\\n').join(''))`);
    expect(await ended).toBe('ended with 0');
    expect(lines).toEqual(Array.from({length: 200}, (_, at) => String(800 + at)));
  });

  it('reports its exit code when it printed no error, and why it could not be started', async () => {
    expect(await watch('process.exit(3)').ended).toBe('ended with 3');
    const missing = new Promise<string>(resolve =>
      watchAside(['/nonexistent/program'], {
        environment: {},
        clock: quick,
        onExit: () => () => {},
        onLine: () => {},
        onEnd: resolve,
      }),
    );
    expect(await missing).toContain('ENOENT');
  });

  it('ends when it is stopped, even when it ignores the signal, and reports nothing after that', async () => {
    const path = join(aFolder(), 'pid');
    const {lines, stop} = watch(
      `process.on('SIGTERM', () => {}); require('fs').writeFileSync(${JSON.stringify(path)}, String(process.pid)); setInterval(() => console.log('x'), 5)`,
    );
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(2), {timeout: 20_000});
    stop();
    const count = lines.length;
    const pid = Number(readFileSync(path, 'utf8'));
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), {timeout: 20_000});
    expect(lines).toHaveLength(count);
  });
});
