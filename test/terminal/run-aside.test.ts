import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it, onTestFinished, vi} from 'vitest';
import {runAside} from '../../src/terminal/run-aside.ts';

/** A hundredth of the time that it says. */
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
    clock: quick,
    onExit: end => {
      ends.push(end);
      return () => ends.splice(0);
    },
  });
  return {ended, ends};
}

describe('a program beside the deck', () => {
  it('gets its words, its input and its environment, and nothing else', async () => {
    const path = join(aFolder(), 'seen');
    const script = `let text = ''; process.stdin.on('data', chunk => text += chunk).on('end', () =>
      require('fs').writeFileSync(process.argv[1], JSON.stringify([text, process.env.GREETING, process.env.PATH ?? null])))`;
    expect(await run(script, {input: '{"rule":"idle"}\n', words: [path]}).ended).toBeUndefined();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(['{"rule":"idle"}\n', 'hello', null]);
  });

  it('says how it failed, or that there is no such program', async () => {
    expect(await run('process.exit(3)').ended).toBe('ended with 3');
    const missing = runAside(['/nonexistent/program'], {
      input: 'x'.repeat(100_000),
      environment: {},
      clock: quick,
      onExit: () => () => {},
    });
    expect(await missing).toMatch(/ENOENT/);
  });

  it('that hangs is ended, and what it started with it, also where it heeds no signal', async () => {
    const path = join(aFolder(), 'pid');
    const script = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);
      const child = require('child_process').spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)']);
      require('fs').writeFileSync(process.argv[1], String(child.pid))`;
    // Long enough for both to be there: the limit is what ends them.
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

  it('ends with the deck', async () => {
    const {ended, ends} = run('process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)');
    for (const end of ends) end();
    expect(await ended).toBe('ended with SIGKILL');
  });
});

/** A process that has ended and that nobody has waited for counts as ended. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
