// Each script asks `skydeck completion words` what can be typed at the cursor. The answer is one word per line, with
// its description after a tab. No shell ever expands these words. A line without a word asks for file names.

export const BASH_SCRIPT = `# Completion of skydeck for bash.
_skydeck() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ "$line" == $'\\tfiles' ]]; then compopt -o default 2>/dev/null; else COMPREPLY+=("\${line%%$'\\t'*}"); fi
  done < <("\${COMP_WORDS[0]}" completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _skydeck skydeck
`;

export const ZSH_SCRIPT = `#compdef skydeck
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
