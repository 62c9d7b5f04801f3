import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {apiCommand} from '../../src/cli/commands/api.ts';
import {keyPairCommand} from '../../src/cli/commands/key-pair.ts';
import {vmCommand} from '../../src/cli/commands/vm.ts';
import {givenText} from '../../src/cli/given-text.ts';
import {openHome} from '../support/program.ts';
import {commandIo, run} from './a-command.ts';

const MIB = 2 ** 20;
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
    const mistake = 'the file cannot be read';
    expect(await givenText(commandIo().io, join(home.path, 'none'))).toEqual({ok: false, mistake});
    expect(await givenText(commandIo().io, home.path)).toEqual({ok: false, mistake});
  });

  test('is standard input for a dash', async () => {
    expect(await givenText(commandIo({stdin: 'é'}).io, '-')).toEqual({ok: true, text: 'é'});
    expect(await givenText(commandIo({stdin: 'x'.repeat(MIB + 1)}).io, '-')).toEqual({
      ok: false,
      mistake: 'standard input is larger than 1 MiB',
    });
  });

  // A device has no end: read as a file it used up all the memory of the computer.
  test.each([
    ['a body', apiCommand, 'POST /core/virtual-machines --yes --body @/dev/zero', '--body @/dev/zero'],
    [
      'a start script',
      vmCommand,
      'create n --environment e --flavor f --key-pair k --image i --dry-run --user-data /dev/zero',
      '--user-data',
    ],
    ['a public key', keyPairCommand, 'import n --environment e --public-key /dev/zero', '--public-key'],
  ])('is limited in size, as %s', async (_what, command, line, option) => {
    const {exitCode, stderr} = await run(command, line, {simulator: NOWHERE});
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`${option}: the file is larger than 1 MiB`);
  });
});
