import {Command} from 'commander';
import type {BuildCommand, CommandIo} from './command-io.ts';
import {complain, print} from './command-io.ts';
import {closedTree, type TreeCommand} from './command-tree.ts';
import {bashScript, fishScript, zshScript} from './completion-scripts.ts';
import {EXIT, type ExitCode} from './exit-codes.ts';

const SHELLS: Readonly<Record<string, (tree: readonly TreeCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

type Subcommands = Readonly<Record<string, {readonly summary: string; readonly load: () => Promise<BuildCommand>}>>;

/** `skydeck completion`: made from the commands themselves, so it knows each word and option that they know. */
export function completionCommand(subcommands: Subcommands): BuildCommand {
  return (io, end) =>
    new Command('completion')
      .description('Prints a script that completes commands and options in your shell.')
      .argument('<shell>', Object.keys(SHELLS).join(', '))
      .addHelpText(
        'after',
        `
bash:  skydeck completion bash > ~/.local/share/bash-completion/completions/skydeck
zsh:   skydeck completion zsh > "\${fpath[1]}/_skydeck"
fish:  skydeck completion fish > ~/.config/fish/completions/skydeck.fish
`,
      )
      .action(async (shell: string) => end(await runCompletion(io, shell, subcommands)));
}

async function runCompletion(io: CommandIo, shell: string, subcommands: Subcommands): Promise<ExitCode> {
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (script === undefined) {
    complain(io, `there is no completion for that shell; there is one for ${Object.keys(SHELLS).join(', ')}`);
    return EXIT.usage;
  }
  const tree: TreeCommand[] = [];
  for (const [name, {summary, load}] of Object.entries(subcommands)) {
    tree.push(
      closedTree(
        (await load())(io, () => {}),
        {name, summary},
      ),
    );
  }
  await print(io, script(tree));
  return EXIT.done;
}
