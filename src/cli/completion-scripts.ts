// Each script asks `skydeck completion words` what can stand where the cursor is; the answer is a word a line, with what
// it is behind a tab. No shell ever expands one of these words.

export const BASH_SCRIPT = `# Completion of skydeck for bash.
_skydeck() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("\${COMP_WORDS[0]}" completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _skydeck skydeck
`;

export const ZSH_SCRIPT = `#compdef skydeck
compdef _skydeck skydeck
# Completion of skydeck for zsh.
_skydeck() {
  local line
  local -a found
  while IFS= read -r line; do
    found+=("\${line%%$'\\t'*}")
  done < <("\${words[1]}" completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then compadd -- "\${found[@]}"; else _files; fi
}
# The first completion loads this file as the function itself.
if [[ "\${funcstack[1]}" == _skydeck ]]; then _skydeck "$@"; fi
`;

export const FISH_SCRIPT = `# Completion of skydeck for fish.
function __skydeck_words
  set -l typed (commandline -opc)
  set -l found ($typed[1] completion words -- $typed[2..] (commandline -ct | string collect --allow-empty) 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c skydeck -f -a '(__skydeck_words)'
`;
