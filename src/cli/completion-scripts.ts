import type {TreeCommand, TreeOption} from './command-tree.ts';

/** One place on a command line where a word is wanted: what has been said before it, and what can stand there. */
type Place = {readonly path: string; readonly words: readonly string[]; readonly options: readonly TreeOption[]};

const TOP_OPTIONS = ['--help', '--version'];

/** Every place, `''` for the start and `vm stop` below it. */
function places(tree: readonly TreeCommand[]): readonly Place[] {
  const below = (command: TreeCommand, before: string): readonly Place[] => {
    const path = before === '' ? command.name : `${before} ${command.name}`;
    const words = [...command.words, ...command.commands.map(({name}) => name)];
    return [{path, words, options: command.options}, ...command.commands.flatMap(child => below(child, path))];
  };
  return tree.flatMap(command => below(command, ''));
}

function optionNames(options: readonly TreeOption[]): readonly string[] {
  return options.flatMap(({names}) => names);
}

/** Only what completes everywhere: letters, digits and hyphens are never quoted. */
function plain(words: readonly string[]): string {
  return words.filter(word => /^[\w.-]+$/.test(word)).join(' ');
}

export function bashScript(tree: readonly TreeCommand[]): string {
  const all = places(tree);
  const withValue = [...new Set(all.flatMap(({options}) => optionNames(options.filter(({takesValue}) => takesValue))))];
  const cases = all.map(
    ({path, words, options}) => `    '${path}') words='${plain(words)}'; options='${plain(optionNames(options))}' ;;`,
  );
  const choiceCases = all.flatMap(({path, options}) =>
    options
      .filter(({choices}) => choices.length > 0)
      .map(
        ({names, choices}) => `    ${names.map(name => `'${path} ${name}'`).join('|')}) choices='${plain(choices)}' ;;`,
      ),
  );
  const commandPaths = plain(tree.map(({name}) => name));
  return `# Completion of skydeck for bash.
_skydeck() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  local path='' candidate word words='' options='' choices='' index skip=''
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ -n $skip ]]; then skip=''; continue; fi
    if [[ $word == -* ]]; then
      case " ${withValue.join(' ')} " in *" $word "*) skip=1 ;; esac
      continue
    fi
    candidate="\${path:+$path }$word"
    case "$candidate" in
${all.map(({path}) => `      '${path}') path=$candidate ;;`).join('\n')}
    esac
  done
  case "$path" in
    '') words='${commandPaths}'; options='${TOP_OPTIONS.join(' ')}' ;;
${cases.join('\n')}
  esac
  case "$path $before" in
${choiceCases.join('\n')}
  esac
  if [[ -n $choices ]]; then COMPREPLY=($(compgen -W "$choices" -- "$current"))
  elif [[ -n $skip ]]; then COMPREPLY=()
  elif [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$current"))
  else COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -o default -F _skydeck skydeck
`;
}

export function zshScript(tree: readonly TreeCommand[]): string {
  const all = places(tree);
  const cases = all.map(
    ({path, words, options}) =>
      `    (${quoted(path)}) words_=(${plain(words)}); options_=(${plain(optionNames(options))}) ;;`,
  );
  const known = all.map(({path}) => quoted(path)).join('|');
  return `#compdef skydeck
# Completion of skydeck for zsh.
_skydeck() {
  local candidate current=\${words[CURRENT]} path_='' word
  local -a words_ options_
  for word in \${words[2,CURRENT-1]}; do
    [[ $word == -* ]] && continue
    candidate="\${path_:+$path_ }$word"
    case $candidate in
    (${known}) path_=$candidate ;;
    esac
  done
  case $path_ in
    ('') words_=(${plain(tree.map(({name}) => name))}); options_=(${TOP_OPTIONS.join(' ')}) ;;
${cases.join('\n')}
  esac
  if [[ $current == -* ]]; then compadd -- $options_; else compadd -- $words_ || _files; fi
}
_skydeck "$@"
`;
}

export function fishScript(tree: readonly TreeCommand[]): string {
  const top = tree.map(
    ({name, summary}) => `complete -c skydeck -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
  );
  const below = tree.flatMap(command => fishLines(command, `__fish_seen_subcommand_from ${command.name}`));
  return `# Completion of skydeck for fish.\n${[...top, ...below].join('\n')}\n`;
}

function fishLines(command: TreeCommand, condition: string): readonly string[] {
  const start = `complete -c skydeck -n ${quoted(condition)}`;
  const words = [
    ...command.words.map(word => `${start} -f -a ${word}`),
    ...command.commands.map(({name, summary}) => `${start} -f -a ${name} -d ${quoted(summary)}`),
  ];
  const options = command.options.map(({names, summary, takesValue, choices}) => {
    const spelled = names
      .map(name => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
      .join(' ');
    const value = choices.length > 0 ? ` -x -a ${quoted(plain(choices))}` : takesValue ? ' -r' : '';
    return `${start} ${spelled}${value} -d ${quoted(summary)}`;
  });
  const children = command.commands.flatMap(child =>
    fishLines(child, `${condition}; and __fish_seen_subcommand_from ${child.name}`),
  );
  return [...words, ...options, ...children];
}

/** In single quotes, where nothing is expanded. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
