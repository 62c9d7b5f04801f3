import {spawnSync} from 'node:child_process';
import {describe, expect, onTestFinished, test} from 'vitest';
import {openShell} from './shell.ts';
import {openTerminal, type RealTerminal, type TerminalOptions} from './terminal.ts';

const PATIENT = {timeout: 30_000};

/**
 * Runs a small program in the terminal. `show` replaces its screen, and `keys` gets each piece of input in raw mode.
 */
function openScript(script: string, options: Omit<TerminalOptions, 'command'> = {}): RealTerminal {
  const terminal = openTerminal({
    columns: 40,
    rows: 10,
    ...options,
    command: process.execPath,
    arguments: ['-e', PRELUDE + script],
  });
  onTestFinished(terminal.close);
  return terminal;
}

const PRELUDE = `
const write = text => process.stdout.write(text);
const show = text => write('\\x1b[2J\\x1b[H' + text.replaceAll('\\n', '\\r\\n'));
const keys = meet => { process.stdin.setRawMode(true); process.stdin.on('data', bytes => meet(bytes.toString())); };
`;

describe('the screen', PATIENT, () => {
  test('shows the visible lines without trailing blanks', async () => {
    const terminal = openScript(`write('one   \\r\\n  two')`);
    await terminal.sees('two');
    expect(terminal.screen().slice(0, 3)).toEqual(['one', '  two', '']);
    expect(terminal.screen()).toHaveLength(10);
  });

  test('reports the alternate screen, the hidden cursor and other modes, and that they were reset', async () => {
    const terminal = openScript(`
      write('\\x1b[?1049h\\x1b[?25l\\x1b[?2004h\\x1b[?1003h\\x1b[?1004h\\x1b[>1u'); show('inside');
      keys(() => { write('\\x1b[<u\\x1b[?1004l\\x1b[?1003l\\x1b[?2004l\\x1b[?25h\\x1b[?1049l'); write('outside'); process.exit(); });`);
    await terminal.sees('inside');
    expect(terminal.modes()).toEqual({
      isAltScreen: true,
      isCursorHidden: true,
      isBracketedPaste: true,
      isFocusReported: true,
      isSynchronizedUpdate: false,
      mouse: 'any',
      kittyKeyboardDepth: 1,
    });
    await terminal.press('q');
    await terminal.sees('outside');
    expect(terminal.modes()).toEqual({
      isAltScreen: false,
      isCursorHidden: false,
      isBracketedPaste: false,
      isFocusReported: false,
      isSynchronizedUpdate: false,
      mouse: 'none',
      kittyKeyboardDepth: 0,
    });
  });

  test('reports the colours and attributes of a cell', async () => {
    const terminal = openScript(
      `write('\\x1b[1;31;44mA\\x1b[0;2;4;38;5;200mB\\x1b[0;7;48;2;16;32;255mC\\x1b[0m東 done')`,
    );
    await terminal.sees('done');
    expect(terminal.cell(0, 0)).toMatchObject({char: 'A', fg: 1, bg: 4, bold: true, dim: false, inverse: false});
    expect(terminal.cell(0, 1)).toMatchObject({char: 'B', fg: 200, bg: 'default', dim: true, underline: true});
    expect(terminal.cell(0, 2)).toMatchObject({char: 'C', fg: 'default', bg: '#1020ff', inverse: true});
    expect([terminal.cell(0, 3).width, terminal.cell(0, 4).width, terminal.cell(0, 5).char]).toEqual([2, 0, ' ']);
    expect(() => terminal.cell(10, 0)).toThrow('no cell at row 10');
  });

  test('counts an emoji as two cells', async () => {
    const terminal = openScript(`write('🚀x done')`);
    await terminal.sees('done');
    expect([terminal.cell(0, 0).width, terminal.cell(0, 2).char]).toEqual([2, 'x']);
  });

  test('reports a new size to the program', async () => {
    const terminal = openScript(`
      const size = () => show(process.stdout.columns + 'x' + process.stdout.rows);
      process.stdout.on('resize', size); size(); keys(() => {});`);
    await terminal.sees('40x10');
    terminal.resize(80, 24);
    await terminal.sees('80x24');
    expect(terminal.screen()).toHaveLength(24);
  });
});

describe('the keys', PATIENT, () => {
  const echoScript = `let seen = []; keys(text => { seen.push(JSON.stringify(text)); show(seen.join(' ')); }); show('ready');`;

  test('arrive one at a time, with an escape separate from the next key', async () => {
    const terminal = openScript(echoScript);
    await terminal.sees('ready');
    await terminal.press('jk', 'esc', 'x', 'up');
    await terminal.sees(String.raw`"j" "k" "\u001b" "x" "\u001b[A"`);
  });

  test('are bracketed when pasted, but only if the program asked for it', async () => {
    const plain = openScript(echoScript);
    await plain.sees('ready');
    plain.paste('a\nb');
    await plain.sees(String.raw`"a\rb"`);
    const bracketed = openScript(`write('\\x1b[?2004h');${echoScript}`);
    await bracketed.sees('ready');
    bracketed.paste('a\nb');
    await bracketed.sees(String.raw`"\u001b[200~a\rb\u001b[201~"`);
  });

  test('include the answer of the terminal when the program asks for the cursor position', async () => {
    const terminal = openScript(`keys(text => { show(JSON.stringify(text)); }); write('abc\\x1b[6n');`);
    await terminal.sees(String.raw`"\u001b[1;4R"`);
  });
});

describe('waiting', PATIENT, () => {
  test('fails with a picture of the screen if the text does not appear', async () => {
    const terminal = openScript(`write('something else'); keys(() => {});`);
    await terminal.sees('something else');
    await expect(terminal.sees('the deck', {withinMs: 50})).rejects.toThrow(
      'Expected the terminal to see "the deck" within 50 ms.\n┌─ 40×10, main screen, cursor shown\n│something else\n└─',
    );
  });

  test('fails at once if the program has ended', async () => {
    const terminal = openScript(`write('bye'); process.exitCode = 3;`);
    await expect(terminal.sees('the deck', {withinMs: 20_000})).rejects.toThrow('ended with exit code 3');
  });

  test('sees the last output of a program that ended', async () => {
    const terminal = openScript(`write('x'.repeat(100_000) + '\\r\\nlast words')`);
    expect(await terminal.exited).toEqual({exitCode: 0, signal: 0});
    await terminal.sees('last words');
  });

  test('waits until a text is gone', async () => {
    const terminal = openScript(`show('busy'); keys(() => show('idle'));`);
    await terminal.sees('busy');
    await expect(terminal.seesNot('busy', {withinMs: 50})).rejects.toThrow('not to see "busy" within 50 ms');
    await terminal.press('x');
    await terminal.seesNot(/bus./);
    await terminal.sees('idle');
  });

  test('ignores a half-drawn frame', async () => {
    const halves = `[() => write('\\x1b[?2026h half'), () => write(' whole\\x1b[?2026l')]`;
    const terminal = openScript(`show('begun'); const halves = ${halves}; keys(() => halves.shift()());`);
    // The program takes time to start.
    await terminal.sees('begun');
    await terminal.press('x');
    await expect(terminal.sees('half', {withinMs: 300})).rejects.toThrow('inside a synchronized update');
    await terminal.press('x');
    await terminal.sees('half whole');
  });
});

describe('the ending', PATIENT, () => {
  test('reports the exit code and the signal', async () => {
    const exiting = openScript(`process.exit(7)`);
    expect(await exiting.exited).toEqual({exitCode: 7, signal: 0});
    const killed = openScript(`write('ready'); keys(() => {});`);
    await killed.sees('ready');
    killed.kill('SIGTERM');
    expect(await killed.exited).toEqual({exitCode: 0, signal: 15});
  });

  test('can hang up like a lost connection', async () => {
    const terminal = openScript(`write('ready'); keys(() => {});`);
    await terminal.sees('ready');
    terminal.hangUp();
    expect(await terminal.exited).toMatchObject({signal: 1});
  });

  test('kills a program that ignores other signals', async () => {
    const terminal = openScript(
      `process.on('SIGHUP', () => {}); process.on('SIGTERM', () => {}); write('ready'); keys(() => {});`,
    );
    await terminal.sees('ready');
    await terminal.close();
    expect(await terminal.exited).toMatchObject({signal: 9});
  });

  test('receives no bytes while reading is stopped, and all of them afterwards', async () => {
    const terminal = openScript(`keys(() => write('#'.repeat(39) + '\\nend')); write('ready');`);
    await terminal.sees('ready');
    const before = terminal.receivedByteCount();
    terminal.stopReading();
    terminal.write('x');
    await expect(terminal.sees('end', {withinMs: 300})).rejects.toThrow('within 300 ms');
    expect(terminal.receivedByteCount()).toBe(before);
    terminal.resumeReading();
    await terminal.sees('end');
    // The kernel replaces the line feed with a return and a line feed.
    expect(terminal.receivedByteCount()).toBe(before + 39 + 2 + 3);
  });

  test('keeps the raw bytes of the program', async () => {
    const terminal = openScript(`write('\\x1b[31mred\\x1b[0m')`);
    await terminal.exited;
    expect(terminal.raw()).toBe('\x1b[31mred\x1b[0m');
  });
});

describe('the environment', PATIENT, () => {
  test('has no variables of the test run, only those that the test gives', async () => {
    const terminal = openScript(
      `show([process.env.CI, process.env.VITEST, process.env.GIVEN, process.env.TERM].join())`,
      {
        env: {GIVEN: 'given'},
      },
    );
    await terminal.sees(',,given,xterm-256color');
  });
});

describe('the shell', PATIENT, () => {
  test('suspends a program on ctrl-z and resumes it with fg', async () => {
    const shell = await openShell({columns: 60, rows: 12, env: {SCRIPT: SUSPENDING_SCRIPT}});
    onTestFinished(shell.close);
    expect(shell.isCooked()).toBe(true);
    shell.run(`"${process.execPath}" -e "$SCRIPT"`);
    await shell.sees('drawn');
    expect({isAltScreen: shell.isAltScreen(), isCooked: shell.isCooked()}).toEqual({
      isAltScreen: true,
      isCooked: false,
    });
    await shell.press('ctrl-z');
    await shell.seesPrompt();
    expect({isAltScreen: shell.isAltScreen(), isCooked: shell.isCooked()}).toEqual({
      isAltScreen: false,
      isCooked: true,
    });
    shell.run('fg');
    await shell.becomes('to be on the alternate screen again', shell.isAltScreen);
    await shell.press('q');
    await shell.seesPrompt();
    expect(shell.isCooked()).toBe(true);
  });

  test('leaves no suspended program running', async () => {
    const shell = await openShell({columns: 60, rows: 12, env: {SCRIPT: DEAF_SCRIPT}});
    shell.run(`"${process.execPath}" -e "$SCRIPT"`);
    await shell.sees(/pid=\d+;/);
    const pid = Number(/pid=(\d+);/.exec(shell.text())?.[1]);
    expect(stateOf(pid)).toMatch(/^[RSD]/);
    await shell.press('ctrl-z');
    await shell.seesPrompt();
    expect(stateOf(pid)).toMatch(/^T/);
    await shell.close();
    expect(stateOf(pid)).toMatch(/^(Z|$)/);
  });
});

const SUSPENDING_SCRIPT = `
const draw = () => { process.stdin.setRawMode(true); process.stdout.write('\\x1b[?1049h\\x1b[Hdrawn'); };
const leave = () => { process.stdin.setRawMode(false); process.stdout.write('\\x1b[?1049l'); };
process.stdin.on('data', key => {
  leave();
  if (key.toString() === 'q') process.exit();
  process.kill(0, 'SIGTSTP');
});
process.on('SIGCONT', draw);
draw();`;

const DEAF_SCRIPT = `
console.log('pid=' + process.pid + ';');
process.on('SIGHUP', () => {});
setInterval(() => {}, 1e6);`;

/**
 * The state letter of a process. It is empty if the process is gone, and Z if only its exit code is left to be read.
 */
function stateOf(pid: number): string {
  return spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], {encoding: 'utf8'}).stdout.trim();
}
