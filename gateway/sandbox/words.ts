// A command that the package made for a shell, as the words that the shell would read: none is needed then.

/** The words of a command in which each is bare or in single quotes, with `'"'"'` for a quote. */
export function wordsOf(command: string): readonly string[] {
  const words = command.match(/(?:'[^']*'|"'"|[^\s'"])+/g) ?? []
  return words.map((word) => word.replaceAll(/'([^']*)'|"(')"/g, '$1$2'))
}
