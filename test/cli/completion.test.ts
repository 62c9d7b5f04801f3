import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeAll, describe, expect, test} from 'vitest';
import {createHome, launchWithoutTerminal} from '../support/launch.ts';

let bash = '';
let zsh = '';
let fish = '';

beforeAll(async () => {
  const home = createHome();
  const print = async (shell: string) =>
    (await launchWithoutTerminal({home, arguments: ['completion', shell], timeoutMs: 15_000})).stdout;
  [bash, zsh, fish] = [await print('bash'), await print('zsh'), await print('fish')];
  home.remove();
});

/** What bash itself offers for a line, the last word of which is being typed. */
function offered(line: string): readonly string[] {
  const home = createHome();
  try {
    const file = join(home.path, 'skydeck.bash');
    writeFileSync(file, bash);
    const words = line.split(' ');
    const script = `source '${file}'; COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _skydeck; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const printed = execFileSync('bash', ['--norc', '-c', script], {encoding: 'utf8'});
    return printed.split('\n').filter(word => word !== '');
  } finally {
    home.remove();
  }
}

describe('completion in bash', () => {
  test.each<[string, readonly string[]]>([
    ['skydeck ge', ['get']],
    ['skydeck vm st', ['start', 'stop']],
    ['skydeck get fl', ['flavors']],
    ['skydeck describe cl', ['clusters']],
    ['skydeck vm stop --dr', ['--dry-run']],
    ['skydeck get vms --fil', ['--filter']],
    ['skydeck get -o js', ['json']],
    ['skydeck get vms --output wi', ['wide']],
    ['skydeck --profile prod vm hib', ['hibernate']],
    ['skydeck get -o json volu', ['volumes']],
    ['skydeck completion z', ['zsh']],
    ['skydeck profile us', ['use']],
    ['skydeck bogus x', []],
    // The value of an option is no argument: nothing of ours fits, so the shell offers files.
    ['skydeck get --profile v', []],
    ['skydeck vm create --user-data st', []],
  ])('offers for "%s"', (line, words) => {
    expect(offered(line)).toEqual(words);
  });

  test('knows every command at the start', () => {
    expect(offered('skydeck ')).toEqual(expect.arrayContaining(['get', 'api', 'vm', 'doctor', 'journal', 'simulator']));
  });
});

test('the scripts for zsh and fish name every command and its options', () => {
  expect(zsh).toMatch(/^#compdef skydeck\n/);
  expect(zsh).toContain("('vm stop') words_=(); options_=(--yes --dry-run --wait");
  expect(fish).toContain("complete -c skydeck -n __fish_use_subcommand -f -a get -d 'print records'");
  expect(fish).toContain('-l retain-ip');
  for (const script of [zsh, fish]) expect(script).not.toContain('undefined');
});
