// What shells take to complete commands, from the words of the table.
export const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]
type Words = Readonly<Record<string, readonly string[]>>

export function completion(shell: Shell, words: Words): string {
  switch (shell) {
    case 'bash':
      return bash(words)
    case 'zsh':
      return zsh(words)
    case 'fish':
      return fish(words)
  }
}

const nested = (words: Words): (readonly [string, readonly string[]])[] =>
  Object.entries(words).filter(([, seconds]) => seconds.length > 0)

const bash = (words: Words): string => `_gantry() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  case "$COMP_CWORD:\${COMP_WORDS[1]}" in
    1:*) COMPREPLY=($(compgen -W "${Object.keys(words).join(' ')}" -- "$current")) ;;
${nested(words)
  .map(([first, seconds]) => `    2:${first}) COMPREPLY=($(compgen -W "${seconds.join(' ')}" -- "$current")) ;;`)
  .join('\n')}
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}
complete -F _gantry gantry
`

const zsh = (words: Words): string => `#compdef gantry
_gantry() {
  case "$CURRENT:\${words[2]}" in
    2:*) compadd ${Object.keys(words).join(' ')} ;;
${nested(words)
  .map(([first, seconds]) => `    3:${first}) compadd ${seconds.join(' ')} ;;`)
  .join('\n')}
    *) _files ;;
  esac
}
compdef _gantry gantry
`

const fish = (words: Words): string =>
  [
    'complete -c gantry -f -n __fish_use_subcommand -a "' + Object.keys(words).join(' ') + '"',
    ...nested(words).map(
      ([first, seconds]) => `complete -c gantry -f -n "__fish_seen_subcommand_from ${first}" -a "${seconds.join(' ')}"`,
    ),
    '',
  ].join('\n')
