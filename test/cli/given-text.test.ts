import {execFileSync} from 'node:child_process';
import {symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {apiCommand} from '../../src/cli/commands/api.ts';
import {keyPairCommand} from '../../src/cli/commands/key-pair.ts';
import {vmCommand} from '../../src/cli/commands/vm.ts';
import {givenText} from '../../src/cli/given-text.ts';
import {projectRoot} from '../support/launch.ts';
import {openHome} from '../support/program.ts';
import {commandIo, run} from './a-command.ts';

const MIB = 2 ** 20;
const NOT_PLAIN = 'the file is not a plain file; to pass a pipe, give - and redirect standard input';
const NOWHERE = {url: 'http://127.0.0.1:9/v1', apiKey: 'a-key-of-nobody'};

describe('a file that an argument names', () => {
  const fileOf = (size: number) => {
    const file = join(openHome().path, `${size}.txt`);
    writeFileSync(file, 'x'.repeat(size));
    return file;
  };

  test('is read completely up to 1 MiB', async () => {
    expect(await givenText(commandIo().io, fileOf(MIB))).toEqual({ok: true, text: 'x'.repeat(MIB)});
    expect(await givenText(commandIo().io, fileOf(MIB + 1))).toEqual({
      ok: false,
      mistake: 'the file is larger than 1 MiB',
    });
  });

  test('is reported when it cannot be read', async () => {
    const home = openHome();
    expect(await givenText(commandIo().io, join(home.path, 'none'))).toEqual({
      ok: false,
      mistake: 'the file cannot be read',
    });
    // Standard input would be no remedy.
    expect(await givenText(commandIo().io, home.path)).toEqual({ok: false, mistake: 'it is a folder'});
  });

  test('is not waited for', async () => {
    const home = openHome();
    const [pipe, link] = [join(home.path, 'pipe'), join(home.path, 'link')];
    execFileSync('mkfifo', [pipe]);
    symlinkSync(pipe, link);
    for (const path of [pipe, link, '/dev/tty', '/dev/ptmx']) {
      expect(await givenText(commandIo().io, path)).toEqual({ok: false, mistake: NOT_PLAIN});
    }
  });

  test('may be a link to a file, or the output of another command', async () => {
    const home = openHome();
    const link = join(home.path, 'link');
    symlinkSync(fileOf(3), link);
    expect(await givenText(commandIo().io, link)).toEqual({ok: true, text: 'xxx'});
    const script = `
      import {givenText} from './src/cli/given-text.ts';
      for (const path of process.argv.slice(1)) console.log(JSON.stringify(await givenText({stdin: process.stdin}, path)));
    `;
    const line = `echo one | node --input-type=module -e "$0" <(echo two) /dev/stdin`;
    const printed = execFileSync('bash', ['-c', line, script], {cwd: projectRoot, encoding: 'utf8'});
    expect(
      printed
        .trim()
        .split('\n')
        .map(each => JSON.parse(each)),
    ).toEqual([
      {ok: true, text: 'two\n'},
      {ok: true, text: 'one\n'},
    ]);
  });

  test('is standard input for a dash', async () => {
    expect(await givenText(commandIo({stdin: 'é'}).io, '-')).toEqual({ok: true, text: 'é'});
    expect(await givenText(commandIo({stdin: 'x'.repeat(MIB + 1)}).io, '-')).toEqual({
      ok: false,
      mistake: 'standard input is larger than 1 MiB',
    });
  });

  // A device has no end: read as a file it used up all the memory of the computer. The other end of a pipe may never come.
  test.each([
    ['a body', apiCommand, 'POST /core/virtual-machines --yes --body @/dev/zero', '--body @/dev/zero'],
    [
      'a start script',
      vmCommand,
      'create n --environment e --flavor f --key-pair k --image i --dry-run --user-data /dev/zero',
      '--user-data',
    ],
    ['a public key', keyPairCommand, 'import n --environment e --public-key /dev/zero', '--public-key'],
  ])('is a plain file, as %s', async (_what, command, line, option) => {
    const {exitCode, stderr} = await run(command, line, {simulator: NOWHERE});
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`${option}: ${NOT_PLAIN}`);
  });
});
