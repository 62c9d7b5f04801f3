import {execFileSync, spawnSync} from 'node:child_process';
import {chmodSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {BASH_SCRIPT, FISH_SCRIPT} from '../../src/cli/commands/completion.ts';
import {completionCommand} from '../../src/cli/commands/completion.ts';
import {getCommand} from '../../src/cli/commands/get.ts';
import {profileCommand} from '../../src/cli/commands/profile.ts';
import {SUBCOMMANDS} from '../../src/program.tsx';
import {openHome} from '../support/program.ts';
import {run, type Surroundings} from './a-command.ts';
import {openService} from './a-service.ts';

/** The completions for a line whose last word is being typed. */
async function offered(line: string, given: Surroundings = {}): Promise<readonly string[]> {
  const words = line.split(' ').slice(1);
  const {stdout, stderr} = await run(completionCommand(SUBCOMMANDS), ['words', '--', ...words], given);
  expect(stderr).toBe('');
  return stdout
    .split('\n')
    .filter(text => text !== '')
    .map(text => text.replace(/\t.*/, ''));
}

function hasFish(): boolean {
  return spawnSync('fish', ['--version']).status === 0;
}

describe('completion', () => {
  test.each<[string, readonly string[]]>([
    ['skydeck ge', ['get']],
    ['skydeck vm st', ['start', 'stop']],
    ['skydeck get fl', ['flavors']],
    ['skydeck describe cl', ['clusters']],
    ['skydeck vm stop --dr', ['--dry-run']],
    ['skydeck get vms --fil', ['--filter']],
    ['skydeck get -o js', ['json']],
    ['skydeck get vms --output wi', ['wide']],
    ['skydeck get vms --output=wi', ['--output=wide']],
    ['skydeck get vms --output = wi', ['wide']],
    ['skydeck --profile prod vm hib', ['hibernate']],
    ['skydeck --read-on', ['--read-only']],
    ['skydeck get -o json volu', ['volumes']],
    ['skydeck completion z', ['zsh']],
    ['skydeck profile us', ['use']],
    ['skydeck wait cl', ['cluster']],
    ['skydeck get vms --sort sta', ['state']],
    ['skydeck get vm --columns name,st', ['name,state']],
    ['skydeck get vm --columns name,na', []],
    ['skydeck simulator --scenario stuck', ['stuck-cluster']],
    ['skydeck bogus x', []],
    ['skydeck get vms --sort cost:', ['cost:asc', 'cost:desc']],
    // bash treats the colon and the equals sign as separate words, and keeps what comes before them.
    ['skydeck get vms --sort cost : d', ['desc']],
    ['skydeck get vms --sort cost :', ['asc', 'desc']],
    ['skydeck wait vm gpu-1 --for state=SHU', ['state=SHUTOFF']],
    ['skydeck wait vm gpu-1 --for state = SHU', ['SHUTOFF']],
    ['skydeck wait vm gpu-1 --for state=CR', ['state=CREATING']],
    ['skydeck rule add ku', ['kubernetes']],
    ['skydeck vm create --name x', []],
    ['skydeck help ge', ['get']],
    ['skydeck help vm st', ['start', 'stop']],
    ['skydeck cost --day ', ['yesterday', 'today']],
    ['skydeck cost --day=y', ['--day=yesterday']],
    ['skydeck rule add --protocol t', ['tcp']],
    ['skydeck rule add --direction ', ['ingress', 'egress']],
    ['skydeck rule add --ethertype IPv6', ['IPv6']],
    ['skydeck cluster create --mode ', ['full', 'standard']],
    // The value of an option is not an argument. A shell completes files by itself: a line without a word asks it to.
    ['skydeck vm create --user-data st', ['']],
    ['skydeck --log sk', ['']],
    ['skydeck ssh gpu-1 -- --re', []],
  ])('offers the right words for "%s"', async (line, words) => {
    expect(await offered(line)).toEqual(words);
  });

  test('lists every command at the start, and says what each does', async () => {
    expect(await offered('skydeck ')).toEqual(Object.keys(SUBCOMMANDS));
    const {stdout} = await run(completionCommand(SUBCOMMANDS), ['words', '--', 'ge']);
    expect(stdout).toBe('get\tprint records\n');
  });

  test('offers the profiles', async () => {
    const home = openHome();
    for (const name of ['prod', 'pre-prod', 'lab'])
      await run(profileCommand, `add ${name} --key-command cat`, {home, stdin: 'key-0123456789'});
    expect(await offered('skydeck get --profile pr', {home})).toEqual(['prod', 'pre-prod']);
    expect(await offered('skydeck profile use la', {home})).toEqual(['lab']);
  });

  test('offers the names that were listed last, without a request, but none that a shell would interpret', async () => {
    const names = ['gpu-1', 'gpu-2', '$(touch x)', 'gpu 3', '-rf', 'gpu-1'];
    const instances = names.map((name, index) => ({id: index + 1, name, status: 'ACTIVE'}));
    const {simulator, asked} = await openService({
      '/core/virtual-machines': {status: true, count: names.length, instances},
    });
    const given = {simulator, home: openHome()};
    expect(await offered('skydeck vm stop gp', given)).toEqual([]);
    await run(getCommand, 'vms -o name', given);
    asked.length = 0;
    expect(await offered('skydeck vm stop ', given)).toEqual(['gpu-1', 'gpu-2']);
    expect(await offered('skydeck vm stop gpu-1 g', given)).toEqual(['gpu-2']);
    expect(await offered('skydeck vm stop --wait gpu-1 g', given)).toEqual(['gpu-2']);
    expect(await offered('skydeck ssh gpu-', given)).toEqual(['gpu-1', 'gpu-2']);
    expect(await offered('skydeck get vms gpu-2 gp', given)).toEqual(['gpu-1']);
    expect(await offered('skydeck wait vm gpu-2', given)).toEqual(['gpu-2']);
    expect(await offered('skydeck get rules --vm gpu-1', given)).toEqual(['gpu-1']);
    const elsewhere = {...given, simulator: {...simulator, url: 'http://127.0.0.1:9/v1'}};
    expect(await offered('skydeck ssh gpu-', elsewhere)).toEqual([]);
    expect(asked).toEqual([]);
  });

  test('offers the names of everything that has events, the numbers of contracts, and images of several words', async () => {
    const {simulator} = await openService({
      '/core/virtual-machines': {status: true, count: 1, instances: [{id: 1, name: 'train-1', status: 'ACTIVE'}]},
      '/core/volumes': {status: true, count: 1, volumes: [{id: 2, name: 'train-data', status: 'available', size: 1}]},
      '/core/images': {
        status: true,
        images: [
          {
            region_name: 'NORWAY-1',
            type: 'Ubuntu',
            images: [
              {id: 3, name: 'Ubuntu 24.04 LTS', region_name: 'NORWAY-1'},
              {id: 4, name: 'Ubuntu $(exit)', region_name: 'NORWAY-1'},
            ],
          },
        ],
      },
      '/pricebook/contracts': {status: true, count: 1, contracts: [{id: 118, description: 'H100, one quarter'}]},
    });
    const given = {simulator, home: openHome()};
    for (const kind of ['vms', 'volumes', 'images', 'contracts']) await run(getCommand, `${kind} -o name`, given);
    expect(await offered('skydeck events t', given)).toEqual(['train-1', 'train-data']);
    expect(await offered('skydeck describe contract ', given)).toEqual(['118']);
    const typed = async (word: string) =>
      (await run(completionCommand(SUBCOMMANDS), ['words', '--', 'vm', 'create', '--image', word], given)).stdout;
    for (const word of ['Ub', 'Ubuntu\\ 24', '"Ubuntu 24', "'Ubuntu 24"]) {
      expect(await typed(word), word).toBe('Ubuntu 24.04 LTS\n');
    }
  });

  test('reaches bash exactly as it is, but for blanks outside quotes, which are escaped', () => {
    const home = openHome();
    const [file, program] = [join(home.path, 'skydeck.bash'), join(home.path, 'skydeck')];
    writeFileSync(file, BASH_SCRIPT);
    writeFileSync(
      program,
      '#!/bin/sh\ncase "$*" in "completion words -- vm stop "*g) printf \'gpu-1\\tx\\n$(exit)\\na b\\n\' ;; esac\n',
    );
    chmodSync(program, 0o755);
    const completed = (word: string) => {
      const script = `source '${file}'; COMP_WORDS=('${program}' vm stop ${word}); COMP_CWORD=3; _skydeck; printf '%s|' "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['--norc', '-c', script], {encoding: 'utf8'});
    };
    expect(completed('g')).toBe('gpu-1|$(exit)|a\\ b|');
    expect(completed(`'"g'`)).toBe('gpu-1|$(exit)|a b|');
  });

  test.skipIf(!hasFish())('reaches fish exactly as it is, for a partial word and for an empty one', () => {
    const home = openHome();
    const [file, program] = [join(home.path, 'skydeck.fish'), join(home.path, 'skydeck')];
    writeFileSync(file, FISH_SCRIPT);
    writeFileSync(
      program,
      `#!/bin/sh
[ "$#" = 5 ] && [ "$*" = "completion words -- --profile " ] && printf 'prod\\tx\\n'
[ "$*" = "completion words -- vm stop g" ] && printf 'gpu-1\\tx\\n'
exit 0
`,
    );
    chmodSync(program, 0o755);
    const script = `set -gx PATH '${home.path}' $PATH; source '${file}'; complete -C 'skydeck --profile '; complete -C 'skydeck vm stop g'`;
    expect(execFileSync('fish', ['--no-config', '-c', script], {encoding: 'utf8'})).toBe('prod\tx\ngpu-1\tx\n');
  });

  test('names the supported shells', async () => {
    expect(await run(completionCommand(SUBCOMMANDS), 'tcsh')).toMatchObject({
      exitCode: 2,
      stderr: 'skydeck: unknown shell; available: bash, zsh, fish\n',
    });
  });
});
