import {Command} from 'commander';
import {namesFile, readKnownNames} from '../../config/known-names.ts';
import {OPTIONS, type OptionRecord, OUTPUT_OPTION, readFlags} from '../../config/options.ts';
import {resolveOptions} from '../../config/profiles.ts';
import {readSettings} from '../../config/settings.ts';
import {RESOURCES} from '../../resources/resources.ts';
import {type BuildCommand, type CommandIo, complain, print} from '../command-io.ts';
import {candidatesFor, closedTree, type GivenOptions, type Sources, type TreeOption} from '../completion-words.ts';
import {EXIT, type ExitCode} from '../../domain/exit-codes.ts';

/** What the completion scripts run. */
const WORDS = 'words';

type Subcommands = Readonly<Record<string, {readonly summary: string; readonly load: () => Promise<BuildCommand>}>>;

/** `skydeck completion`: words are read from the commands themselves, so nothing has to be listed twice. */
export function completionCommand(subcommands: Subcommands): BuildCommand {
  return (io, end) =>
    new Command('completion')
      .argument('<bash|zsh|fish>', 'the shell')
      .argument('[words...]', 'for the scripts: what was typed so far')
      .addHelpText(
        'after',
        `
bash:  skydeck completion bash > ~/.local/share/bash-completion/completions/skydeck
zsh:   skydeck completion zsh > "\${fpath[1]}/_skydeck"
fish:  skydeck completion fish > ~/.config/fish/completions/skydeck.fish

Names are those that skydeck listed last on this computer; completion sends no requests.
`,
      )
      .action(async (shell: string, words: readonly string[]) =>
        end(shell === WORDS ? await printWords(io, words, subcommands) : await printScript(io, shell)),
      );
}

async function printScript(io: CommandIo, shell: string): Promise<ExitCode> {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) {
    complain(io, `unknown shell; available: ${Object.keys(SCRIPTS).join(', ')}`);
    return EXIT.usage;
  }
  await print(io, script);
  return EXIT.done;
}

async function printWords(io: CommandIo, words: readonly string[], subcommands: Subcommands): Promise<ExitCode> {
  const candidates = await candidatesFor(words, sourcesOf(io, subcommands));
  const lines = candidates.map(({word, summary}) => (summary === undefined ? `${word}\n` : `${word}\t${summary}\n`));
  await print(io, lines.join(''));
  return EXIT.done;
}

function sourcesOf(io: CommandIo, subcommands: Subcommands): Sources {
  return {
    commands: Object.entries(subcommands).map(([word, {summary}]) => ({word, summary})),
    commonOptions: [...Object.values(OPTIONS), OUTPUT_OPTION].map(treeOption),
    load: async name =>
      Object.hasOwn(subcommands, name)
        ? closedTree((await subcommands[name]?.load())?.(io, () => {}) ?? new Command())
        : undefined,
    resources: RESOURCES.map(({names, summary}) => ({word: names[0], summary})),
    profiles: async () => {
      const read = await readSettings(io.environment);
      return read.ok ? Object.keys(read.settings.profiles) : [];
    },
    scenarios: async () => (await import('../../simulator/scenarios/scenarios.ts')).SCENARIO_NAMES,
    names: (kind, given) => knownNames(io, kind, given),
  };
}

function treeOption({flag, short, meaning, value}: OptionRecord): TreeOption {
  const names = short === undefined ? [flag] : [flag, short];
  return {names, summary: meaning, takesValue: value !== undefined, choices: [], takesFile: value === 'file'};
}

/** The names of the account the line refers to, as far as they were listed before. */
async function knownNames(io: CommandIo, kind: string, given: GivenOptions): Promise<readonly string[]> {
  const read = await readSettings(io.environment);
  const asked = readFlags(
    {profile: given.get('--profile'), baseUrl: given.get('--base-url'), color: true},
    io.environment,
  );
  if (!read.ok || !asked.ok) return [];
  const resolved = resolveOptions(asked.options, read.settings);
  if (!resolved.ok || resolved.options.baseUrl === undefined) return [];
  const {profileName, options} = resolved;
  return readKnownNames(namesFile(io.environment, {baseUrl: options.baseUrl ?? '', profileName}))[kind] ?? [];
}

// Each script asks `skydeck completion words` what can be typed at the cursor. The answer is one word per line, with
// its description after a tab. No shell ever expands these words. A line without a word asks for file names.

export const BASH_SCRIPT = `# Completion of skydeck for bash.
_skydeck() {
  local line word blank='\\ '
  # Inside quotes a blank is not escaped.
  case "\${COMP_WORDS[COMP_CWORD]}" in [\\"\\']*) blank=' ' ;; esac
  COMPREPLY=()
  while IFS= read -r line; do
    word="\${line%%$'\\t'*}"
    if [[ "$line" == $'\\tfiles' ]]; then compopt -o default 2>/dev/null; else COMPREPLY+=("\${word// /$blank}"); fi
  done < <("\${COMP_WORDS[0]}" completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _skydeck skydeck
`;

const ZSH_SCRIPT = `#compdef skydeck
compdef _skydeck skydeck
# Completion of skydeck for zsh.
_skydeck() {
  local line
  local -a found
  local files=
  while IFS= read -r line; do
    if [[ "$line" == $'\\tfiles' ]]; then files=1; else found+=("\${line%%$'\\t'*}"); fi
  done < <("\${words[1]}" completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then compadd -- "\${found[@]}"; fi
  if [[ -n "$files" ]]; then _files; fi
}
# The first completion loads this file as the function itself.
if [[ "\${funcstack[1]}" == _skydeck ]]; then _skydeck "$@"; fi
`;

export const FISH_SCRIPT = `# Completion of skydeck for fish.
function __skydeck_words
  set -l typed (commandline -opc)
  set -l current (commandline -ct)
  set -l found ($typed[1] completion words -- $typed[2..] "$current" 2>/dev/null)
  if test "$found" = \\tfiles
    __fish_complete_path (commandline -ct)
  else if set -q found[1]
    printf '%s\\n' $found
  end
end
complete -c skydeck -f -a '(__skydeck_words)'
`;

const SCRIPTS: Readonly<Record<string, string>> = {bash: BASH_SCRIPT, zsh: ZSH_SCRIPT, fish: FISH_SCRIPT};
